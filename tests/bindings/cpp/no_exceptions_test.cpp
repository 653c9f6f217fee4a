// This file is compiled with -fno-exceptions and linked with files that use exceptions. Errors are passed to a handler, and a failed call
// returns an empty handle.
#define DOCTEST_CONFIG_NO_EXCEPTIONS_BUT_WITH_ALL_ASSERTS
#include <doctest/doctest.h>

#include <harp.hpp>
#include <string>
#include <vector>

using namespace harp;

#if HARP_CPP_EXCEPTIONS
#error "this file is about builds without exceptions"
#endif

namespace {

struct Reports {
  std::vector<harp_status> codes;
  Reports() {
    set_error_handler([](const Error& error, void* user) { static_cast<Reports*>(user)->codes.push_back(error.code()); }, this);
  }
  ~Reports() { set_error_handler(nullptr); }
  Reports(const Reports&) = delete;
  Reports& operator=(const Reports&) = delete;
};

using Codes = std::vector<harp_status>;

}  // namespace

TEST_CASE("H6: without exceptions an error is reported once, and what follows does nothing") {
  const Reports reports;
  const Graph graph(default_context());
  const Node a = graph.input("a", f32, {2, 3}), b = graph.input("b", f32, {4});
  const Node wrong = a + b;
  CHECK_FALSE(wrong);
  CHECK(reports.codes == Codes{HARP_ERROR_SHAPE});
  CHECK_FALSE(exp(wrong) * 2);
  CHECK(reports.codes.size() == 1);
  CHECK(a * 2);
  CHECK_FALSE(Graph::parse(default_context(), "graph ("));
  CHECK(reports.codes.back() == HARP_ERROR_PARSE);
}

TEST_CASE("H1.lazy/cpp: without exceptions tensors are empty after an error") {
  const Reports reports;
  const Tensor a = Tensor::ones(f32, {2, 3}), b = Tensor::ones(f32, {4});
  const Tensor wrong = a + b;
  CHECK_FALSE(wrong);
  CHECK(reports.codes == Codes{HARP_ERROR_SHAPE});
  CHECK_FALSE((wrong + 1).sum());
  CHECK(wrong.to_vector<float>().empty());
  CHECK(split(wrong, 2).size() == 2);
  CHECK(reports.codes.size() == 1);
  CHECK((a + 1).sum().item<float>() == 12);
  CHECK_FALSE(cast(a, u8) + 300);
  CHECK(reports.codes.back() == HARP_ERROR_RANGE);
  CHECK_FALSE(grad(a.sum(), {b})[0]);
  CHECK(reports.codes.back() == HARP_ERROR_NO_GRADIENT);
  const Tensor square = a * a;
  CHECK(square.to_vector<float>().size() == 6);
  CHECK_FALSE(grad((square * a).sum(), {a})[0]);
  CHECK(reports.codes.size() == 4);
  CHECK(reports.codes.back() == HARP_ERROR_NO_GRADIENT);
  CHECK(grad((square * a).sum(), {square})[0].defined());
  const auto step = jit([](const Tensor& x, const Tensor& y) { return x + y; });
  CHECK_FALSE(step(a, b));
  CHECK(step(a, 1).sum().item<float>() == 12);
  CHECK(step(cast(a, u8), 1).sum().item<uint8_t>() == 12);
  CHECK_FALSE(step(cast(a, u8), 300));
  CHECK(reports.codes.size() == 6);
  CHECK(reports.codes.back() == HARP_ERROR_RANGE);
  const auto outer = jit([&](const Tensor& x) { return step(x, 300); });
  CHECK_FALSE(outer(cast(a, u8)));
  CHECK(reports.codes.size() == 7);
}

TEST_CASE("E1.expr: without exceptions an assignment that fails leaves the field as it was") {
  const Reports reports;
  Field<double> a({4}, 1), b({3}, 2), d({2}, 5);
  d = a + b;
  CHECK(reports.codes == Codes{HARP_ERROR_SHAPE});
  CHECK(d.size() == 2);
  CHECK(d[0] == 5);
  d = a * 3;
  CHECK(d[3] == 3);
  const Field<uint8_t> bytes({2}, 250);
  Field<bool> test({2}, true);
  test = bytes < 300;
  CHECK(reports.codes == Codes{HARP_ERROR_SHAPE, HARP_ERROR_RANGE});
  CHECK(test[0]);
}
