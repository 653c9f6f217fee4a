// Compares the CUDA text and the launch plan of the golden graphs (tests/golden/*.harp and tests/cuda/graphs/*.harp) with the files in
// tests/cuda/golden, so that changes can be reviewed. With HARP_WRITE_GOLDEN=1 the test writes the files anew.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

#include "base/text.h"
#include "grad/operation.h"
#include "graph/text.h"
#include "pipeline.h"

using namespace harp;
namespace fs = std::filesystem;

namespace {

std::string file_text(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Returns the head of the first loop of the text that has exactly one iteration and is not distributed over the GPU; "" if there is none.
std::string single_iteration(const std::string& text) {
  static const std::regex head(R"(for \(i64 (\w+) = (\d+); \1 < (\d+); \+\+\1\))");
  for (auto loop = std::sregex_iterator(text.begin(), text.end(), head); loop != std::sregex_iterator(); ++loop)
    if (std::stoll((*loop)[3].str()) - std::stoll((*loop)[2].str()) == 1) return loop->str();
  return {};
}

}  // namespace

TEST_CASE("C1: the CUDA text and launch plan of the golden graphs") {
  const fs::path root = fs::path(std::getenv("HARP_SOURCE_DIR")) / "tests", folder = root / "cuda/golden";
  const bool writes = std::getenv("HARP_WRITE_GOLDEN") != nullptr;
  PipelineOptions options;
  options.code = &kCudaCode;
  options.target = gpu_machines()[0];
  std::set<fs::path> expected;
  std::vector<fs::path> graphs;
  for (const fs::path& from : {root / "golden", root / "cuda/graphs"})
    for (const auto& entry : fs::directory_iterator(from))
      if (entry.path().extension() == ".harp") graphs.push_back(entry.path());
  for (const fs::path& path : graphs) {
    const auto graph = parse_graph(file_text(path), grad::text_operations());
    const std::pair<std::string_view, std::string_view> kinds[] = {{"cuda", ".cu"}, {kPlanStage, ".plan"}};
    for (const auto& [stage, extension] : kinds) {
      const fs::path file = folder / cat(path.stem().string(), extension);
      const std::string text = emit_stage(*graph, options, stage);
      expected.insert(file);
      if (writes) std::ofstream(file) << text;
      CHECK_MESSAGE(single_iteration(text) == "", file.filename().string(), " has a loop of one iteration");
      CHECK_MESSAGE(text == file_text(file), file.filename().string(), " differs; HARP_WRITE_GOLDEN=1 writes it:\n", text);
    }
  }
  for (const auto& entry : fs::directory_iterator(folder))
    CHECK_MESSAGE(expected.contains(entry.path()), entry.path().string(), " has no graph");
}
