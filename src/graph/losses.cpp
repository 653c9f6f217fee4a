// Losses as PyTorch defines them. Wherever a loss is finite, its gradient is finite too: where an operand would overflow or lead to a
// division by zero, `where` replaces the operand first.
#include <limits>

#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"
#include "graph/steps.h"

namespace harp::build {
namespace {

using namespace steps;

/// Casts the operands to their working dtype, computes elementwise losses, reduces them, and casts the result back. A null weight counts as
/// 1. Weights are broadcast to the common shape of x and target, whether or not the graph has the broadcast flag. They cannot enlarge this
/// shape.
template <class Losses>
NodeRef elementwise_loss(std::string_view op, NodeRef x, NodeRef target, std::initializer_list<NodeRef> weights, std::string_view reduction,
                         Losses losses) {
  std::vector<NodeRef> arrays = {x, target};
  const Shape shape = common_type(op, Operands::kFloat, arrays).shape;
  for (const NodeRef weight : weights)
    if (weight != nullptr) arrays.push_back(weight);
  const DType dtype = common_dtype(op, Operands::kFloat, arrays), working = working_dtype(dtype);
  std::vector<NodeRef> operands = {cast(x, working), cast(target, working)};
  for (const NodeRef weight : weights) operands.push_back(weight != nullptr ? broadcast_to(cast(weight, working), shape) : nullptr);
  return cast(reduced_loss(op, losses(std::span<const NodeRef>(operands)), reduction), dtype);
}

NodeRef weighted(NodeRef loss, NodeRef weight) { return weight != nullptr ? mul({loss, weight}) : loss; }

/// Returns max(logarithm, -100), so that the loss of a probability of 0 and its gradient are finite. Where `is_zero` is true, the result is
/// -100; there the caller passes the logarithm of another number, so that the gradient does not contain an infinity.
NodeRef bounded(NodeRef is_zero, NodeRef logarithm) {
  const NodeRef least = constant_like(logarithm, -100);
  return where({is_zero, least, where({lt({logarithm, least}), least, logarithm})});
}
NodeRef bounded_log(NodeRef p) {
  const NodeRef is_zero = eq({p, constant_like(p, 0)});
  return bounded(is_zero, log(where({is_zero, constant_like(p, 1), p})));
}
/// Returns log(1 - p), at least -100. log1p(-p) is used, because 1 - p would lose digits of a small p.
NodeRef bounded_log_of_rest(NodeRef p) {
  const NodeRef is_zero = eq({p, constant_like(p, 1)});
  return bounded(is_zero, log1p(neg(where({is_zero, constant_like(p, 0), p}))));
}

}  // namespace

NodeRef reduced_loss(std::string_view op, NodeRef losses, std::string_view reduction) {
  if (reduction == "mean") return mean(losses, {}, false);
  if (reduction == "sum") return sum(losses, {}, false);
  HARP_CHECK(reduction == "none", Code::kInvalidArgument, op, ": reduction is \"", reduction, "\"; it must be mean, sum or none");
  return losses;
}

NodeRef huber_loss(NodeRef x, NodeRef target, double delta, std::string_view reduction) {
  HARP_CHECK(delta > 0, Code::kRange, "huber_loss: delta is ", delta, "; it must be greater than 0");
  return elementwise_loss("huber_loss", x, target, {}, reduction, [&](std::span<const NodeRef> operands) {
    const NodeRef difference = sub(operands[0], operands[1]), distance = abs(difference);
    const NodeRef bound = constant_like(distance, delta), half = constant_like(distance, 0.5);
    const NodeRef is_near = le({distance, bound});
    // The square of a large difference could overflow. The last `where` does not select it, but its gradient would be NaN.
    const NodeRef near = where({is_near, difference, constant_like(difference, 0)});
    const NodeRef linear = mul({bound, add({distance, constant_like(distance, -0.5 * delta)})});
    return where({is_near, mul({half, square(near)}), linear});
  });
}

NodeRef binary_cross_entropy(NodeRef x, NodeRef target, NodeRef weight, std::string_view reduction) {
  return elementwise_loss("binary_cross_entropy", x, target, {weight}, reduction, [](std::span<const NodeRef> operands) {
    const NodeRef p = operands[0], t = operands[1], one = constant_like(p, 1);
    const NodeRef if_true = mul({t, bounded_log(p)});
    const NodeRef if_false = mul({sub(one, t), bounded_log_of_rest(p)});
    return weighted(neg(add({if_true, if_false})), operands[2]);
  });
}

NodeRef binary_cross_entropy_with_logits(NodeRef x, NodeRef target, NodeRef weight, NodeRef pos_weight, std::string_view reduction) {
  return elementwise_loss("binary_cross_entropy_with_logits", x, target, {weight, pos_weight}, reduction,
                          [](std::span<const NodeRef> operands) {
                            const NodeRef logits = operands[0], t = operands[1], one = constant_like(logits, 1);
                            NodeRef minus_log = softplus_of(neg(logits));  // -log(sigmoid(x))
                            if (operands[3] != nullptr) minus_log = mul({add({one, mul({t, sub(operands[3], one)})}), minus_log});
                            return weighted(add({mul({sub(one, t), logits}), minus_log}), operands[2]);
                          });
}

}  // namespace harp::build
