// Every operation of harp.h builds the same graph as the operation of the same name in the text format, so both are printed alike.
#include <cmath>

#include "support/capi_same_graph.h"

using namespace capi_test;

TEST_CASE("G2 G1.composites: elementwise functions") {
  const Context context = make_context();
#define UNARY(name, x) check_same(context.get(), #name "(" #x ")", [](const Operands& o) { return harp_##name(o.x); })
  UNARY(neg, f), UNARY(recip, f), UNARY(abs, i), UNARY(sign, f), UNARY(sqrt, f), UNARY(rsqrt, f), UNARY(cbrt, f), UNARY(square, i);
  UNARY(floor, f), UNARY(ceil, f), UNARY(round, f), UNARY(trunc, f), UNARY(exp, f), UNARY(exp2, f), UNARY(expm1, f), UNARY(log, f);
  UNARY(log2, f), UNARY(log10, f), UNARY(log1p, f), UNARY(sin, f), UNARY(cos, f), UNARY(tan, f), UNARY(asin, f), UNARY(acos, f);
  UNARY(atan, f), UNARY(sinh, f), UNARY(cosh, f), UNARY(tanh, f), UNARY(asinh, f), UNARY(acosh, f), UNARY(atanh, f), UNARY(erf, f);
  UNARY(erfc, f), UNARY(sigmoid, f), UNARY(relu, f), UNARY(silu, f), UNARY(softplus, f), UNARY(isnan, f), UNARY(isinf, f);
  UNARY(isfinite, f), UNARY(logical_not, i), UNARY(bitwise_not, i), UNARY(contiguous, f), UNARY(selu, f), UNARY(stop_gradient, i);
#undef UNARY
#define BINARY(name, x, z) check_same(context.get(), #name "(" #x ", " #z ")", [](const Operands& o) { return harp_##name(o.x, o.z); })
  BINARY(add, f, f2), BINARY(sub, f, f2), BINARY(mul, i, i2), BINARY(div, f, f2), BINARY(floor_divide, i, i2), BINARY(remainder, i, i2);
  BINARY(fmod, f, f2), BINARY(maximum, f, f2), BINARY(minimum, b, b2), BINARY(pow, f, f2), BINARY(atan2, f, f2), BINARY(hypot, f, f2);
  BINARY(copysign, f, f2), BINARY(lt, f, f2), BINARY(le, f, f2), BINARY(gt, f, f2), BINARY(ge, f, f2), BINARY(eq, i, i2), BINARY(ne, b, b2);
  BINARY(logical_and, f, f2), BINARY(logical_or, i, i2), BINARY(logical_xor, b, b2), BINARY(bitwise_and, i, i2), BINARY(bitwise_or, i, i2);
  BINARY(bitwise_xor, b, b2), BINARY(left_shift, i, i2), BINARY(right_shift, i, i2);
#undef BINARY
  check_same(context.get(), "where(b, f, f2)", [](const Operands& o) { return harp_where(o.b, o.f, o.f2); });
  check_same(context.get(), "fma(f, f2, f)", [](const Operands& o) { return harp_fma(o.f, o.f2, o.f); });
  check_same(context.get(), "clip(f, f32(0), f32(1))",
             [](const Operands& o) { return harp_clip(o.f, harp_constant(o.g, HARP_F32, 0), harp_constant_i64(o.g, HARP_F32, 1)); });
  check_same(context.get(), "lerp(f, f2, f32(0.25))",
             [](const Operands& o) { return harp_lerp(o.f, o.f2, harp_constant(o.g, HARP_F32, 0.25)); });
  check_same(context.get(), "elu(f, alpha=0.5)", [](const Operands& o) { return harp_elu(o.f, 0.5); });
  check_same(context.get(), "celu(f, alpha=0.5)", [](const Operands& o) { return harp_celu(o.f, 0.5); });
  check_same(context.get(), "gelu(f)", [](const Operands& o) { return harp_gelu(o.f, nullptr); });
  check_same(context.get(), "gelu(f, approximate=\"tanh\")", [](const Operands& o) { return harp_gelu(o.f, "tanh"); });
  check_same(context.get(), "powi(f, k=-5)", [](const Operands& o) { return harp_powi(o.f, -5); });
  check_same(context.get(), "cast(f, dtype=i64)", [](const Operands& o) { return harp_cast(o.f, HARP_I64); });
  check_same(context.get(), "bitcast(f, dtype=i32)", [](const Operands& o) { return harp_bitcast(o.f, HARP_I32); });
}

TEST_CASE("G3: reductions") {
  const Context context = make_context();
  const int32_t last[] = {-1};
#define REDUCE(name, x)                                                                                                                   \
  check_same(context.get(), #name "(" #x ", axes=[-1], keepdims=true)", [&](const Operands& o) { return harp_##name(o.x, 1, last, 1); }); \
  check_same(context.get(), #name "(" #x ")", [](const Operands& o) { return harp_##name(o.x, 0, nullptr, 0); })
  REDUCE(sum, f);
  REDUCE(prod, i);
  REDUCE(max, f);
  REDUCE(min, b);
  REDUCE(any, b);
  REDUCE(all, i);
  REDUCE(mean, f);
  REDUCE(logsumexp, f);
#undef REDUCE
  check_same(context.get(), "sum(f, axes=[])", [&](const Operands& o) { return harp_sum(o.f, 0, last, 0); });
  check_same(context.get(), "var(f, axes=[-1], correction=1)", [&](const Operands& o) { return harp_var(o.f, 1, last, 1, 0); });
  check_same(context.get(), "softmax(f, axis=0)", [](const Operands& o) { return harp_softmax(o.f, 0); });
  check_same(context.get(), "log_softmax(f, axis=-1)", [](const Operands& o) { return harp_log_softmax(o.f, -1); });
}

TEST_CASE("G5 G6: views") {
  const Context context = make_context();
  const int32_t swapped[] = {1, 0}, first[] = {0}, second[] = {1}, ends[] = {0, -1};
  check_same(context.get(), "permute(f, axes=[1, 0])", [&](const Operands& o) { return harp_permute(o.f, 2, swapped); });
  check_same(context.get(), "transpose(f)", [](const Operands& o) { return harp_transpose(o.f, 0, nullptr); });
  check_same(context.get(), "transpose(f, axes=[1, 0])", [&](const Operands& o) { return harp_transpose(o.f, 2, swapped); });
  check_same(context.get(), "moveaxis(f, source=[0], destination=[1])",
             [&](const Operands& o) { return harp_moveaxis(o.f, 1, first, second); });
  check_same(context.get(), "unsqueeze(f, axes=[0, -1])", [&](const Operands& o) { return harp_unsqueeze(o.f, 2, ends); });
  check_same(context.get(), "squeeze(unsqueeze(f, axes=[0, -1]))",
             [&](const Operands& o) { return harp_squeeze(harp_unsqueeze(o.f, 2, ends), 0, nullptr); });
  check_same(context.get(), "squeeze(unsqueeze(f, axes=[0, -1]), axes=[0])",
             [&](const Operands& o) { return harp_squeeze(harp_unsqueeze(o.f, 2, ends), 1, first); });
  check_same(context.get(), "flip(f, axes=[1])", [&](const Operands& o) { return harp_flip(o.f, 1, second); });
  check_same(context.get(), "flip(f)", [](const Operands& o) { return harp_flip(o.f, 0, nullptr); });
  check_same(context.get(), "expand(unsqueeze(f, axes=[0]), shape=[5, -1, 4])", [&](const Operands& o) {
    const harp_dim dims[] = {5, -1, 4};
    return harp_expand(harp_unsqueeze(o.f, 1, first), 3, dims);
  });
  check_same(context.get(), "broadcast_to(f, shape=[2, n, 4])", [](const Operands& o) {
    const harp_dim dims[] = {2, o.n, 4};
    return harp_broadcast_to(o.f, 3, dims);
  });
  check_same(context.get(), "reshape(f, shape=[2, -1])", [](const Operands& o) {
    const harp_dim dims[] = {2, -1};
    return harp_reshape(o.f, 2, dims);
  });
  check_same(context.get(), "flatten(f, start_axis=0, end_axis=-1)", [](const Operands& o) { return harp_flatten(o.f, 0, -1); });
  check_same(context.get(), "slice(f, start=[1, none], stop=[none, -1], step=[1, 2])", [](const Operands& o) {
    const harp_dim start[] = {1, HARP_SLICE_NONE}, stop[] = {HARP_SLICE_NONE, -1};
    const int64_t step[] = {1, 2};
    return harp_slice(o.f, 2, start, stop, step);
  });
  check_same(context.get(), "slice(f, start=[n // 2, none])", [](const Operands& o) {
    const harp_dim start[] = {harp_dim_floor_div(o.g, o.n, 2), HARP_SLICE_NONE};
    return harp_slice(o.f, 2, start, nullptr, nullptr);
  });
  check_same(context.get(), "unfold(d, axes=[0, 1], size=[2, 3], stride=[1, 2], dilation=[2, 1])", [&](const Operands& o) {
    const int32_t axes[] = {0, 1};
    const harp_dim size[] = {2, 3};
    const int64_t stride[] = {1, 2}, dilation[] = {2, 1};
    return harp_unfold(o.d, 2, axes, 2, size, 2, stride, 2, dilation);
  });
  const harp_dim size[] = {2, 3, 1}, padding[] = {1, 0, 2, 1};
  check_same(context.get(), "unfold1d(d, size=[2])",
             [&](const Operands& o) { return harp_unfold1d(o.d, 1, size, 0, nullptr, 0, nullptr, 0, nullptr); });
  check_same(context.get(), "unfold2d(d, size=[2, 3], padding=[[1, 0], [2, 1]])",
             [&](const Operands& o) { return harp_unfold2d(o.d, 2, size, 0, nullptr, 0, nullptr, 4, padding); });
  check_same(context.get(), "unfold3d(unsqueeze(d, axes=[-1]), size=[2, 3, 1])", [&](const Operands& o) {
    const int32_t at_end[] = {-1};
    return harp_unfold3d(harp_unsqueeze(o.d, 1, at_end), 3, size, 0, nullptr, 0, nullptr, 0, nullptr);
  });
}

TEST_CASE("G14: joins, padding, repetition") {
  const Context context = make_context();
  check_same(context.get(), "concat(f, f2, axis=1)", [](const Operands& o) {
    harp_node* const nodes[] = {o.f, o.f2};
    return harp_concat(2, nodes, 1);
  });
  check_same(context.get(), "stack(f, f2, axis=-1)", [](const Operands& o) {
    harp_node* const nodes[] = {o.f, o.f2};
    return harp_stack(2, nodes, -1);
  });
  const harp_dim before[] = {1, 0}, after[] = {2, 3};
  check_same(context.get(), "pad(f, before=[1, 0], after=[2, 3], value=0.5)",
             [&](const Operands& o) { return harp_pad(o.f, 2, before, after, nullptr, harp_constant(o.g, HARP_F32, 0.5)); });
  check_same(context.get(), "pad(d, before=[1, 0], after=[2, 3], mode=reflect)",
             [&](const Operands& o) { return harp_pad(o.d, 2, before, after, "reflect", nullptr); });
  check_same(context.get(), "repeat(f, repeats=3, axis=0)", [](const Operands& o) { return harp_repeat(o.f, 3, 0); });
  check_same(context.get(), "repeat(d, repeats=2)", [](const Operands& o) { return harp_repeat(o.d, 2, HARP_AXIS_NONE); });
  const harp_dim counts[] = {2, 1, 3};
  check_same(context.get(), "tile(d, repeats=[2, 1, 3])", [&](const Operands& o) { return harp_tile(o.d, 3, counts); });
  check_same(context.get(), "roll(f, shift=[1, -2], axis=[0, 1])", [](const Operands& o) {
    const harp_dim shift[] = {1, -2};
    const int32_t axes[] = {0, 1};
    return harp_roll(o.f, 2, shift, axes);
  });
  check_same(context.get(), "check_index(i, size=7)", [](const Operands& o) { return harp_check_index(o.i, 7, nullptr); });
  check_same(context.get(), "check_index(i, size=9, what=\"rows\")", [](const Operands& o) { return harp_check_index(o.i, 9, "rows"); });
  check_same(context.get(), "take(f, i, axis=1)", [](const Operands& o) { return harp_take(o.f, o.i, 1); });
  check_same(context.get(), "take(b, i)", [](const Operands& o) { return harp_take(o.b, o.i, HARP_AXIS_NONE); });
  check_same(context.get(), "take(d, 3, axis=-1)",
             [](const Operands& o) { return harp_take(o.d, harp_constant_i64(o.g, HARP_I64, 3), -1); });
  check_same(context.get(), "sort(f, axis=0)", [](const Operands& o) { return harp_sort(o.f, 0, 0); });
  check_same(context.get(), "sort(i, axis=none, descending=true)", [](const Operands& o) { return harp_sort(o.i, HARP_AXIS_NONE, 1); });
  check_same(context.get(), "argsort(d, descending=true)", [](const Operands& o) { return harp_argsort(o.d, -1, 1); });
  check_same(context.get(), "searchsorted(reshape(f, shape=[-1]), f, side=\"right\")", [](const Operands& o) {
    const harp_dim all = -1;
    return harp_searchsorted(harp_reshape(o.f, 1, &all), o.f, "right");
  });
  check_same(context.get(), "fft(f)", [](const Operands& o) { return harp_fft(o.f, 0, -1, nullptr); });
  check_same(context.get(), "ifft(d, n=7, axis=0, norm=\"ortho\")", [](const Operands& o) { return harp_ifft(o.d, 7, 0, "ortho"); });
  check_same(context.get(), "rfft(f, axis=0)", [](const Operands& o) { return harp_rfft(o.f, 0, 0, "backward"); });
  check_same(context.get(), "irfft(f, n=9, norm=\"forward\")", [](const Operands& o) { return harp_irfft(o.f, 9, -1, "forward"); });
  check_same(context.get(), "dft(f, f2)", [](const Operands& o) { return harp_dft(o.f, o.f2); });
  check_same(context.get(), "take_along_axis(f, i)", [](const Operands& o) { return harp_take_along_axis(o.f, o.i, -1); });
  check_same(context.get(), "scatter_add(f, i, f2)", [](const Operands& o) { return harp_scatter_add(o.f, o.i, o.f2, -1); });
  check_same(context.get(), "scatter_add(i, i2, i, axis=0)", [](const Operands& o) { return harp_scatter_add(o.i, o.i2, o.i, 0); });
  check_same(context.get(), "index_add(f, arange(stop=4), f2, axis=1)",
             [](const Operands& o) { return harp_index_add(o.f, harp_arange(o.g, HARP_I32, 0, 4, 1), o.f2, 1); });
  check_same(context.get(), "roll(d, shift=[4])", [](const Operands& o) {
    const harp_dim shift[] = {4};
    return harp_roll(o.d, 1, shift, nullptr);
  });

  const Graph g = make_graph(context.get());
  const Operands o = declare(g.get());
  harp_node* parts[3] = {};
  REQUIRE(harp_split(o.d, 3, 0, parts) == HARP_OK);
  harp_dim dims[2];
  REQUIRE(harp_node_dims(parts[2], 2, dims, nullptr) == HARP_OK);
  CHECK(dims[0] == 2);
  const harp_dim positions[] = {1, 4};
  REQUIRE(harp_split_at(o.d, 2, positions, 1, parts) == HARP_OK);
  REQUIRE(harp_node_dims(parts[1], 2, dims, nullptr) == HARP_OK);
  CHECK(dims[1] == 3);
}

TEST_CASE("G12.arange/interp G11.constants/c: new arrays and constants") {
  const Context context = make_context();
  const harp_dim dims[] = {2, 3};
  check_same(context.get(), "full(shape=[2, 3], value=7, dtype=i32)",
             [&](const Operands& o) { return harp_full(harp_constant(o.g, HARP_I32, 7), 2, dims); });
  check_same(context.get(), "arange(n=n)", [](const Operands& o) { return harp_arange(o.g, HARP_I32, 0, o.n, 1); });
  check_same(context.get(), "arange(start=9, stop=2, step=-3, dtype=f32)",
             [](const Operands& o) { return harp_arange(o.g, HARP_F32, 9, 2, -3); });
  check_same(context.get(), "linspace(start=0, stop=1, n=11, dtype=f64)",
             [](const Operands& o) { return harp_linspace(o.g, HARP_F64, 0, 1, 11); });
  check_same(context.get(), "eye(rows=3, columns=4, dtype=i64)", [](const Operands& o) { return harp_eye(o.g, HARP_I64, 3, 4); });
  check_same(context.get(), "tril(d, k=1)", [](const Operands& o) { return harp_tril(o.d, 1); });
  check_same(context.get(), "triu(d, k=-1)", [](const Operands& o) { return harp_triu(o.d, -1); });
  check_same(context.get(), "one_hot(i, depth=5, dtype=f32)", [](const Operands& o) { return harp_one_hot(o.i, 5, HARP_F32); });
  check_same(context.get(), "size(2*n)", [](const Operands& o) { return harp_size(o.g, harp_dim_mul(o.g, 2, o.n)); });
  check_same(context.get(), "f64(0.1)", [](const Operands& o) { return harp_constant(o.g, HARP_F64, 0.1); });
  check_same(context.get(), "i64(-9223372036854775808)", [](const Operands& o) { return harp_constant_i64(o.g, HARP_I64, INT64_MIN); });
  check_same(context.get(), "i32(7)", [](const Operands& o) { return harp_constant_u64(o.g, HARP_I32, 7); });
  check_same(context.get(), "f32(18446744073709551615)", [](const Operands& o) { return harp_constant_u64(o.g, HARP_F32, UINT64_MAX); });
  check_same(context.get(), "bool(true)", [](const Operands& o) { return harp_constant_bool(o.g, 1); });
  check_same(context.get(), "constant_array([[1, 2, 3], [4, 5, 6]], dtype=f32)", [&](const Operands& o) {
    const float data[] = {1, 2, 3, 4, 5, 6};
    return harp_constant_array(o.g, HARP_F32, 2, dims, sizeof data, data);
  });
}

TEST_CASE("G16.dims: arithmetic of symbolic sizes") {
  const Context context = make_context();
  const Graph g = make_graph(context.get());
  harp_graph* graph = g.get();
  const harp_dim n = harp_dim_var(graph, "n", 1, 100), m = harp_dim_var(graph, "m", 0, 7);
  CHECK(n < -(INT64_C(1) << 62));
  CHECK(harp_dim_var(graph, "n", 1, 100) == n);
  const auto text = [&](harp_dim dim) { return take(harp_dim_print(graph, dim, nullptr)); };
  CHECK(harp_dim_add(graph, 2, 3) == 5);
  CHECK(harp_dim_sub(graph, 2, 5) == -3);
  CHECK(harp_dim_floor_div(graph, -7, 2) == -4);
  CHECK(harp_dim_mod(graph, -7, 2) == 1);
  CHECK(harp_dim_add(graph, n, n) == harp_dim_mul(graph, n, 2));
  CHECK(harp_dim_sub(graph, harp_dim_add(graph, n, m), m) == n);
  CHECK(text(harp_dim_add(graph, harp_dim_mul(graph, 2, n), 1)) == "2*n + 1");
  CHECK(text(harp_dim_floor_div(graph, n, 2)) == "n // 2");
  CHECK(text(harp_dim_mod(graph, n, 3)) == "n % 3");
  CHECK(text(harp_dim_min(graph, n, m)) == "min(n, m)");
  CHECK(text(harp_dim_max(graph, n, 0)) == "n");
  CHECK(harp_graph_error(graph) == nullptr);

  // Queries about nodes
  const harp_dim dims[] = {harp_dim_add(graph, n, 1), 4};
  harp_node* x = harp_input(graph, "x", HARP_F32, 2, dims);
  harp_node* h = harp_node_set_name(harp_exp(x), "h");
  CHECK(harp_node_rank(h) == 2);
  CHECK(harp_node_dtype(h) == HARP_F32);
  CHECK(std::string(harp_node_name(h)) == "h");
  CHECK(std::string(harp_node_name(nullptr)).empty());
  CHECK(harp_node_graph(h) == graph);
  CHECK(harp_exp(x) == h);  // the same operation on the same node gives the same node
  harp_dim got[2];
  REQUIRE(harp_node_dims(h, 2, got, nullptr) == HARP_OK);
  CHECK(got[0] == dims[0]);
  CHECK(got[1] == 4);
}

TEST_CASE("G4.cumsum,cumprod,cummax,cummin/interp G22.logcumsumexp/interp G4: running values, and flags that do not exist") {
  const Context context = make_context();
  check_same(context.get(), "cumsum(f, axis=1)", [](const Operands& o) { return harp_cumsum(o.f, 1, 0); });
  check_same(context.get(), "cumprod(f, axis=-1, exclusive=true)",
             [](const Operands& o) { return harp_cumprod(o.f, -1, HARP_SCAN_EXCLUSIVE); });
  check_same(context.get(), "cummax(b, axis=0, reverse=true)", [](const Operands& o) { return harp_cummax(o.b, 0, HARP_SCAN_REVERSE); });
  check_same(context.get(), "cummin(i, exclusive=true, reverse=true)",
             [](const Operands& o) { return harp_cummin(o.i, HARP_AXIS_NONE, HARP_SCAN_EXCLUSIVE | HARP_SCAN_REVERSE); });
  check_same(context.get(), "logcumsumexp(f, axis=1, reverse=true)",
             [](const Operands& o) { return harp_logcumsumexp(o.f, 1, HARP_SCAN_REVERSE); });
  check_same(context.get(), "logcumsumexp(f, exclusive=true)",
             [](const Operands& o) { return harp_logcumsumexp(o.f, HARP_AXIS_NONE, HARP_SCAN_EXCLUSIVE); });
  const Graph graph = make_graph(context.get());
  const harp_dim dims[] = {2, 4};
  harp_node* x = harp_input(graph.get(), "x", HARP_F32, 2, dims);
  CHECK(harp_cumsum(x, 0, 4) == nullptr);
  CHECK(harp_error_code(harp_graph_error(graph.get())) == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(std::string(harp_error_message(harp_graph_error(graph.get()))).find("cumsum: flags is 4") != std::string::npos);
}

TEST_CASE("G3 G5: indices of extremes, norms, diagonals") {
  const Context context = make_context();
  const int32_t rows[] = {0}, columns[] = {-1};
  check_same(context.get(), "argmax(f, axis=1, keepdims=true)", [](const Operands& o) { return harp_argmax(o.f, 1, 1); });
  check_same(context.get(), "argmin(b)", [](const Operands& o) { return harp_argmin(o.b, HARP_AXIS_NONE, 0); });
  check_same(context.get(), "norm(f, ord=3, axes=[-1])", [&](const Operands& o) { return harp_norm(o.f, 3, 1, columns, 0); });
  check_same(context.get(), "norm(d, ord=inf)", [](const Operands& o) { return harp_norm(o.d, INFINITY, 0, nullptr, 0); });
  check_same(context.get(), "std(f, axes=[0], correction=1, keepdims=true)",
             [&](const Operands& o) { return harp_std(o.f, 1, rows, 1, 1); });
  check_same(context.get(), "real(i)", [](const Operands& o) { return harp_real(o.i); });
  check_same(context.get(), "imag(f)", [](const Operands& o) { return harp_imag(o.f); });
  check_same(context.get(), "conj(f)", [](const Operands& o) { return harp_conj(o.f); });
  check_same(context.get(), "diagonal(d, offset=-2, axis1=1, axis2=0)", [](const Operands& o) { return harp_diagonal(o.d, -2, 1, 0); });
  check_same(context.get(), "trace(d)", [](const Operands& o) { return harp_trace(o.d, 0, 0, 1); });
}

TEST_CASE("G14: unstack and meshgrid give all results, or none") {
  const Context context = make_context();
  const auto parsed = [&](const std::string& statements) {
    return take(harp_graph_print(parse(context.get(), kHead + statements).get(), nullptr));
  };
  {
    const Graph g = make_graph(context.get());
    const Operands o = declare(g.get());
    harp_node* parts[4] = {};
    REQUIRE(harp_unstack(o.f, 1, 4, parts) == HARP_OK);
    harp_output(g.get(), "y", harp_add(parts[0], parts[3]));
    CHECK(take(harp_graph_print(g.get(), nullptr)) ==
          parsed("  return y = reshape(slice(f, stop=[none, 1]), shape=[n]) + reshape(slice(f, start=[none, 3]), shape=[n])\n}\n"));
  }
  {
    const Graph g = make_graph(context.get());
    const Operands o = declare(g.get());
    harp_node* axes[] = {harp_node_set_name(harp_arange(o.g, HARP_I32, 0, 3, 1), "p"),
                         harp_node_set_name(harp_arange(o.g, HARP_I32, 0, o.n, 1), "q")};
    harp_node* grids[2] = {};
    REQUIRE(harp_meshgrid(2, axes, nullptr, grids) == HARP_OK);
    harp_output(g.get(), "y", harp_add(grids[0], grids[1]));
    CHECK(take(harp_graph_print(g.get(), nullptr)) ==
          parsed("  p = arange(n=3)\n  q = arange(n=n)\n"
                 "  return y = broadcast_to(p, shape=[n, 3]) + broadcast_to(reshape(q, shape=[n, 1]), shape=[n, 3])\n}\n"));
    CHECK(harp_meshgrid(0, nullptr, nullptr, grids) == HARP_ERROR_INVALID_ARGUMENT);
    CHECK(harp_graph_error(g.get()) == nullptr);
    harp_node* before = grids[0];
    CHECK(harp_meshgrid(2, axes, "yx", grids) == HARP_ERROR_INVALID_ARGUMENT);
    CHECK(grids[0] == before);
    CHECK(harp_unstack(axes[0], 0, 3, grids) == HARP_ERROR_INVALID_ARGUMENT);  // fails, because the graph still has its first error
  }
  CHECK(harp_unstack(nullptr, 0, 0, nullptr) == HARP_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("G13.custom_results: a custom function gives all results, or none") {
  const Context context = make_context();
  const char* body = "output0 = input0[ridx0, 0]\noutput1 = ridx0\nfor i in 1 .. 4 { output0 = output0 + input0[ridx0, i] }";
  const harp_dtype dtypes[] = {HARP_F32, HARP_I64};
  const Graph g = make_graph(context.get());
  const Operands o = declare(g.get());
  harp_custom_function_desc desc = HARP_CUSTOM_FUNCTION_DESC_INIT;
  desc.body = body, desc.dtype = HARP_BOOL, desc.rank = 1, desc.dims = &o.n;
  harp_node* results[2] = {};
  REQUIRE(harp_custom_function_results(1, &o.f, &desc, 2, dtypes, results) == HARP_OK);
  harp_output(g.get(), "y", harp_mul(results[0], harp_cast(results[1], HARP_F32)));
  const Graph same = parse(context.get(), std::string(kHead) + "  total, at = custom_function(f, body=\"\"\"" + body +
                                              "\"\"\", dtype=[f32, i64], shape=[n])\n  return y = total * cast(at, dtype=f32)\n}\n");
  harp_node_set_name(results[0], "total");
  harp_node_set_name(results[1], "at");
  CHECK(take(harp_graph_print(g.get(), nullptr)) == take(harp_graph_print(same.get(), nullptr)));

  // With a single result, the function returns the same node as harp_custom_function.
  desc.body = "output = input0[ridx0, 0]", desc.dtype = HARP_F32;
  harp_node* one = nullptr;
  REQUIRE(harp_custom_function_results(1, &o.f, &desc, 1, dtypes, &one) == HARP_OK);
  CHECK(one == harp_custom_function(1, &o.f, &desc));

  harp_node* const before = results[0];
  // fails, because a body with two results must set output0
  CHECK(harp_custom_function_results(1, &o.f, &desc, 2, dtypes, results) == HARP_ERROR_PARSE);
  CHECK(results[0] == before);
  // fails, because the graph still has its error
  CHECK(harp_custom_function_results(1, &o.f, &desc, 1, dtypes, &one) == HARP_ERROR_INVALID_ARGUMENT);
  desc.graph = nullptr;
  CHECK(harp_custom_function_results(0, nullptr, &desc, 1, dtypes, &one) == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(harp_custom_function_results(0, nullptr, nullptr, 1, dtypes, &one) == HARP_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("G8.outer G15: products, convolutions and pools, layers and losses") {
  const Context context = make_context();
  const int32_t rows[] = {0}, columns[] = {-1};
  check_same(context.get(), "d @ d", [](const Operands& o) { return harp_matmul(o.d, o.d); });
  check_same(context.get(), "batch_matmul(d, d)", [](const Operands& o) { return harp_batch_matmul(o.d, o.d); });
  check_same(context.get(), "dot(i, transpose(i2))", [](const Operands& o) { return harp_dot(o.i, harp_transpose(o.i2, 0, nullptr)); });
  check_same(context.get(), "vecdot(f, f2, axis=0)", [](const Operands& o) { return harp_vecdot(o.f, o.f2, 0); });
  check_same(context.get(), "tensordot(f, f2, a_axes=[0], b_axes=[0])",
             [&](const Operands& o) { return harp_tensordot(o.f, o.f2, 1, rows, rows); });
  check_same(context.get(), "outer(i, i2)", [](const Operands& o) { return harp_outer(o.i, o.i2); });
  check_same(context.get(), "einsum(f, f2, spec=\"ij,kj->ik\")", [](const Operands& o) {
    harp_node* nodes[] = {o.f, o.f2};
    return harp_einsum("ij,kj->ik", 2, nodes);
  });

  // Returns the operand d, reshaped to the shape x, followed by arrays of ones with the shapes in `ones`. The text parser creates the nodes
  // in the same order.
  const auto arrays = [](const Operands& o, const std::vector<harp_dim>& x, const std::vector<std::vector<harp_dim>>& ones) {
    std::vector<harp_node*> made = {harp_reshape(o.d, static_cast<int32_t>(x.size()), x.data())};
    for (const std::vector<harp_dim>& dims : ones)
      made.push_back(harp_full(harp_constant(o.g, HARP_F64, 1), static_cast<int32_t>(dims.size()), dims.data()));
    return made;
  };
  const int64_t two[] = {2, 2, 2}, one[] = {1, 1, 1};
  const harp_dim padding[] = {1, 0, 0, 1, 1, 1}, window[] = {2, 3};
  check_same(context.get(), "conv1d(reshape(d, shape=[3, 2, 6]), full([4, 1, 2], 1, dtype=f64), full([4], 1, dtype=f64), groups=2)",
             [&](const Operands& o) {
               const auto a = arrays(o, {3, 2, 6}, {{4, 1, 2}, {4}});
               return harp_conv1d(a[0], a[1], a[2], 0, nullptr, 0, nullptr, 0, nullptr, 2);
             });
  check_same(context.get(),
             "conv2d(reshape(d, shape=[1, 1, 6, 6]), full([4, 1, 2, 2], 1, dtype=f64), stride=2, padding=[[1, 0], [0, 1]], dilation=2)",
             [&](const Operands& o) {
               const auto a = arrays(o, {1, 1, 6, 6}, {{4, 1, 2, 2}});
               return harp_conv2d(a[0], a[1], nullptr, 1, two, 4, padding, 2, two, 1);
             });
  check_same(context.get(), "conv3d(reshape(d, shape=[1, 1, 4, 3, 3]), full([4, 1, 2, 2, 2], 1, dtype=f64), padding=[[1, 0], [0, 1], 1])",
             [&](const Operands& o) {
               const auto a = arrays(o, {1, 1, 4, 3, 3}, {{4, 1, 2, 2, 2}});
               return harp_conv3d(a[0], a[1], nullptr, 0, nullptr, 6, padding, 0, nullptr, 1);
             });
  check_same(
      context.get(),
      "conv_transpose1d(reshape(d, shape=[3, 2, 6]), full([2, 1, 2], 1, dtype=f64), full([2], 1, dtype=f64), stride=2, output_padding=1, "
      "groups=2)",
      [&](const Operands& o) {
        const auto a = arrays(o, {3, 2, 6}, {{2, 1, 2}, {2}});
        return harp_conv_transpose1d(a[0], a[1], a[2], 1, two, 0, nullptr, 1, one, 2, 0, nullptr);
      });
  check_same(context.get(),
             "conv_transpose2d(reshape(d, shape=[1, 1, 6, 6]), full([1, 4, 2, 2], 1, dtype=f64), padding=[[1, 0], [0, 1]], dilation=2)",
             [&](const Operands& o) {
               const auto a = arrays(o, {1, 1, 6, 6}, {{1, 4, 2, 2}});
               return harp_conv_transpose2d(a[0], a[1], nullptr, 0, nullptr, 4, padding, 0, nullptr, 1, 2, two);
             });
  check_same(context.get(), "conv_transpose3d(reshape(d, shape=[1, 1, 4, 3, 3]), full([1, 4, 2, 2, 2], 1, dtype=f64))",
             [&](const Operands& o) {
               const auto a = arrays(o, {1, 1, 4, 3, 3}, {{1, 4, 2, 2, 2}});
               return harp_conv_transpose3d(a[0], a[1], nullptr, 0, nullptr, 0, nullptr, 0, nullptr, 1, 0, nullptr);
             });
  const auto pool_options = [](const std::function<void(harp_pool_options&)>& set) {
    harp_pool_options options = HARP_POOL_OPTIONS_INIT;
    set(options);
    return options;
  };
  const harp_pool_options padded = pool_options([&](harp_pool_options& p) { p.n_padding = 4, p.padding = padding; });
  const harp_pool_options wide =
      pool_options([&](harp_pool_options& p) { p.n_stride = 2, p.stride = two, p.n_dilation = 1, p.dilation = two, p.ceil_mode = 1; });
  const harp_pool_options uncounted = pool_options([&](harp_pool_options& p) { p.n_stride = 1, p.stride = two, p.count_include_pad = 0; });
  check_same(context.get(), "max_pool(d, size=[2, 3])", [&](const Operands& o) { return harp_max_pool(o.d, 2, window, nullptr); });
  check_same(context.get(), "max_pool(d, size=[2, 3], padding=[[1, 0], [0, 1]])",
             [&](const Operands& o) { return harp_max_pool(o.d, 2, window, &padded); });
  check_same(context.get(), "avg_pool(d, size=[2, 3], stride=2, count_include_pad=false)",
             [&](const Operands& o) { return harp_avg_pool(o.d, 2, window, &uncounted); });
  check_same(context.get(), "avg_pool(d, size=[2, 3], stride=2, dilation=2, ceil_mode=true)",
             [&](const Operands& o) { return harp_avg_pool(o.d, 2, window, &wide); });
  check_same(context.get(), "max_unpool(d, cast(d, dtype=i32), size=[2, 3], padding=[[1, 0], [0, 1]])",
             [&](const Operands& o) { return harp_max_unpool(o.d, harp_cast(o.d, HARP_I32), 2, window, &padded, 0, nullptr); });
  check_same(context.get(), "max_unpool(d, cast(d, dtype=i32), size=[2, 3], output_size=[2, 3])",
             [&](const Operands& o) { return harp_max_unpool(o.d, harp_cast(o.d, HARP_I32), 2, window, nullptr, 2, window); });

  check_same(context.get(), "layer_norm(f, axes=[-1], weight=full([4], 1, dtype=f32), eps=0.5)", [&](const Operands& o) {
    const harp_dim four = 4;
    return harp_layer_norm(o.f, 1, columns, harp_full(harp_constant(o.g, HARP_F32, 1), 1, &four), nullptr, 0.5);
  });
  check_same(context.get(), "rms_norm(f, axes=[0])",
             [&](const Operands& o) { return harp_rms_norm(o.f, 1, rows, nullptr, nullptr, 1e-5); });
  check_same(context.get(), "mse_loss(f, f2)", [](const Operands& o) { return harp_mse_loss(o.f, o.f2, nullptr); });
  check_same(context.get(), "cross_entropy(f, argmax(f2, axis=1), reduction=\"sum\")", [](const Operands& o) {
    return harp_cross_entropy(o.f, harp_argmax(o.f2, 1, 0), HARP_AXIS_NONE, nullptr, HARP_CLASS_NONE, 0, "sum");
  });
  check_same(context.get(), "cross_entropy(f, f2, axis=0)",
             [](const Operands& o) { return harp_cross_entropy(o.f, o.f2, 0, nullptr, HARP_CLASS_NONE, 0, nullptr); });
}
