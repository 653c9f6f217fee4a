// Convolutions, as PyTorch defines them: kernels are not flipped. The windows of an array are views (windows.h) and are not stored. A
// convolution is the contraction of the kernel with the windows.
#include <algorithm>

#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"
#include "graph/contract.h"
#include "graph/windows.h"

namespace harp::build {
namespace {

// Labels of axes (contract.h). kOut and kIn are the channels of a group. kSpatial + i, kKernel + i and kPhase + i are the labels of the
// i-th spatial axis, the i-th kernel axis and the i-th phase axis (only a transposed convolution has phase axes; the comment on
// conv_transpose() defines phases).
constexpr int kBatch = 0, kOut = 1, kIn = 2, kGroup = 3, kSpatial = 4, kKernel = 8, kPhase = 12;

/// The checked operands of a convolution or transposed convolution: arrays of the right rank in one dtype, and a number of groups that
/// divides the channels.
struct Convolution {
  std::string op;
  int spatial;
  NodeRef x, weight, bias;  // bias may be null
  int64_t groups;
  DType dtype = DType::kUnknown;  // dtype of the result; the operands are in its working dtype
};

std::string shapes(const Convolution& c) { return cat("x ", to_string(c.x->shape), " and weight ", to_string(c.weight->shape)); }

Convolution checked(std::string_view name, const ConvOperands& operands, int spatial, int64_t groups) {
  Convolution c{cat(name, spatial, "d"), spatial, operands.x, operands.weight, operands.bias, groups};
  std::vector<NodeRef> arrays = {c.x, c.weight};
  if (c.bias != nullptr) arrays.push_back(c.bias);
  const DType dtype = common_dtype(c.op, Operands::kNumber, arrays);
  HARP_CHECK(c.x->rank() == spatial + 2, Code::kShape, c.op, ": ", label(c.x), " has shape ", to_string(c.x->shape), "; it must have ",
             spatial + 2, " axes: batch, channels, and ", spatial, " spatial");
  HARP_CHECK(c.weight->rank() == spatial + 2, Code::kShape, c.op, ": the weight (", label(c.weight), ") has shape ",
             to_string(c.weight->shape), "; it must have ", spatial + 2, " axes: two of channels, and ", spatial, " spatial");
  HARP_CHECK(groups >= 1, Code::kRange, c.op, ": groups is ", groups, "; it must be at least 1");
  c.dtype = dtype;
  const DType working = working_dtype(dtype);
  c.x = cast(c.x, working);
  c.weight = cast(c.weight, working);
  if (c.bias != nullptr) c.bias = cast(c.bias, working);
  return c;
}

Labels operator+(Labels a, const Labels& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Divides axis `axis`, which holds the channels of all groups, into two axes: groups, and channels of a group.
NodeRef with_groups(NodeRef x, int axis, int64_t groups, Dim each) {
  Shape shape = x->shape;
  shape[static_cast<size_t>(axis)] = each;
  shape.insert(shape.begin() + axis, Dim(groups));
  return reshape(x, std::move(shape));
}

/// Merges an axis with the next one.
NodeRef merged(NodeRef x, int axis) {
  Shape shape = x->shape;
  const auto at = static_cast<size_t>(axis);
  shape[at] = shape[at] * shape[at + 1];
  shape.erase(shape.begin() + axis + 1);
  return reshape(x, std::move(shape));
}

/// With one group there is no axis of groups.
Labels group_labels(int64_t groups) { return groups == 1 ? Labels{} : Labels{kGroup}; }

/// Permutes the axes of x from the order of labels `from` to the order `to`.
NodeRef permuted(NodeRef x, const Labels& from, const Labels& to) {
  std::vector<int> axes;
  for (const int label : to) axes.push_back(static_cast<int>(std::find(from.begin(), from.end(), label) - from.begin()));
  return permute(x, axes);
}

/// Adds the bias to y and casts to the result's dtype.
NodeRef add_bias(const Convolution& c, NodeRef y) {
  if (c.bias == nullptr) return cast(y, c.dtype);
  HARP_CHECK(c.bias->rank() == 1 && c.bias->shape[0] == y->shape[1], Code::kShape, c.op, ": the bias (", label(c.bias), ") has shape ",
             to_string(c.bias->shape), "; it must be [", to_string(y->shape[1]), "], one number per output channel");
  Shape shape(static_cast<size_t>(c.spatial) + 1, Dim(1));
  shape[0] = y->shape[1];
  return cast(elementwise(Op::kAdd, {y, broadcast_to(reshape(c.bias, std::move(shape)), y->shape)}), c.dtype);
}

/// Puts zeros between the elements along the axis: element k moves to position k · dilation.
NodeRef with_gaps(NodeRef x, int axis, int64_t dilation) {
  if (dilation == 1) return x;
  const auto at = static_cast<size_t>(axis);
  const Dim size = x->shape[at];
  Shape spaced = x->shape;
  spaced.insert(spaced.begin() + axis + 1, Dim(1));
  std::vector<Dim> none(spaced.size(), Dim(0)), after = none;
  after[at + 1] = dilation - 1;
  Shape flat = x->shape;
  flat[at] = size * Dim(dilation);
  x = reshape(pad(reshape(x, std::move(spaced)), none, after, scalar_from_int(x->dtype, 0)), flat);
  flat[at] = Dim(dilation) * (size - 1) + 1;
  return slice_exactly(x, std::vector<Dim>(flat.size(), Dim(0)), flat, std::vector<int64_t>(flat.size(), 1));
}

/// Divides an axis of the kernel of a transposed convolution, with the dilation and stride of w, into the axes [taps, phases] (see
/// conv_transpose()). The last phases are padded with zeros.
NodeRef with_phases(NodeRef weight, int axis, const Window& w) {
  const auto at = static_cast<size_t>(axis);
  weight = with_gaps(weight, axis, w.dilation);
  const Dim reach = w.reach(), count = ceil_div(reach, w.stride);
  std::vector<Dim> none(weight->shape.size(), Dim(0)), after = none;
  after[at] = count * Dim(w.stride) - reach;
  weight = pad(weight, none, after, scalar_from_int(weight->dtype, 0));
  Shape shape = weight->shape;
  shape[at] = count;
  shape.insert(shape.begin() + axis + 1, Dim(w.stride));
  return reshape(weight, std::move(shape));
}

/// Takes `size` consecutive elements from `start` along one axis.
NodeRef cut(NodeRef x, int axis, Dim start, Dim size) {
  std::vector<Dim> starts(x->shape.size(), Dim(0));
  Shape sizes = x->shape;
  starts[static_cast<size_t>(axis)] = start;
  sizes[static_cast<size_t>(axis)] = size;
  return slice_exactly(x, starts, sizes, std::vector<int64_t>(sizes.size(), 1));
}

}  // namespace

NodeRef conv(int spatial, const ConvOperands& operands, std::span<const int64_t> stride, std::span<const Padding> padding,
             std::span<const int64_t> dilation, int64_t groups) {
  const Convolution c = checked("conv", operands, spatial, groups);
  const Dim channels = c.x->shape[1], out = c.weight->shape[0], in_each = c.weight->shape[1];
  HARP_CHECK(channels == in_each * Dim(groups), Code::kShape, c.op, ": ", shapes(c), ": x has ", to_string(channels),
             " channels, but the weight expects ", to_string(in_each), " in each of ", groups, groups == 1 ? " group" : " groups");
  const auto out_each = exact_quotient(out, groups);
  HARP_CHECK(out_each.has_value(), Code::kShape, c.op, ": ", shapes(c), ": ", to_string(out), " output channels are not ",
             out.is_constant() ? "" : "known to be ", "a multiple of ", groups, " groups");

  const std::vector<Dim> size(c.weight->shape.begin() + 2, c.weight->shape.end());
  const std::vector<Window> windows = window_list(c.op, size.size(), size, stride, dilation, padding);
  const Labels space = axes_from(kSpatial, spatial), kernel = axes_from(kKernel, spatial);
  const Labels group = group_labels(groups), chain = group + Labels{kOut} + kernel + Labels{kIn};  // the sum's order: kernel axes, channels
  NodeRef x = pad_for(c.op, c.x, 2, windows, scalar_from_int(c.x->dtype, 0)), weight = c.weight;
  x = unfold_windows(c.op, x, axes_from(2, spatial), windows);
  if (groups > 1) x = with_groups(x, 1, groups, in_each), weight = with_groups(weight, 0, groups, *out_each);
  weight = permuted(weight, group + Labels{kOut, kIn} + kernel, chain);
  const Labelled unfolded = {x, Labels{kBatch} + group + Labels{kIn} + space + kernel};
  const NodeRef y = chain_of_products(c.op, {weight, chain}, unfolded, Labels{kBatch} + group + Labels{kOut} + space);
  return add_bias(c, groups == 1 ? y : merged(y, 1));
}

// Element o of a transposed convolution of x with the kernel w is the sum of x[i]·w[k] over all i and k with i·stride + k·dilation = o +
// padding. Let o + padding = q·stride + p with 0 <= p < stride; p is the phase. The kernel (dilated first if both stride and dilation are
// more than 1) is reshaped to [taps j, phases p]. The element is then the sum over j of x[q - j]·w[j·stride + p]: a convolution of x with
// one kernel per phase. A convolution of x with zeros inserted between its elements would give the same result, but would multiply the
// zeros.
NodeRef conv_transpose(int spatial, const ConvOperands& operands, std::span<const int64_t> stride, std::span<const Padding> padding,
                       std::span<const int64_t> output_padding, std::span<const int64_t> dilation, int64_t groups) {
  const Convolution c = checked("conv_transpose", operands, spatial, groups);
  const Dim channels = c.x->shape[1], out_each = c.weight->shape[1];
  HARP_CHECK(c.weight->shape[0] == channels, Code::kShape, c.op, ": ", shapes(c), ": x has ", to_string(channels),
             " channels, but the weight expects ", to_string(c.weight->shape[0]));
  const auto in_each = exact_quotient(channels, groups);
  HARP_CHECK(in_each.has_value(), Code::kShape, c.op, ": ", shapes(c), ": ", to_string(channels), " channels are not ",
             channels.is_constant() ? "" : "known to be ", "a multiple of ", groups, " groups");
  const std::vector<Dim> size(c.weight->shape.begin() + 2, c.weight->shape.end());
  const std::vector<Window> steps = window_list(c.op, size.size(), size, stride, dilation, padding);
  HARP_CHECK(output_padding.size() == size.size() || output_padding.size() == 1, Code::kShape, c.op, ": output_padding has ",
             output_padding.size(), " entries for ", spatial, " axes; expected one for each axis, or one for all");

  NodeRef x = c.x, weight = c.weight;
  std::vector<Window> taps;
  // For each axis: the length of the result, and how many elements at the start of the computed array are dropped.
  std::vector<Dim> length, skipped;
  // The loop begins with the last axis, because a phase axis is inserted after each axis.
  for (int i = spatial; i-- > 0;) {
    const Window& w = steps[static_cast<size_t>(i)];
    const int64_t extra = output_padding.size() == 1 ? output_padding[0] : output_padding[static_cast<size_t>(i)];
    HARP_CHECK(extra >= 0 && extra < std::max(w.stride, w.dilation), Code::kRange, c.op, ": output_padding is ", extra,
               "; it must be at least 0 and less than the stride (", w.stride, ") or the dilation (", w.dilation, ")");
    HARP_CHECK(range(w.size).hi >= 1, Code::kRange, c.op, ": the kernel of axis ", i + 2, " has size 0; it must be at least 1");
    const Graph& graph = *c.x->graph;
    check_dim(c.op, graph, w.padding.before, cat("the padding before axis ", i + 2));
    check_dim(c.op, graph, w.padding.after, cat("the padding after axis ", i + 2));
    const Dim have = c.x->shape[static_cast<size_t>(i) + 2];
    const Dim result = (have - 1) * Dim(w.stride) + w.reach() + Dim(extra) - w.padding.before - w.padding.after;
    HARP_CHECK(range(result).hi >= 0, Code::kShape, c.op, ": axis ", i + 2, " of the result would have ", to_string(result), " elements (",
               shapes(c), ")");
    length.insert(length.begin(), result);
    Window tap{w.size, 1, w.dilation, {}};
    if (w.stride > 1) {
      weight = with_phases(weight, i + 2, w);
      tap = {weight->shape[static_cast<size_t>(i) + 2], 1, 1, {}};
    }
    const Dim reach = tap.reach() - 1;
    tap.padding = {reach, reach + Dim((extra + w.stride - 1) / w.stride)};
    taps.insert(taps.begin(), tap);
  }
  x = unfold_windows(c.op, pad_for(c.op, x, 2, taps, scalar_from_int(x->dtype, 0)), axes_from(2, spatial), taps);
  x = flip(x, axes_from(2 + spatial, spatial));
  for (int i = 0; i < spatial; ++i) {
    const Window& w = steps[static_cast<size_t>(i)];
    const Dim begin = floor_div(w.padding.before, w.stride);
    const Dim end = ceil_div(w.padding.before + length[static_cast<size_t>(i)], w.stride);
    x = cut(x, i + 2, begin, end - begin);
    skipped.push_back(w.padding.before - begin * Dim(w.stride));
  }

  const Labels group = group_labels(groups);
  if (groups > 1) x = with_groups(x, 1, groups, *in_each), weight = with_groups(weight, 0, groups, *in_each);
  Labels weight_labels = group + Labels{kIn, kOut}, phases, result = Labels{kBatch} + group + Labels{kOut};
  for (int i = 0; i < spatial; ++i) {
    weight_labels.push_back(kKernel + i);
    result.push_back(kSpatial + i);
    if (steps[static_cast<size_t>(i)].stride == 1) continue;
    weight_labels.push_back(kPhase + i);
    phases.push_back(kPhase + i);
    result.push_back(kPhase + i);
  }
  const Labels space = axes_from(kSpatial, spatial), kernel = axes_from(kKernel, spatial);
  const Labels chain = group + Labels{kOut} + phases + kernel + Labels{kIn};
  const Labelled windows = {x, Labels{kBatch} + group + Labels{kIn} + space + kernel};
  NodeRef y = chain_of_products_by_channels(c.op, {permuted(weight, weight_labels, chain), chain}, windows, result);

  Shape shape = {c.x->shape[0], out_each * Dim(groups)};
  for (int i = 0; i < spatial; ++i) {
    const auto axis = static_cast<size_t>(std::find(result.begin(), result.end(), kSpatial + i) - result.begin());
    shape.push_back(y->shape[axis] * Dim(steps[static_cast<size_t>(i)].stride));
  }
  y = reshape(y, std::move(shape));
  for (int i = 0; i < spatial; ++i) y = cut(y, i + 2, skipped[static_cast<size_t>(i)], length[static_cast<size_t>(i)]);
  return add_bias(c, y);
}

}  // namespace harp::build
