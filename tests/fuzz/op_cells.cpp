#include "fuzz/op_cells.h"

#include <algorithm>

#include "base/text.h"
#include "fuzz/arguments.h"
#include "fuzz/workbench.h"
#include "graph/composites.h"

namespace harp::fuzz {
namespace {

constexpr std::string_view kKinds[] = {"scalar",  "deep",     "empty",  "one",      "odd",    "strided",
                                       "flipped", "expanded", "padded", "symbolic", "special"};
constexpr int kAttempts = 60;  // number of attempts to find random arguments for an operation with one dtype

/// Returns the kinds of shapes to test for one cell (an operation and a dtype). A primitive operation with a dtype of kThorough gets all
/// kinds. A composite operation gets a quarter of the kinds, because it consists of primitives. A primitive operation with another dtype
/// gets a quarter, too, because its kernels have the same loops. A composite operation with another dtype gets an eighth. `seed` decides
/// which kinds these are. Every cell gets the kind with special values.
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

}  // namespace

std::vector<Cell> op_cells(std::vector<std::string>& unbuilt) {
  std::vector<Cell> cells;
  uint64_t seed = 0;
  for (const Operation& row : operations()) {
    if (row.name == name(Op::kNative)) continue;
    bool is_built = false;
    for (const DType dtype : graph_dtypes()) {
      ++seed;
      if (takes_array(row) && !may_take(row, dtype)) continue;
      Cell cell = make_cell(row, dtype, seed);
      // It is an error if no arguments are found for an op of ops.def with a dtype that ops.def allows. Which dtypes a composite accepts is
      // known only from its constructor, so for a composite it is no error.
      const auto op = op_from_name(row.name);
      if (op && takes_array(row) && cell.kinds.empty()) unbuilt.push_back(cat(row.name, " ", name(dtype)));
      if (cell.kinds.empty() || cell.test.sizes.empty()) continue;
      is_built = true;
      cells.push_back(std::move(cell));
    }
    if (!is_built) unbuilt.emplace_back(row.name);
  }
  return cells;
}

}  // namespace harp::fuzz
