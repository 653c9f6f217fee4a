// How: by bytes, as expressions over the sizes, which generated code looks at.
#include "schedule/stream.h"

#include <algorithm>

#include "schedule/views.h"

namespace harp {
namespace {

constexpr int64_t kLine = 64, kHalfLine = 32;  // bytes

/// Holds (>= 0) where a kernel stores as much.
Sym streams(const KernelPlan& kernel) {
  Sym bytes = 0;
  for (const StorePlan& store : kernel.stores)
    bytes = bytes + element_count(store.node->shape) * static_cast<int64_t>(size_of(store.node->dtype));
  return bytes - kStreamBytes;
}

/// Holds where the rows of what it stores are whole multiples of so many bytes, too.
Sym streams_rows_of(const KernelPlan& kernel, int64_t bytes) {
  Sym condition = streams(kernel);
  for (const StorePlan& store : kernel.stores) {
    const Sym row = store.shape.empty() ? Sym(1) : store.shape.back();
    condition = min(condition, Sym(0) - mod(row * static_cast<int64_t>(size_of(store.node->dtype)), bytes));
  }
  return condition;
}

/// Does it store, and read, arrays from their first element to their last?
bool is_one_line(const Program& program, const KernelPlan& kernel) {
  const KernelViews views(program, kernel);
  return std::all_of(kernel.stores.begin(), kernel.stores.end(), [&](const StorePlan& store) {
    const std::vector<View> read = views.of(store.node);
    return store.offset.empty() && std::all_of(read.begin(), read.end(), [](const View& view) { return view.is_contiguous(); });
  });
}

}  // namespace

Sym streams_lines(const KernelPlan& kernel) { return streams_rows_of(kernel, kLine); }

Sym streams_rows(const KernelPlan& kernel) { return streams_rows_of(kernel, kHalfLine); }

Sym streams_elements(const Program& program, const KernelPlan& kernel) {
  return is_one_line(program, kernel) ? streams(kernel) : streams_rows(kernel);
}

}  // namespace harp
