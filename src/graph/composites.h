// Operations that are made of primitives. Each function builds the normative sequence that docs/semantics.md states, in the dtype
// of its operands; nothing below the graph knows them. Names, argument order and meaning follow NumPy, the Array API or PyTorch.
// Errors carry the composite's name. operations.cpp holds the table of all of them for the text format and the API generator.
//
// Halves are cast to f32 before the first step and back after the last: a composite rounds once, like every other operation.
//
// Axes{} (nothing) means all axes; axes may be negative. None of them depends on the graph's flags but for the shapes and dtypes
// of elementwise operands.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graph/build.h"

namespace harp::build {

using Axes = std::optional<std::vector<int>>;

// math.cpp: elementwise
NodeRef sub(NodeRef a, NodeRef b);  // a + (-b)
NodeRef gt(NodeRef a, NodeRef b);   // b < a
NodeRef ge(NodeRef a, NodeRef b);   // b <= a
NodeRef square(NodeRef x);          // x·x
NodeRef rsqrt(NodeRef x);           // recip(sqrt(x))
NodeRef sigmoid(NodeRef x);         // e / (1 + e) below 0, else 1 / (1 + e), of e = exp(-|x|)
NodeRef relu(NodeRef x);            // 0 where x <= 0, else x
NodeRef silu(NodeRef x);            // x · sigmoid(x)
NodeRef softplus(NodeRef x);        // log1p(exp(-|x|)), and above 0 x more
NodeRef elu(NodeRef x, double alpha);
NodeRef selu(NodeRef x);
NodeRef celu(NodeRef x, double alpha);
NodeRef gelu(NodeRef x, std::string_view approximate);  // "none": the erf form; "tanh"
NodeRef isinf(NodeRef x);
NodeRef isfinite(NodeRef x);
NodeRef logical_not(NodeRef x);  // these four take any dtype: x != 0
NodeRef logical_and(NodeRef a, NodeRef b);
NodeRef logical_or(NodeRef a, NodeRef b);
NodeRef logical_xor(NodeRef a, NodeRef b);
NodeRef powi(NodeRef x, int64_t k);                  // by squaring; k < 0: of recip(x), floats only
NodeRef clip(NodeRef x, NodeRef lo, NodeRef hi);     // lo where x < lo, then hi where that is above it
NodeRef lerp(NodeRef a, NodeRef b, NodeRef weight);  // fma(weight, b - a, a)

// floats.cpp
/// |a - b| <= atol + rtol·|b|; equal infinities are close, NaNs only with equal_nan.
NodeRef isclose(NodeRef a, NodeRef b, double rtol, double atol, bool equal_nan);
NodeRef signbit(NodeRef x);               // is the sign negative; false of NaN
NodeRef nextafter(NodeRef a, NodeRef b);  // the number next to a, towards b

// activations.cpp
NodeRef relu6(NodeRef x);
NodeRef hardtanh(NodeRef x, double min_val, double max_val);
NodeRef leaky_relu(NodeRef x, double negative_slope);
NodeRef hardsigmoid(NodeRef x);
NodeRef hardswish(NodeRef x);
NodeRef mish(NodeRef x);
NodeRef softsign(NodeRef x);
NodeRef logsigmoid(NodeRef x);

// array_functions.cpp
NodeRef diff(NodeRef x, int64_t n, int axis);                       // x[1:] - x[:-1] along the axis, n times; of bools: are they different
NodeRef count_nonzero(NodeRef x, const Axes& axes, bool keepdims);  // i64
NodeRef cross(NodeRef a, NodeRef b, int axis);                      // of vectors of 3
/// An array of one axis as the k-th diagonal of a matrix of zeros; of a matrix: its k-th diagonal.
NodeRef diag(NodeRef x, int64_t k);
NodeRef isin(NodeRef elements, NodeRef test_elements, bool invert);  // bool: is each element one of the others
NodeRef rot90(NodeRef x, int64_t k, int axis1, int axis2);           // by 90 degrees, k times, from axis1 towards axis2

// complex.cpp: parts of complex numbers; a real number is one whose imaginary part is 0
NodeRef real(NodeRef x);
NodeRef imag(NodeRef x);
NodeRef conj(NodeRef x);
NodeRef angle(NodeRef x);                            // atan2(imag, real)
NodeRef complex_from_parts(NodeRef re, NodeRef im);  // complex64 of f32, complex128 of f64
NodeRef view_as_real(NodeRef z);                     // a last axis of 2: re, im
NodeRef view_as_complex(NodeRef x);                  // the last axis, of size 2, goes

// reduce.cpp: reductions and normalisations
NodeRef sum(NodeRef x, const Axes& axes, bool keepdims);
NodeRef prod(NodeRef x, const Axes& axes, bool keepdims);
NodeRef max(NodeRef x, const Axes& axes, bool keepdims);
NodeRef min(NodeRef x, const Axes& axes, bool keepdims);
NodeRef mean(NodeRef x, const Axes& axes, bool keepdims);                     // sum / n
NodeRef var(NodeRef x, const Axes& axes, int64_t correction, bool keepdims);  // sum((x - mean)²) / (n - correction)
NodeRef std(NodeRef x, const Axes& axes, int64_t correction, bool keepdims);  // sqrt(var); 0 of 0, without a gradient
NodeRef any(NodeRef x, const Axes& axes, bool keepdims);                      // max of x != 0
NodeRef all(NodeRef x, const Axes& axes, bool keepdims);                      // min of x != 0
NodeRef softmax(NodeRef x, int axis);                                         // e · recip(sum(e)), e = exp(x - max)
NodeRef log_softmax(NodeRef x, int axis);                                     // (x - max) - log(sum(exp(x - max)))
NodeRef logsumexp(NodeRef x, const Axes& axes, bool keepdims);                // log(sum(exp(x - m))) + m, m = max where finite, else 0
/// Of vectors: order 2: sqrt(sum(x²)), where that is 0 without a gradient; 1: sum(|x|); inf and -inf: the greatest and least |x|; 0: how
/// many are not 0; else sum(|x|^order)^(1/order).
NodeRef norm(NodeRef x, double order, const Axes& axes, bool keepdims);
NodeRef argmax(NodeRef x, std::optional<int> axis, bool keepdims);  // i64, the first index; no axis: of the flattened array
NodeRef argmin(NodeRef x, std::optional<int> axis, bool keepdims);

/// Running extremes and, as i64, the index of the last element that equals each, or of the last NaN so far: [values, indices].
/// (running_extremes.cpp)
std::vector<NodeRef> cummax_with_indices(NodeRef x, std::optional<int> axis);
std::vector<NodeRef> cummin_with_indices(NodeRef x, std::optional<int> axis);
/// Any scan of ops.def. No axis: of the flattened array, as one axis. Exclusive: without the element itself, the identity first. No order:
/// as docs/semantics.md, "Scans", says. (build_scan.cpp)
NodeRef cumulative(Op op, NodeRef x, std::optional<int> axis, bool exclusive, bool reverse, std::optional<ScanOrder> order = {});

// views.cpp: places change, elements do not
NodeRef transpose(NodeRef x, const Axes& axes);  // nothing: axes reversed
NodeRef moveaxis(NodeRef x, std::span<const int> source, std::span<const int> destination);
NodeRef unsqueeze(NodeRef x, std::span<const int> axes);  // positions in the result
NodeRef squeeze(NodeRef x, const Axes& axes);             // nothing: every axis that is the constant 1
NodeRef flip(NodeRef x, const Axes& axes);
/// `size` elements from `start` along one axis, `step` apart; all of the other axes.
NodeRef part_along(NodeRef x, int axis, Dim start, Dim size, int64_t step = 1);
NodeRef flatten(NodeRef x, int start_axis, int end_axis);  // the axes between, both included, become one
/// The elements whose index along axis2 is that along axis1 plus offset, as a last axis; errors name `op`.
NodeRef diagonal(std::string_view op, NodeRef x, int64_t offset, int axis1, int axis2);
/// Windows along several axes; one number stands for all axes. The window axes come last, in the order of `axes`.
NodeRef unfold_axes(NodeRef x, std::span<const int> axes, std::span<const Dim> size, std::span<const int64_t> stride,
                    std::span<const int64_t> dilation);
/// Zeros around, one pair (before, after) an axis, or one for all.
struct Padding {
  Dim before = 0, after = 0;
};
/// unfold1d, 2d, 3d: windows over the last `spatial` axes after padding them with zeros.
NodeRef unfold_spatial(NodeRef x, int spatial, std::span<const Dim> size, std::span<const int64_t> stride,
                       std::span<const int64_t> dilation, std::span<const Padding> padding);

// joins.cpp
NodeRef stack(std::span<const NodeRef> sources, int axis);
/// Equal parts (a count), or cut at positions as numpy.split does.
struct Sections {
  std::optional<int64_t> count;
  std::vector<Dim> positions;
};
std::vector<NodeRef> split(NodeRef x, const Sections& sections, int axis);
std::vector<NodeRef> unstack(NodeRef x, int axis);  // the parts along an axis of fixed size, without it
/// Arrays of one axis stretched along each other's. indexing: "ij", or "xy" with the first two axes exchanged.
std::vector<NodeRef> meshgrid(std::span<const NodeRef> arrays, std::string_view indexing);
NodeRef repeat(NodeRef x, Dim repeats, std::optional<int> axis);  // no axis: of the flattened array
NodeRef tile(NodeRef x, std::span<const Dim> repeats);
NodeRef roll(NodeRef x, std::span<const Dim> shift, const Axes& axis);  // no axis: of the flattened array
/// pad.cpp. mode: "constant" (with value), "edge", "reflect", "symmetric", "wrap". Negative amounts take elements away.
NodeRef pad_mode(NodeRef x, std::span<const Dim> before, std::span<const Dim> after, Scalar value, std::string_view mode);
/// The same with a value that is a node of rank 0, an operand beside x; null: 0.
NodeRef pad_mode(NodeRef x, std::span<const Dim> before, std::span<const Dim> after, NodeRef value, std::string_view mode);

// indexing.cpp: elements by data
/// numpy.take: the axis is replaced by the axes of indices. No axis: of the flattened array.
NodeRef take(NodeRef x, NodeRef indices, std::optional<int> axis);

// scatter.cpp: elements that are changed by data
/// torch.scatter_reduce: reduction "sum", "prod", "mean", "max", "min"; without include_self an element that has updates does not count.
NodeRef scatter_reduce(NodeRef x, NodeRef indices, NodeRef updates, int axis, std::string_view reduction, bool include_self);
/// torch.index_add: updates[…, i, …] is added to x[…, indices[i], …], i going up; indices have rank 1.
NodeRef index_add(NodeRef x, NodeRef indices, NodeRef updates, int axis);

// indexing_nd.cpp: the last axis of indices holds tuples, which name places along the first axes of x
NodeRef gather_nd(NodeRef x, NodeRef indices, int64_t batch_dims);
/// ONNX's ScatterND: reduction "set" or one of scatter_reduce. (scatter.cpp)
NodeRef scatter_nd(NodeRef x, NodeRef indices, NodeRef updates, std::string_view reduction);

// sorting.cpp. Equals stay in their order; -0 equals 0, NaN is above everything. No axis: of the flattened array.
NodeRef argsort(NodeRef x, std::optional<int> axis, bool descending);
NodeRef sort(NodeRef x, std::optional<int> axis, bool descending);
std::vector<NodeRef> topk(NodeRef x, Dim k, std::optional<int> axis, bool largest);  // values and indices, in order
/// Where each value would be inserted into a sorted array of one axis: before what equals it (side "left") or after ("right").
NodeRef searchsorted(NodeRef sorted, NodeRef values, std::string_view side);

// fourier.cpp: numpy.fft. n: elements of the transform (of the result of irfft), what is missing is 0; nothing: those of the axis. norm:
// "backward", "ortho", "forward".
NodeRef dft(NodeRef re, NodeRef im);  // of each row of the last axis; real and imaginary parts along a new first axis
NodeRef fft(NodeRef x, std::optional<Dim> n, int axis, std::string_view norm);
NodeRef ifft(NodeRef x, std::optional<Dim> n, int axis, std::string_view norm);
NodeRef rfft(NodeRef x, std::optional<Dim> n, int axis, std::string_view norm);   // the first n // 2 + 1 elements; the others mirror them
NodeRef irfft(NodeRef x, std::optional<Dim> n, int axis, std::string_view norm);  // real; n: 2 (m - 1) of m elements

// fourier_axes.cpp: numpy.fft. s: elements along each axis; no axes: the last s.size() of them, or all.
NodeRef fftn(NodeRef x, const std::optional<Shape>& s, const Axes& axes, std::string_view norm);
NodeRef ifftn(NodeRef x, const std::optional<Shape>& s, const Axes& axes, std::string_view norm);
NodeRef rfftn(NodeRef x, const std::optional<Shape>& s, const Axes& axes, std::string_view norm);
NodeRef irfftn(NodeRef x, const std::optional<Shape>& s, const Axes& axes, std::string_view norm);

// creation.cpp
NodeRef full(Graph& graph, const Shape& shape, Scalar value);
NodeRef full(NodeRef value, const Shape& shape);  // value has rank 0
NodeRef full_like(NodeRef x, double value);       // shape and dtype of x
/// start, start + step, … of dtype: `count` of them, or those before stop. Exactly one of count and stop is given.
NodeRef arange_from(Graph& graph, std::optional<Dim> count, Dim start, std::optional<Dim> stop, int64_t step, DType dtype);
NodeRef linspace(Graph& graph, double start, double stop, Dim count, DType dtype);
NodeRef eye(Graph& graph, Dim rows, std::optional<Dim> columns, DType dtype);
NodeRef tril(NodeRef x, int64_t k);  // elements on and below the k-th diagonal, else 0
NodeRef triu(NodeRef x, int64_t k);
NodeRef one_hot(NodeRef indices, Dim depth, DType dtype);  // a last axis of depth, 1 where it equals the index

// random.cpp: of a key and, for the first element, a counter (null: 0), which are u32 or u64 of rank 0
NodeRef random_bits(NodeRef key, NodeRef counter, const Shape& shape, DType dtype);     // u8 to u64
NodeRef random_uniform(NodeRef key, NodeRef counter, const Shape& shape, DType dtype);  // in [0, 1)
NodeRef random_normal(NodeRef key, NodeRef counter, const Shape& shape, DType dtype);   // mean 0, variance 1

// linalg.cpp: NumPy's shapes, whatever the graph's flags
NodeRef matmul(NodeRef a, NodeRef b);        // batch axes broadcast; an array of one axis is a row on the left, a column on the right
NodeRef batch_matmul(NodeRef a, NodeRef b);  // the same for arrays of at least two axes
NodeRef dot(NodeRef a, NodeRef b);           // the last axis of a with the last but one of b (or its only one)
NodeRef tensordot(NodeRef a, NodeRef b, std::span<const int> a_axes, std::span<const int> b_axes);
NodeRef vecdot(NodeRef a, NodeRef b, int axis);                  // along the same axis of both, the others broadcast; of conj(a)
NodeRef outer(NodeRef a, NodeRef b);                             // every element of a with every one of b: the shapes one after the other
NodeRef trace(NodeRef x, int64_t offset, int axis1, int axis2);  // sum of the diagonal

// einsum.cpp
NodeRef einsum(std::string_view spec, std::span<const NodeRef> operands);

// conv.cpp: x is [batch, channels, space …], kernels are not flipped. Lists of one entry stand for all axes.
struct ConvOperands {
  NodeRef x, weight;       // weight: [out, in / groups, kernel …]; transposed: [in, out / groups, kernel …]
  NodeRef bias = nullptr;  // [out], or null
};
NodeRef conv(int spatial, const ConvOperands& operands, std::span<const int64_t> stride, std::span<const Padding> padding,
             std::span<const int64_t> dilation, int64_t groups);
NodeRef conv_transpose(int spatial, const ConvOperands& operands, std::span<const int64_t> stride, std::span<const Padding> padding,
                       std::span<const int64_t> output_padding, std::span<const int64_t> dilation, int64_t groups);

// pool.cpp: windows over the last size.size() axes
struct PoolWindows {
  std::span<const Dim> size;
  std::optional<std::vector<int64_t>> stride;  // nothing: the windows' size
  std::span<const Padding> padding;
  std::span<const int64_t> dilation;
  bool ceil_mode = false;  // a last window that starts in the array or the padding before it, and ends behind the padding
};
NodeRef max_pool(NodeRef x, const PoolWindows& windows);
/// The greatest elements, and where each stands in the flattened plane of the last axes: i64.
std::vector<NodeRef> max_pool_with_indices(NodeRef x, const PoolWindows& windows);
NodeRef avg_pool(NodeRef x, const PoolWindows& windows, bool count_include_pad);
/// Zeros, and the elements of x where indices say in the flattened plane; the later of two with one index. No output size: the least that
/// windows like these go over. windows.dilation and ceil_mode are not looked at.
NodeRef max_unpool(NodeRef x, NodeRef indices, const PoolWindows& windows, const std::optional<Shape>& output_size);

// nn.cpp: weight and bias may be null, and have the sizes of the normalised axes
NodeRef layer_norm(NodeRef x, std::span<const int> axes, NodeRef weight, NodeRef bias, double eps);
NodeRef rms_norm(NodeRef x, std::span<const int> axes, NodeRef weight, NodeRef bias, double eps);
/// reduction: "mean", "sum" or "none".
NodeRef mse_loss(NodeRef x, NodeRef target, std::string_view reduction);

// class_losses.cpp
struct ClassLossOptions {
  std::optional<int> axis;              // of the classes; nothing: 1, or 0 of one axis
  std::string_view reduction = "mean";  // "mean", "sum" or "none"
  NodeRef weight = nullptr;             // one number for each class, or null
  std::optional<int64_t> ignore_index;  // a class number whose losses do not count
  double label_smoothing = 0;           // cross_entropy: this share of the target is spread over all classes
};
/// Of log-probabilities; target: classes, integers of x's shape without the class axis.
NodeRef nll_loss(NodeRef x, NodeRef target, const ClassLossOptions& options);
/// Of any scores; target: classes as above, or probabilities, floats of x's shape.
NodeRef cross_entropy(NodeRef x, NodeRef target, const ClassLossOptions& options);

// losses.cpp
NodeRef reduced_loss(std::string_view op, NodeRef losses, std::string_view reduction);  // their mean, their sum, or the losses themselves
NodeRef huber_loss(NodeRef x, NodeRef target, double delta, std::string_view reduction);
/// Of probabilities; weight may be null.
NodeRef binary_cross_entropy(NodeRef x, NodeRef target, NodeRef weight, std::string_view reduction);
/// Of logarithms of odds: binary_cross_entropy(sigmoid(x), target) without its rounding; weight and pos_weight may be null.
NodeRef binary_cross_entropy_with_logits(NodeRef x, NodeRef target, NodeRef weight, NodeRef pos_weight, std::string_view reduction);

// channel_norms.cpp: x is [batch, channels, space …]; weight and bias have one number for each channel, or are null
struct Statistics {
  NodeRef mean = nullptr, var = nullptr;  // of each channel; both null: those of x
};
NodeRef batch_norm(NodeRef x, const Statistics& running, NodeRef weight, NodeRef bias, int axis, double eps);
NodeRef group_norm(NodeRef x, int64_t groups, NodeRef weight, NodeRef bias, double eps);
NodeRef instance_norm(NodeRef x, NodeRef weight, NodeRef bias, double eps);

// attention.cpp
struct AttentionOptions {
  bool is_causal = false;       // the i-th query sees keys 0 to i
  std::optional<double> scale;  // nothing: 1 / sqrt(features)
  bool enable_gqa = false;      // heads (the third last axis) of key and value are shared by groups of heads of the query
};
/// mask: null, bools (true takes part) or floats that are added to the scores; it broadcasts to them.
NodeRef scaled_dot_product_attention(NodeRef query, NodeRef key, NodeRef value, NodeRef mask, const AttentionOptions& options);

// interpolate.cpp
struct InterpolateOptions {
  std::string_view mode = "nearest";                     // nearest, linear, cubic, area
  std::string_view coordinates = "half_pixel";           // half_pixel, pytorch_half_pixel, asymmetric, align_corners
  std::string_view nearest_mode = "round_prefer_floor";  // round_prefer_floor, round_prefer_ceil, floor, ceil
  double cubic_coeff_a = -0.75;
};
/// The last sizes.size() axes get these sizes. scales: none (size of the result / size of x), or one an axis, for the coordinates alone.
NodeRef interpolate(NodeRef x, std::span<const Dim> sizes, std::span<const double> scales, const InterpolateOptions& options);

// custom.cpp: inputs are called x0, x1 … in the expression
NodeRef custom_elementwise(std::span<const NodeRef> inputs, std::string_view expression);
/// combine: "sum", "prod", "max" or "min".
NodeRef custom_reduce(std::span<const NodeRef> inputs, std::string_view expression, std::string_view combine, const Axes& axes,
                      bool keepdims);
NodeRef custom_cumulative(std::span<const NodeRef> inputs, std::string_view expression, std::string_view combine, std::optional<int> axis,
                          bool exclusive, bool reverse);

/// x in the float dtype that the graph's rules give; errors name `op`.
NodeRef as_float(std::string_view op, NodeRef x);
/// `build` of x in its working dtype, in the dtype of x.
template <class Build>
NodeRef rounded_once(NodeRef x, Build build) {
  return cast(build(cast(x, working_dtype(x->dtype))), x->dtype);
}
/// x - y where y has x's shape but for axes of size 1; y is negated before it is stretched.
NodeRef minus(NodeRef x, NodeRef y);
/// A constant of x's dtype.
NodeRef constant_like(NodeRef x, double value);

}  // namespace harp::build
