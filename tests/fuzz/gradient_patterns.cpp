#include "fuzz/gradient_patterns.h"

#include <vector>

#include "base/error.h"
#include "grad/gradient.h"
#include "graph/composites.h"

namespace harp::fuzz {
namespace {

constexpr int kTries = 6;
constexpr size_t kMostOfWhich = 4;  // gradients are computed with respect to at most this many nodes at a time

bool is_differentiable(NodeRef node) { return is_float(node->dtype) || is_complex(node->dtype); }

/// The nodes with respect to which to differentiate y: most of the inputs on which it depends, and a few other nodes.
std::vector<NodeRef> some_sources(Workbench& bench, NodeRef y) {
  std::vector<NodeRef> found;
  for (const NodeRef node : bench.nodes()) {
    if (found.size() == kMostOfWhich || node == y || !is_differentiable(node)) continue;
    if (bench.random().chance(node->op == Op::kInput ? 80 : 10) && grad::depends(y, node)) found.push_back(node);
  }
  return found;
}

/// The gradient with respect to y from which those of its operands are computed (grad_output): a number, an input, or y itself or twice y,
/// so that even the gradient of a linear operation uses y.
NodeRef gradient_of_output(Workbench& bench, NodeRef y) {
  switch (bench.random().below(4)) {
    case 0: return y;
    case 1: return build::elementwise(Op::kAdd, {y, y});
    case 2: return build::constant(bench.graph(), bench.random_scalar(y->dtype));
    default: return bench.new_input(y->dtype, y->shape);
  }
}

}  // namespace

bool add_gradients(Workbench& bench) {
  for (int i = 0; i < kTries; ++i) {
    const NodeRef y = bench.find([](NodeRef node) { return is_differentiable(node) && node->op != Op::kInput; });
    if (y == nullptr) return false;
    const std::vector<NodeRef> xs = some_sources(bench, y);
    if (xs.empty()) continue;
    try {
      bool is_kept = false;
      for (const NodeRef dx : grad::gradients(y, xs, gradient_of_output(bench, y), grad::WhereIndependent::kZeros))
        is_kept |= bench.want(dx);
      if (is_kept) return true;
    } catch (const Error& error) {
      // kNoGradient: y has no gradient; kShape: an array of the gradient would have an invalid shape
      if (error.code != Code::kNoGradient && error.code != Code::kShape) throw;
    }
  }
  return false;
}

}  // namespace harp::fuzz
