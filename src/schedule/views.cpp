#include "schedule/views.h"

#include <algorithm>

namespace harp {
namespace {

constexpr size_t kMostViews = 16;  // of one node that are looked at

}  // namespace

KernelViews::KernelViews(const Program& program, const KernelPlan& kernel) : program_(program), kernel_(kernel) {
  for (const Node* node : computed_nodes(program, kernel)) look_at(*node);
}

std::vector<View> KernelViews::of(const Node* node) const {
  if (node->op != Op::kInput && !is_loaded(program_, kernel_, node)) {
    const auto found = views_.find(node);
    return found == views_.end() ? std::vector<View>{} : found->second;
  }
  return {View::contiguous(node->shape)};
}

void KernelViews::look_at(const Node& node) {
  std::vector<View>& views = views_[&node];
  const auto add = [&](View view) {
    if (views.size() < kMostViews && std::find(views.begin(), views.end(), view) == views.end()) views.push_back(std::move(view));
  };
  for (const Node* source : node.sources) {
    const bool same = source->shape == node.shape, joined = info(node.op).family == Family::kJoin;
    for (View& view : of(source)) {
      if (is_movement(node.op)) {
        if (std::optional<View> moved = apply(view, node)) add(*std::move(moved));
      } else if (same || joined) {
        view.shape = view.end = node.shape;
        view.begin.assign(node.shape.size(), Dim(0));
        add(std::move(view));
      }
    }
  }
}

}  // namespace harp
