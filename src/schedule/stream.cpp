// How: by bytes, as expressions over the sizes, which generated code looks at.
#include "schedule/stream.h"

namespace harp {
namespace {

constexpr int64_t kLine = 64;

}  // namespace

Sym streams(const KernelPlan& kernel) {
  Sym bytes = 0;
  for (const StorePlan& store : kernel.stores)
    bytes = bytes + element_count(store.node->shape) * static_cast<int64_t>(size_of(store.node->dtype));
  return bytes - kStreamBytes;
}

Sym streams_rows(const KernelPlan& kernel) {
  Sym condition = streams(kernel);
  for (const StorePlan& store : kernel.stores) {
    const Sym row = store.shape.empty() ? Sym(1) : store.shape.back();
    condition = min(condition, Sym(0) - mod(row * static_cast<int64_t>(size_of(store.node->dtype)), kLine));
  }
  return condition;
}

}  // namespace harp
