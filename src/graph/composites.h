// Builds composite operations, which are made of primitives. Each function builds the sequence of primitives that docs/semantics.md
// defines, in the dtype of its operands; the layers below the graph do not know composites. Names, argument order and meaning follow NumPy,
// the Array API or PyTorch. Errors carry the composite's name. operations.cpp has the table of all of them for the text format and the API
// generator. The sections below name the file that defines their functions.
//
// Half-precision operands are cast to f32 before the first step, and the result is cast back after the last one. A composite thus rounds
// once, like every other operation.
//
// Axes{} (no value) means all axes; axes may be negative. The graph's flags (broadcasting, promotion) affect a composite only through the
// shapes and dtypes of its elementwise operands.
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
NodeRef sigmoid(NodeRef x);         // with e = exp(-|x|): e / (1 + e) for x < 0, else 1 / (1 + e)
NodeRef relu(NodeRef x);            // 0 for x <= 0, else x
NodeRef silu(NodeRef x);            // x · sigmoid(x)
NodeRef softplus(NodeRef x);        // log1p(exp(-|x|)), plus x for x > 0
NodeRef elu(NodeRef x, double alpha);
NodeRef selu(NodeRef x);
NodeRef celu(NodeRef x, double alpha);
NodeRef gelu(NodeRef x, std::string_view approximate);  // approximate: "none" (computed with erf) or "tanh"
NodeRef isinf(NodeRef x);
NodeRef isfinite(NodeRef x);
NodeRef logical_not(NodeRef x);  // the four logical functions take any dtype; an element counts as true if it is not 0
NodeRef logical_and(NodeRef a, NodeRef b);
NodeRef logical_or(NodeRef a, NodeRef b);
NodeRef logical_xor(NodeRef a, NodeRef b);
/// Returns x to the power k, computed by repeated squaring. For k < 0 it is the power -k of recip(x), and x must be a float or complex.
NodeRef powi(NodeRef x, int64_t k);
NodeRef clip(NodeRef x, NodeRef lo, NodeRef hi);     // x limited to lo <= x <= hi; hi wins if lo > hi
NodeRef lerp(NodeRef a, NodeRef b, NodeRef weight);  // fma(weight, b - a, a)

// floats.cpp
/// |a - b| <= atol + rtol·|b|. Equal infinities are close; NaNs are close only with equal_nan.
NodeRef isclose(NodeRef a, NodeRef b, double rtol, double atol, bool equal_nan);
NodeRef signbit(NodeRef x);               // true for a negative sign; false for NaN
NodeRef nextafter(NodeRef a, NodeRef b);  // the number adjacent to a in the direction of b

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
/// x[1:] - x[:-1] along the axis, applied n times. For bools, != replaces the subtraction.
NodeRef diff(NodeRef x, int64_t n, int axis);
NodeRef count_nonzero(NodeRef x, const Axes& axes, bool keepdims);  // i64
NodeRef cross(NodeRef a, NodeRef b, int axis);                      // cross product of vectors of size 3
/// For an array of rank 1, returns the matrix that has it as its k-th diagonal and is 0 elsewhere. For a matrix, returns its k-th diagonal.
NodeRef diag(NodeRef x, int64_t k);
NodeRef isin(NodeRef elements, NodeRef test_elements, bool invert);  // bool: true for each element that test_elements contains
NodeRef rot90(NodeRef x, int64_t k, int axis1, int axis2);           // rotates by 90 degrees, k times, from axis1 towards axis2

// Parts of complex numbers; the imaginary part of a real number is 0. (complex.cpp)
NodeRef real(NodeRef x);
NodeRef imag(NodeRef x);
NodeRef conj(NodeRef x);
NodeRef angle(NodeRef x);                            // atan2(imag, real)
NodeRef complex_from_parts(NodeRef re, NodeRef im);  // complex64 from f32, complex128 from f64
NodeRef view_as_real(NodeRef z);                     // adds a last axis of size 2: re, im
NodeRef view_as_complex(NodeRef x);                  // removes the last axis, of size 2

// Reductions and normalisations. (reduce.cpp)
NodeRef sum(NodeRef x, const Axes& axes, bool keepdims);
NodeRef prod(NodeRef x, const Axes& axes, bool keepdims);
NodeRef max(NodeRef x, const Axes& axes, bool keepdims);
NodeRef min(NodeRef x, const Axes& axes, bool keepdims);
NodeRef mean(NodeRef x, const Axes& axes, bool keepdims);                     // sum / n
NodeRef var(NodeRef x, const Axes& axes, int64_t correction, bool keepdims);  // sum((x - mean)²) / (n - correction)
NodeRef std(NodeRef x, const Axes& axes, int64_t correction, bool keepdims);  // sqrt(var); the gradient is 0 where var is 0
NodeRef any(NodeRef x, const Axes& axes, bool keepdims);                      // max of x != 0
NodeRef all(NodeRef x, const Axes& axes, bool keepdims);                      // min of x != 0
NodeRef softmax(NodeRef x, int axis);                                         // e · recip(sum(e)), e = exp(x - max)
NodeRef log_softmax(NodeRef x, int axis);                                     // (x - max) - log(sum(exp(x - max)))
/// log(sum(exp(x - m))) + m, where m is the max over the axes if it is finite, else 0
NodeRef logsumexp(NodeRef x, const Axes& axes, bool keepdims);
/// Norms of vectors. order 2: sqrt(sum(x²)), whose gradient is 0 where the norm is 0; 1: sum(|x|); inf and -inf: the largest and smallest
/// |x|; 0: the number of nonzero elements; any other order: sum(|x|^order)^(1/order).
NodeRef norm(NodeRef x, double order, const Axes& axes, bool keepdims);
/// The index (i64) of the first greatest element, or of the first NaN; without an axis, the index in the flattened array.
NodeRef argmax(NodeRef x, std::optional<int> axis, bool keepdims);
NodeRef argmin(NodeRef x, std::optional<int> axis, bool keepdims);

/// The running max or min, and the index (i64) of the last element so far that equals it, or of the last NaN so far. Returns [values,
/// indices]. (running_extremes.cpp)
std::vector<NodeRef> cummax_with_indices(NodeRef x, std::optional<int> axis);
std::vector<NodeRef> cummin_with_indices(NodeRef x, std::optional<int> axis);
/// Builds any scan of ops.def. Without an axis it scans the flattened array. In an exclusive scan, result i excludes element i of x, and
/// the first result is the identity. Without `order`, the rules of docs/semantics.md ("Scans") choose the order. (build_scan.cpp)
NodeRef cumulative(Op op, NodeRef x, std::optional<int> axis, bool exclusive, bool reverse, std::optional<ScanOrder> order = {});

// Functions that move elements without changing them. (views.cpp)
NodeRef transpose(NodeRef x, const Axes& axes);  // if `axes` has no value, reverses the order of all axes
NodeRef moveaxis(NodeRef x, std::span<const int> source, std::span<const int> destination);
NodeRef unsqueeze(NodeRef x, std::span<const int> axes);  // axes are numbered as in the result
NodeRef squeeze(NodeRef x, const Axes& axes);             // if `axes` has no value, removes every axis of constant size 1
NodeRef flip(NodeRef x, const Axes& axes);
/// Takes `size` elements from `start` along one axis, every `step`-th one, and all elements along the other axes.
NodeRef part_along(NodeRef x, int axis, Dim start, Dim size, int64_t step = 1);
NodeRef flatten(NodeRef x, int start_axis, int end_axis);  // merges the axes from start_axis to end_axis (inclusive)
/// Returns the elements whose index along axis2 is their index along axis1 plus `offset`. They form a new last axis, which replaces the two
/// axes. Errors name `op`.
NodeRef diagonal(std::string_view op, NodeRef x, int64_t offset, int axis1, int axis2);
/// Windows along several axes; a list of one entry applies to all axes. The window axes come last, in the order of `axes`.
NodeRef unfold_axes(NodeRef x, std::span<const int> axes, std::span<const Dim> size, std::span<const int64_t> stride,
                    std::span<const int64_t> dilation);
/// The number of zeros to add before and after an axis. Functions take a list with one Padding per axis, or with a single one for all axes.
struct Padding {
  Dim before = 0, after = 0;
};
/// Implements unfold1d, unfold2d and unfold3d: pads the last `spatial` axes with zeros, then takes windows along them.
NodeRef unfold_spatial(NodeRef x, int spatial, std::span<const Dim> size, std::span<const int64_t> stride,
                       std::span<const int64_t> dilation, std::span<const Padding> padding);

// joins.cpp
NodeRef stack(std::span<const NodeRef> sources, int axis);
/// Divides an axis into `count` equal parts, or at `positions` as numpy.split does.
struct Sections {
  std::optional<int64_t> count;
  std::vector<Dim> positions;
};
std::vector<NodeRef> split(NodeRef x, const Sections& sections, int axis);
std::vector<NodeRef> unstack(NodeRef x, int axis);  // slices of size 1 along an axis of constant size, with that axis removed
/// Broadcasts arrays of rank 1 to a common shape with one axis for each array. indexing: "ij", or "xy", which exchanges the first two axes.
std::vector<NodeRef> meshgrid(std::span<const NodeRef> arrays, std::string_view indexing);
NodeRef repeat(NodeRef x, Dim repeats, std::optional<int> axis);  // if `axis` has no value, repeats elements of the flattened array
NodeRef tile(NodeRef x, std::span<const Dim> repeats);
NodeRef roll(NodeRef x, std::span<const Dim> shift, const Axes& axis);  // if `axis` has no value, shifts the flattened array
/// Pads the array. mode: "constant" (with `value`), "edge", "reflect", "symmetric", "wrap". Negative amounts remove elements. (pad.cpp)
NodeRef pad_mode(NodeRef x, std::span<const Dim> before, std::span<const Dim> after, Scalar value, std::string_view mode);
/// Like the function above, but the value is a node of rank 0; null means 0.
NodeRef pad_mode(NodeRef x, std::span<const Dim> before, std::span<const Dim> after, NodeRef value, std::string_view mode);

// indexing.cpp: gathers
/// numpy.take: the axes of `indices` replace the axis of x. Without an axis, takes elements of the flattened array.
NodeRef take(NodeRef x, NodeRef indices, std::optional<int> axis);

// scatter.cpp: scatters
/// torch.scatter_reduce: reduction "sum", "prod", "mean", "max", "min". Without include_self, the result of an element of x that has
/// updates is the reduction of its updates alone; with it, the element itself is reduced too.
NodeRef scatter_reduce(NodeRef x, NodeRef indices, NodeRef updates, int axis, std::string_view reduction, bool include_self);
/// torch.index_add: adds updates[…, i, …] to x[…, indices[i], …], in ascending i; indices have rank 1.
NodeRef index_add(NodeRef x, NodeRef indices, NodeRef updates, int axis);

// Indexing by tuples: the last axis of `indices` holds tuples, each of which indexes the first axes of x. (indexing_nd.cpp)
NodeRef gather_nd(NodeRef x, NodeRef indices, int64_t batch_dims);
/// ONNX's ScatterND. reduction: "set", or one of the reductions of scatter_reduce. (scatter.cpp)
NodeRef scatter_nd(NodeRef x, NodeRef indices, NodeRef updates, std::string_view reduction);

// Sorts are stable; -0 equals 0, and NaN is greater than all numbers. If `axis` has no value, the flattened array is sorted. (sorting.cpp)
NodeRef argsort(NodeRef x, std::optional<int> axis, bool descending);
NodeRef sort(NodeRef x, std::optional<int> axis, bool descending);
std::vector<NodeRef> topk(NodeRef x, Dim k, std::optional<int> axis, bool largest);  // values and indices, in sorted order
/// The position at which each value would be inserted into a sorted array of rank 1: before equal elements (side "left") or after
/// ("right").
NodeRef searchsorted(NodeRef sorted, NodeRef values, std::string_view side);

// The transforms of numpy.fft. n is the number of elements that are transformed (for irfft: of the result); x is cut or padded with zeros
// to n elements. The default of n is the size of the axis. norm: "backward", "ortho" or "forward". (fourier.cpp)
/// Transforms along the last axis. A new first axis of size 2 has the real and imaginary parts of the result.
NodeRef dft(NodeRef re, NodeRef im);
NodeRef fft(NodeRef x, std::optional<Dim> n, int axis, std::string_view norm);
NodeRef ifft(NodeRef x, std::optional<Dim> n, int axis, std::string_view norm);
/// The first n // 2 + 1 elements of the transform of a real array; the remaining ones would be complex conjugates of these.
NodeRef rfft(NodeRef x, std::optional<Dim> n, int axis, std::string_view norm);
/// The real array whose rfft is x. Without n it has 2 (m - 1) elements, where m is the size of the axis.
NodeRef irfft(NodeRef x, std::optional<Dim> n, int axis, std::string_view norm);

// The transforms of numpy.fft along several axes. s gives the number of elements along each axis. Without axes, the last s.size() axes are
// transformed, or all axes if s is missing too. (fourier_axes.cpp)
NodeRef fftn(NodeRef x, const std::optional<Shape>& s, const Axes& axes, std::string_view norm);
NodeRef ifftn(NodeRef x, const std::optional<Shape>& s, const Axes& axes, std::string_view norm);
NodeRef rfftn(NodeRef x, const std::optional<Shape>& s, const Axes& axes, std::string_view norm);
NodeRef irfftn(NodeRef x, const std::optional<Shape>& s, const Axes& axes, std::string_view norm);

// creation.cpp
NodeRef full(Graph& graph, const Shape& shape, Scalar value);
NodeRef full(NodeRef value, const Shape& shape);  // value has rank 0
NodeRef full_like(NodeRef x, double value);       // shape and dtype of x
/// start, start + step, … in this dtype: `count` elements, or all elements before `stop`. Exactly one of count and stop is given.
NodeRef arange_from(Graph& graph, std::optional<Dim> count, Dim start, std::optional<Dim> stop, int64_t step, DType dtype);
NodeRef linspace(Graph& graph, double start, double stop, Dim count, DType dtype);
NodeRef eye(Graph& graph, Dim rows, std::optional<Dim> columns, DType dtype);
NodeRef tril(NodeRef x, int64_t k);  // sets elements above the k-th diagonal to 0
NodeRef triu(NodeRef x, int64_t k);
NodeRef one_hot(NodeRef indices, Dim depth, DType dtype);  // adds a last axis of size depth, which is 1 at the index and 0 elsewhere

// Random numbers, each computed from a key and from a counter for each element. `counter` is the counter of the first element (null: 0).
// Key and counter are u32 or u64 of rank 0. (random.cpp)
NodeRef random_bits(NodeRef key, NodeRef counter, const Shape& shape, DType dtype);     // u8 to u64
NodeRef random_uniform(NodeRef key, NodeRef counter, const Shape& shape, DType dtype);  // in [0, 1)
NodeRef random_normal(NodeRef key, NodeRef counter, const Shape& shape, DType dtype);   // mean 0, variance 1

// Matrix and vector products. They follow NumPy's shape rules, independent of the graph's flags. (linalg.cpp)
/// Batch axes are broadcast. An array of rank 1 is a row vector on the left, and a column vector on the right.
NodeRef matmul(NodeRef a, NodeRef b);
NodeRef batch_matmul(NodeRef a, NodeRef b);  // matmul of arrays of rank 2 or more
/// numpy.dot: sums products over the last axis of a and the second to last axis of b (or the only axis of b).
NodeRef dot(NodeRef a, NodeRef b);
NodeRef tensordot(NodeRef a, NodeRef b, std::span<const int> a_axes, std::span<const int> b_axes);
NodeRef vecdot(NodeRef a, NodeRef b, int axis);  // sums conj(a) · b along one axis; the other axes are broadcast
/// The product of each element of a with each element of b. The result has the axes of a, then those of b.
NodeRef outer(NodeRef a, NodeRef b);
NodeRef trace(NodeRef x, int64_t offset, int axis1, int axis2);  // sum of the diagonal

// einsum.cpp
NodeRef einsum(std::string_view spec, std::span<const NodeRef> operands);

// Convolutions: x is [batch, channels, space …]; kernels are not flipped. A list with one entry applies to all spatial axes. (conv.cpp)
struct ConvOperands {
  NodeRef x, weight;       // weight: [out, in / groups, kernel …]; transposed: [in, out / groups, kernel …]
  NodeRef bias = nullptr;  // [out], or null
};
NodeRef conv(int spatial, const ConvOperands& operands, std::span<const int64_t> stride, std::span<const Padding> padding,
             std::span<const int64_t> dilation, int64_t groups);
NodeRef conv_transpose(int spatial, const ConvOperands& operands, std::span<const int64_t> stride, std::span<const Padding> padding,
                       std::span<const int64_t> output_padding, std::span<const int64_t> dilation, int64_t groups);

// Pooling: the windows are along the last size.size() axes. (pool.cpp)
struct PoolWindows {
  std::span<const Dim> size;
  std::optional<std::vector<int64_t>> stride;  // no value: the stride is the window size
  std::span<const Padding> padding;
  std::span<const int64_t> dilation;
  /// True: also takes a window that ends after the padding, if it starts in the array or in the padding before it.
  bool ceil_mode = false;
};
NodeRef max_pool(NodeRef x, const PoolWindows& windows);
/// Returns two arrays: the maxima, and the index (i64) of each maximum in the flattened plane of the pooled axes.
std::vector<NodeRef> max_pool_with_indices(NodeRef x, const PoolWindows& windows);
NodeRef avg_pool(NodeRef x, const PoolWindows& windows, bool count_include_pad);
/// Returns an array of zeros in which each element of x is stored at its index in the flattened plane of the pooled axes. If an index
/// occurs twice, the later element is kept. Without output_size, the planes have the smallest size for which these windows give x's shape.
/// windows.dilation and ceil_mode are ignored.
NodeRef max_unpool(NodeRef x, NodeRef indices, const PoolWindows& windows, const std::optional<Shape>& output_size);

// Normalisations: weight and bias have the shape of the normalised axes, or are null. (nn.cpp)
NodeRef layer_norm(NodeRef x, std::span<const int> axes, NodeRef weight, NodeRef bias, double eps);
NodeRef rms_norm(NodeRef x, std::span<const int> axes, NodeRef weight, NodeRef bias, double eps);
/// reduction: "mean", "sum" or "none".
NodeRef mse_loss(NodeRef x, NodeRef target, std::string_view reduction);

// class_losses.cpp
struct ClassLossOptions {
  std::optional<int> axis;              // the class axis; no value: axis 1, or axis 0 if the rank is 1
  std::string_view reduction = "mean";  // "mean", "sum" or "none"
  NodeRef weight = nullptr;             // one number for each class, or null
  std::optional<int64_t> ignore_index;  // a class number whose losses are ignored
  double label_smoothing = 0;           // cross_entropy: distributes this share of the target over all classes
};
/// x contains log-probabilities. target contains class numbers: integers of x's shape without the class axis.
NodeRef nll_loss(NodeRef x, NodeRef target, const ClassLossOptions& options);
/// x contains any scores (logits). target contains class numbers as for nll_loss, or probabilities: floats of x's shape.
NodeRef cross_entropy(NodeRef x, NodeRef target, const ClassLossOptions& options);

// losses.cpp
/// reduction "mean": the mean of the losses; "sum": their sum; "none": the losses themselves.
NodeRef reduced_loss(std::string_view op, NodeRef losses, std::string_view reduction);
NodeRef huber_loss(NodeRef x, NodeRef target, double delta, std::string_view reduction);
/// x contains probabilities; weight may be null.
NodeRef binary_cross_entropy(NodeRef x, NodeRef target, NodeRef weight, std::string_view reduction);
/// x contains logits. Equals binary_cross_entropy(sigmoid(x), target) without the rounding of sigmoid; weight and pos_weight may be null.
NodeRef binary_cross_entropy_with_logits(NodeRef x, NodeRef target, NodeRef weight, NodeRef pos_weight, std::string_view reduction);

// Normalisations by channel: x is [batch, channels, space …]; weight and bias have one number per channel, or are null. (channel_norms.cpp)
struct Statistics {
  NodeRef mean = nullptr, var = nullptr;  // one number per channel; if both are null, the mean and variance of x are used
};
NodeRef batch_norm(NodeRef x, const Statistics& running, NodeRef weight, NodeRef bias, int axis, double eps);
NodeRef group_norm(NodeRef x, int64_t groups, NodeRef weight, NodeRef bias, double eps);
NodeRef instance_norm(NodeRef x, NodeRef weight, NodeRef bias, double eps);

// attention.cpp
struct AttentionOptions {
  bool is_causal = false;       // query i takes only keys 0 to i into account
  std::optional<double> scale;  // no value: 1 / sqrt(number of features)
  /// True: key and value have fewer heads (third last axis) than query; each of their heads is used by a group of query heads.
  bool enable_gqa = false;
};
/// mask: null, or bools (false hides a key from a query), or floats that are added to the scores. The mask is broadcast to the scores.
NodeRef scaled_dot_product_attention(NodeRef query, NodeRef key, NodeRef value, NodeRef mask, const AttentionOptions& options);

// interpolate.cpp
struct InterpolateOptions {
  std::string_view mode = "nearest";                     // "nearest", "linear", "cubic" or "area"
  std::string_view coordinates = "half_pixel";           // "half_pixel", "pytorch_half_pixel", "asymmetric" or "align_corners"
  std::string_view nearest_mode = "round_prefer_floor";  // "round_prefer_floor", "round_prefer_ceil", "floor" or "ceil"
  double cubic_coeff_a = -0.75;
};
/// Resizes the last sizes.size() axes to these sizes. scales has one entry per axis, or is empty: then the scale of an axis is the size of
/// the result divided by the size of x. Scales only affect which coordinates of x are read.
NodeRef interpolate(NodeRef x, std::span<const Dim> sizes, std::span<const double> scales, const InterpolateOptions& options);

// Operations defined by an expression, in which the inputs are called x0, x1 … (custom.cpp)
NodeRef custom_elementwise(std::span<const NodeRef> inputs, std::string_view expression);
/// Reduces the expression's values over the axes. combine: "sum", "prod", "max" or "min".
NodeRef custom_reduce(std::span<const NodeRef> inputs, std::string_view expression, std::string_view combine, const Axes& axes,
                      bool keepdims);
NodeRef custom_cumulative(std::span<const NodeRef> inputs, std::string_view expression, std::string_view combine, std::optional<int> axis,
                          bool exclusive, bool reverse);

/// Casts x to a float dtype by the graph's promotion rules. Errors name `op`.
NodeRef as_float(std::string_view op, NodeRef x);
/// Applies `build` to x in its working dtype, and casts the result to the dtype of x.
template <class Build>
NodeRef rounded_once(NodeRef x, Build build) {
  return cast(build(cast(x, working_dtype(x->dtype))), x->dtype);
}
/// Returns x - y. y has x's shape, except that axes may have size 1; y is negated first and then broadcast.
NodeRef minus(NodeRef x, NodeRef y);
/// Returns a scalar constant of x's dtype.
NodeRef constant_like(NodeRef x, double value);

}  // namespace harp::build
