// Resizes arrays, as ONNX's Resize and PyTorch's interpolate, one axis after the other. For every position of the result, the corresponding
// coordinate in the source is computed, then the weighted sum of the elements around that coordinate. A coordinate is computed in f64 from
// integers with a single division, so that a coordinate exactly on an element, or exactly between two elements, is recognised.
#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"
#include "graph/steps.h"

namespace harp::build {
namespace {

using namespace steps;

constexpr std::string_view kOp = "interpolate";

template <size_t n>
void check_word(std::string_view parameter, std::string_view given, const std::string_view (&words)[n]) {
  std::string list;
  for (const std::string_view word : words) {
    if (word == given) return;
    append(list, cat(list.empty() ? "" : ", ", word));
  }
  fail(Code::kInvalidArgument, kOp, ": ", parameter, " is \"", given, "\"; it must be one of ", list);
}

/// One axis of an array, resized from `from` elements to `to`.
class Axis {
 public:
  Axis(NodeRef x, int axis, Dim to, std::optional<double> scale, const InterpolateOptions& options)
      : graph_(check_node(kOp, x)),
        x_(x),
        axis_(static_cast<size_t>(axis)),
        from_(x->shape[axis_]),
        to_(to),
        scale_(scale),
        options_(options) {}

  NodeRef resized() const {
    if (options_.mode == "area") return area();
    const NodeRef coordinate = coordinates();
    if (options_.mode == "nearest") return element(nearest(coordinate));
    const NodeRef before = unary(Op::kFloor, coordinate), weight = along(cast(sub(coordinate, before), x_->dtype));
    return options_.mode == "linear" ? linear(before, weight) : cubic(before, weight);
  }

 private:
  NodeRef number(Dim dim) const { return cast(size(graph_, dim), DType::kF64); }
  static NodeRef number_like(NodeRef x, double value) { return constant_like(x, value); }

  /// Returns the source coordinate of each position of the result, as f64[to].
  NodeRef coordinates() const {
    const NodeRef position = cast(arange(graph_, to_), DType::kF64);
    const std::string_view convention = options_.coordinates;
    if (convention == "align_corners") {
      const NodeRef last = number(harp::max(to_ - 1, 1));  // in a result of size 1 the coordinate is 0, so the divisor has no effect
      return div({mul({position, number(harp::max(from_ - 1, 0))}), last});
    }
    if (convention == "asymmetric")
      return scale_ ? div({position, number_like(position, *scale_)}) : div({mul({position, number(from_)}), number(to_)});
    NodeRef centre;  // the half_pixel coordinates: (position + 1/2) / scale - 1/2
    if (scale_) {
      centre = add({div({add({position, number_like(position, 0.5)}), number_like(position, *scale_)}), number_like(position, -0.5)});
    } else {
      const NodeRef odd = add({mul({position, number_like(position, 2)}), number_like(position, 1)});
      const NodeRef scaled = mul({odd, number(from_)});
      centre = div({sub(scaled, number(to_)), number(2 * to_)});
    }
    if (convention == "half_pixel") return centre;
    const NodeRef is_long = lt({number_like(position, 1), number(to_)});  // pytorch_half_pixel: in a result of size 1 the coordinate is 0
    return where({is_long, centre, number_like(position, 0)});
  }

  NodeRef nearest(NodeRef coordinate) const {
    const std::string_view rounding = options_.nearest_mode;
    if (rounding == "floor") return unary(Op::kFloor, coordinate);
    if (rounding == "ceil") return unary(Op::kCeil, coordinate);
    if (rounding == "round_prefer_ceil") return unary(Op::kFloor, add({coordinate, number_like(coordinate, 0.5)}));
    return unary(Op::kCeil, add({coordinate, number_like(coordinate, -0.5)}));
  }

  /// Reads the source at these positions (f64, of any shape). Positions outside the array are clamped to the nearest element. The axes of
  /// `position` replace the resized axis.
  NodeRef element(NodeRef position) const {
    const NodeRef zero = number_like(position, 0), last = number(harp::max(from_ - 1, 0));
    const NodeRef inside = elementwise(Op::kMin, {elementwise(Op::kMax, {position, zero}), last});
    return take(x_, cast(inside, DType::kI64), static_cast<int>(axis_));
  }

  /// `weight` has one element for each position of the result along the resized axis. Broadcasts it along the other axes.
  NodeRef along(NodeRef weight) const {
    Shape line(x_->shape.size(), Dim(1)), shape = x_->shape;
    line[axis_] = shape[axis_] = to_;
    return broadcast_to(reshape(weight, std::move(line)), shape);
  }

  NodeRef linear(NodeRef before, NodeRef weight) const {
    const NodeRef first = element(before), second = element(add({before, number_like(before, 1)}));
    return elementwise(Op::kFma, {weight, sub(second, first), first});
  }

  /// Keys' cubic convolution with coefficient a. `before` is the coordinate rounded down; the result is the weighted sum of the elements
  /// from position before - 1 to before + 2.
  NodeRef cubic(NodeRef before, NodeRef weight) const {
    const double a = options_.cubic_coeff_a;
    const auto k = [&](double value) { return constant_like(weight, value); };
    const auto polynomial = [](NodeRef t, std::initializer_list<NodeRef> coefficients) {
      NodeRef value = nullptr;
      for (const NodeRef coefficient : coefficients)
        value = value == nullptr ? coefficient : elementwise(Op::kFma, {value, t, coefficient});
      return value;
    };
    // weight of an element at distance t <= 1
    const auto near = [&](NodeRef t) { return polynomial(t, {k(a + 2), k(-(a + 3)), k(0), k(1)}); };
    // weight of an element at distance 1 <= t <= 2
    const auto far = [&](NodeRef t) { return polynomial(t, {k(a), k(-5 * a), k(8 * a), k(-4 * a)}); };
    const NodeRef one = k(1), rest = sub(one, weight);
    const NodeRef weights[] = {far(add({weight, one})), near(weight), near(rest), far(add({rest, one}))};
    NodeRef total = nullptr;
    for (int tap = 0; tap < 4; ++tap) {
      const NodeRef value = element(add({before, number_like(before, tap - 1)}));
      total = total == nullptr ? mul({weights[tap], value}) : elementwise(Op::kFma, {weights[tap], value, total});
    }
    return total;
  }

  /// Returns, for position i, the mean of the elements from floor(i·from/to) to ceil((i + 1)·from/to) - 1.
  NodeRef area() const {
    const Dim longest = ceil_div(from_, to_) + 1;
    const NodeRef position = cast(arange(graph_, to_), DType::kI64), one = constant_like(position, 1);
    const NodeRef length = size(graph_, from_), count = size(graph_, to_);
    const auto quotient = [&](NodeRef a) { return elementwise(Op::kIdiv, {a, count}); };
    const NodeRef start = quotient(mul({position, length}));
    const NodeRef stop = quotient(add({mul({add({position, one}), length}), add({count, constant_like(count, -1)})}));
    const Shape windows = {to_, longest};
    const auto column = [&](NodeRef line) { return broadcast_to(reshape(line, {to_, 1}), windows); };
    const NodeRef step = broadcast_to(cast(arange(graph_, longest), DType::kI64), windows);
    const NodeRef index = add({column(start), step});
    const NodeRef is_inside = lt({index, column(stop)});
    const NodeRef values = element(cast(index, DType::kF64));  // [..., to, longest, ...]
    Shape mask(values->shape.size(), Dim(1));
    mask[axis_] = to_, mask[axis_ + 1] = longest;
    const NodeRef inside = broadcast_to(reshape(is_inside, std::move(mask)), values->shape);
    const NodeRef total = sum(where({inside, values, constant_like(values, 0)}), std::vector<int>{static_cast<int>(axis_) + 1}, false);
    return div({total, along(cast(sub(stop, start), x_->dtype))});
  }

  Graph& graph_;
  NodeRef x_;
  size_t axis_;
  Dim from_, to_;
  std::optional<double> scale_;
  const InterpolateOptions& options_;
};

}  // namespace

NodeRef interpolate(NodeRef x, std::span<const Dim> sizes, std::span<const double> scales, const InterpolateOptions& options) {
  Graph& graph = check_node(kOp, x);
  check_word("mode", options.mode, {"nearest", "linear", "cubic", "area"});
  check_word("coordinates", options.coordinates, {"half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"});
  check_word("nearest_mode", options.nearest_mode, {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  const bool picks = options.mode == "nearest";
  const DType dtype = picks ? x->dtype : common_dtype(kOp, Operands::kFloat, std::span(&x, 1));
  HARP_CHECK(!sizes.empty() && sizes.size() <= x->shape.size(), Code::kShape, kOp, ": ", sizes.size(), " sizes for ", label(x),
             " of shape ", to_string(x->shape), "; there must be from 1 to ", x->rank(), ", for the last axes");
  HARP_CHECK(scales.empty() || scales.size() == sizes.size(), Code::kShape, kOp, ": ", scales.size(), " scales for ", sizes.size(),
             " sizes; there must be one for each size, or none");
  HARP_CHECK(options.mode != "area" || x->shape.size() < static_cast<size_t>(kMaxRank), Code::kShape, kOp, ": ", label(x), " has ",
             kMaxRank, " axes; with mode=area at most ", kMaxRank - 1, " are allowed");
  const int first = x->rank() - static_cast<int>(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int axis = first + static_cast<int>(i);
    const Dim from = x->shape[static_cast<size_t>(axis)];
    check_dim(kOp, graph, sizes[i], cat("the size of axis ", axis));
    HARP_CHECK(!from.is_constant(0) || sizes[i].is_constant(0), Code::kShape, kOp, ": axis ", axis, " of ", label(x), " with shape ",
               to_string(x->shape), " is empty and cannot be resized to ", to_string(sizes[i]), " elements");
    HARP_CHECK(scales.empty() || scales[i] > 0, Code::kRange, kOp, ": the scale of axis ", axis, " is ", scales.empty() ? 0 : scales[i],
               "; it must be greater than 0");
  }
  NodeRef y = picks ? x : cast(x, working_dtype(dtype));
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int axis = first + static_cast<int>(i);
    // if the sizes are equal, the result is the source, whatever the options
    if (y->shape[static_cast<size_t>(axis)] == sizes[i] && scales.empty()) continue;
    y = Axis(y, axis, sizes[i], scales.empty() ? std::nullopt : std::optional(scales[i]), options).resized();
  }
  return cast(y, dtype);
}

}  // namespace harp::build
