// Assigns functions to parts: takes the functions in order of decreasing cost, and assigns each to the part whose cost is smallest so far.
#include "compile/split.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/error.h"
#include "base/text.h"

namespace harp {
namespace {

// A part must have at least this many bytes of functions to be worth a process of its own. gcc takes 20 ms to start and about 5 ms for each
// kilobyte of kernel text; linking the parts takes another 5 ms.
constexpr size_t kMinBytes = 8192;
constexpr size_t kMaxParts = 16;  // Limited, because each part contains a copy of the text that all parts share.
constexpr std::string_view kStatic = "static ", kHidden = "__attribute__((visibility(\"hidden\"))) ";

template <class Visit>
void each_line(std::string_view text, Visit visit) {
  for (size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    visit(text.substr(begin, end - begin));
  }
}

/// Calls visit() with the word before each opening parenthesis: the name of a called function or a keyword.
template <class Visit>
void each_call(std::string_view line, Visit visit) {
  const auto is_word = [](char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  for (size_t at = line.find('('); at != line.npos; at = line.find('(', at + 1)) {
    size_t begin = at;
    while (begin > 0 && is_word(line[begin - 1])) --begin;
    visit(line.substr(begin, at - begin));
  }
}

/// Long functions that the compiler inlines at every call, such as exp. The value is the number of characters of the function's statements,
/// including those of the long functions that it calls. Short functions, with a few instructions each, are not in the map, because they
/// cost about as much as the text of the call.
using Inlined = std::unordered_map<std::string_view, size_t>;
Inlined long_inlined(std::string_view for_all) {
  constexpr size_t kLong = 400;
  Inlined found;
  std::string_view name;  // the function that contains the current line
  size_t length = 0;
  bool is_otherwise = false;  // true while the current line is in an #else branch, which is text for other compilers
  each_line(for_all, [&](std::string_view line) {
    if (line.starts_with(kStatic)) {
      name = {}, length = 0;
      if (!line.starts_with("static inline ") || line.ends_with('}')) return;
      each_call(line, [&](std::string_view word) {
        if (name.empty() && word != "__attribute__") name = word;
      });
    } else if (line == "}") {
      if (length >= kLong && !name.empty()) found.emplace(name, length);
      name = {};
    } else if (line.starts_with('#')) {
      is_otherwise = line.starts_with("#else");
    } else if (!is_otherwise) {
      length += line.size();
      each_call(line, [&](std::string_view word) {
        if (const auto called = found.find(word); called != found.end()) length += called->second;
      });
    }
  });
  return found;
}

/// Returns the estimated cost of compiling a text: the sum over its characters, each weighted by the number of enclosing loops and
/// branches, which the indentation shows. The number of instructions that gcc executes per unit of this cost varies by a factor of 2
/// between kinds of kernels. Per unweighted character it varies by a factor of 7, because gcc moves and copies deeply nested code.
size_t cost(std::string_view text, const Inlined& inlined) {
  constexpr size_t kDeeper = 4;
  size_t sum = 0;
  each_line(text, [&](std::string_view line) {
    const size_t first = std::min(line.find_first_not_of(' '), line.size());
    size_t length = line.size() - first;
    each_call(line, [&](std::string_view word) {
      if (const auto called = inlined.find(word); called != inlined.end()) length += called->second;
    });
    sum += length * (1 + kDeeper * (first / 2));
  });
  return sum;
}

/// Returns the number of functions that are marked as shared (SourceFunction::shared). They come first in the list.
size_t count_shared(const std::vector<SourceFunction>& functions) {
  return static_cast<size_t>(std::count_if(functions.begin(), functions.end(), [](const SourceFunction& f) { return f.shared; }));
}

}  // namespace

size_t worthwhile_parts(const std::vector<SourceFunction>& functions, size_t processors) {
  const size_t shared = count_shared(functions);
  if (shared == functions.size()) return 1;
  const size_t bytes = functions.back().end - functions[shared].begin;
  return std::clamp<size_t>(std::min({bytes / kMinBytes, processors, functions.size() - shared}), 1, kMaxParts);
}

std::vector<std::string> split_source(std::string_view source, const std::vector<SourceFunction>& functions, size_t parts) {
  const size_t shared = count_shared(functions);
  parts = std::min(parts, functions.size() - shared);
  if (parts < 2) return {std::string(source)};
  const auto text = [&](size_t begin, size_t end) { return source.substr(begin, end - begin); };
  const std::string_view for_all = text(0, functions[shared].begin), callers = text(functions.back().end, source.size());

  std::vector<size_t> dearest(functions.size()), costs(functions.size()), part_of(functions.size()), load(parts, 0);
  const Inlined inlined = long_inlined(for_all);
  for (size_t i = 0; i < functions.size(); ++i) costs[i] = cost(text(functions[i].begin, functions[i].end), inlined);
  std::iota(dearest.begin(), dearest.end(), size_t{0});
  std::stable_sort(dearest.begin(), dearest.end(), [&](size_t a, size_t b) { return costs[a] > costs[b]; });
  load.back() = cost(callers, inlined);
  for (const size_t i : dearest) {
    part_of[i] = static_cast<size_t>(std::min_element(load.begin(), load.end()) - load.begin());
    load[part_of[i]] += costs[i];
  }

  std::vector<std::string> split(parts);
  size_t copied = 0;  // the text that all parts share has been copied up to this position
  for (size_t i = 0; i < functions.size(); ++i) {
    const SourceFunction& f = functions[i];
    HARP_ASSERT(text(f.definition, f.body).starts_with(kStatic), "a function to be compiled separately begins with ", kStatic, ", not ",
                text(f.definition, f.body).substr(0, 40));
    const size_t name = f.definition + kStatic.size();
    for (size_t part = 0; part < parts; ++part) {
      append(split[part], text(copied, std::min(f.begin, for_all.size())));
      if (part == part_of[i])
        append(split[part], cat(text(f.begin, f.definition), kHidden, text(name, f.end)));
      else if (f.shared || part + 1 == parts)
        append(split[part], cat(text(f.begin, f.definition), kHidden, text(name, f.body), ";\n\n"));
    }
    copied = std::min(f.end, for_all.size());
  }
  split.back() += callers;
  for (size_t part = 0; part + 1 < parts; ++part)
    if (std::find(part_of.begin(), part_of.end(), part) == part_of.end()) split[part].clear();
  std::erase_if(split, [](const std::string& part) { return part.empty(); });
  return split;
}

}  // namespace harp
