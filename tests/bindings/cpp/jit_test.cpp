// jit: a function is traced once for each combination of argument types.
#include <array>

#include "support.h"

using namespace harp;
using cpp_test::error_of;

TEST_CASE("H1.cached/cpp: jit traces once for each combination of types, then only launches") {
  int calls = 0;
  const auto step = jit([&](const Tensor& w, const Tensor& g, const Tensor& rate) {
    ++calls;
    return w - rate * g;
  });
  Tensor w({1.0F, 2.0F});
  const Tensor g({1.0F, 1.0F});
  for (int i = 1; i <= 10; ++i) {
    w = step(w, g, 0.125 * i);
    CHECK(w.is_realized());
    CHECK(w.dtype() == f32);
  }
  CHECK(calls == 1);
  CHECK(w.to_vector<float>() == std::vector<float>{1 - 0.125F * 55, 2 - 0.125F * 55});
  const Launches before = launches();
  w = step(w, g, 1.0);
  CHECK(launches().runs == before.runs + 1);
  step(Tensor({1.0, 2.0}), Tensor({1.0, 1.0}), 0.5);
  step(Tensor({1.0F}), Tensor({1.0F}), 0.5);
  CHECK(calls == 3);
  CHECK(step.traces() == 3);
  CHECK(step(g * 2, g, 1.0).to_vector<float>() == std::vector<float>{1, 1});  // the argument g * 2 has not been computed yet
}

TEST_CASE("H1.cached/cpp: what jit takes and gives") {
  const Tensor captured({10.0F, 20.0F});
  const auto pair = jit([&](const Tensor& x) { return std::make_pair(x + captured, x.sum()); });
  const auto [a, b] = pair(Tensor({1.0F, 2.0F}));
  CHECK(a.to_vector<float>() == std::vector<float>{11, 22});
  CHECK(b.item<float>() == 3);
  const auto several = jit([](const Tensor& x, const Tensor& k) { return std::vector<Tensor>{x * k, x, x * k}; });
  const std::vector<Tensor> parts = several(Tensor({1.0F}), 4);
  REQUIRE(parts.size() == 3);
  CHECK(parts[0].item<float>() == 4);
  CHECK(parts[1].item<float>() == 1);
  const auto outer = jit([&](const Tensor& x) { return std::get<0>(pair(x)) * 2 + std::get<1>(pair(x)); });
  CHECK(outer(Tensor({1.0F, 2.0F})).to_vector<float>() == std::vector<float>{25, 47});
  const auto gradient = jit([](const Tensor& x) { return grad((x * x).sum(), {x}); });
  CHECK(gradient(Tensor({3.0F}))[0].item<float>() == 6);
}

TEST_CASE("H1.cached/cpp: an integer argument that the dtype of the other operand cannot hold is an error in each call") {
  const auto less = jit([](const Tensor& x, const Tensor& k) { return x < k; });
  const Tensor bytes(std::vector<uint8_t>{250, 3});
  CHECK(less(bytes, 4).to_vector<bool>() == std::vector<bool>{false, true});
  const Error error = error_of([&] { less(bytes, 300); });
  CHECK(error.code() == HARP_ERROR_RANGE);
  CHECK(error.message() == "the number 300 does not fit u8");
  CHECK(less(bytes, 255).to_vector<bool>() == std::vector<bool>{true, true});
  CHECK(less.traces() == 1);
  CHECK(less(bytes, 300.0).to_vector<bool>() == std::vector<bool>{true, true});  // both are f32
  const auto inner = jit([&](const Tensor& x, const Tensor& k) { return std::make_pair(less(x, k), less(x, 7)); });
  CHECK(inner(bytes, 4).first.to_vector<bool>() == std::vector<bool>{false, true});
  CHECK(error_of([&] { inner(bytes, -1); }).code() == HARP_ERROR_RANGE);
  const auto fixed = jit([&](const Tensor& x) { return less(x, 300); });
  CHECK(error_of([&] { fixed(bytes); }).code() == HARP_ERROR_RANGE);
  const auto wraps = jit([](const Tensor& x, const Tensor& k) { return x + k.cast(u8); });  // a cast wraps
  CHECK(wraps(bytes, 300).to_vector<uint8_t>() == std::vector<uint8_t>{38, 47});
}

TEST_CASE("H1.cached/cpp: a function that jit traces cannot look at elements") {
  const auto looks = jit([](const Tensor& x) { return x.item<float>() > 0 ? x : -x; });
  CHECK(error_of([&] { looks(Tensor({1.0F})); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(error_of([&] { looks(Tensor()); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  const auto wrong = jit([](const Tensor& x) { return x.reshape({7}); });
  CHECK(error_of([&] { wrong(Tensor({1.0F})); }).code() == HARP_ERROR_SHAPE);
  CHECK((Tensor({1.0F}) + 1).item<float>() == 2);  // tracing has ended, so tensors are computed as usual
}
