// Layers of neural networks, and the squared error. The order of the operations in each line is normative, because it decides the bits of
// the result.
#include <algorithm>

#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"

namespace harp::build {
namespace {

NodeRef add(std::initializer_list<NodeRef> operands) { return elementwise(Op::kAdd, operands); }
NodeRef mul(std::initializer_list<NodeRef> operands) { return elementwise(Op::kMul, operands); }

/// The operands of a normalisation, in the working dtype; weight and bias may be null.
struct Normalised {
  DType dtype;  // dtype of the result
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
  Shape own, aligned_shape(x->shape.size(), Dim(1));
  for (const int axis : n.axes) {
    own.push_back(x->shape[static_cast<size_t>(axis)]);
    aligned_shape[static_cast<size_t>(axis)] = own.back();
  }
  const auto align = [&](std::string_view what, NodeRef array) {
    HARP_CHECK(array->shape == own, Code::kShape, op, ": the ", what, " (", label(array), ") has shape ", to_string(array->shape),
               "; it must be ", to_string(own), ", the sizes of the normalised axes of ", label(x));
    return broadcast_to(reshape(cast(array, working), aligned_shape), x->shape);
  };
  if (weight != nullptr) n.weight = align("weight", weight);
  if (bias != nullptr) n.bias = align("bias", bias);
  return n;
}

/// Returns values · recip(sqrt(mean(values²) + eps)) · weight + bias.
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

}  // namespace harp::build
