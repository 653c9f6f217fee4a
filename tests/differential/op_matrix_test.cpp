// The op matrix: tests every operation of harp's table × every dtype that it accepts × difficult shapes (scalar, empty, one element, odd,
// strided, flipped, expanded, padded, symbolic, special values) × {interpreter, gcc, clang, text without vector types}. A cell is one
// operation with one dtype. All shapes of a cell are outputs of one graph, and the programs of many cells are compiled together. Writes
// op_matrix.txt to the build folder for tests/house/rows.py.
//
// In the column "interp", the interpreter's result for a view is compared with its result for a contiguous copy. Compiled backends are
// compared with the interpreter, which runs once for all of them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "fuzz/case_file.h"
#include "fuzz/check_case.h"
#include "fuzz/isolated.h"
#include "fuzz/op_cells.h"
#include "fuzz/rebuild.h"
#include "support/machine.h"
#include "support/sanitize.h"

using namespace harp;
using namespace harp::fuzz;

namespace {

/// Checks that the interpreter gives the same bits if each view is replaced by an input with the same elements. Returns a description of
/// the first difference, or "" if there is none.
std::string check_views(const Cell& cell) {
  const Graph& graph = *cell.test.graph;
  const std::vector<GraphOutput> outputs(graph.outputs().begin(), graph.outputs().end());
  for (const std::vector<int64_t>& sizes : cell.test.sizes) {
    const Expected expected = interpreted_or_fault(graph, sizes, input_bytes(cell.test, sizes));
    std::map<std::string, std::vector<std::byte>> data;
    const auto inputs = input_bytes(cell.test, sizes);
    for (size_t i = 0; i < inputs.size(); ++i) data[graph.inputs()[i]->as<InputAttributes>().name] = inputs[i];
    const auto pick = [&](const Graph& part) {
      std::vector<std::vector<std::byte>> picked;
      for (const Node* input : part.inputs()) picked.push_back(data[input->as<InputAttributes>().name]);
      return picked;
    };
    for (const Node* view : cell.views) {
      const auto alone = Rebuild(graph).with_outputs({{"view", view}});
      data[Rebuild::cut_name(view)] = interpreted(*alone, sizes, pick(*alone))[0];
      Rebuild rebuild(graph);
      rebuild.replace_by_input(view);
      const auto dense = rebuild.with_outputs(outputs);
      const Expected got = interpreted_or_fault(*dense, sizes, pick(*dense));
      if (got.fault != expected.fault) return "another fault";
      if (got.fault) continue;
      for (size_t i = 0; i < outputs.size(); ++i)
        if (const std::string found = difference(outputs[i].node->dtype, expected.outputs[i], got.outputs[i]); !found.empty())
          return cat("output ", outputs[i].name, ", ", found);
    }
  }
  return "";
}

/// A cell is an operation with one dtype. row: the index of the operation. number: the index of the cell among the cells of that operation.
/// of: the number of those cells.
struct CellIndex {
  size_t row, number, of;
};

std::vector<CellIndex> indices_of_cells(const std::vector<Cell>& cells) {
  std::vector<CellIndex> indices;
  for (size_t begin = 0, end = 0, row = 0; begin < cells.size(); begin = end, ++row) {
    while (end < cells.size() && cells[end].row == cells[begin].row) ++end;
    for (size_t i = begin; i < end; ++i) indices.push_back({row, i - begin, end - begin});
  }
  return indices;
}

/// A compiler whose optimiser is tested on a sample of the cells. A cell is one operation with one dtype. For one of every `every`
/// operations, one cell is compiled as `optimised`; its dtype differs between backends. All other cells are compiled as `quick`.
struct Backend {
  std::string_view name;
  BuildVariant optimised, quick;
  size_t every, shift;  // `shift` determines which of the operations are compiled with optimisation, and with which dtype
  const BuildVariant& variant(const CellIndex& index) const {
    return (index.row + shift) % every == 0 && index.number == (index.row + shift) % index.of ? optimised : quick;
  }
};

BuildVariant compiled_by(std::string_view compiler, int optimisation, bool plain_text) {
  BuildVariant v;
  v.compiler.compiler = compiler;
  v.compiler.optimisation = optimisation;
  v.compiler.vectors_written = optimisation == 3 && !plain_text;  // the same condition as in harp_compile
  v.plain_text = plain_text;
  return v;
}

/// Only few cells (operations with one dtype) are compiled with optimisation, because a compiler's optimiser takes three to ten times as
/// long as the rest of the test. `./dev torture levels` optimises every cell.
std::vector<Backend> backends() {
  BuildVariant gcc = compiled_by("gcc", 3, false), quick_gcc = compiled_by("gcc", 0, false);
  gcc.workers = quick_gcc.workers = 2;
  std::vector<Backend> all = {{"c-gcc", gcc, quick_gcc, 1, 0},
                              {"c-clang", compiled_by("clang", 3, false), compiled_by("clang", 0, false), 2, 1},
                              {"c-plain", compiled_by("gcc", 3, true), compiled_by("clang", 0, true), 2, 2}};
// With sanitizers, this process can only load kernels of the compiler that compiled it, so only the backend of this compiler is kept.
#ifdef HARP_SANITIZE
  std::erase_if(all, [](const Backend& b) { return b.name != cat("c-", kOwnCompiler); });
#endif
  return all;
}

/// With sanitizers, only one of `kShare` cells (operations with one dtype) is tested, because kernels with sanitizers take ten times as
/// long to compile. `kMostTogether` is the maximum number of cells whose programs are compiled in one run of a compiler.
#ifdef HARP_SANITIZE
constexpr size_t kShare = 8, kMostTogether = 120;
#else
constexpr size_t kShare = 1, kMostTogether = 280;
#endif

std::vector<Outcome> check_all(size_t jobs, const MakeJob& make_job) {
  constexpr size_t kProcesses = 2;
  std::vector<Outcome> outcomes(jobs);
  // There are few and large batches, because the programs of a batch share functions. All batches have the same size, and each process gets
  // the same number of batches.
  const size_t count = kProcesses * ((jobs + kProcesses * kMostTogether - 1) / (kProcesses * kMostTogether));
  std::vector<std::vector<uint64_t>> batches(count);
  for (size_t i = 0; i < jobs; ++i) batches[i * count / jobs].push_back(i);
  check_isolated(batches, make_job, [&](uint64_t i, const Outcome& outcome) { outcomes[i] = outcome; },
                 {kProcesses, std::chrono::seconds(800), false});
  return outcomes;
}

}  // namespace

TEST_CASE("G2 G3 G4 G5 G6 G9 G12 G14 X2 op matrix: every row, dtype and shape has the same bits on every backend") {
  testing::note_what_cannot_run();
  std::vector<std::string> unbuilt;
  std::vector<Cell> cells = op_cells(unbuilt);
  INFO("no arguments found for: ", join(unbuilt, ", "));
  CHECK(unbuilt.empty());
  size_t number = 0;
  std::erase_if(cells, [&](const Cell&) { return ++number % kShare != 0; });

  const char* build = std::getenv("HARP_BUILD_DIR");
  const std::string folder = build != nullptr ? build : ".";
  std::string table = "# op dtype backend pass|fail; written by tests/differential/op_matrix_test.cpp\n";
  std::vector<std::string> failures;
  const auto record = [&](const Cell& cell, std::string_view backend, const std::string& problem) {
    append(table, cat(cell.row->name, " ", name(cell.dtype), " ", backend, problem.empty() ? " pass\n" : " fail\n"));
    if (!problem.empty()) failures.push_back(cat(cell.row->name, " ", name(cell.dtype), " ", backend, ": ", problem));
  };
  for (const Cell& cell : cells) record(cell, "interp", check_views(cell));
  const std::vector<CellIndex> indices = indices_of_cells(cells);
  const std::vector<Backend> compiled = backends();
  const auto variants_of = [&](size_t cell) {
    std::vector<BuildVariant> variants;
    for (const Backend& backend : compiled) variants.push_back(backend.variant(indices[cell]));
    return variants;
  };
  const std::vector<Outcome> outcomes = check_all(cells.size(), [&](uint64_t i) { return Job{cells[i].test, variants_of(i)}; });
  for (size_t i = 0; i < cells.size(); ++i) {
    if (outcomes[i].verdict == Verdict::kPass) {
      for (const Backend& backend : compiled) record(cells[i], backend.name, "");
      continue;
    }
    // A job ends at its first failure. To find out which backends fail, each backend is run alone here.
    const size_t before = failures.size();
    for (const Backend& backend : compiled) {
      const Job job{cells[i].test, {backend.variant(indices[i])}};
      const Outcome alone = check_isolated(std::span(&job, 1))[0];
      const std::string problem = alone.verdict == Verdict::kPass ? "" : cat(name(alone.verdict), ": ", alone.message);
      record(cells[i], backend.name, problem);
      if (problem.empty()) continue;
      const std::string file = cat(folder, "/op_matrix_", cells[i].row->name, "_", name(cells[i].dtype), ".harp");
      write_text_file(file, print_job(job, problem));
      failures.back() += cat("; harp_fuzz --replay ", file);
    }
    if (failures.size() == before)
      failures.push_back(cat(cells[i].row->name, " ", name(cells[i].dtype), " fails only beside other cells: ", name(outcomes[i].verdict),
                             ": ", outcomes[i].message));
  }
  std::ofstream(cat(folder, "/op_matrix.txt")) << table;
  MESSAGE(cells.size(), " rows x dtypes, ", failures.size(), " of ", cells.size() * (compiled.size() + 1), " cells fail");
  for (const std::string& failure : failures) FAIL_CHECK(failure);
  CHECK(cells.size() * kShare > operations().size());
}

// This test compiles a sample of the cells (operations with one dtype), each for only one variant (level of instructions and vector width).
// torture_levels compiles every cell for all variants.
TEST_CASE("X2 op matrix: levels of instructions and widths of vectors do not show in the bits") {
  std::vector<std::string> unbuilt;
  const std::vector<Cell> cells = op_cells(unbuilt);
  std::vector<BuildVariant> variants = level_variants();
  for (BuildVariant& variant : variants) variant.compiler.optimisation = 0;  // only the generated text is tested
  constexpr size_t kEvery = 5 * kShare;
  // The jobs are sorted by compiler and target, so that one run of a compiler compiles many of them.
  const auto run_of = [&](size_t call) { return std::tie(variants[call].compiler.compiler, variants[call].compiler.target); };
  std::vector<std::pair<size_t, size_t>> jobs;  // index of the cell (operation with one dtype), index of the variant
  for (size_t job = 0; job < cells.size() / kEvery; ++job) jobs.emplace_back(job * kEvery, job % variants.size());
  std::ranges::stable_sort(jobs, [&](const auto& a, const auto& b) { return run_of(a.second) < run_of(b.second); });
  const auto cell_of = [&](uint64_t job) -> const Cell& { return cells[jobs[job].first]; };
  const auto variant_of = [&](uint64_t job) -> const BuildVariant& { return variants[jobs[job].second]; };
  const std::vector<Outcome> outcomes = check_all(jobs.size(), [&](uint64_t job) { return Job{cell_of(job).test, {variant_of(job)}}; });
  for (size_t job = 0; job < outcomes.size(); ++job) {
    INFO(cell_of(job).row->name, " ", name(cell_of(job).dtype), ", ", to_string(variant_of(job)), ": ", outcomes[job].message);
    CHECK(outcomes[job].verdict == Verdict::kPass);
  }
  CHECK(outcomes.size() * kShare >= variants.size());
}
