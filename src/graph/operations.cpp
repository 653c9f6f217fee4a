// Contains the table of operations that operations.h declares. To add a composite: write its function (composites.h), then a row of kRows.
// The functions that make similar rows are in operation_rows.h.
#include "graph/operations.h"

#include <algorithm>

#include "base/error.h"
#include "graph/arguments.h"
#include "graph/body.h"
#include "graph/called_as.h"
#include "graph/native.h"
#include "graph/operation_rows.h"

namespace harp {
namespace {

using namespace operation_rows;
using Nodes = std::vector<NodeRef>;
using Bounds = std::vector<std::optional<Dim>>;
using Stride = std::optional<Integers>;

constexpr Operation kRows[] = {
// Rows for the elementwise operations, reductions and scans of ops.def. generate.py lists their names in README.
#define HARP_ROW_Leaf(id)
#define HARP_ROW_Elementwise(id) elementwise_row<Op::k##id>(),
#define HARP_ROW_Convert(id)
#define HARP_ROW_Reduce(id) reduction_of<Op::k##id>(),
#define HARP_ROW_Scan(id) scan_row<Op::k##id>(),
#define HARP_ROW_Movement(id)
#define HARP_ROW_Join(id)
#define HARP_ROW_Gather(id)
#define HARP_ROW_Routine(id)
#define HARP_ROW_Scatter(id)
#define HARP_ROW_Custom(id)
#define HARP_ROW_Native(id)
#define HARP_ROW_Copy(id)
#define HARP_ROW_Parts(id)
#define HARP_OP(id, name, family, arity, operands, result, cost, flags) HARP_ROW_##family(id)
#include "ops/ops.def"
#undef HARP_OP

    // leaves
    row("constant", {{"value"}, {"dtype"}},
        [](Graph& g, Literal value, DType dtype) { return build::constant(g, to_scalar("constant", value, dtype)); }),
    row("constant_array", {{"data", "none"}, {"dtype"}, {"shape", "none"}, {"base64", "none"}},
        [](Graph& g, std::optional<ArrayLiteral> data, DType dtype, std::optional<Shape> shape, std::optional<std::string_view> base64) {
          return arguments::constant_array(g, data, dtype, shape, base64);
        }),
    row("size", {{"value"}}, [](Graph& g, Dim value) { return build::size(g, value); }),
    row("arange", {{"n", "none"}, {"start", "0"}, {"stop", "none"}, {"step", "1"}, {"dtype", "i32"}},
        [](Graph& g, OptionalDim n, Dim start, OptionalDim stop, int64_t step, DType dtype) {
          return build::arange_from(g, n, start, stop, step, dtype);
        }),
    row("linspace", {{"start"}, {"stop"}, {"n"}, {"dtype", "f32"}},
        [](Graph& g, double start, double stop, Dim n, DType dtype) { return build::linspace(g, start, stop, n, dtype); }),
    row("full", {{"shape"}, {"value"}, {"dtype"}},
        [](Graph& g, Shape shape, Literal value, DType dtype) { return build::full(g, shape, to_scalar("full", value, dtype)); }),
    row("eye", {{"rows"}, {"columns", "none"}, {"dtype", "f32"}},
        [](Graph& g, Dim rows, OptionalDim columns, DType dtype) { return build::eye(g, rows, columns, dtype); }),
    row("tril", {{"x"}, {"k", "0"}}, [](NodeRef x, int64_t k) { return build::tril(x, k); }),
    row("triu", {{"x"}, {"k", "0"}}, [](NodeRef x, int64_t k) { return build::triu(x, k); }),
    row("one_hot", {{"indices"}, {"depth"}, {"dtype", "bool"}},
        [](NodeRef indices, Dim depth, DType dtype) { return build::one_hot(indices, depth, dtype); }),

    // random numbers
    random_row<build::random_bits>("random_bits", "u32"),
    random_row<build::random_uniform>("random_uniform", "f32"),
    random_row<build::random_normal>("random_normal", "f32"),

    // conversions and copies
    row("cast", {{"x"}, {"dtype"}}, [](NodeRef x, DType dtype) { return build::cast(x, dtype); }),
    row("bitcast", {{"x"}, {"dtype"}}, [](NodeRef x, DType dtype) { return build::bitcast(x, dtype); }),
    unary_row<build::contiguous>("contiguous"),
    unary_row<build::stop_gradient>("stop_gradient"),

    // elementwise
    binary_row<build::sub>("sub"),
    binary_row<build::gt>("gt"),
    binary_row<build::ge>("ge"),
    unary_row<build::square>("square"),
    unary_row<build::rsqrt>("rsqrt"),
    unary_row<build::sigmoid>("sigmoid"),
    unary_row<build::relu>("relu"),
    unary_row<build::silu>("silu"),
    unary_row<build::softplus>("softplus"),
    row("elu", {{"x"}, {"alpha", "1"}}, [](NodeRef x, double alpha) { return build::elu(x, alpha); }),
    unary_row<build::selu>("selu"),
    row("celu", {{"x"}, {"alpha", "1"}}, [](NodeRef x, double alpha) { return build::celu(x, alpha); }),
    row("gelu", {{"x"}, {"approximate", "\"none\""}}, [](NodeRef x, std::string_view approximate) { return build::gelu(x, approximate); }),
    unary_row<build::relu6>("relu6"),
    row("hardtanh", {{"x"}, {"min_val", "-1"}, {"max_val", "1"}},
        [](NodeRef x, double min_val, double max_val) { return build::hardtanh(x, min_val, max_val); }),
    row("leaky_relu", {{"x"}, {"negative_slope", "0.01"}},
        [](NodeRef x, double negative_slope) { return build::leaky_relu(x, negative_slope); }),
    unary_row<build::hardsigmoid>("hardsigmoid"),
    unary_row<build::hardswish>("hardswish"),
    unary_row<build::mish>("mish"),
    unary_row<build::softsign>("softsign"),
    unary_row<build::logsigmoid>("logsigmoid"),
    row("isclose", {{"a"}, {"b"}, {"rtol", "1e-5"}, {"atol", "1e-8"}, {"equal_nan", "false"}},
        [](NodeRef a, NodeRef b, double rtol, double atol, bool equal_nan) { return build::isclose(a, b, rtol, atol, equal_nan); }),
    unary_row<build::signbit>("signbit"),
    binary_row<build::nextafter>("nextafter"),
    unary_row<build::isinf>("isinf"),
    unary_row<build::isfinite>("isfinite"),
    unary_row<build::logical_not>("logical_not"),
    binary_row<build::logical_and>("logical_and"),
    binary_row<build::logical_or>("logical_or"),
    binary_row<build::logical_xor>("logical_xor"),
    row("powi", {{"x"}, {"k"}}, [](NodeRef x, int64_t k) { return build::powi(x, k); }),
    row("clip", {{"x"}, {"lo"}, {"hi"}}, [](NodeRef x, NodeRef lo, NodeRef hi) { return build::clip(x, lo, hi); }),
    row("lerp", {{"a"}, {"b"}, {"weight"}}, [](NodeRef a, NodeRef b, NodeRef weight) { return build::lerp(a, b, weight); }),

    // complex numbers
    unary_row<build::real>("real"),
    unary_row<build::imag>("imag"),
    unary_row<build::conj>("conj"),
    unary_row<build::angle>("angle"),
    row("complex_from_parts", {{"re"}, {"im"}}, [](NodeRef re, NodeRef im) { return build::complex_from_parts(re, im); }),
    unary_row<build::view_as_real>("view_as_real"),
    unary_row<build::view_as_complex>("view_as_complex"),

    // reductions
    reduction_row<build::mean>("mean"),
    row("var", {{"x"}, {"axes", "none"}, {"correction", "0"}, {"keepdims", "false"}},
        [](NodeRef x, Axes axes, int64_t correction, bool keepdims) { return build::var(x, axes, correction, keepdims); }),
    row("std", {{"x"}, {"axes", "none"}, {"correction", "0"}, {"keepdims", "false"}},
        [](NodeRef x, Axes axes, int64_t correction, bool keepdims) { return build::std(x, axes, correction, keepdims); }),
    row("norm", {{"x"}, {"ord", "2"}, {"axes", "none"}, {"keepdims", "false"}},
        [](NodeRef x, double order, Axes axes, bool keepdims) { return build::norm(x, order, axes, keepdims); }),
    reduction_row<build::count_nonzero>("count_nonzero"),
    reduction_row<build::any>("any"),
    reduction_row<build::all>("all"),
    reduction_row<build::logsumexp>("logsumexp"),
    row("softmax", {{"x"}, {"axis", "-1"}}, [](NodeRef x, int axis) { return build::softmax(x, axis); }),
    row("log_softmax", {{"x"}, {"axis", "-1"}}, [](NodeRef x, int axis) { return build::log_softmax(x, axis); }),

    // running values
    row("cummax_with_indices", {{"x"}, {"axis", "none"}},
        [](NodeRef x, std::optional<int> axis) { return build::cummax_with_indices(x, axis); }),
    row("cummin_with_indices", {{"x"}, {"axis", "none"}},
        [](NodeRef x, std::optional<int> axis) { return build::cummin_with_indices(x, axis); }),

    // views
    row("permute", {{"x"}, {"axes"}}, [](NodeRef x, Ints axes) { return build::permute(x, axes); }),
    row("transpose", {{"x"}, {"axes", "none"}}, [](NodeRef x, Axes axes) { return build::transpose(x, axes); }),
    row("moveaxis", {{"x"}, {"source"}, {"destination"}},
        [](NodeRef x, Ints source, Ints destination) { return build::moveaxis(x, source, destination); }),
    row("unsqueeze", {{"x"}, {"axes"}}, [](NodeRef x, Ints axes) { return build::unsqueeze(x, axes); }),
    row("squeeze", {{"x"}, {"axes", "none"}}, [](NodeRef x, Axes axes) { return build::squeeze(x, axes); }),
    row("flip", {{"x"}, {"axes", "none"}}, [](NodeRef x, Axes axes) { return build::flip(x, axes); }),
    row("expand", {{"x"}, {"shape"}}, [](NodeRef x, Shape shape) { return build::expand(x, shape); }),
    row("broadcast_to", {{"x"}, {"shape"}}, [](NodeRef x, Shape shape) { return build::broadcast_to(x, shape); }),
    row("reshape", {{"x"}, {"shape"}}, [](NodeRef x, Shape shape) { return build::reshape(x, shape); }),
    row("flatten", {{"x"}, {"start_axis", "0"}, {"end_axis", "-1"}},
        [](NodeRef x, int start_axis, int end_axis) { return build::flatten(x, start_axis, end_axis); }),
    row("slice", {{"x"}, {"start", "none"}, {"stop", "none"}, {"step", "none"}, {"size", "none"}},
        [](NodeRef x, std::optional<Bounds> start, std::optional<Bounds> stop, std::optional<Integers> step, std::optional<Shape> size) {
          return arguments::slice(x, start, stop, step, size);
        }),
    row("diagonal", {{"x"}, {"offset", "0"}, {"axis1", "0"}, {"axis2", "1"}},
        [](NodeRef x, int64_t offset, int axis1, int axis2) { return build::diagonal("diagonal", x, offset, axis1, axis2); }),
    row("pad", {{"x"}, {"before"}, {"after"}, {"value", "0"}, {"mode", "constant"}},
        [](NodeRef x, Shape before, Shape after, arguments::Value value, std::string_view mode) {
          if (const auto* node = std::get_if<NodeRef>(&value)) return build::pad_mode(x, before, after, *node, mode);
          return build::pad_mode(x, before, after, to_scalar("pad", std::get<Literal>(value), x->dtype), mode);
        }),
    row("unfold", {{"x"}, {"axes"}, {"size"}, {"stride", "1"}, {"dilation", "1"}},
        [](NodeRef x, Ints axes, Shape size, Integers stride, Integers dilation) {
          return build::unfold_axes(x, axes, size, stride, dilation);
        }),
    unfold_row<1>("unfold1d"),
    unfold_row<2>("unfold2d"),
    unfold_row<3>("unfold3d"),

    row("diff", {{"x"}, {"n", "1"}, {"axis", "-1"}}, [](NodeRef x, int64_t n, int axis) { return build::diff(x, n, axis); }),
    row("diag", {{"x"}, {"k", "0"}}, [](NodeRef x, int64_t k) { return build::diag(x, k); }),
    row("rot90", {{"x"}, {"k", "1"}, {"axis1", "0"}, {"axis2", "1"}},
        [](NodeRef x, int64_t k, int axis1, int axis2) { return build::rot90(x, k, axis1, axis2); }),
    row("interpolate",
        {{"x"},
         {"size"},
         {"scales", "none"},
         {"mode", "\"nearest\""},
         {"coordinates", "\"half_pixel\""},
         {"nearest_mode", "\"round_prefer_floor\""},
         {"cubic_coeff_a", "-0.75"}},
        [](NodeRef x, Shape size, std::optional<ArrayLiteral> scales, std::string_view mode, std::string_view coordinates,
           std::string_view nearest_mode, double cubic_coeff_a) {
          const std::vector<double> factors = arguments::numbers("interpolate", "scales", scales);
          return build::interpolate(x, size, factors, {mode, coordinates, nearest_mode, cubic_coeff_a});
        }),

    // joins
    row("concat", {{"arrays"}, {"axis", "0"}}, [](Nodes arrays, int axis) { return build::concat(arrays, axis); }),
    row("stack", {{"arrays"}, {"axis", "0"}}, [](Nodes arrays, int axis) { return build::stack(arrays, axis); }),
    row("split", {{"x"}, {"sections"}, {"axis", "0"}},
        [](NodeRef x, build::Sections sections, int axis) { return build::split(x, sections, axis); }),
    row("unstack", {{"x"}, {"axis", "0"}}, [](NodeRef x, int axis) { return build::unstack(x, axis); }),
    row("meshgrid", {{"arrays"}, {"indexing", "\"xy\""}},
        [](Nodes arrays, std::string_view indexing) { return build::meshgrid(arrays, indexing); }),
    row("repeat", {{"x"}, {"repeats"}, {"axis", "none"}},
        [](NodeRef x, Dim repeats, std::optional<int> axis) { return build::repeat(x, repeats, axis); }),
    row("tile", {{"x"}, {"repeats"}}, [](NodeRef x, Shape repeats) { return build::tile(x, repeats); }),
    row("roll", {{"x"}, {"shift"}, {"axis", "none"}}, [](NodeRef x, Shape shift, Axes axis) { return build::roll(x, shift, axis); }),

    // elements by data
    row("gather_nd", {{"x"}, {"indices"}, {"batch_dims", "0"}},
        [](NodeRef x, Indices indices, int64_t batch_dims) { return build::gather_nd(x, indices.node, batch_dims); }),
    row("take", {{"x"}, {"indices"}, {"axis", "none"}},
        [](NodeRef x, Indices indices, std::optional<int> axis) { return build::take(x, indices.node, axis); }),
    row("take_along_axis", {{"x"}, {"indices"}, {"axis", "-1"}},
        [](NodeRef x, Indices indices, int axis) { return build::take_along_axis(x, indices.node, axis); }),
    scatter_row<build::scatter>("scatter", "-1"),
    scatter_row<build::scatter_add>("scatter_add", "-1"),
    scatter_row<build::scatter_mul>("scatter_mul", "-1"),
    scatter_row<build::scatter_max>("scatter_max", "-1"),
    scatter_row<build::scatter_min>("scatter_min", "-1"),
    row("scatter_reduce", {{"x"}, {"indices"}, {"updates"}, {"axis"}, {"reduction"}, {"include_self", "true"}},
        [](NodeRef x, Indices indices, NodeRef updates, int axis, std::string_view reduction, bool include_self) {
          return build::scatter_reduce(x, indices.node, updates, axis, reduction, include_self);
        }),
    row("scatter_nd", {{"x"}, {"indices"}, {"updates"}, {"reduction", "\"set\""}},
        [](NodeRef x, Indices indices, NodeRef updates, std::string_view reduction) {
          return build::scatter_nd(x, indices.node, updates, reduction);
        }),
    scatter_row<build::index_add>("index_add", "0"),
    row("check_index", {{"indices"}, {"size"}, {"what", "\"\""}, {"asker", "\"\""}, {"optional", "false"}},
        [](NodeRef indices, Dim size, std::string_view what, std::string_view asker, bool optional) {
          return build::check_index(indices, size, what, asker, optional);
        }),

    // order
    row("argsort", {{"x"}, {"axis", "-1"}, {"descending", "false"}},
        [](NodeRef x, std::optional<int> axis, bool descending) { return build::argsort(x, axis, descending); }),
    row("sort", {{"x"}, {"axis", "-1"}, {"descending", "false"}},
        [](NodeRef x, std::optional<int> axis, bool descending) { return build::sort(x, axis, descending); }),
    row("topk", {{"x"}, {"k"}, {"axis", "-1"}, {"largest", "true"}},
        [](NodeRef x, Dim k, std::optional<int> axis, bool largest) { return build::topk(x, k, axis, largest); }),
    row("isin", {{"elements"}, {"test_elements"}, {"invert", "false"}},
        [](NodeRef elements, NodeRef test_elements, bool invert) { return build::isin(elements, test_elements, invert); }),
    row("searchsorted", {{"sorted"}, {"values"}, {"side", "\"left\""}},
        [](NodeRef sorted, NodeRef values, std::string_view side) { return build::searchsorted(sorted, values, side); }),

    // Fourier transforms
    row("dft", {{"re"}, {"im"}}, [](NodeRef re, NodeRef im) { return build::dft(re, im); }),
    transform_row<build::fft>("fft"),
    transform_row<build::ifft>("ifft"),
    transform_row<build::rfft>("rfft"),
    transform_row<build::irfft>("irfft"),
    transform_axes_row<build::fftn>("fftn", "none"),
    transform_axes_row<build::fftn>("fft2", "[-2, -1]"),
    transform_axes_row<build::ifftn>("ifftn", "none"),
    transform_axes_row<build::ifftn>("ifft2", "[-2, -1]"),
    transform_axes_row<build::rfftn>("rfftn", "none"),
    transform_axes_row<build::rfftn>("rfft2", "[-2, -1]"),
    transform_axes_row<build::irfftn>("irfftn", "none"),
    transform_axes_row<build::irfftn>("irfft2", "[-2, -1]"),

    // products of matrices
    binary_row<build::matmul>("matmul"),
    binary_row<build::batch_matmul>("batch_matmul"),
    binary_row<build::dot>("dot"),
    binary_row<build::outer>("outer"),
    row("cross", {{"a"}, {"b"}, {"axis", "-1"}}, [](NodeRef a, NodeRef b, int axis) { return build::cross(a, b, axis); }),
    row("vecdot", {{"a"}, {"b"}, {"axis", "-1"}}, [](NodeRef a, NodeRef b, int axis) { return build::vecdot(a, b, axis); }),
    row("tensordot", {{"a"}, {"b"}, {"a_axes"}, {"b_axes"}},
        [](NodeRef a, NodeRef b, Ints a_axes, Ints b_axes) { return build::tensordot(a, b, a_axes, b_axes); }),
    row("trace", {{"x"}, {"offset", "0"}, {"axis1", "0"}, {"axis2", "1"}},
        [](NodeRef x, int64_t offset, int axis1, int axis2) { return build::trace(x, offset, axis1, axis2); }),
    row("einsum", {{"arrays"}, {"spec"}}, [](Nodes arrays, std::string_view spec) { return build::einsum(spec, arrays); }),

    // convolutions and pools
    conv_row<1>("conv1d"),
    conv_row<2>("conv2d"),
    conv_row<3>("conv3d"),
    conv_transpose_row<1>("conv_transpose1d"),
    conv_transpose_row<2>("conv_transpose2d"),
    conv_transpose_row<3>("conv_transpose3d"),
    row("max_pool", {{"x"}, {"size"}, {"stride", "none"}, {"padding", "0"}, {"dilation", "1"}, {"ceil_mode", "false"}},
        [](NodeRef x, Shape size, Stride stride, Paddings padding, Integers dilation, bool ceil_mode) {
          return build::max_pool(x, {size, stride, padding, dilation, ceil_mode});
        }),
    row("max_pool_with_indices", {{"x"}, {"size"}, {"stride", "none"}, {"padding", "0"}, {"dilation", "1"}, {"ceil_mode", "false"}},
        [](NodeRef x, Shape size, Stride stride, Paddings padding, Integers dilation, bool ceil_mode) {
          return build::max_pool_with_indices(x, {size, stride, padding, dilation, ceil_mode});
        }),
    row("max_unpool", {{"x"}, {"indices"}, {"size"}, {"stride", "none"}, {"padding", "0"}, {"output_size", "none"}},
        [](NodeRef x, Indices indices, Shape size, Stride stride, Paddings padding, std::optional<Shape> output_size) {
          const int64_t dilation[] = {1};
          return build::max_unpool(x, indices.node, {size, stride, padding, dilation}, output_size);
        }),
    row("avg_pool",
        {{"x"}, {"size"}, {"stride", "none"}, {"padding", "0"}, {"ceil_mode", "false"}, {"count_include_pad", "true"}, {"dilation", "1"}},
        [](NodeRef x, Shape size, Stride stride, Paddings padding, bool ceil_mode, bool count_include_pad, Integers dilation) {
          return build::avg_pool(x, {size, stride, padding, dilation, ceil_mode}, count_include_pad);
        }),

    // layers and losses
    normalisation_row<build::layer_norm>("layer_norm"),
    normalisation_row<build::rms_norm>("rms_norm"),
    row("batch_norm", {{"x"}, {"mean", "none"}, {"var", "none"}, {"weight", "none"}, {"bias", "none"}, {"axis", "1"}, {"eps", "1e-5"}},
        [](NodeRef x, OptionalNode mean, OptionalNode var, OptionalNode weight, OptionalNode bias, int axis, double eps) {
          return build::batch_norm(x, {or_null(mean), or_null(var)}, or_null(weight), or_null(bias), axis, eps);
        }),
    row("group_norm", {{"x"}, {"num_groups"}, {"weight", "none"}, {"bias", "none"}, {"eps", "1e-5"}},
        [](NodeRef x, int64_t num_groups, OptionalNode weight, OptionalNode bias, double eps) {
          return build::group_norm(x, num_groups, or_null(weight), or_null(bias), eps);
        }),
    row("instance_norm", {{"x"}, {"weight", "none"}, {"bias", "none"}, {"eps", "1e-5"}},
        [](NodeRef x, OptionalNode weight, OptionalNode bias, double eps) {
          return build::instance_norm(x, or_null(weight), or_null(bias), eps);
        }),
    row("scaled_dot_product_attention",
        {{"query"}, {"key"}, {"value"}, {"mask", "none"}, {"is_causal", "false"}, {"scale", "none"}, {"enable_gqa", "false"}},
        [](NodeRef query, NodeRef key, NodeRef value, std::optional<arguments::Condition> mask, bool is_causal, std::optional<double> scale,
           bool enable_gqa) {
          return build::scaled_dot_product_attention(query, key, value, mask ? mask->node : nullptr, {is_causal, scale, enable_gqa});
        }),
    row("huber_loss", {{"x"}, {"target"}, {"delta", "1"}, {"reduction", "\"mean\""}},
        [](NodeRef x, NodeRef target, double delta, std::string_view reduction) { return build::huber_loss(x, target, delta, reduction); }),
    row("binary_cross_entropy", {{"x"}, {"target"}, {"weight", "none"}, {"reduction", "\"mean\""}},
        [](NodeRef x, NodeRef target, OptionalNode weight, std::string_view reduction) {
          return build::binary_cross_entropy(x, target, or_null(weight), reduction);
        }),
    row("binary_cross_entropy_with_logits", {{"x"}, {"target"}, {"weight", "none"}, {"pos_weight", "none"}, {"reduction", "\"mean\""}},
        [](NodeRef x, NodeRef target, OptionalNode weight, OptionalNode pos_weight, std::string_view reduction) {
          return build::binary_cross_entropy_with_logits(x, target, or_null(weight), or_null(pos_weight), reduction);
        }),
    row("mse_loss", {{"x"}, {"target"}, {"reduction", "\"mean\""}},
        [](NodeRef x, NodeRef target, std::string_view reduction) { return build::mse_loss(x, target, reduction); }),
    row("cross_entropy",
        {{"x"},
         {"target"},
         {"axis", "none"},
         {"reduction", "\"mean\""},
         {"weight", "none"},
         {"ignore_index", "none"},
         {"label_smoothing", "0"}},
        [](NodeRef x, NodeRef target, std::optional<int> axis, std::string_view reduction, OptionalNode weight,
           std::optional<int64_t> ignore_index, double label_smoothing) {
          return build::cross_entropy(x, target, {axis, reduction, or_null(weight), ignore_index, label_smoothing});
        }),
    row("nll_loss", {{"x"}, {"target"}, {"axis", "none"}, {"reduction", "\"mean\""}, {"weight", "none"}, {"ignore_index", "none"}},
        [](NodeRef x, NodeRef target, std::optional<int> axis, std::string_view reduction, OptionalNode weight,
           std::optional<int64_t> ignore_index) {
          return build::nll_loss(x, target, {axis, reduction, or_null(weight), ignore_index, 0});
        }),

    // from an expression
    row("custom_elementwise", {{"arrays"}, {"expr"}},
        [](Nodes arrays, std::string_view expr) { return build::custom_elementwise(arrays, expr); }),
    row("custom_reduce", {{"arrays"}, {"expr"}, {"op"}, {"axes", "none"}, {"keepdims", "false"}},
        [](Nodes arrays, std::string_view expr, std::string_view op, Axes axes, bool keepdims) {
          return build::custom_reduce(arrays, expr, op, axes, keepdims);
        }),
    row("custom_cumulative", {{"arrays"}, {"expr"}, {"op"}, {"axis", "none"}, {"exclusive", "false"}, {"reverse", "false"}},
        [](Nodes arrays, std::string_view expr, std::string_view op, std::optional<int> axis, bool exclusive, bool reverse) {
          return build::custom_cumulative(arrays, expr, op, axis, exclusive, reverse);
        }),
    row("custom_function", {{"arrays", "[]"}, {"body"}, {"dtype"}, {"shape"}},
        [](Graph& g, Nodes arrays, std::string_view body, std::vector<DType> dtypes, Shape shape) {
          return build::custom_function(g, arrays, body, dtypes, shape);
        }),

    // operations that call functions of the host program
    row("native", {{"arrays", "[]"}, {"name"}, {"signature"}, {"dtype"}, {"shape"}},
        [](Graph& g, Nodes arrays, std::string_view function, std::string_view signature, DType dtype, Shape shape) {
          return build::native_exactly(g, arrays, {function, nullptr, nullptr, signature, dtype, std::move(shape)});
        }),
};

constexpr auto kSorted = [] {
  std::array<Operation, std::size(kRows)> sorted{};
  std::copy(std::begin(kRows), std::end(kRows), sorted.begin());
  std::sort(sorted.begin(), sorted.end(), [](const Operation& a, const Operation& b) { return a.name < b.name; });
  return sorted;
}();

constexpr const Operation* find_in_table(std::string_view name) {
  const auto found =
      std::lower_bound(kSorted.begin(), kSorted.end(), name, [](const Operation& o, std::string_view n) { return o.name < n; });
  return found != kSorted.end() && found->name == name ? &*found : nullptr;
}

constexpr bool every_op_has_a_row() {
  for (const OpInfo& op : kOps)
    if (op.id != "Input" && find_in_table(op.name) == nullptr) return false;
  return true;
}
static_assert(every_op_has_a_row(), "an op of ops.def cannot be written in the text format: add its row above");

constexpr bool names_are_unique() {
  return std::adjacent_find(kSorted.begin(), kSorted.end(), [](const Operation& a, const Operation& b) { return a.name == b.name; }) ==
         kSorted.end();
}
static_assert(names_are_unique(), "two rows have the same name");

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::span<const Operation> operations() { return kSorted; }
const Operation* find_operation(std::string_view name) { return find_in_table(name); }

std::vector<const Node*> Operation::build(Graph& graph, std::span<const Argument> arguments) const {
  HARP_ASSERT(arguments.size() == parameter_count, name, " takes ", parameter_count, " arguments, got ", arguments.size());
  try {
    return function(graph, arguments);
  } catch (const arguments::ArgumentError&) {
    // The parser adds the position of the argument in the text.
    throw;
  } catch (Error& error) {
    name_operation(error, name);
    throw;
  }
}

std::string_view nearest_operation(std::string_view name) {
  if (name.size() > 32) return {};
  std::string_view best;
  size_t best_distance = name.size() <= 3 ? 2 : 3;
  for (const Operation& operation : kSorted)
    if (const size_t distance = edit_distance(name, operation.name); distance < best_distance)
      best = operation.name, best_distance = distance;
  return best;
}

}  // namespace harp
