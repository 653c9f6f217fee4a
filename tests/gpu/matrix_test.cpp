// Tests of single operations and of HARP_GPU_GRAPHS random graphs on a real GPU. Each operation is tested with one dtype, or, if
// HARP_GPU_CELLS=1, with every dtype that it accepts.
#include <cstdlib>

#include "fuzz/op_cells.h"
#include "gpu/programs.h"

using namespace harp;
using namespace gpu_test;

TEST_CASE("on a GPU: random graphs have the interpreter's bits") {
  const Driver driver;
  const char* given = std::getenv("HARP_GPU_GRAPHS");
  const uint64_t count = given != nullptr ? std::strtoull(given, nullptr, 10) : 64;
  std::vector<Work> all;
  for (uint64_t seed = 1; seed <= count; ++seed) all.push_back({cat("seed ", seed), [seed] { return fuzz::random_case(seed); }});
  check_all(all, {});
}

TEST_CASE("on a GPU: one cell of the op matrix for each operation has the interpreter's bits") {
  const Driver driver;
  std::vector<std::string> unbuilt;
  std::vector<fuzz::Cell> cells = fuzz::op_cells(unbuilt);
  // true: tests each operation with every dtype that it accepts, which takes minutes; false: with one dtype
  const bool every = std::getenv("HARP_GPU_CELLS") != nullptr;
  std::vector<Work> all;
  for (size_t begin = 0, end = 0; begin < cells.size(); begin = end) {
    while (end < cells.size() && cells[end].row == cells[begin].row) ++end;
    // The dtype differs from operation to operation, so that all dtypes occur.
    const size_t chosen = begin + all.size() % (end - begin);
    for (size_t i = every ? begin : chosen; i < (every ? end : chosen + 1); ++i)
      all.push_back({cat(cells[i].row->name, " ", name(cells[i].dtype)), [test = cells[i].test] { return test; }});
  }
  check_all(all, {});
}
