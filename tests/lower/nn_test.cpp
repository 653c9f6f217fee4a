// Tests layers, losses, norms, argmax and argmin: values on every backend, special values, and the message of every misuse. (oracle_test.py
// compares with NumPy, semantics_test.py checks the order of operations.)
#include <algorithm>
#include <cmath>
#include <limits>

#include "support/backends_run.h"
#include "support/misuse.h"

using namespace capi_test;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
using L = std::vector<int64_t>;

}  // namespace

TEST_CASE("G3.argmax,argmin/interp,c: the first index, NaN before all others, every axis, every dtype") {
  const Backends backends;
  const Values<float> x{{1, kNan, 3, kNan, 0.0f, -0.0f, 0.0f, -0.0f, -kInf, -kInf, -kInf, -kInf, kInf, 1, kInf, 0}, {4, 4}};
  const auto outputs = backends.run(
      "graph g(x: f32[n, m]) {\n  b = x > 0.0\n  return a = argmax(x, axis=1), c = argmin(x, axis=-1), d = argmax(x), e = argmax(x, "
      "axis=0, "
      "keepdims=true), f = argmax(b, axis=1), h = argmin(b, axis=1), i = argmax(cast(x, dtype=i64), axis=1), j = argmin(x, "
      "keepdims=true)\n}",
      x);
  CHECK(values<int64_t>(outputs[0].get()) == L{1, 0, 0, 0});
  CHECK(values<int64_t>(outputs[1].get()) == L{1, 0, 0, 3});
  CHECK(values<int64_t>(outputs[2].get()) == L{1});
  CHECK(dims(outputs[2].get()).empty());
  CHECK(values<int64_t>(outputs[3].get()) == L{3, 0, 3, 0});
  CHECK(dims(outputs[3].get()) == L{1, 4});
  CHECK(values<int64_t>(outputs[4].get()) == L{0, 0, 0, 0});
  CHECK(values<int64_t>(outputs[5].get()) == L{1, 0, 0, 3});
  CHECK(values<int64_t>(outputs[6].get()) == L{2, 0, 0, 0});
  CHECK(values<int64_t>(outputs[7].get()) == L{1});
  CHECK(dims(outputs[7].get()) == L{1, 1});
}

TEST_CASE("G3.argmax/interp,c: no element at run time") {
  const Backends backends;
  const auto outputs =
      backends.run("graph g(x: f32[n, m]) {\n  return a = argmax(x, axis=1), b = argmax(x, axis=0)\n}", Values<float>{{}, {3, 0}});
  CHECK(values<int64_t>(outputs[0].get()) == L{2147483647, 2147483647, 2147483647});
  CHECK(dims(outputs[1].get()) == L{0});
}

TEST_CASE("G15.layer_norm/interp,c G16: rows are centred and scaled") {
  const Backends backends;
  const auto outputs = backends.run(
      "graph g(x: f32[n, k], w: f32[k], b: f32[k]) {\n  return a = layer_norm(x, weight=w, bias=b), c = rms_norm(x, eps=0), d = "
      "layer_norm(x, "
      "axes=[0, 1]), e = layer_norm(reshape(x, shape=[n, k, 1]), axes=1)\n}",
      Values<float>{{1, 3, 5, 7, 2, 2, 2, 2}, {2, 4}}, Values<float>{{1, 2, 1, 1}, {4}}, Values<float>{{0, 0, 0, 10}, {4}});
  const std::vector<float> a = values<float>(outputs[0].get()), c = values<float>(outputs[1].get());
  CHECK(a[0] == doctest::Approx(-1.3416401));
  CHECK(a[1] == doctest::Approx(-0.8944267));
  CHECK(a[3] == doctest::Approx(11.3416401));
  CHECK(a[4] == 0);
  CHECK(a[7] == 10);
  CHECK(c[4] == 1);
  CHECK(c[0] == doctest::Approx(1 / std::sqrt(21.0)));
}

TEST_CASE("G3: norm of every order, and overflow is not hidden") {
  const Backends backends;
  const auto outputs = backends.run(
      "graph g(x: f64[n, m]) {\n  return a = norm(x, axes=[1]), b = norm(x, ord=1, axes=[1]), c = norm(x, ord=inf, axes=[1]), d = norm(x, "
      "ord=-inf, "
      "axes=[1]), e = norm(x, ord=0, axes=[1]), f = norm(x, ord=4, axes=[1]), g = norm(x, axes=[1], keepdims=true)\n}",
      Values<double>{{3, -4, 0, 0, 1e200, 0, 0, 0}, {2, 4}});
  const auto first = [&](size_t i) { return values<double>(outputs[i].get())[0]; };
  CHECK(first(0) == 5);
  CHECK(first(1) == 7);
  CHECK(first(2) == 4);
  CHECK(first(3) == 0);
  CHECK(first(4) == 2);
  CHECK(first(5) == doctest::Approx(std::pow(337.0, 0.25)));
  CHECK(std::isinf(values<double>(outputs[0].get())[1]));
  CHECK(dims(outputs[6].get()) == L{2, 1});
}

TEST_CASE("G15: losses of classes, probabilities, reductions") {
  const Backends backends;
  const auto outputs = backends.run(
      "graph g(x: f32[n, k], t: i32[n], y: f32[n, k]) {\n  p = one_hot(t, depth=k, dtype=f32)\n  l = cross_entropy(x, t, "
      "reduction=\"none\")\n"
      "  q = cross_entropy(x, p, reduction=\"none\")\n  return a = l, b = isnan(q), c = cross_entropy(x, t), d = mean(l), e = mse_loss(x, "
      "y), f = "
      "mse_loss(x, y, reduction=\"sum\"), h = cross_entropy(permute(x, axes=[1, 0]), t, axis=0, reduction=\"none\")\n}",
      Values<float>{{1000, 0, -1000, 0, 0, 0, -kInf, 0, 0}, {3, 3}}, Values<int32_t>{{0, 2, 1}, {3}},
      Values<float>{{1000, 0, -1000, 1, 2, 3, -1, 0, 0}, {3, 3}});
  const std::vector<float> losses = values<float>(outputs[0].get());
  CHECK(losses[0] == 0);
  CHECK(losses[1] == doctest::Approx(std::log(3.0)));
  CHECK(losses[2] == doctest::Approx(std::log(2.0)));
  CHECK(values<float>(outputs[2].get()) == values<float>(outputs[3].get()));
  CHECK(values<float>(outputs[6].get()) == losses);
  CHECK(std::isinf(values<float>(outputs[5].get())[0]));
}

TEST_CASE("G15: what is no class has no loss that looks like one") {
  const Backends backends;
  const auto outputs = backends.run("graph g(x: f32[n, k], t: i64[n]) {\n  return l = isnan(cross_entropy(x, t, reduction=\"none\"))\n}",
                                    Values<float>{{1, 2, 3, 4, 5, 6}, {3, 2}}, Values<int64_t>{{-1, 1, 2}, {3}});
  CHECK(values<uint8_t>(outputs[0].get()) == std::vector<uint8_t>{1, 0, 1});
}

TEST_CASE("G15.layer_norm G3.argmax G3.argmin: misuse") {
  const std::string inputs = "x: f32[2, 3], i: i32[2, 3], t: i32[2], w: f32[2], e: f32[2, 0], d: f64[2, 3], b: bool[2, 3], s: f32[]";
  const auto check = [&](const std::string& call, const char* code, const char* message) { check_misuse(inputs, call, code, message); };
  check("layer_norm(x, weight=w)", "SHAPE",
        "layer_norm: the weight (\"w\") has shape [2]; it must be [3], the sizes of the normalised axes of \"x\"");
  check("rms_norm(x, bias=x)", "SHAPE", "rms_norm: the bias (\"x\") has shape [2, 3]; it must be [3]");
  check("layer_norm(x, axes=[])", "SHAPE", "layer_norm: no axis to normalise along");
  check("layer_norm(x, axes=2)", "SHAPE", "layer_norm: axis 2 is out of range");
  check("layer_norm(i)", "DTYPE", "layer_norm: takes");
  check("layer_norm(x, eps=-1)", "RANGE", "layer_norm: eps is -1");
  check("mse_loss(x, w)", "SHAPE", "mse_loss: operands have shapes [2, 3] and [2]");
  check("mse_loss(x, x, reduction=\"max\")", "INVALID_ARGUMENT", "mse_loss: reduction is \"max\"; it must be mean, sum or none");
  check("cross_entropy(x, i)", "SHAPE",
        "cross_entropy: the target (\"i\") has shape [2, 3]; for \"x\" of shape [2, 3] and class axis 1 it must have [2]");
  check("cross_entropy(x, w)", "SHAPE",
        "cross_entropy: the target (\"w\") is f32[2]; it must be classes (integers), or probabilities like \"x\", f32[2, 3]");
  check("cross_entropy(x, d)", "DTYPE", "the target (\"d\") is f64[2, 3]");
  check("cross_entropy(x, b)", "DTYPE", "the target (\"b\") is bool[2, 3]");
  check("cross_entropy(e, t)", "SHAPE", "cross_entropy: axis 1 of \"e\" with shape [2, 0] has no classes");
  check("cross_entropy(s, t)", "SHAPE", "cross_entropy: axis 1 is out of range for rank 0");
  check("argmax(e, axis=1)", "SHAPE", "argmax: axis 1 of \"e\" with shape [2, 0] is empty");
  check("argmin(x, axis=2)", "SHAPE", "argmin: axis 2 is out of range for rank 2");
  check("norm(i)", "DTYPE", "norm: takes");
  check("norm(x, ord=nan)", "RANGE", "norm: the order is NaN");
  check("norm(e, ord=inf)", "SHAPE", "norm: axis 1 of \"e\" with shape [2, 0] is empty");
  check("std(i)", "DTYPE", "std: takes");
}

TEST_CASE("G22.binary_cross_entropy/interp,c G22.cross/interp,c G22.diff/interp,c: what is small is kept, and halves are rounded once") {
  const Backends backends;
  const auto entropy = backends.run("graph g(p: f32[n]) {\n  return y = binary_cross_entropy(p, 0 * p, reduction=\"none\")\n}",
                                    Values<float>{{1e-9f, 1e-5f, 0.5f, 0}, {4}});
  const std::vector<float> losses = values<float>(entropy[0].get());
  CHECK(losses[0] == 1e-9f);
  CHECK(losses[1] == doctest::Approx(1.000005e-5).epsilon(1e-6));
  CHECK(losses[2] == doctest::Approx(std::log(2.0)).epsilon(1e-6));
  CHECK(losses[3] == 0);
  const auto halves = backends.run(
      "graph g(a: f32[3], b: f32[3], c: f32[3]) {\n"
      "  return y = cast(cross(cast(a, f16), cast(b, f16)), f32), z = cast(diff(cast(c, f16), n=2), f32)\n}",
      Values<float>{{100.0625f, 3, 255.875f}, {3}}, Values<float>{{3, 99.9375f, 7.5f}, {3}}, Values<float>{{3.125f, 1.375f, 412.5f}, {3}});
  CHECK(values<float>(halves[0].get())[1] == 17.15625f);
  CHECK(values<float>(halves[1].get())[0] == 413);  // 412.875, rounded to f16
}

TEST_CASE("G22.scaled_dot_product_attention/interp,c G16: the scale is the same number whether the number of features is known or not") {
  const Backends backends;
  const Values<float> x = rough({3, 6}, 5);
  const auto attend = [&](const std::string& shape) {
    return values<float>(
        backends.run("graph g(x: f32[" + shape + "]) {\n  return y = scaled_dot_product_attention(x, x, x)\n}", x)[0].get());
  };
  CHECK(attend("3, 6") == attend("n, k"));
}

TEST_CASE("G22.scaled_dot_product_attention: a mask of numbers that are no floats is refused, as in PyTorch") {
  for (const char* dtype : {"i64", "u8", "complex64"})
    check_misuse("x: f32[3, 4], m: i64[3, 3]", std::string("scaled_dot_product_attention(x, x, x, cast(m, dtype=") + dtype + "))", "DTYPE",
                 std::string("scaled_dot_product_attention: mask must be bool or a float dtype, got ") + dtype);
}

TEST_CASE("G22.scaled_dot_product_attention/interp,c: a query that sees no key gives 0, and passes gradients of 0") {
  const Backends backends;
  const Values<float> x{{-1, -0.8f, -0.6f, -0.5f, -0.3f, -0.1f, 0.1f, 0.3f, 0.5f, 0.6f, 0.8f, 1}, {3, 4}},
      bias{{0, -kInf, 0, -kInf, -kInf, -kInf, 0, 0, 0}, {3, 3}};
  for (const char* mask : {"bias", "bias > -1.0"}) {
    CAPTURE(mask);
    const auto outputs =
        backends.run(std::string("graph g(x: f32[n, k], bias: f32[n, n]) {\n  y = scaled_dot_product_attention(x, x, x, ") + mask +
                         ")\n  s = sum(y)\n  return y, g = grad(s, x)\n}",
                     x, bias);
    const std::vector<float> y = values<float>(outputs[0].get()), g = values<float>(outputs[1].get());
    CHECK(std::vector<float>(y.begin() + 4, y.begin() + 8) == std::vector<float>(4, 0));
    CHECK(y[0] != 0);
    CHECK(std::all_of(g.begin(), g.end(), [](float v) { return std::isfinite(v); }));
    CHECK(g[4] != 0);  // The gradient with respect to the second key is not 0, because the third query uses this key.
  }
}

TEST_CASE("G22.binary_cross_entropy: weights broadcast to x, and never enlarge it") {
  const std::string inputs = "x: f32[n, 3], w: f32[3], v: f32[2, n, 3], u: f32[n]";
  const Backends backends;
  const auto weighted =
      backends.run("graph g(x: f32[2, 3], w: f32[3]) {\n  return y = binary_cross_entropy(x, x * 0, weight=w, reduction=\"sum\")\n}",
                   Values<float>{{0.5f, 0, 0, 0, 0.5f, 0}, {2, 3}}, Values<float>{{1, 2, 7}, {3}});
  CHECK(values<float>(weighted[0].get())[0] == doctest::Approx(3 * std::log(2.0)).epsilon(1e-6));
  check_misuse(inputs, "binary_cross_entropy(x, x, weight=v)", "SHAPE", "binary_cross_entropy");
  check_misuse(inputs, "binary_cross_entropy(x, x, weight=u)", "SHAPE", "binary_cross_entropy");
}
