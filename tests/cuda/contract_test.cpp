// Tests what the contract (tests/rows.txt) demands of results on GPUs beyond single operations, which the op matrix tests: shapes that
// broadcast, sets of axes, complex numbers, sizes that are expressions, functions of the user, and what is fused into one kernel. The
// results must be bit-identical to the interpreter's in every order of threads; other tests compare the interpreter with NumPy.
#include "cuda/checked_programs.h"
#include "cuda/fake/host.h"

using namespace harp;
using namespace harp::cuda_test;

namespace {

/// Adds a program and checks that harp fuses it into one kernel. (This kernel may have variants and phases, each of which is a function of
/// the CUDA text.)
void add_one_kernel(CheckedPrograms& programs, const std::string& body, std::vector<std::vector<int64_t>> sizes) {
  programs.add(body, std::move(sizes));
  const std::string schedule = emit_stage(*programs.last().test.graph, options_for_cuda(false), "schedule");
  CHECK_MESSAGE(schedule.starts_with("program g: 1 kernels"), body, "\n", schedule);
}

/// Returns the elements of an array on a GPU.
template <class T>
std::vector<T> read(const capi_test::Buffer& buffer) {
  std::vector<T> items(harp_buffer_size(buffer.get()) / sizeof(T));
  CHECK(harp_buffer_read(buffer.get(), harp_buffer_size(buffer.get()), items.data(), nullptr) == HARP_OK);
  return items;
}

}  // namespace

TEST_CASE("G3.axes,full/cuda: every set of axes, kept or removed, of full and empty arrays") {
  CheckedPrograms programs;
  std::string values;
  for (int bits = 1; bits < 16; ++bits) {
    std::vector<int> axes;
    for (int axis = 0; axis < 4; ++axis)
      if ((bits >> axis & 1) != 0) axes.push_back(axis);
    append(values, cat(", r", bits, " = sum(x, axes=[", join(axes, ", "), "], keepdims=", bits % 2 == 0 ? "true" : "false", ")"));
  }
  programs.add(cat("x: f32[a, b, c, d]) {\n  return r = sum(x)", values), {{2, 3, 4, 5}, {3, 1, 0, 2}});
  programs.check();
}

TEST_CASE("G7.identical,scalar/cuda G8.right_aligned,stretch,left_axes/cuda B.shapes,values/cuda: shapes that go together") {
  CheckedPrograms programs;
  programs.add("x: f32[n, m], y: f32[n, m], s: f32[]) {\n  return r = add(x, y), p = mul(x, s), q = mul(s, x)", {{3, 4}, {1, 0}});
  const auto add = [&](std::string_view x, std::string_view y) {
    programs.add(cat("x: f32", x, ", y: f32", y, ") flags=[broadcast] {\n  return r = x * y + x, d = y - x"));
  };
  add("[3, 4]", "[4]"), add("[4]", "[3, 4]"), add("[3, 4]", "[1, 4]"), add("[3, 1]", "[1, 4]"), add("[2, 3, 4]", "[3, 1]");
  add("[1]", "[2, 0]"), add("[5, 1, 2]", "[3, 1]"), add("[]", "[3]"), add("[2, 1, 1]", "[2, 3]");
  programs.add("x: f32[n, 1, k], y: f32[m, 1]) flags=[broadcast] {\n  return r = x + y", {{2, 3, 4}, {1, 1, 1}, {0, 2, 5}});
  programs.check();
}

TEST_CASE("B.outer,outer_broadcast,stack_mode/cuda: every element with every element, and scalars as one leading axis") {
  CheckedPrograms programs;
  programs.add(
      "x: f32[n], y: f32[m], a: f32[2, 2], s: f32[]) flags=[broadcast] {\n"
      "  return p = outer(x, y), q = unsqueeze(x, axes=[1]) * y, r = einsum(x, y, spec=\"i,j->ij\"), u = unsqueeze(x, axes=[1]) + y,\n"
      "  v = maximum(unsqueeze(x, axes=[1]), y - 3), w = outer(a, y), z = outer(s, y)",
      {{3, 2}, {0, 2}, {70, 90}});
  programs.add(
      "a: f32[], b: f32[], c: f32[], r: f32[2, n]) flags=[broadcast] {\n  all = stack([a, b, c])\n  x, y, z = unstack(all * 10 + 1)\n"
      "  u, v = unstack(r * 2)\n  return s = all, p = x, q = y, w = z, t = sum(all), rows = u + v, back = stack([x, y, z])",
      {{0}, {3}, {100}});
  programs.check();
}

TEST_CASE("G10.add,mul,neg,recip,conj,abs,real,imag,complex_from_parts,sum,prod,cumsum,cumprod/cuda: complex numbers") {
  CheckedPrograms programs;
  for (const std::string_view dtype : {"complex64", "complex128"})
    programs.add(cat("x: ", dtype, "[n, 40], y: ", dtype,
                     "[n, 40]) {\n  return a = add(x, y), b = mul(x, y), c = neg(x), d = recip(x), e = conj(x), f = abs(x),\n"
                     "  g = complex_from_parts(imag(x), real(y)), h = sum(x, axes=[1]), i = prod(x, axes=[0]), j = cumsum(x, axis=1),\n"
                     "  k = cumprod(y, axis=1), l = cumsum(x, axis=0)"),
                 {{0}, {1}, {35}});
  programs.check();
}

TEST_CASE("G12.cast_noop/cuda G16.slices,one_kernel/cuda: sizes that are expressions, and one program for all of them") {
  CheckedPrograms programs;
  programs.add(
      "x: f32[n], t: f32[2*n]) {\n  d = slice(x, start=[1]) - slice(x, stop=[-1])\n  e = slice(x, start=[-1]) + slice(x, stop=[1])\n"
      "  h = slice(t, step=[2]) - slice(t, start=[1], step=[2])\n"
      "  second = slice(d, start=[1]) - slice(d, stop=[-1]) + slice(x, start=[1], stop=[-1])\n"
      "  return d = d, e = e, h = h, second = second, s = sum(t), r = arange(n=2*n + 1), c = neg(cast(x, dtype=f32))",
      {{0}, {1}, {2}, {3}, {17}, {4100}});
  CHECK_FALSE(programs.has("cast"));
  programs.check();
}

TEST_CASE("G9.unknown/cuda G16.binding/cuda: runs infer what the axes of inputs say, and numbers without a dtype") {
  const fake_cuda::Driver driver;
  {
    const capi_test::Context context = fake_cuda::make_context(driver);
    const capi_test::Program program = fake_cuda::compile_for_gpu(
        context.get(),
        "harp 1\nshape h in 0..9\ngraph g(x: f32[m + 1], y: f32[32*h, 32*w], z: f32[3 - k], a: i8[4]) {\n"
        "  return r = sum(x) * cast(size(m), dtype=f32), b = sum(y, axes=[1]), c = arange(n=h + 10*w), d = z + cast(size(k), dtype=f32), "
        "p = a + 3, q = 3 - x\n}\n");
    std::vector<float> x = {1, 2, 3}, y(64 * 32, 0.5f), z = {5};
    std::vector<int8_t> a = {1, -2, 125, 127};
    const std::vector<capi_test::Buffer> inputs = [&] {
      std::vector<capi_test::Buffer> all;
      all.push_back(capi_test::wrap(context.get(), x, {3}));
      all.push_back(capi_test::wrap(context.get(), y, {64, 32}));
      all.push_back(capi_test::wrap(context.get(), z, {1}));
      all.push_back(capi_test::wrap(context.get(), a, {4}));
      return all;
    }();
    harp_run_options options = HARP_RUN_OPTIONS_INIT;
    options.flags = HARP_RUN_STAGE;
    capi_test::ErrorSlot err;
    const std::vector<capi_test::Buffer> out =
        capi_test::run(program.get(), {inputs[0].get(), inputs[1].get(), inputs[2].get(), inputs[3].get()}, err, &options);
    REQUIRE_MESSAGE(out.size() == 6, err.message());
    CHECK(read<float>(out[0]) == std::vector<float>{12});
    CHECK(read<float>(out[1]) == std::vector<float>(64, 16));
    CHECK(capi_test::dims(out[2].get()) == std::vector<int64_t>{12});
    CHECK(read<float>(out[3]) == std::vector<float>{7});
    CHECK(read<int8_t>(out[4]) == std::vector<int8_t>{4, 1, -128, -126});
    CHECK(read<float>(out[5]) == std::vector<float>{2, 1, 0});
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

TEST_CASE("G13.custom_elementwise,custom_reduce,custom_cumulative,custom_function,custom_fuses/cuda: functions of the user") {
  CheckedPrograms programs;
  add_one_kernel(programs, "a: f32[n, 3], b: f32[n, 3]) {\n  return y = custom_elementwise(a, b, expr=\"exp(x0 * x1) - 1\") * b",
                 {{0}, {5}, {100}});
  programs.add(
      "a: f32[n, m], b: f32[n, m]) {\n  return s = custom_reduce(a, b, expr=\"(x0 - x1) * (x0 - x1)\", op=sum, axes=[1]), "
      "m = custom_reduce(a, b, expr=\"x0 * x1\", op=max, axes=[0], keepdims=true), p = custom_reduce(a, expr=\"sign(x0)\", op=prod)",
      {{0, 5}, {7, 300}});
  programs.add(
      "a: f32[n, m], b: f32[n, m]) {\n  return s = custom_cumulative(a, b, expr=\"x0 * x1 - 1\", op=sum, axis=-1),\n"
      "  m = custom_cumulative(a, b, expr=\"x0 - x1\", op=max, axis=0, exclusive=true, reverse=true)",
      {{0, 5}, {7, 300}});
  // A body that is an expression is computed in the kernel that uses the result.
  add_one_kernel(programs,
                 "x: f32[n, m], w: f32[m]) {\n  h = custom_function(exp(x), w * 2, body=\"\"\"let a = input0[ridx0, ridx1]\n"
                 "if a > 1 { output = a * input1[ridx1] } else { output = f32(ridx0) }\"\"\", dtype=f32, shape=[n, m])\n"
                 "  return y = sin(h) + x",
                 {{1, 1}, {5, 70}});
  programs.check();
}

TEST_CASE("G15.variance/cuda: mean and variance of rows and columns, biased and not") {
  CheckedPrograms programs(3);
  programs.add(
      "x: f32[n, m], y: f64[n, m]) {\n  return a = var(x, axes=[1]), b = var(x, axes=[0], correction=0), c = var(y), d = std(y, axes=[0])",
      {{2, 2}, {5, 300}, {300, 5}});
  programs.check();
}

TEST_CASE("G17.elementwise,into_reduce,into_cumulative,epilogue,softmax,layer_norm/cuda: what is one kernel on a GPU") {
  CheckedPrograms programs(3);
  const std::vector<std::vector<int64_t>> sizes = {{0, 3}, {1, 1}, {5, 70}};
  add_one_kernel(programs, "x: f32[n, m], y: f32[m, n]) {\n  return z = exp(x) * flip(x, axes=[1]) + permute(y, [1, 0])", sizes);
  add_one_kernel(programs, "x: f32[n, m], y: f32[n, m]) {\n  return s = sum(exp(x) * y, axes=[1])", sizes);
  add_one_kernel(programs, "x: f32[n, 70], y: f32[n, 70]) {\n  return s = cumsum(exp(x) * y, axis=1) - x", {{0}, {1}, {40}});
  add_one_kernel(programs, "x: f32[n, m], y: f32[n]) {\n  return s = tanh(sum(x, axes=[1]) + y)", sizes);
  add_one_kernel(programs, "a: f32[40, 30], b: f32[30, 50], c: f32[50]) flags=[broadcast] {\n  return y = relu(matmul(a, b) + c)", {{}});
  add_one_kernel(programs, "x: f32[n, m]) {\n  return y = softmax(x, axis=1)", sizes);
  add_one_kernel(programs, "x: f32[n, m]) {\n  return y = layer_norm(x, axes=[1])", sizes);
  programs.check();
}

TEST_CASE("L5.sequential,thread/cuda: one thread, and a thread for each element, have the interpreter's bits") {
  CheckedPrograms programs(3);
  const std::vector<std::vector<int64_t>> sizes = {{0, 3}, {1, 1}, {5, 70}};
  programs.add("x: f32[n, m]) {\n  return y = exp(slice(x, start=[0, 1]))", sizes, "kernel_0: elementwise [sequential, sequential]\n");
  CHECK(programs.has("__launch_bounds__(1)"));
  programs.add("x: f32[n, m]) {\n  return y = exp(slice(x, start=[0, 1]))", sizes, "kernel_0: elementwise [thread, thread]\n");
  CHECK(programs.has("blockIdx.x * blockDim.x + threadIdx.x"));
  programs.check();
}
