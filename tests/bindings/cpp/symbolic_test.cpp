// Tests symbolic sizes of tensors: if the caller of jit declares an axis symbolic, one program serves all sizes of this axis.
#include <numeric>
#include <thread>

#include "support.h"

using namespace harp;
using cpp_test::compilations;
using cpp_test::contains;
using cpp_test::error_of;

namespace {

using Doubles = std::vector<double>;
using Floats = std::vector<float>;

Floats counted(int64_t n) {
  Floats numbers(static_cast<size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0.0F);
  return numbers;
}

std::vector<int64_t> shape(const Tensor& x) { return {x.shape().begin(), x.shape().end()}; }

}  // namespace

TEST_CASE("H1.cached/cpp: jit with a dynamic axis compiles one program for all its sizes") {
  const Context context{ContextOptions()};
  int calls = 0;
  const auto pairs = jit([&](const Tensor& x, const Tensor& y) {
                       ++calls;
                       const Dim n = x.dim(0);
                       CHECK(n.is_symbolic());
                       CHECK(to_string(2 * n + 1) == "2*n + 1");
                       return reshape(stack({x, y}, 1), {2 * n});
                     })
                         .dynamic(0, 0, "n")
                         .dynamic(1, 0, "n");
  uint64_t compiled = 0;
  for (const int64_t n : {3, 1, 1000, 0}) {
    const Floats numbers = counted(n);
    const Tensor x(Span<const float>(numbers.data(), numbers.size()), n, context);
    const Floats result = pairs(x, x * 10).to_vector<float>();
    REQUIRE(result.size() == 2 * numbers.size());
    for (size_t i = 0; i < numbers.size(); ++i) {
      CHECK(result[2 * i] == numbers[i]);
      CHECK(result[2 * i + 1] == 10 * numbers[i]);
    }
  }
  CHECK(calls == 1);
  CHECK(pairs.traces() == 1);
  compiled = compilations(context);
  const Tensor five(counted(5), context), six(counted(6), context);
  pairs(five, five.realize());
  CHECK(compilations(context) == compiled);
  const Error error = error_of([&] { pairs(five, six); });
  CHECK(error.code() == HARP_ERROR_SHAPE);
  CHECK(contains(error.message(), "n"));
  // The arguments have another dtype and another context, so the function is traced again.
  CHECK(pairs(Tensor({1.0}), Tensor({2.0})).to_vector<double>() == Doubles{1, 2});
  CHECK(pairs.traces() == 2);
}

TEST_CASE("H1.cached/cpp: dynamic axes without names, with bounds, and what is made of sizes") {
  const auto softmax_rows = jit([](const Tensor& x) {
                              const Tensor e = exp(x - max(x, -1, true));
                              return std::make_pair(e / sum(e, -1, true), x.shape().size() == 2 ? transpose(x) : x);
                            }).dynamic(0, {0, -1});
  for (const int64_t n : {2, 5}) {
    const auto [weights, turned] = softmax_rows(Tensor::ones(f64, {n, n + 1}));
    CHECK(shape(weights) == std::vector<int64_t>{n, n + 1});
    CHECK(shape(turned) == std::vector<int64_t>{n + 1, n});
    CHECK(weights.to_vector<double>()[0] == doctest::Approx(1.0 / static_cast<double>(n + 1)));
  }
  CHECK(softmax_rows.traces() == 1);

  const auto made = jit([](const Tensor& x) {
                      const Dim n = x.dim(0);
                      const Tensor index = cast(Tensor::arange(f32, 0, n), f32);
                      return std::vector<Tensor>{x * index,
                                                 concat({x, Tensor::zeros(f32, {n})}),
                                                 Tensor::size_of(n * 2) + 1,
                                                 x.mean(),
                                                 Tensor::eye(f32, n, n),
                                                 slice(x, {1}),
                                                 x + Tensor({1.0F})};
                    }).dynamic(0, 0, harp::dim("length", 1, 64));
  for (const int64_t n : {1, 4}) {
    const std::vector<Tensor> parts = made(Tensor(counted(n)) + 1);
    CHECK(parts[0].to_vector<float>().back() == static_cast<float>(n * (n - 1)));
    CHECK(parts[1].size() == 2 * n);
    CHECK(parts[2].item<int64_t>() == 2 * n + 1);
    CHECK(parts[3].item<float>() == static_cast<float>(n + 1) / 2);
    CHECK(shape(parts[4]) == std::vector<int64_t>{n, n});
    CHECK(parts[5].size() == n - 1);
    CHECK(parts[6].to_vector<float>()[0] == 2);
  }
  CHECK(made.traces() == 1);
  const Error beyond = error_of([&] { made(Tensor(counted(65))); });
  CHECK(beyond.code() == HARP_ERROR_RANGE);
  CHECK(error_of([] { harp::dim("wrong", 5, 3); }).code() != HARP_OK);
  CHECK(harp::dim("m", 2, 9) == harp::dim("m", 2, 9));
  CHECK(harp::dim("m", 2, 9) != harp::dim("m", 2, 10));
}

TEST_CASE("H1.cached/cpp: gradients, functions of the user's and inner functions with symbolic sizes") {
  const auto slope =
      jit([](const Tensor& w, const Tensor& x) { return grad(square(w * x).sum() / 2, {w})[0]; }).dynamic(0, {0}).dynamic(1, 0, "x0_0");
  CHECK(slope(Tensor({1.0, 2.0}), Tensor({3.0, 1.0})).to_vector<double>() == Doubles{9, 2});
  CHECK(slope(Tensor({1.0}), Tensor({2.0})).to_vector<double>() == Doubles{4});
  const auto reversed = native("reversed", [](Span<const double> x, Span<double> result) {
    for (size_t i = 0; i < x.size(); ++i) result[i] = x[x.size() - 1 - i];
  });
  const auto both = jit([&](const Tensor& x) {
                      const Tensor ends = custom_function("output = input0[shape0 - 1 - ridx0]", f64, {x.dim(0)}, x);
                      return reversed({x.dim(0)}, x) + 100 * ends;
                    }).dynamic(0, 0, "n");
  CHECK(both(Tensor({1.0, 2.0})).to_vector<double>() == Doubles{202, 101});
  CHECK(both(Tensor({1.0, 2.0, 3.0})).to_vector<double>() == Doubles{303, 202, 101});
  CHECK(both.traces() == 1);
  const auto outer = jit([&](const Tensor& x) { return both(x * 2).sum() * 0.5; }).dynamic(0, 0, "n");
  CHECK(outer(Tensor({1.0, 2.0})).item<double>() == 303);
}

TEST_CASE("H1.lazy/cpp: symbolic sizes outside of their place are errors") {
  const Dim n = harp::dim("n");
  CHECK(error_of([&] { Tensor::zeros(f32, {n}).realize(); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(error_of([&] { Field<float>({n, 3}); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(error_of([&] { Tensor({1.0F}, {n}); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(error_of([&] { static_cast<void>(int64_t{n}); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  const Graph graph(default_context());
  const Dim m = graph.dim("m", 0, 9);
  CHECK(error_of([&] { Tensor({1.0F}).broadcast_to({m}); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  const Context other{ContextOptions()};
  CHECK(error_of([&] { Tensor({1.0F}, other).broadcast_to({n}); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  const auto step = jit([](const Tensor& x) { return x * 2; });
  CHECK(error_of([&] { step.dynamic(0, 0, n)(Tensor({1.0F}, other)); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(error_of([&] { step.dynamic(0, {1})(Tensor({1.0F})); }).code() == HARP_ERROR_SHAPE);
  CHECK(error_of([&] { step.dynamic(1, {0})(Tensor({1.0F})); }).code() == HARP_ERROR_SHAPE);
  const auto counts = jit([](const Tensor& x) { return x * static_cast<double>(x.size()); }).dynamic(0, {0});
  CHECK(error_of([&] { counts(Tensor({1.0F})); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  const auto loops = jit([](const Tensor& x) {
                       Tensor y = x;
                       for (int64_t i = 0; i < x.dim(0); ++i) y = y + 1;
                       return y;
                     }).dynamic(0, {0});
  CHECK(error_of([&] { loops(Tensor({1.0F})); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  const auto wrong = jit([](const Tensor& x) { return x.reshape({x.dim(0) + 1}); }).dynamic(0, 0, "n");
  const Error shape = error_of([&] { wrong(Tensor({1.0F})); });
  CHECK(shape.code() == HARP_ERROR_SHAPE);
  CHECK(contains(shape.message(), "n + 1"));
  const Tensor x({1, 2, 3});
  const int64_t three = x.dim(0);
  CHECK(three == 3);
  CHECK(x.dim(0) + 1 == 4);
}

TEST_CASE("H1.cached/cpp: threads trace functions with symbolic sizes at the same time") {
  std::vector<std::thread> threads;
  std::vector<double> sums(4);
  for (size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const auto f = jit([t](const Tensor& x) {
                       const Dim n = x.dim(0);
                       return (x.reshape({n, 1}) + Tensor::zeros(f64, {1, n + static_cast<int64_t>(t)})).sum();
                     }).dynamic(0, 0, "n");
      for (int64_t n = 1; n < 30; ++n) sums[t] = f(Tensor::ones(f64, {n})).item<double>();
    });
  for (std::thread& thread : threads) thread.join();
  for (size_t t = 0; t < 4; ++t) CHECK(sums[t] == 29.0 * (29 + static_cast<double>(t)));
}
