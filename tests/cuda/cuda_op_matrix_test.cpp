// Tests the op matrix (operations × dtypes × difficult shapes) for GPUs: the kernels run in the emulator, and their results are compared
// with the interpreter's. `./dev test` runs every operation with one of the dtypes that it accepts, which HARP_CUDA_SEED chooses;
// `./dev fuzz` runs all cells of the matrix (HARP_CUDA_CELLS=all). The results are written to cuda_matrix.txt in the build folder, which
// tests/house/rows.py reads.
//
// tests/cuda/recipes.txt lists the schedules of kernels on a GPU, for the golden graphs and for each operation. HARP_WRITE_GOLDEN=1 writes
// the file anew.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/text.h"
#include "cuda/emulated_programs.h"
#include "fuzz/op_cells.h"
#include "grad/operation.h"
#include "graph/text.h"
#include "support/schedule_lines.h"

using namespace harp;
using namespace harp::cuda_test;
using harp::fuzz::Cell;
namespace fs = std::filesystem;

namespace {

constexpr size_t kTogether = 40;  // number of programs that are compiled together

/// Returns one cell of the matrix for each operation: the operation with one of the dtypes that it accepts, which the seed chooses.
std::vector<Cell> cell_of_each_operation(std::vector<Cell> cells, uint64_t seed) {
  std::vector<Cell> chosen;
  for (size_t begin = 0, end = 0; begin < cells.size(); begin = end) {
    while (end < cells.size() && cells[end].row == cells[begin].row) ++end;
    chosen.push_back(std::move(cells[begin + (chosen.size() + seed) % (end - begin)]));
  }
  return chosen;
}

std::string file_text(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Returns the schedules of a graph's kernels, for example "kernel_0: elementwise [thread simd=4]". Checks that harp accepts these
/// schedules as overrides.
std::vector<std::string> schedules_of(const Graph& graph) {
  PipelineOptions options = options_for_cuda(false);
  const std::string printed = emit_stage(graph, options, "schedule");
  options.schedule_override = testing::schedule_lines(printed);
  CHECK(emit_stage(graph, options, "schedule") == printed);
  std::vector<std::string> found;
  std::istringstream text(options.schedule_override);
  for (std::string line; std::getline(text, line);) found.push_back(line.substr(2));
  return found;
}

/// Returns the name under which recipes.txt lists a schedule: the kind of kernel, for example "elementwise", followed by " by groups" if
/// several threads share an element or a row.
std::string recipe_of(const std::string& schedule) {
  const size_t begin = schedule.find(": ") + 2;
  const std::string recipe = schedule.substr(begin, schedule.find(' ', begin) - begin);
  return schedule.find("thread_group") != schedule.npos ? recipe + " by groups" : recipe;
}

}  // namespace

TEST_CASE("G2 G3 G4 G5 G6 G9 G12 G14 X2 op matrix: kernels for GPUs have the interpreter's bits") {
  const char *seed = std::getenv("HARP_CUDA_SEED"), *which = std::getenv("HARP_CUDA_CELLS");
  std::vector<std::string> unbuilt;
  std::vector<Cell> cells = fuzz::op_cells(unbuilt);
  if (which == nullptr || std::string_view(which) != "all")
    cells = cell_of_each_operation(std::move(cells), seed == nullptr ? 1 : std::strtoull(seed, nullptr, 10));
  std::string table = "# op dtype backend pass|fail; written by tests/cuda/cuda_op_matrix_test.cpp\n";
  size_t ran = 0;
  GpuPrograms programs;
  for (size_t begin = 0; begin < cells.size(); begin += kTogether) {
    programs.all.clear();
    for (size_t i = begin; i < std::min(begin + kTogether, cells.size()); ++i)
      programs.add(cat(cells[i].row->name, " ", name(cells[i].dtype)), std::move(cells[i].test), false);
    const std::vector<std::string> wrong = run_emulated(programs.all, Orders::kShuffled);
    for (size_t i = 0; i < wrong.size(); ++i) {
      append(table, cat(programs.all[i].label, " cuda ", wrong[i].empty() ? "pass\n" : "fail\n"));
      CHECK_MESSAGE(wrong[i].empty(), programs.all[i].label, ", ", wrong[i]);
    }
    ran += programs.all.size();
  }
  const char* build = std::getenv("HARP_BUILD_DIR");
  std::ofstream(cat(build != nullptr ? build : ".", "/cuda_matrix.txt")) << table;
  CHECK(ran > 200);
}

TEST_CASE("L5: the schedules that kernels have on a GPU") {
  const fs::path root = fs::path(std::getenv("HARP_SOURCE_DIR")) / "tests", file = root / "cuda/recipes.txt";
  std::string table =
      "# The schedules of kernels on a GPU: of the golden graphs (tests/golden, tests/cuda/graphs) kernel by kernel, and of each "
      "operation's\n"
      "# cell in the op matrix the recipes. A routine (a sort or a Fourier transform) is a sequence of kernels (schedule/grid_routine.h).\n"
      "# tests/cuda/cuda_op_matrix_test.cpp compares this file; with HARP_WRITE_GOLDEN=1 it writes it.\n"
      "# Recipes without \"by groups\", in which no threads share a row or an element, and why:\n"
      "#   elementwise  no thread needs what another one computes\n"
      "#   reduce       along columns that are short or many, and argmax along columns: a thread computes each column;\n"
      "#                products that tiles do not compute: a thread computes each result\n"
      "#   rowwise      several passes along columns: a thread computes each column\n"
      "#   scan         along columns of at most 32 elements, or of at most 256 if they are many: a thread computes each column\n"
      "#   scatter      along an axis of size 1\n"
      "#   custom       the body of a function of the user computes one element\n";
  std::vector<fs::path> graphs;
  for (const fs::path& from : {root / "golden", root / "cuda/graphs"})
    for (const auto& entry : fs::directory_iterator(from))
      if (entry.path().extension() == ".harp") graphs.push_back(entry.path());
  std::ranges::sort(graphs, {}, [](const fs::path& path) { return path.stem(); });
  for (const fs::path& path : graphs)
    for (const std::string& schedule : schedules_of(*parse_graph(file_text(path), grad::text_operations())))
      append(table, cat("golden ", path.stem().string(), " ", schedule, "\n"));
  std::vector<std::string> unbuilt;
  for (const Cell& cell : cell_of_each_operation(fuzz::op_cells(unbuilt), 0)) {
    std::set<std::string> recipes;
    for (const std::string& schedule : schedules_of(*cell.test.graph)) recipes.insert(recipe_of(schedule));
    append(table, cat("op ", cell.row->name, " ", name(cell.dtype), ": ", join(recipes, ", "), "\n"));
  }
  if (std::getenv("HARP_WRITE_GOLDEN") != nullptr) std::ofstream(file) << table;
  CHECK_MESSAGE(table == file_text(file), "recipes.txt differs; HARP_WRITE_GOLDEN=1 writes it:\n", table);
}
