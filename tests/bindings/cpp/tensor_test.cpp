// Tests lazy tensors: when an array is computed, how often a program is compiled, the dtypes of plain numbers, errors, and long chains.
#include <cmath>
#include <thread>

#include "support.h"

using namespace harp;
using cpp_test::compilations;
using cpp_test::contains;
using cpp_test::error_of;
using cpp_test::own_context;

namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

}  // namespace

TEST_CASE("H1.lazy/cpp H1.realize/cpp: operations build, looking at elements computes") {
  const Tensor x({1.0F, 2.0F, 3.0F});
  const Launches before = launches();
  const Tensor y = tanh(x * 2 + 1.5) - 3, z = y.sum();
  CHECK_FALSE(y.is_realized());
  CHECK(y.dtype() == f32);
  CHECK(y.size() == 3);
  CHECK(z.rank() == 0);
  CHECK(launches().runs == before.runs);
  const Floats values = y.to_vector<float>();
  CHECK(launches().runs == before.runs + 1);
  CHECK(y.is_realized());
  for (size_t i = 0; i < 3; ++i) CHECK(values[i] == doctest::Approx(std::tanh(static_cast<double>(i + 1) * 2 + 1.5) - 3));
  CHECK(z.item<float>() == doctest::Approx(values[0] + values[1] + values[2]));
  y.realize();
  CHECK(launches().runs == before.runs + 2);
  Tensor twice({3.0F});
  twice += twice;
  CHECK(twice.item<float>() == 6);
}

TEST_CASE("H1.cached/cpp: a structure is compiled once, whatever the elements are") {
  const Context context = own_context();
  Tensor w({1.0, 2.0}, context);
  double expected = 1;
  uint64_t after_first = 0;
  for (int i = 0; i < 50; ++i) {
    const double rate = 0.01 * i + 0.123;  // rate is an input of the program, so other values do not make another program
    w = w - rate * (w * w);
    w.realize();
    expected -= rate * (expected * expected);
    if (i == 0) after_first = compilations(context);
  }
  CHECK(compilations(context) == after_first);
  CHECK(w.to_vector<double>()[0] == expected);
  const Tensor a({1.0, 2.0}, context), b({3.0, 4.0}, context);
  CHECK((a * a).to_vector<double>() == Doubles{1, 4});
  CHECK((a * b).to_vector<double>() == Doubles{3, 8});  // compiles another program, because the product has two inputs
  CHECK((b * a).to_vector<double>() == Doubles{3, 8});
  CHECK((a - b).to_vector<double>() == Doubles{-2, -2});
  CHECK((b - a).to_vector<double>() == Doubles{2, 2});
  const uint64_t all = compilations(context);
  CHECK((Tensor({5.0, 6.0}, context) * Tensor({7.0, 8.0}, context)).to_vector<double>() == Doubles{35, 48});
  CHECK(compilations(context) == all);
}

TEST_CASE("H1.realize/cpp: several at once, shared parts, tensors that are there already") {
  const Tensor x({1.0F, 2.0F}), y = exp(x), a = y + 1, b = y * 3, constant = Tensor::arange(f32, 0, 2);
  const Launches before = launches();
  realize({a, b, a, x, constant});
  CHECK(launches().runs == before.runs + 1);
  CHECK(a.is_realized());
  CHECK_FALSE(y.is_realized());
  CHECK(b.to_vector<float>()[0] == 3 * std::exp(1.0F));
  CHECK(constant.to_vector<float>() == Floats{0, 1});
}

TEST_CASE("H1.realize/cpp: another configuration gives the same bits") {
  const Tensor x = Tensor::linspace(f32, -3, 3, 1000);
  Configuration interpreter;
  interpreter.backend = "interp";
  const Tensor a = sin(x) * exp(x), b = sin(x) * exp(x);
  a.realize_with_config(interpreter);
  CHECK(a.to_vector<float>() == b.to_vector<float>());
  Configuration wrong;
  wrong.schedule = "kernel_0: dance";
  const Tensor c = sin(x) + 1;
  CHECK(error_of([&] { c.realize_with_config(wrong); }).code() == HARP_ERROR_PARSE);
  CHECK_FALSE(c.is_realized());
  CHECK(c.to_vector<float>().size() == 1000);  // the failed call has not computed c; now it is computed as usual
}

TEST_CASE("H1.lazy/cpp: dtypes of numbers and mixed operands") {
  const Tensor f({1.0F, 2.0F}), d({1.0, 2.0}), i({1, 2}), b({true, false}), h = cast(f, f16);
  CHECK((f * 2.5).dtype() == f32);
  CHECK((i * 2).dtype() == i32);
  CHECK((i * 2.5).dtype() == f32);
  CHECK((i * 2.5).to_vector<float>() == Floats{2.5F, 5});
  CHECK((b + 1).dtype() == i64);
  CHECK((h * 0.3).dtype() == f16);
  CHECK(cast(h * 0.3, f32).to_vector<float>()[0] == doctest::Approx(0.3).epsilon(0.001));
  CHECK((f + d).dtype() == f64);
  CHECK((f + i).dtype() == f32);
  CHECK((f * std::complex<double>(0, 1)).dtype() == complex64);
  CHECK(where(b, f, 0).dtype() == f32);
  CHECK((1 / f).to_vector<float>() == Floats{1, 0.5F});
  CHECK(error_of([&] { cast(i, u8) + 300; }).code() == HARP_ERROR_RANGE);
  CHECK(error_of([&] { cast(i, u8) - -1; }).code() == HARP_ERROR_RANGE);
  CHECK((cast(i, i8) + -128).to_vector<int8_t>() == std::vector<int8_t>{-127, -126});
  CHECK(error_of([&] { f.data<double>(); }).code() == HARP_ERROR_DTYPE);
  CHECK(error_of([&] { f.item<float>(); }).code() == HARP_ERROR_SHAPE);
}

TEST_CASE("H1.lazy/cpp: mistakes are thrown where they are written") {
  const Tensor a = Tensor::zeros(f32, {2, 3}), b = Tensor::zeros(f32, {4});
  const Error error = error_of([&] { a + b; });
  CHECK(error.code() == HARP_ERROR_SHAPE);
  CHECK(contains(error.message(), "[2, 3]"));
  CHECK(error_of([&] { a.reshape({5}); }).code() == HARP_ERROR_SHAPE);
  CHECK(error_of([&] { a + Tensor(); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(error_of([&] { Tensor(Floats{1, 2, 3}, {2, 2}); }).code() == HARP_ERROR_SHAPE);
  CHECK(error_of([&] { Tensor::zeros(f32, {-1}); }).code() != HARP_OK);
  CHECK(error_of([&] { a + Tensor({1.0F}, own_context()); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(error_of([&] { a.dim(2); }).code() == HARP_ERROR_SHAPE);
  CHECK((a + 1).to_vector<float>() == Floats(6, 1));
}

TEST_CASE("H6.span_in,span_out/cpp: elements come from vectors, arrays and views, and go to buffers") {
  const std::array<int32_t, 4> array = {1, 2, 3, 4};
  const Tensor x(array, {2, 2});
  CHECK(x.shape().size() == 2);
  CHECK(x.dim(-1) == 2);
  CHECK(x.transpose().to_vector<int32_t>() == std::vector<int32_t>{1, 3, 2, 4});
  std::vector<double> host = {1, 2, 3};
  const Tensor view = Tensor::view(host.data(), {3});
  CHECK(view.data<double>().data() == host.data());
  const Buffer buffer = (view * 2).buffer();
  CHECK(buffer.dims()[0] == 3);
  CHECK(buffer.span<const double>()[2] == 6);
  const Tensor again(buffer);
  CHECK(again.data<double>().data() == buffer.span<const double>().data());
  CHECK(Tensor::zeros(f32, {0, 3}).to_vector<float>().empty());
  CHECK(Tensor::scalar(2.5, f64).item<double>() == 2.5);
  CHECK(Tensor::eye(f32, 2, 2).to_vector<float>() == Floats{1, 0, 0, 1});
  CHECK(Tensor::full(i64, {2}, 7).to_vector<int64_t>() == std::vector<int64_t>{7, 7});
}

TEST_CASE("H1.lazy/cpp: several results, lists and optional operands") {
  const Tensor x({3.0F, 1.0F, 2.0F});
  const auto [values, indices] = topk(x, 2);
  CHECK(values.to_vector<float>() == Floats{3, 2});
  CHECK(indices.to_vector<int64_t>() == std::vector<int64_t>{0, 2});
  const std::vector<Tensor> parts = split(concat({x, x + 10, x}), 3);
  CHECK(parts.size() == 3);
  CHECK(parts[1].to_vector<float>() == Floats{13, 11, 12});
  CHECK((parts[0] + parts[2]).to_vector<float>() == Floats{6, 2, 4});
  CHECK(stack({x, x}).unstack(0).at(1).to_vector<float>() == Floats{3, 1, 2});
  CHECK(x.reshape({1, 3}).layer_norm(-1).size() == 3);
  CHECK(x.reshape({1, 3}).layer_norm(-1, x).size() == 3);
  CHECK(x.sort().to_vector<float>() == Floats{1, 2, 3});
  CHECK(einsum("i,i->", {x, x}).item<float>() == 14);
}

TEST_CASE("H1.lazy/cpp: gradients of pending and of realised tensors") {
  Tensor w({1.0, 2.0}), b({0.5, 0.5});
  const Tensor hidden = w * w, loss = (hidden * b).sum();
  const std::vector<Tensor> g = grad(loss, {w, b, hidden});
  CHECK(g[0].to_vector<double>() == Doubles{1, 2});
  CHECK(g[1].to_vector<double>() == Doubles{1, 4});
  CHECK(g[2].to_vector<double>() == Doubles{0.5, 0.5});
  const Tensor twice = grad(grad((w * w * w).sum(), {w})[0].sum(), {w})[0];
  CHECK(twice.to_vector<double>() == Doubles{6, 12});
  CHECK(error_of([&] { grad(loss, {Tensor({1.0})}); }).code() == HARP_ERROR_NO_GRADIENT);
  CHECK(grad(loss, {w, Tensor({1.0})}, {}, HARP_GRAD_ZERO_WHERE_INDEPENDENT)[1].to_vector<double>() == Doubles{0});
  loss.realize();
  CHECK(error_of([&] { grad(loss, {w}); }).code() == HARP_ERROR_NO_GRADIENT);
  CHECK(grad((stop_gradient(w) * w).sum(), {w})[0].to_vector<double>() == Doubles{1, 2});
}

TEST_CASE("H1.lazy/cpp: a chain of a million operations is computed on its way and freed without recursion") {
  Tensor x({0.0});
  for (int i = 0; i < 1000000; ++i) x += 1;
  CHECK(x.item<double>() == 1000000);
  Tensor y({1.0}), kept = y;
  for (int i = 0; i < 9000; ++i) y = y * 1.0001;
  const Tensor z = y + kept;
  y = Tensor();
  CHECK_FALSE(z.is_realized());
}

TEST_CASE("H1.lazy/cpp: what a graph keeps alive is bounded, and no product is taken from its sum") {
  const int64_t n = 1 << 22;  // 16 MiB of f32
  Tensor total = Tensor::zeros(f32, {});
  const Launches before = launches();
  for (int i = 0; i < 40; ++i) {
    const Tensor batch = Tensor(std::vector<float>(static_cast<size_t>(n), 1.0F));
    total += sum(batch * 0.5);
  }
  CHECK(launches().runs > before.runs);
  CHECK(total.item<float>() == static_cast<float>(40 * n) / 2);

  Tensor x = Tensor::ones(f32, {64, 1});
  for (int i = 0; i < 9995; ++i) x += 0.25;
  const Tensor outer = x * Tensor::ones(f32, {1, 64});
  for (Tensor product = outer * 1.25;;) {  // repeats until one of the products exceeds the limit on the size of a graph
    product = product * 1.25;
    if (x.is_realized()) {
      CHECK_FALSE(outer.is_realized());
      CHECK_FALSE(product.is_realized());
      break;
    }
  }
}

TEST_CASE("H1.lazy/cpp: threads share tensors that are there") {
  const Tensor weights = Tensor::linspace(f64, 0, 1, 100).realize();
  std::vector<double> sums(4);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) sums[t] = sum(weights * static_cast<double>(t + 5) + i).item<double>();
    });
  for (std::thread& thread : threads) thread.join();
  for (size_t t = 0; t < 4; ++t) CHECK(sums[t] == doctest::Approx(50.0 * static_cast<double>(t + 5) + 9900));
}
