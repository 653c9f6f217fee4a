// Builds Fourier transforms of any length along any axis. The primitive dft transforms along the last axis, with real and imaginary parts
// as separate arrays; docs/semantics.md defines the order of its additions.
#include <array>

#include "base/error.h"
#include "graph/check.h"
#include "graph/complex.h"
#include "graph/composites.h"

namespace harp::build {
namespace {

/// Moves the transformed axis to the end, and back. dft() adds an axis for the real and imaginary parts, so at rank kMaxRank the other axes
/// are merged into one. At a lower rank they stay separate, so that a kernel that copies the array can see which axes are adjacent in
/// memory.
class Rows {
 public:
  explicit Rows(int axis) : axis_(axis) {}

  NodeRef of(NodeRef x) {
    x = moveaxis(x, std::array{axis_}, std::array{-1});
    shape_ = x->shape;
    if (shape_.size() < kMaxRank) return x;
    return reshape(x, {element_count(Shape(shape_.begin(), shape_.end() - 1)), shape_.back()});
  }
  NodeRef back(NodeRef x) const { return moveaxis(reshape(x, shape_), std::array{-1}, std::array{axis_}); }

 private:
  int axis_;
  Shape shape_;
};

/// Returns x with `size` elements along the axis: x is cut, or padded with zeros at the end.
NodeRef fitted(NodeRef x, Dim size, int axis) {
  const auto along = static_cast<size_t>(axis);
  const Dim kept = min(x->shape[along], size);
  Shape start(x->shape.size(), Dim(0)), before = start, after = start, shape = x->shape;
  shape[along] = kept;
  after[along] = size - kept;
  x = slice_exactly(x, start, shape, std::vector<int64_t>(shape.size(), 1));
  return pad(x, before, after, scalar_from_double(x->dtype, 0));
}

/// The arguments of a Fourier transform, after they are checked.
struct TransformArguments {
  std::string_view op;
  NodeRef x;
  int axis;
  Dim size;  // number of elements that are transformed
  enum { kBackward, kOrtho, kForward } norm;

  TransformArguments(std::string_view op, NodeRef x, const std::optional<Dim>& n, int axis, std::string_view norm_name,
                     bool from_half = false)
      : op(op), x(x) {
    check_node(op, x);
    this->axis = normalize_axis(op, axis, x->rank());
    HARP_CHECK(norm_name == "backward" || norm_name == "ortho" || norm_name == "forward", Code::kInvalidArgument, op, ": norm is \"",
               norm_name, "\"; it must be backward, ortho or forward");
    norm = norm_name == "backward" ? kBackward : norm_name == "ortho" ? kOrtho : kForward;
    const Dim present = x->shape[static_cast<size_t>(this->axis)];
    size = n ? *n : from_half ? 2 * (present - 1) : present;
    HARP_CHECK(range(size).hi >= 1, Code::kRange, op, ": the transform has ", to_string(size), " elements; there must be at least 1");
  }

  /// Returns the real and imaginary parts of x, with `count` elements along the axis.
  Parts parts(Dim count) const {
    const DType dtype = common_dtype(op, Operands::kField, std::span(&x, 1));
    HARP_CHECK(accepts(Operands::kPart, real_dtype(dtype)), Code::kDType, op, ": ", label(x), " is ", name(x->dtype),
               "; transforms are computed in f32 and f64: cast it first");
    const NodeRef z = fitted(cast(x, dtype), count, axis);
    if (is_complex(dtype)) return parts_of(z);
    return {z, full_like(z, 0)};
  }

  NodeRef scaled(NodeRef part, bool inverse) const {
    if (norm == (inverse ? kForward : kBackward)) return part;
    NodeRef by = cast(build::size(check_node(op, part), size), part->dtype);
    if (norm == kOrtho) by = elementwise(Op::kSqrt, {by});
    return elementwise(Op::kDiv, {part, by});
  }

  Parts transform(const Parts& z, bool inverse) const {
    Rows rows(axis);
    NodeRef re = rows.of(z.re), im = rows.of(z.im);
    // The inverse transform equals the forward transform with real and imaginary parts exchanged, both before and after it.
    if (inverse) std::swap(re, im);
    const std::vector<NodeRef> both = unstack(dft(re, im), 0);
    const NodeRef real_part = scaled(rows.back(both[inverse ? 1 : 0]), inverse);
    return {real_part, scaled(rows.back(both[inverse ? 0 : 1]), inverse)};
  }
};

}  // namespace

NodeRef dft(NodeRef re, NodeRef im) {
  const std::string_view op = name(Op::kDft);
  const NodeRef operands[] = {re, im};
  const auto [dtype, shape] = common_type(op, Operands::kPart, operands);
  Graph& graph = check_nodes(op, operands);
  HARP_CHECK(!shape.empty(), Code::kShape, op, ": ", labels(operands), " are scalars; the transform needs at least one axis");
  Shape result = shape;
  result.insert(result.begin(), 2);
  check_shape(op, graph, dtype, result);
  re = broadcast_to(cast(re, dtype), shape);
  im = broadcast_to(cast(im, dtype), shape);
  return graph.intern(Op::kDft, dtype, std::move(result), {re, im});
}

NodeRef fft(NodeRef x, std::optional<Dim> n, int axis, std::string_view norm) {
  const TransformArguments arguments("fft", x, n, axis, norm);
  return from_parts(arguments.transform(arguments.parts(arguments.size), false));
}

NodeRef ifft(NodeRef x, std::optional<Dim> n, int axis, std::string_view norm) {
  const TransformArguments arguments("ifft", x, n, axis, norm);
  return from_parts(arguments.transform(arguments.parts(arguments.size), true));
}

/// Computes the transform as for a complex array, and returns the first half of it. (A complex transform of half the length, of pairs of
/// numbers, would be faster, but has another order of additions, and the bits would depend on whether the length is even.)
NodeRef rfft(NodeRef x, std::optional<Dim> n, int axis, std::string_view norm) {
  const TransformArguments arguments("rfft", x, n, axis, norm);
  HARP_CHECK(!is_complex(x->dtype), Code::kDType, "rfft: ", label(x), " is ", name(x->dtype), "; use fft for complex numbers");
  const Parts all = arguments.transform(arguments.parts(arguments.size), false);
  const Dim half = floor_div(arguments.size, 2) + 1;
  const NodeRef re = part_along(all.re, arguments.axis, 0, half);
  return from_parts({re, part_along(all.im, arguments.axis, 0, half)});
}

/// x has only the first half of the elements that are transformed; the others are complex conjugates of these, in reverse order. An element
/// that is its own conjugate is treated as real, because its imaginary part contributes only to the imaginary part of the result, which is
/// dropped.
NodeRef irfft(NodeRef x, std::optional<Dim> n, int axis, std::string_view norm) {
  const TransformArguments arguments("irfft", x, n, axis, norm, true);
  const Parts half = arguments.parts(floor_div(arguments.size, 2) + 1);
  const Dim mirrored = floor_div(arguments.size - 1, 2);
  const auto whole = [&](NodeRef part, bool opposite) {
    NodeRef mirror = flip(part_along(part, arguments.axis, 1, mirrored), std::vector<int>{arguments.axis});
    if (opposite) mirror = elementwise(Op::kNeg, {mirror});
    return concat(std::array{part, mirror}, arguments.axis);
  };
  const NodeRef re = whole(half.re, false);
  return arguments.transform({re, whole(half.im, true)}, true).re;
}

}  // namespace harp::build
