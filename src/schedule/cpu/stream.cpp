// The decision compares sizes in bytes, as expressions that generated code evaluates.
#include "schedule/cpu/stream.h"

#include <algorithm>

#include "base/machine.h"
#include "schedule/contraction.h"
#include "schedule/views.h"

namespace harp {
namespace {

constexpr int64_t kHalfLine = kLineBytes / 2;

/// The condition also requires that the rows of each output are a multiple of `bytes`.
Sym streams_rows_of(const KernelPlan& kernel, int64_t bytes) {
  Sym condition = streams_any(kernel);
  for (const StorePlan& store : kernel.stores) {
    const Shape shape = squeezed(store.shape);
    const Sym row = shape.empty() ? Sym(1) : shape.back();
    condition = min(condition, Sym(0) - mod(row * static_cast<int64_t>(size_of(store.node->dtype)), bytes));
  }
  return condition;
}

/// Tests whether all outputs and inputs are accessed contiguously from the first element to the last.
bool is_one_line(const Program& program, const KernelPlan& kernel) {
  const KernelViews views(program, kernel);
  return std::all_of(kernel.stores.begin(), kernel.stores.end(), [&](const StorePlan& store) {
    const std::vector<ArrayView> read = views.of(store.node);
    return store.offset.empty() && std::all_of(read.begin(), read.end(), [](const View& view) { return view.is_contiguous(); });
  });
}

/// Returns the bytes of row values that later passes use, for one row.
double kept_bytes(const KernelPlan& kernel) {
  double bytes = 0;
  for (const RowPass& pass : kernel.passes)
    for (const Node* node : pass.row_values) bytes += static_cast<double>(size_of(node->dtype));
  return bytes * static_cast<double>(range(term_count(*kernel.reduces[0])).hi);
}

}  // namespace

Sym streams_any(const KernelPlan& kernel) {
  Sym bytes = 0;
  for (const StorePlan& store : kernel.stores)
    bytes = bytes + element_count(store.node->shape) * static_cast<int64_t>(size_of(store.node->dtype));
  return bytes - kStreamBytes;
}

bool may_defer_stores(const KernelPlan& kernel) {
  constexpr double kMostKept = 256 << 10;  // of one row
  if (kernel.passes.size() < 2 || kernel.reduces[0]->as<ReduceAttributes>().order != ReduceOrder::kLanes) return false;
  const RowPass &last = kernel.passes.back(), &before = kernel.passes[kernel.passes.size() - 2];
  if (!last.reduces.empty() || !last.stores.empty() || last.row_stores.size() != 1 || before.reduces.empty() || before.row_values.empty())
    return false;
  const std::vector<bool> reduced = reduced_axes(*kernel.reduces[0]);
  const auto rows = std::count(reduced.begin(), reduced.end(), true);
  if (rows != 1 || reduced.size() < 2 || !reduced.back()) return false;
  return kernel.stores[last.row_stores[0]].offset.empty() && kept_bytes(kernel) <= kMostKept;
}

bool deferred_stores_pay(const KernelPlan& kernel) {
  constexpr int64_t kLeastRow = 10'000;  // in bytes
  if (!may_defer_stores(kernel)) return false;
  const Node& stored = *kernel.stores[kernel.passes.back().row_stores[0]].node;
  const Dim row = term_count(*kernel.reduces[0]);
  const int64_t size = static_cast<int64_t>(size_of(stored.dtype));
  return row.is_constant() && row.constant() * size >= kLeastRow && row.constant() * size % kPageBytes != 0;
}

bool may_store_by_lines(const KernelPlan& kernel) {
  if (kernel.scans.empty()) return false;
  const auto& attributes = kernel.scans[0]->as<ScanAttributes>();
  const std::vector<Dim> space = iteration_space(kernel);
  const bool is_along_rows = space.size() > 1 && scan_axis(kernel) + 1 == static_cast<int>(space.size());
  if (attributes.order != ScanOrder::kTree || attributes.reverse || !is_along_rows) return false;
  const auto has_whole_lines = [&](const StorePlan& store) {
    return mod(space.back() * static_cast<int64_t>(size_of(store.node->dtype)), kLineBytes).is_constant(0);
  };
  const auto is_no_number = [](const StorePlan& store) { return is_half(store.node->dtype) || is_bool(store.node->dtype); };
  // an accumulator array cannot hold 16-bit floats or bools
  if (std::any_of(kernel.stores.begin(), kernel.stores.end(), is_no_number)) return false;
  return (scans_blocks(kernel) || range(space.back()).hi <= kScannedBlock) &&
         !std::all_of(kernel.stores.begin(), kernel.stores.end(), has_whole_lines);
}

Sym streams_lines(const KernelPlan& kernel) { return streams_rows_of(kernel, kLineBytes); }

Sym streams_rows(const KernelPlan& kernel) { return streams_rows_of(kernel, kHalfLine); }

Sym streams_elements(const Program& program, const KernelPlan& kernel) {
  return is_one_line(program, kernel) ? streams_any(kernel) : streams_rows(kernel);
}

}  // namespace harp
