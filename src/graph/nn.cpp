// Layers and losses of neural networks. Each line's order of operations is part of the law: it decides the bits.
#include <algorithm>
#include <limits>

#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"

namespace harp::build {
namespace {

NodeRef add(std::initializer_list<NodeRef> operands) { return elementwise(Op::kAdd, operands); }
NodeRef mul(std::initializer_list<NodeRef> operands) { return elementwise(Op::kMul, operands); }

/// The operands of a normalisation, in the working dtype; weight and bias may be null.
struct Normalised {
  DType dtype;  // of the result
  NodeRef x, weight, bias;
  std::vector<int> axes;  // ascending
};

Normalised normalised(std::string_view op, NodeRef x, std::span<const int> axes, NodeRef weight, NodeRef bias, double eps) {
  std::vector<NodeRef> arrays = {x};
  for (const NodeRef array : {weight, bias})
    if (array != nullptr) arrays.push_back(array);
  const DType dtype = common_dtype(op, Operands::kFloat, arrays);
  const DType working = working_dtype(dtype);
  Normalised n{dtype, cast(x, working), weight, bias, normalize_axes(op, axes, x->rank())};
  std::sort(n.axes.begin(), n.axes.end());
  HARP_CHECK(!n.axes.empty(), Code::kShape, op, ": no axis to normalise along (", label(x), ")");
  HARP_CHECK(eps >= 0, Code::kRange, op, ": eps is ", eps, "; it must not be negative");
  Shape own, placed(x->shape.size(), Dim(1));
  for (const int axis : n.axes) {
    own.push_back(x->shape[static_cast<size_t>(axis)]);
    placed[static_cast<size_t>(axis)] = own.back();
  }
  const auto place = [&](std::string_view what, NodeRef array) {
    HARP_CHECK(array->shape == own, Code::kShape, op, ": the ", what, " (", label(array), ") has shape ", to_string(array->shape),
               "; it must be ", to_string(own), ", the sizes of the normalised axes of ", label(x));
    return broadcast_to(reshape(cast(array, working), placed), x->shape);
  };
  if (weight != nullptr) n.weight = place("weight", weight);
  if (bias != nullptr) n.bias = place("bias", bias);
  return n;
}

/// values · recip(sqrt(mean(values²) + eps)) · weight + bias
NodeRef scaled(NodeRef values, const Normalised& n, double eps) {
  const NodeRef squares = mean(square(values), n.axes, true);
  const NodeRef scale = rsqrt(add({squares, constant_like(values, eps)}));
  NodeRef y = mul({values, broadcast_to(scale, values->shape)});
  if (n.weight != nullptr && n.bias != nullptr)
    y = elementwise(Op::kFma, {y, n.weight, n.bias});
  else if (n.weight != nullptr)
    y = mul({y, n.weight});
  else if (n.bias != nullptr)
    y = add({y, n.bias});
  return cast(y, n.dtype);
}

NodeRef reduced_loss(std::string_view op, NodeRef losses, std::string_view reduction) {
  if (reduction == "mean") return mean(losses, {}, false);
  if (reduction == "sum") return sum(losses, {}, false);
  HARP_CHECK(reduction == "none", Code::kInvalidArgument, op, ": reduction is \"", reduction, "\"; it must be mean, sum or none");
  return losses;
}

/// Losses of class numbers: log(sum(exp(x - m))) - (x_t - m), where m is the greatest of x and t the class; NaN if t is none.
NodeRef class_losses(NodeRef x, NodeRef target, int axis) {
  const std::string_view op = "cross_entropy";
  Shape shape = x->shape;
  shape.erase(shape.begin() + axis);
  HARP_CHECK(target->shape == shape, Code::kShape, op, ": the classes (", label(target), ") have shape ", to_string(target->shape),
             "; for ", label(x), " of shape ", to_string(x->shape), " and class axis ", axis, " they must have ", to_string(shape));
  Graph& graph = check_node(op, x);
  if (is_narrow(target->dtype)) target = cast(target, info(target->dtype).computes_in);  // which holds the number of classes too
  const Dim classes = x->shape[static_cast<size_t>(axis)];
  const std::vector<int> along = {axis};
  const NodeRef shifted = minus(x, stop_gradient(max(x, along, true)));
  const NodeRef total = elementwise(Op::kLog, {sum(elementwise(Op::kExp, {shifted}), along, false)});
  Shape column(x->shape.size(), Dim(1));
  column[static_cast<size_t>(axis)] = classes;
  // Places are compared as i32, in twice the lanes of i64; a number that is no class may look like one there, and is NaN all the same.
  const NodeRef numbers = broadcast_to(reshape(arange(graph, classes), std::move(column)), x->shape);
  const NodeRef is_target = elementwise(Op::kEq, {numbers, broadcast_to(unsqueeze(cast(target, numbers->dtype), along), x->shape)});
  const NodeRef picked = sum(elementwise(Op::kWhere, {is_target, shifted, constant_like(x, 0)}), along, false);
  const NodeRef losses = sub(total, picked);
  // A number that is no class picks nothing, and must not look like a loss.
  const NodeRef first = constant(graph, scalar_from_int(target->dtype, 0)), end = cast(size(graph, classes), target->dtype);
  const NodeRef is_class = logical_and(ge(target, first), elementwise(Op::kLt, {target, end}));
  return elementwise(Op::kWhere, {is_class, losses, constant_like(losses, std::numeric_limits<double>::quiet_NaN())});
}

}  // namespace

NodeRef layer_norm(NodeRef x, std::span<const int> axes, NodeRef weight, NodeRef bias, double eps) {
  const Normalised n = normalised("layer_norm", x, axes, weight, bias, eps);
  return scaled(minus(n.x, mean(n.x, n.axes, true)), n, eps);
}

NodeRef rms_norm(NodeRef x, std::span<const int> axes, NodeRef weight, NodeRef bias, double eps) {
  const Normalised n = normalised("rms_norm", x, axes, weight, bias, eps);
  return scaled(n.x, n, eps);
}

NodeRef mse_loss(NodeRef x, NodeRef target, std::string_view reduction) {
  const NodeRef operands[] = {x, target};
  const DType dtype = common_type("mse_loss", Operands::kFloat, operands).dtype;
  x = cast(x, working_dtype(dtype));
  const NodeRef difference = sub(x, cast(target, x->dtype));
  return cast(reduced_loss("mse_loss", square(difference), reduction), dtype);
}

NodeRef cross_entropy(NodeRef x, NodeRef target, std::optional<int> axis, std::string_view reduction) {
  const std::string_view op = "cross_entropy";
  const NodeRef operands[] = {x, target};
  check_nodes(op, operands);
  x = as_float(op, x);
  const int along = normalize_axis(op, axis.value_or(x->rank() == 1 ? 0 : 1), x->rank());
  HARP_CHECK(!x->shape[static_cast<size_t>(along)].is_constant(0), Code::kShape, op, ": axis ", along, " of ", label(x), " with shape ",
             to_string(x->shape), " has no classes");
  const DType dtype = x->dtype, working = working_dtype(dtype);
  if (is_int(target->dtype)) return cast(reduced_loss(op, class_losses(cast(x, working), target, along), reduction), dtype);
  HARP_CHECK(target->dtype == x->dtype && target->shape == x->shape,
             is_float(target->dtype) && target->dtype == x->dtype ? Code::kShape : Code::kDType, op, ": the target (", label(target),
             ") is ", type_of(*target), "; it must be classes (integers), or probabilities like ", label(x), ", ", type_of(*x));
  const std::vector<int> classes = {along};
  target = cast(target, working);
  const NodeRef likelihood = sum(mul({target, log_softmax(cast(x, working), along)}), classes, false);
  return cast(reduced_loss(op, elementwise(Op::kNeg, {likelihood}), reduction), dtype);
}

}  // namespace harp::build
