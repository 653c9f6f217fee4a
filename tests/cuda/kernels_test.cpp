// Generated CUDA kernels against the interpreter, without a GPU: the very text that a GPU would run is compiled for the emulator and
// launched as its plan says. Results must have the same bits, in every order of threads.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "cuda/emulated_programs.h"
#include "fuzz/generator.h"
#include "grad/operation.h"
#include "graph/text.h"

using namespace harp;
using namespace harp::cuda_test;
using harp::fuzz::Case;

namespace {

/// Runs the programs and reports what is wrong.
void check_programs(const GpuPrograms& programs, std::span<const ThreadOrder> orders) {
  const std::vector<std::string> wrong = run_emulated(programs.all, orders);
  for (size_t i = 0; i < wrong.size(); ++i) CHECK_MESSAGE(wrong[i].empty(), programs.all[i].label, ", ", wrong[i]);
}

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
  GpuPrograms programs;
  for (uint64_t begin = 0; begin < count; begin += kTogether) {
    programs.all.clear();
    for (uint64_t seed = first + begin; seed < first + std::min(begin + kTogether, count); ++seed)
      programs.add(cat("seed ", seed), fuzz::random_case(seed), seed % 4 == 0);
    check_programs(programs, std::span(kAllOrders).subspan(is_long ? 0 : 2));
  }
}

TEST_CASE("C1: CUDA kernels of the golden graphs have the interpreter's bits in every order of threads") {
  GpuPrograms programs;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(std::getenv("HARP_SOURCE_DIR")) / "tests/golden")) {
    if (entry.path().extension() != ".harp") continue;
    Case test;
    test.graph = parse_graph(file_text(entry.path()), grad::text_operations());
    test.sizes = fuzz::runnable_sizes(*test.graph, 1, 2);
    test.data_seed = 7;
    if (test.sizes.empty()) continue;  // too large for the interpreter
    programs.add(entry.path().stem().string(), std::move(test), false);
  }
  CHECK(programs.all.size() > 10);
  check_programs(programs, kAllOrders);
}
