// The op matrix: every row of the table of operations × every dtype it takes × shapes that go wrong (scalar, empty, one element, odd,
// strided, flipped, expanded, padded, symbolic, special values) × {interpreter, gcc, clang, plain text}. All shapes of a row and dtype
// are outputs of one graph, and graphs go through a compiler by the hundred. Leaves op_matrix.txt in the build folder for tests/rows.py.
//
// For "interp" the comparison is the interpreter on a view with the interpreter on the same elements lying dense; the compiled
// backends are compared with the interpreter.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "fuzz/arguments.h"
#include "fuzz/case_file.h"
#include "fuzz/check_case.h"
#include "fuzz/isolated.h"
#include "fuzz/rebuild.h"
#include "fuzz/workbench.h"
#include "graph/composites.h"
#include "sanitize.h"

using namespace harp;
using namespace harp::fuzz;

namespace {

constexpr std::string_view kKinds[] = {"scalar",  "deep",     "empty",  "one",      "odd",    "strided",
                                       "flipped", "expanded", "padded", "symbolic", "special"};
constexpr int kAttempts = 60;  // random arguments tried for one cell

/// The shapes a cell is tried on. Primitives of the thorough dtypes try all. The other dtypes, whose kernels have the same loops, and the
/// composites, which are made of primitives, share them out among the rows: each cell has special values and a quarter of the rest, a
/// composite of another dtype an eighth.
std::vector<std::string_view> kinds_of(const Operation& row, DType dtype, uint64_t seed) {
  constexpr DType kThorough[] = {DType::kBool, DType::kI32, DType::kI64, DType::kF32, DType::kF64};
  const bool thorough = std::ranges::find(kThorough, dtype) != std::end(kThorough);
  const bool primitive = op_from_name(row.name).has_value();
  const size_t share = primitive && thorough ? 1 : primitive || thorough ? 4 : 8;
  std::vector<std::string_view> kinds;
  for (size_t i = 0; i < std::size(kKinds); ++i)
    if (kKinds[i] == "special" || (i + seed) % share == 0) kinds.push_back(kKinds[i]);
  return kinds;
}

/// One row and dtype: a graph with an output for each kind of shape that the row takes.
struct Cell {
  const Operation* row;
  DType dtype;
  Case test;
  std::vector<NodeRef> views;  // what the interpreter is tested on
  std::set<std::string_view> kinds;
};

NodeRef first_array(Workbench& bench, DType dtype, std::string_view kind, std::vector<NodeRef>& views) {
  Graph& graph = bench.graph();
  const auto input = [&](Shape shape) { return graph.add_input(cat(kind, "_x"), dtype, std::move(shape)); };
  NodeRef view = nullptr;
  if (kind == "scalar") return input({});
  if (kind == "deep") return input({2, 3, 4, 5});
  if (kind == "empty") return input({3, 0});
  if (kind == "one") return input({1});
  if (kind == "odd") return input({7, 19});
  if (kind == "symbolic") return input({*bench.random_variable(), 5});
  if (kind == "special") return input({2003});
  if (kind == "strided") view = build::slice(input({3, 37}), std::vector<build::SliceSpec>{{{}, {}, 1}, {Dim(1), {}, 2}});
  if (kind == "flipped") view = build::flip(input({3, 18}), build::Axes{});
  if (kind == "expanded") view = build::expand(input({4, 1}), {4, 17});
  if (kind == "padded") {
    const Dim around[] = {1, 3};
    view = build::pad(input({4, 17}), around, around, bench.random_scalar(dtype));
  }
  views.push_back(view);
  return view;
}

Cell make_cell(const Operation& row, DType dtype, uint64_t seed) {
  WorkbenchOptions options;
  options.variables = 1;
  Workbench bench(seed, options);
  Cell cell{&row, dtype, {}, {}, {}};
  cell.test.data_seed = seed;
  cell.test.special_data = true;
  for (const std::string_view kind : kinds_of(row, dtype, seed)) {
    bench.name_inputs(kind == "special" ? "special" : "x");  // see Case::special_data
    const NodeRef primary = takes_array(row) ? first_array(bench, dtype, kind, cell.views) : nullptr;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const std::vector<NodeRef> results = try_operation(bench, row, primary);
      const bool fits = !results.empty() && std::all_of(results.begin(), results.end(), [&](NodeRef node) {
        return bench.keep(node) && (takes_array(row) || node->dtype == dtype);
      });
      if (!fits) continue;
      for (size_t i = 0; i < results.size(); ++i) bench.graph().add_output(cat(kind, "_", i), results[i]);
      cell.kinds.insert(kind);
      break;
    }
  }
  cell.test.graph = bench.take();
  if (cell.kinds.empty()) return cell;
  const SymRange bounds = range(cell.test.graph->dims().variables()[0]);
  for (const int64_t n : {int64_t{0}, int64_t{1}, int64_t{5}, int64_t{33}}) {
    const std::vector<int64_t> sizes = {std::clamp(n, bounds.lo, bounds.hi)};
    const auto& all = cell.test.sizes;
    if (std::find(all.begin(), all.end(), sizes) == all.end() && is_runnable(*cell.test.graph, sizes)) cell.test.sizes.push_back(sizes);
  }
  return cell;
}

/// "" if the interpreter gives the same bits with each view replaced by an input that holds its elements.
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
    for (const NodeRef view : cell.views) {
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

struct Backend {
  std::string_view name;
  BuildVariant variant;
};
std::vector<Backend> backends() {
  BuildVariant gcc, clang, plain;
  gcc.compiler.optimisation = 3;  // what harp_compile asks for
  gcc.compiler.vectors_written = true;
  gcc.workers = 2;
  clang.compiler.compiler = "clang";
  plain.plain_text = true;
  std::vector<Backend> all = {{"c-gcc", gcc}, {"c-clang", clang}, {"c-plain", plain}};
#ifdef HARP_SANITIZE  // only what is instrumented
  std::erase_if(all, [](const Backend& b) { return b.name != cat("c-", kOwnCompiler); });
#endif
  return all;
}

/// Of the cells one in so many is run: instrumented kernels take a compiler ten times as long.
#ifdef HARP_SANITIZE
constexpr size_t kShare = 8;
#else
constexpr size_t kShare = 1;
#endif

}  // namespace

TEST_CASE("G2 G3 G4 G5 G6 G9 G12 G14 X2 op matrix: every row, dtype and shape has the same bits on every backend") {
  std::vector<Cell> cells;
  std::vector<std::string> unbuilt;
  uint64_t seed = 0;
  for (const Operation& row : operations()) {
    if (row.name == name(Op::kNative)) continue;  // no text carries a function: native_test.cpp
    bool is_built = false;
    for (const DType dtype : graph_dtypes()) {
      ++seed;
      if (takes_array(row) && !may_take(row, dtype)) continue;
      Cell cell = make_cell(row, dtype, seed);
      // ops.def says what an op takes; of a composite the constructor does.
      const auto op = op_from_name(row.name);
      if (op && takes_array(row) && cell.kinds.empty()) unbuilt.push_back(cat(row.name, " ", name(dtype)));
      if (cell.kinds.empty() || cell.test.sizes.empty()) continue;
      is_built = true;
      if (seed % kShare == 0) cells.push_back(std::move(cell));
    }
    if (!is_built) unbuilt.emplace_back(row.name);
  }
  INFO("no arguments found for: ", join(unbuilt, ", "));
  CHECK(unbuilt.empty());

  const char* build = std::getenv("HARP_BUILD_DIR");
  const std::string folder = build != nullptr ? build : ".";
  std::string table = "# op dtype backend pass|fail; written by tests/op_matrix_test.cpp\n";
  std::vector<std::string> failures;
  const auto record = [&](const Cell& cell, std::string_view backend, const std::string& problem) {
    append(table, cat(cell.row->name, " ", name(cell.dtype), " ", backend, problem.empty() ? " pass\n" : " fail\n"));
    if (!problem.empty()) failures.push_back(cat(cell.row->name, " ", name(cell.dtype), " ", backend, ": ", problem));
  };
  for (const Cell& cell : cells) record(cell, "interp", check_views(cell));
  for (const Backend& backend : backends()) {
    std::vector<Outcome> outcomes(cells.size());
    std::vector<std::vector<uint64_t>> batches;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i % 60 == 0) batches.emplace_back();
      batches.back().push_back(i);
    }
    check_isolated(
        batches,
        [&](uint64_t i) {
          return Job{cells[i].test, {backend.variant}};
        },
        [&](uint64_t i, const Outcome& outcome) { outcomes[i] = outcome; }, {2, std::chrono::seconds(800), false});
    for (size_t i = 0; i < cells.size(); ++i) {
      const bool passed = outcomes[i].verdict == Verdict::kPass;
      const std::string problem = passed ? "" : cat(name(outcomes[i].verdict), ": ", outcomes[i].message);
      record(cells[i], backend.name, problem);
      if (passed) continue;
      const std::string file = cat(folder, "/op_matrix_", cells[i].row->name, "_", name(cells[i].dtype), ".harp");
      write_text_file(file, print_job(Job{cells[i].test, {backend.variant}}, problem));
      failures.back() += cat("; harp_fuzz --replay ", file);
    }
  }
  std::ofstream(cat(folder, "/op_matrix.txt")) << table;
  MESSAGE(cells.size(), " rows x dtypes, ", failures.size(), " of ", cells.size() * (backends().size() + 1), " cells fail");
  for (const std::string& failure : failures) FAIL_CHECK(failure);
  CHECK(cells.size() * kShare > operations().size());
}
