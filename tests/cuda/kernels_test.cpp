// CUDA kernels of random graphs and of the golden graphs against the interpreter, in the emulator.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/text.h"
#include "cuda/check_programs.h"
#include "grad/operation.h"
#include "graph/text.h"

using namespace harp;
using namespace harp::cuda_test;
using harp::fuzz::Case;

namespace {

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("C1: CUDA kernels of random graphs have the interpreter's bits") {
  // `./dev fuzz cuda` takes more: HARP_CUDA_GRAPHS is the number of graphs, HARP_CUDA_SEED the first seed
  const auto number = [](const char* name, uint64_t otherwise) {
    const char* given = std::getenv(name);
    return given == nullptr ? otherwise : std::strtoull(given, nullptr, 10);
  };
  constexpr uint64_t kTogether = 40;  // graphs that are compiled together
  const uint64_t first = number("HARP_CUDA_SEED", 1), count = number("HARP_CUDA_GRAPHS", 40);
  const bool is_long = count > kTogether;
  std::map<std::string, int> unsupported;
  for (uint64_t begin = 0; begin < count; begin += kTogether) {
    std::vector<GpuProgram> programs;
    for (uint64_t seed = first + begin; seed < first + std::min(begin + kTogether, count); ++seed)
      add_program(cat("seed ", seed), fuzz::random_case(seed), seed % 4 == 0, programs, unsupported);
    check_programs(programs, std::span(kAllOrders).subspan(is_long ? 0 : 2));
  }
  for (const auto& [message, times] : unsupported) MESSAGE(times, " times: ", message);
}

TEST_CASE("C1: CUDA kernels of the golden graphs have the interpreter's bits in every order of threads") {
  std::vector<GpuProgram> programs;
  std::map<std::string, int> unsupported;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(std::getenv("HARP_SOURCE_DIR")) / "tests/golden")) {
    if (entry.path().extension() != ".harp") continue;
    Case test;
    test.graph = parse_graph(file_text(entry.path()), grad::text_operations());
    test.sizes = fuzz::runnable_sizes(*test.graph, 1, 2);
    test.data_seed = 7;
    if (test.sizes.empty()) continue;  // too large for the interpreter
    add_program(entry.path().stem().string(), std::move(test), false, programs, unsupported);
  }
  CHECK(programs.size() > 10);
  CHECK(unsupported.empty());
  check_programs(programs, kAllOrders);
}
