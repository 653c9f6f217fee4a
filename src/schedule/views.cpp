#include "schedule/views.h"

#include <algorithm>

namespace harp {
namespace {

constexpr size_t kMaxViews = 16;  // at most this many views are recorded for a node

}  // namespace

KernelViews::KernelViews(const Program& program, const KernelPlan& kernel) : program_(program), kernel_(kernel) {
  for (const Node* node : computed_nodes(program, kernel)) visit(*node);
}

std::vector<ArrayView> KernelViews::of(const Node* node) const {
  if (is_loaded(program_, kernel_, node)) return {{View::contiguous(node->shape), static_cast<int64_t>(size_of(node->dtype))}};
  const auto found = views_.find(node);
  return found == views_.end() ? std::vector<ArrayView>{} : found->second;
}

void KernelViews::visit(const Node& node) {
  std::vector<ArrayView>& views = views_[&node];
  const auto add = [&](ArrayView view) {
    if (views.size() < kMaxViews && std::find(views.begin(), views.end(), view) == views.end()) views.push_back(std::move(view));
  };
  for (const Node* source : node.sources) {
    const bool same = source->shape == node.shape, joined = info(node.op).family == Family::kJoin;
    for (ArrayView& view : of(source)) {
      if (is_movement(node.op)) {
        if (std::optional<View> moved = apply(view, node)) add({*std::move(moved), view.element_bytes});
      } else if (same || joined) {
        view.shape = view.end = node.shape;
        view.begin.assign(node.shape.size(), Dim(0));
        add(std::move(view));
      }
    }
  }
}

}  // namespace harp
