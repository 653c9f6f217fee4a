// Normalisations of arrays with a channel axis: [batch, channels, space ...]. Each ends with the steps of layer_norm: it multiplies by
// recip(sqrt(variance + eps)), then applies the weight and bias of each channel.
#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"
#include "graph/steps.h"

namespace harp::build {
namespace {

using namespace steps;

/// The operands of a normalisation, after they are checked.
struct Channels {
  std::string_view op;
  NodeRef given, x;  // given: as the caller passed it; x: cast to the working dtype
  DType dtype;       // dtype of the result
  size_t axis;       // the channel axis
  DType working() const { return x->dtype; }
  Dim count() const { return x->shape[axis]; }

  Channels(std::string_view op, NodeRef x, int axis, std::initializer_list<NodeRef> per_channel, int least_rank) : op(op), given(x) {
    std::vector<NodeRef> arrays = {x};
    for (const NodeRef array : per_channel)
      if (array != nullptr) arrays.push_back(array);
    dtype = common_dtype(op, Operands::kFloat, arrays);
    HARP_CHECK(x->rank() >= least_rank, Code::kShape, op, ": ", label(x), " has shape ", to_string(x->shape), "; it must have at least ",
               least_rank, " axes, [batch, channels, space ...]");
    this->axis = static_cast<size_t>(normalize_axis(op, axis, x->rank()));
    this->x = cast(x, working_dtype(dtype));
  }

  /// Throws Error{kShape} unless the array has one number per channel.
  void check(std::string_view what, NodeRef array) const {
    HARP_CHECK(array->shape == Shape{count()}, Code::kShape, op, ": the ", what, " (", label(array), ") has shape ",
               to_string(array->shape), "; it must be [", to_string(count()), "], one number for each channel of ", label(given));
  }
  /// Broadcasts an array with one number per channel to x's shape.
  NodeRef stretched(NodeRef array) const {
    Shape aligned_shape(x->shape.size(), Dim(1));
    aligned_shape[axis] = count();
    return broadcast_to(reshape(cast(array, working()), std::move(aligned_shape)), x->shape);
  }

  NodeRef with_weight_and_bias(NodeRef y, NodeRef weight, NodeRef bias) const {
    if (weight != nullptr) check("weight", weight);
    if (bias != nullptr) check("bias", bias);
    if (weight != nullptr && bias != nullptr) {
      weight = stretched(weight);
      y = elementwise(Op::kFma, {y, weight, stretched(bias)});
    } else if (weight != nullptr) {
      y = mul({y, stretched(weight)});
    } else if (bias != nullptr) {
      y = add({y, stretched(bias)});
    }
    return cast(y, dtype);
  }
};

void check_eps(std::string_view op, double eps) { HARP_CHECK(eps >= 0, Code::kRange, op, ": eps is ", eps, "; it must not be negative"); }

/// Returns (x - mean) · rsqrt(variance + eps) over these axes; the variance is the mean of (x - mean)².
NodeRef normalised_over(NodeRef x, const std::vector<int>& axes, double eps) {
  const NodeRef centred = minus(x, mean(x, axes, true));
  const NodeRef variance = mean(square(centred), axes, true);
  return mul({centred, broadcast_to(rsqrt(add({variance, constant_like(variance, eps)})), x->shape)});
}

std::vector<int> axes_from(size_t first, size_t end) {
  std::vector<int> axes;
  for (size_t i = first; i < end; ++i) axes.push_back(static_cast<int>(i));
  return axes;
}

}  // namespace

NodeRef batch_norm(NodeRef x, const Statistics& running, NodeRef weight, NodeRef bias, int axis, double eps) {
  const std::string_view op = "batch_norm";
  check_eps(op, eps);
  HARP_CHECK((running.mean == nullptr) == (running.var == nullptr), Code::kInvalidArgument, op,
             ": give both mean and var, or neither (then the statistics of the batch are used)");
  const Channels channels(op, x, axis, {running.mean, running.var, weight, bias}, 1);
  if (running.mean == nullptr) {
    std::vector<int> others = axes_from(0, x->shape.size());
    others.erase(others.begin() + static_cast<int64_t>(channels.axis));
    HARP_CHECK(!others.empty(), Code::kShape, op, ": ", label(x), " has no axis besides the channels to normalise along");
    return channels.with_weight_and_bias(normalised_over(channels.x, others, eps), weight, bias);
  }
  channels.check("mean", running.mean);
  channels.check("var", running.var);
  // The factor 1 / sqrt(var + eps) is computed once per channel and then broadcast, instead of once per element.
  const NodeRef mean = cast(running.mean, channels.working()), var = cast(running.var, channels.working());
  const NodeRef centred = add({channels.x, channels.stretched(neg(mean))});
  const NodeRef scale = rsqrt(add({var, constant_like(var, eps)}));
  return channels.with_weight_and_bias(mul({centred, channels.stretched(scale)}), weight, bias);
}

NodeRef group_norm(NodeRef x, int64_t groups, NodeRef weight, NodeRef bias, double eps) {
  const std::string_view op = "group_norm";
  check_eps(op, eps);
  const Channels channels(op, x, 1, {weight, bias}, 2);
  HARP_CHECK(groups > 0, Code::kRange, op, ": num_groups is ", groups, "; it must be at least 1");
  const std::optional<Dim> of_each = exact_quotient(channels.count(), Dim(groups));
  HARP_CHECK(of_each.has_value(), Code::kShape, op, ": ", label(x), " has ", to_string(channels.count()),
             " channels, which is not a multiple of num_groups ", groups);
  Shape grouped = {x->shape[0], Dim(groups), *of_each};
  grouped.insert(grouped.end(), x->shape.begin() + 2, x->shape.end());
  HARP_CHECK(grouped.size() <= kMaxRank, Code::kShape, op, ": ", label(x), " has ", kMaxRank, " axes; at most ", kMaxRank - 1,
             " are allowed");
  const NodeRef y = normalised_over(reshape(channels.x, grouped), axes_from(2, grouped.size()), eps);
  return channels.with_weight_and_bias(reshape(y, x->shape), weight, bias);
}

NodeRef instance_norm(NodeRef x, NodeRef weight, NodeRef bias, double eps) {
  const std::string_view op = "instance_norm";
  check_eps(op, eps);
  const Channels channels(op, x, 1, {weight, bias}, 3);
  return channels.with_weight_and_bias(normalised_over(channels.x, axes_from(2, x->shape.size()), eps), weight, bias);
}

}  // namespace harp::build
