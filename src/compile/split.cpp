// The dearest function first, each to the part that has least to do so far.
#include "compile/split.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/text.h"

namespace harp {
namespace {

// gcc takes about 5 ms for a kilobyte of a kernel's text and 20 ms before it begins; a link that follows takes another 5.
constexpr size_t kLeastBytes = 8192;
constexpr size_t kMostParts = 16;  // what all need is read in each
constexpr std::string_view kStatic = "static ", kShared = "__attribute__((visibility(\"hidden\"))) ";

/// What text costs the compiler: its characters, each counted with the loops and branches around it, which indentation tells. Over kernels
/// of all kinds gcc's instructions vary by a factor of 2 for one of these, by 7 for a character: what lies deep is moved about and copied.
size_t cost(std::string_view text) {
  constexpr size_t kDeeper = 4;
  size_t sum = 0;
  for (size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    const size_t first = std::min(text.find_first_not_of(' ', begin), end);
    sum += (end - first) * (1 + kDeeper * ((first - begin) / 2));
  }
  return sum;
}

}  // namespace

size_t worthwhile_parts(const std::vector<SourceFunction>& functions, size_t processors) {
  if (functions.empty()) return 1;
  const size_t bytes = functions.back().end - functions.front().begin;
  return std::clamp<size_t>(std::min({bytes / kLeastBytes, processors, functions.size()}), 1, kMostParts);
}

std::vector<std::string> split_source(std::string_view source, const std::vector<SourceFunction>& functions, size_t parts) {
  parts = std::min(parts, functions.size());
  if (parts < 2) return {std::string(source)};
  const auto text = [&](size_t begin, size_t end) { return source.substr(begin, end - begin); };
  const std::string_view for_all = text(0, functions.front().begin), callers = text(functions.back().end, source.size());

  std::vector<size_t> dearest(functions.size()), costs(functions.size()), part_of(functions.size()), load(parts, 0);
  for (size_t i = 0; i < functions.size(); ++i) costs[i] = cost(text(functions[i].begin, functions[i].end));
  std::iota(dearest.begin(), dearest.end(), size_t{0});
  std::stable_sort(dearest.begin(), dearest.end(), [&](size_t a, size_t b) { return costs[a] > costs[b]; });
  load.back() = cost(callers);
  for (const size_t i : dearest) {
    part_of[i] = static_cast<size_t>(std::min_element(load.begin(), load.end()) - load.begin());
    load[part_of[i]] += costs[i];
  }

  std::vector<std::string> split(parts, std::string(for_all));
  for (size_t i = 0; i < functions.size(); ++i) {
    const SourceFunction& f = functions[i];
    HARP_ASSERT(text(f.definition, f.body).starts_with(kStatic), "a function to be compiled apart is not static");
    const size_t name = f.definition + kStatic.size();
    append(split[part_of[i]], cat(text(f.begin, f.definition), kShared, text(name, f.end)));
    if (part_of[i] + 1 != parts) append(split.back(), cat(text(f.begin, f.definition), kShared, text(name, f.body), ";\n\n"));
  }
  split.back() += callers;
  std::erase_if(split, [&](const std::string& part) { return part.size() == for_all.size(); });
  return split;
}

}  // namespace harp
