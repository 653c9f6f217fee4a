// Builds classification losses along an axis, as PyTorch's nll_loss and cross_entropy. A target is a class number or a probability for each
// class.
#include <limits>

#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"
#include "graph/steps.h"

namespace harp::build {
namespace {

using namespace steps;

/// Targets given as class numbers, converted to masks.
struct Classes {
  NodeRef is_target;  // x's shape: true where the class is the target class
  NodeRef is_class;   // the target's shape: true where the target is a valid class number
  // the target's shape: true where the target equals ignore_index; null if there is no ignore_index
  NodeRef is_ignored;
  std::vector<int> along;
};

Classes classes_of(std::string_view op, NodeRef x, NodeRef target, int axis, const std::optional<int64_t>& ignore_index) {
  Shape shape = x->shape;
  shape.erase(shape.begin() + axis);
  HARP_CHECK(target->shape == shape, Code::kShape, op, ": the target (", label(target), ") has shape ", to_string(target->shape), "; for ",
             label(x), " of shape ", to_string(x->shape), " and class axis ", axis, " it must have ", to_string(shape));
  Graph& graph = check_node(op, x);
  // The number of classes may not fit a narrow dtype such as i8. So a target of a narrow dtype is cast to the dtype in which operations on
  // it are computed (i32).
  if (is_narrow(target->dtype)) target = cast(target, info(target->dtype).computes_in);
  const Dim count = x->shape[static_cast<size_t>(axis)];
  Classes classes{nullptr, nullptr, nullptr, {axis}};
  Shape column(x->shape.size(), Dim(1));
  column[static_cast<size_t>(axis)] = count;
  // Class numbers are compared as i32, because a vector has twice as many lanes of i32 as of i64. The conversion may turn an invalid number
  // into a valid class; but `is_class` is computed from the unconverted number, so the loss of an invalid number is NaN nevertheless.
  const NodeRef numbers = broadcast_to(reshape(arange(graph, count), std::move(column)), x->shape);
  classes.is_target = eq({numbers, broadcast_to(unsqueeze(cast(target, numbers->dtype), classes.along), x->shape)});
  const NodeRef first = constant(graph, scalar_from_int(target->dtype, 0)), end = cast(size(graph, count), target->dtype);
  const NodeRef is_not_below = ge(target, first);
  classes.is_class = logical_and(is_not_below, lt({target, end}));
  if (ignore_index && int_fits(target->dtype, *ignore_index))
    classes.is_ignored = eq({target, constant(graph, scalar_from_int(target->dtype, *ignore_index))});
  return classes;
}

/// Selects along the class axis the element of x that belongs to the target's class; 0 if the target is not a valid class.
NodeRef selected(const Classes& classes, NodeRef x) {
  return sum(where({classes.is_target, x, constant_like(x, 0)}), classes.along, false);
}

/// Sets the loss to 0 where the target is ignored, and to NaN where the target is not a valid class.
NodeRef checked(const Classes& classes, NodeRef losses) {
  losses = where({classes.is_class, losses, constant_like(losses, std::numeric_limits<double>::quiet_NaN())});
  return classes.is_ignored == nullptr ? losses : where({classes.is_ignored, constant_like(losses, 0), losses});
}

/// Broadcasts the weights of the classes to x's shape; null if there are none.
NodeRef stretched_weight(std::string_view op, NodeRef x, int axis, NodeRef weight) {
  if (weight == nullptr) return nullptr;
  const Dim count = x->shape[static_cast<size_t>(axis)];
  HARP_CHECK(weight->shape == Shape{count}, Code::kShape, op, ": the weight (", label(weight), ") has shape ", to_string(weight->shape),
             "; it must be [", to_string(count), "], one number for each class of ", label(x));
  Shape column(x->shape.size(), Dim(1));
  column[static_cast<size_t>(axis)] = count;
  return broadcast_to(reshape(cast(weight, x->dtype), std::move(column)), x->shape);
}

/// Reduces the losses of targets given as class numbers. A mean counts only targets that are not ignored, each with the weight of its
/// class.
NodeRef reduced_by_weight(std::string_view op, const Classes& classes, NodeRef losses, NodeRef weights, std::string_view reduction) {
  if (reduction != "mean" || (weights == nullptr && classes.is_ignored == nullptr)) return reduced_loss(op, losses, reduction);
  NodeRef counts = weights != nullptr ? selected(classes, weights) : full_like(losses, 1);
  if (classes.is_ignored != nullptr) counts = where({classes.is_ignored, constant_like(counts, 0), counts});
  const NodeRef total = sum(losses, {}, false);
  return div({total, sum(counts, {}, false)});
}

/// Returns the negative log-likelihood -w[t] · x[t] of each target t, a class number. x contains log-probabilities; without weights w[t] is
/// 1.
NodeRef negative_likelihood(const Classes& classes, NodeRef x, NodeRef weights) {
  const NodeRef likelihood = selected(classes, weights != nullptr ? mul({weights, x}) : x);
  return neg(likelihood);
}

/// Returns the loss without weights and smoothing, which is by far the most frequent case: log(sum(exp(x - m))) - (x_t - m), where m is the
/// max of x and t the target.
NodeRef plain_class_losses(const Classes& classes, NodeRef x) {
  const NodeRef shifted = minus(x, stop_gradient(max(x, classes.along, true)));
  const NodeRef total = log(sum(exp(shifted), classes.along, false));
  return sub(total, selected(classes, shifted));
}

/// Returns the loss with class weights w or label smoothing s: (1 - s) · -w[t] · p[t] + s / classes · sum(-w · p), where p = log_softmax(x)
/// and t is the target.
NodeRef smoothed_class_losses(const Classes& classes, NodeRef x, NodeRef weights, double smoothing) {
  const NodeRef p = log_softmax(x, classes.along[0]);
  const NodeRef sharp = negative_likelihood(classes, p, weights);
  if (smoothing == 0) return sharp;
  const NodeRef all = neg(sum(weights != nullptr ? mul({weights, p}) : p, classes.along, false));
  const NodeRef count = cast(size(check_node("cross_entropy", x), x->shape[static_cast<size_t>(classes.along[0])]), x->dtype);
  const NodeRef share = mul({div({constant_like(x, smoothing), count}), all});
  return elementwise(Op::kFma, {constant_like(x, 1 - smoothing), sharp, share});
}

/// The checked scores, and their class axis.
struct Scores {
  NodeRef x;
  DType dtype;
  int axis;
};
Scores scores_of(std::string_view op, NodeRef x, NodeRef target, NodeRef weight, std::optional<int> axis) {
  std::vector<NodeRef> operands = {x, target};
  if (weight != nullptr) operands.push_back(weight);
  check_nodes(op, operands);
  x = as_float(op, x);
  if (weight != nullptr) common_dtype(op, Operands::kFloat, std::array{x, weight});
  const int along = normalize_axis(op, axis.value_or(x->rank() == 1 ? 0 : 1), x->rank());
  HARP_CHECK(!x->shape[static_cast<size_t>(along)].is_constant(0), Code::kShape, op, ": axis ", along, " of ", label(x), " with shape ",
             to_string(x->shape), " has no classes");
  return {cast(x, working_dtype(x->dtype)), x->dtype, along};
}

}  // namespace

NodeRef nll_loss(NodeRef x, NodeRef target, const ClassLossOptions& options) {
  const std::string_view op = "nll_loss";
  const Scores scores = scores_of(op, x, target, options.weight, options.axis);
  HARP_CHECK(is_int(target->dtype), Code::kDType, op, ": the target (", label(target), ") is ", type_of(*target),
             "; it must be classes (integers)");
  const Classes classes = classes_of(op, scores.x, target, scores.axis, options.ignore_index);
  const NodeRef weights = stretched_weight(op, scores.x, scores.axis, options.weight);
  const NodeRef losses = checked(classes, negative_likelihood(classes, scores.x, weights));
  return cast(reduced_by_weight(op, classes, losses, weights, options.reduction), scores.dtype);
}

NodeRef cross_entropy(NodeRef x, NodeRef target, const ClassLossOptions& options) {
  const std::string_view op = "cross_entropy";
  HARP_CHECK(options.label_smoothing >= 0 && options.label_smoothing <= 1, Code::kRange, op, ": label_smoothing is ",
             options.label_smoothing, "; it must be from 0 to 1");
  const Scores scores = scores_of(op, x, target, options.weight, options.axis);
  const NodeRef weights = stretched_weight(op, scores.x, scores.axis, options.weight);
  if (is_int(target->dtype)) {
    const Classes classes = classes_of(op, scores.x, target, scores.axis, options.ignore_index);
    const bool is_plain = weights == nullptr && options.label_smoothing == 0;
    const NodeRef losses =
        is_plain ? plain_class_losses(classes, scores.x) : smoothed_class_losses(classes, scores.x, weights, options.label_smoothing);
    return cast(reduced_by_weight(op, classes, checked(classes, losses), weights, options.reduction), scores.dtype);
  }
  HARP_CHECK(!options.ignore_index, Code::kInvalidArgument, op, ": ignore_index is for targets that are classes; the target (",
             label(target), ") is ", type_of(*target));
  HARP_CHECK(target->dtype == scores.dtype && target->shape == scores.x->shape,
             is_float(target->dtype) && target->dtype == scores.dtype ? Code::kShape : Code::kDType, op, ": the target (", label(target),
             ") is ", type_of(*target), "; it must be classes (integers), or probabilities like ", label(x), ", ", type_of(*x));
  NodeRef probabilities = cast(target, scores.x->dtype);
  if (options.label_smoothing != 0) {
    const NodeRef count = cast(size(check_node(op, x), scores.x->shape[static_cast<size_t>(scores.axis)]), scores.x->dtype);
    const NodeRef share = div({constant_like(scores.x, options.label_smoothing), count});
    probabilities = elementwise(Op::kFma, {probabilities, constant_like(probabilities, 1 - options.label_smoothing), share});
  }
  NodeRef p = log_softmax(scores.x, scores.axis);
  if (weights != nullptr) p = mul({weights, p});
  const NodeRef likelihood = sum(mul({probabilities, p}), std::vector<int>{scores.axis}, false);
  return cast(reduced_loss(op, neg(likelihood), options.reduction), scores.dtype);
}

}  // namespace harp::build
