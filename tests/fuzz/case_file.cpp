#include "fuzz/case_file.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "graph/text.h"
#include "opt/passes.h"

namespace harp::fuzz {
namespace {

template <class T>
std::vector<T> numbers_of(std::string_view text) {
  std::vector<T> numbers;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    T value = 0;
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    HARP_CHECK(error == std::errc() && rest == word.data() + word.size(), Code::kParse, "case file: \"", word, "\" is not a number");
    numbers.push_back(value);
  }
  return numbers;
}

}  // namespace

Job parse_job(std::string_view text) {
  Job job;
  job.test.graph = parse_graph(text);
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const auto value_of = [&](std::string_view key) {
      return line.substr(0, key.size()) == key ? std::optional(line.substr(key.size())) : std::nullopt;
    };
    if (const auto sizes = value_of("# sizes:")) job.test.sizes.push_back(numbers_of<int64_t>(*sizes));
    if (const auto data = value_of("# data:"))
      for (const uint64_t seed : numbers_of<uint64_t>(*data)) job.test.data_seed = seed;
    if (const auto variant = value_of("# variant:")) job.variants.push_back(parse_variant(*variant));
  }
  const size_t variables = job.test.graph->dims().variables().size();
  if (job.test.sizes.empty() && variables == 0) job.test.sizes.emplace_back();
  if (job.test.sizes.empty()) job.test.sizes = runnable_sizes(*job.test.graph, job.test.data_seed, 4);
  for (const std::vector<int64_t>& sizes : job.test.sizes)
    HARP_CHECK(sizes.size() == variables, Code::kParse, "case file: ", sizes.size(), " sizes for ", variables, " shape variables");
  HARP_CHECK(!job.test.sizes.empty(), Code::kParse, "case file: the graph cannot be run at any size tried; give \"# sizes:\"");
  if (job.variants.empty()) job.variants = usual_variants();
  return job;
}

std::string print_job(const Job& job, std::string_view note) {
  std::string out;
  if (!note.empty()) {
    std::string_view line = note.substr(0, note.find('\n'));
    append(out, cat("# note: ", line, "\n"));
  }
  for (const std::vector<int64_t>& sizes : job.test.sizes)
    if (!sizes.empty()) append(out, cat("# sizes: ", join(sizes, " "), "\n"));
  append(out, cat("# data: ", job.test.data_seed, "\n"));
  for (const BuildVariant& variant : job.variants) append(out, cat("# variant: ", to_string(variant), "\n"));
  return out + print_graph(*job.test.graph);
}

std::string read_text_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  HARP_CHECK(file.good(), Code::kIo, "cannot read ", path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_text_file(const std::string& path, std::string_view text) {
  std::error_code ignored;  // ignored, because the error message below reports that the file cannot be written
  if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty()) std::filesystem::create_directories(folder, ignored);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.flush();
  HARP_CHECK(file.good(), Code::kIo, "cannot write ", path);
}

std::vector<BuildVariant> usual_variants() {
  std::vector<BuildVariant> variants;
  for (const std::string_view compiler : {"gcc", "clang"})
    for (const int width : {0, 1, 2, 4, 8, 16}) {
      BuildVariant v;
      v.compiler.compiler = compiler;
      v.simd_width = width;
      // Width 0 means the vector width that harp chooses; this variant is compiled with the flags that users get. The other widths only
      // test the generated text, so they are compiled without optimisation, which takes a tenth of the time of -O3.
      v.compiler.optimisation = width == 0 ? 3 : 0;
      v.compiler.vectors_written = width == 0;
      v.workers = width / 2 % 4;
      v.pool = compiler == "clang" && v.workers > 0;
      v.in_place = compiler == "clang" || width > 8;
      variants.push_back(v);
    }
  BuildVariant plain;
  plain.plain_text = true;
  variants.push_back(plain);
  BuildVariant bare;
  bare.compiler.optimisation = 0;
  bare.partition = bare.overlap = false;
  for (const opt::Pass& pass : opt::passes()) bare.disabled_rules.emplace_back(pass.name);
  variants.push_back(bare);
  BuildVariant old;
  old.compiler.optimisation = 0;
  old.compiler.target = machines().front().name;
  variants.push_back(old);
  return variants;
}

}  // namespace harp::fuzz
