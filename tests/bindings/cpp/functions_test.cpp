// Tests operations that the user defines: custom functions, whose bodies are texts with statements and loops, and C++ functions.
#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "support.h"

using namespace harp;
using cpp_test::compilations;
using cpp_test::contains;
using cpp_test::error_of;

namespace {

using Doubles = std::vector<double>;
using Floats = std::vector<float>;

const char* const kLast = "output = input0[ridx0, size(input0, 1) - 1]";
const char* const kGreatest = R"(
  output1 = -1
  for i in 0 .. size(input0, 1) {
    if (output1 < 0) | (input0[ridx0, i] > output0) {
      output0 = input0[ridx0, i]
      output1 = i
    }
  }
)";

/// Computes prefix sums of each row and multiplies them by a factor.
void scan_rows(const ArrayView<const double>& x, Span<const double> factor, const ArrayView<double>& result) {
  const auto rows = static_cast<size_t>(x.dims[0]), columns = static_cast<size_t>(x.dims[1]);
  for (size_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (size_t k = 0; k < columns; ++k) result.data[i * columns + k] = sum += factor[0] * x.data[i * columns + k];
  }
}

}  // namespace

TEST_CASE("G13.custom_function/c: a body in the loop language, on tensors, nodes and fields") {
  const Tensor x({{1.0F, 2.0F, 3.0F}, {4.0F, 5.0F, 6.0F}});
  const Tensor last = custom_function(kLast, f32, {2}, x * 2);
  CHECK_FALSE(last.is_realized());
  CHECK(last.to_vector<float>() == Floats{6, 12});
  const Tensor both = custom_function("output = input0[ridx0] + input1[0, ridx0]", f32, 2, std::vector<Tensor>{last, x});
  CHECK((both + 1).to_vector<float>() == Floats{8, 15});
  CHECK(Tensor::custom_function("output = i32(ridx0 * shape1 + ridx1)", i32, {2, 3}).to_vector<int32_t>() ==
        std::vector<int32_t>{0, 1, 2, 3, 4, 5});

  const Graph graph(default_context());
  const Dim n = graph.dim("n", 1, 100);
  const Node input = graph.input("x", f64, {n, 3});
  const Node rows = custom_function(kLast, f64, {n}, input), numbers = graph.custom_function("output = f64(ridx0)", f64, {n});
  const Program program = graph.compile({rows * numbers});
  const Doubles values = {1, 2, 3, 4, 5, 6};
  Doubles result(2);
  program.call({{values.data(), {2, 3}}}, {{result.data(), 2}});
  CHECK(result == Doubles{0, 6});

  Field<double> field({2, 3}, 1), d;
  field[5] = 7;
  d = custom_function(kLast, f64, {2}, field) * 10 + 1;
  CHECK(Doubles(d.begin(), d.end()) == Doubles{11, 71});
}

TEST_CASE("G13.custom_results/c: a body with several results, on tensors and nodes") {
  const Tensor x({{1.0F, 3.0F, 2.0F}, {-4.0F, -5.0F, -6.0F}});
  const std::vector<Tensor> greatest = custom_function_results(kGreatest, {f32, i64}, {2}, x);
  REQUIRE(greatest.size() == 2);
  CHECK((greatest[0] * 2).to_vector<float>() == Floats{6, -8});
  CHECK(greatest[1].to_vector<int64_t>() == std::vector<int64_t>{1, 0});
  const std::vector<Tensor> sums = custom_function_results("output0 = input0[ridx0] + input1[0, ridx0]\noutput1 = input0[ridx0] > 0",
                                                           {f32, boolean}, 2, std::vector<Tensor>{greatest[0], x});
  CHECK(sums[0].to_vector<float>() == Floats{4, -1});
  CHECK(sums[1].dtype() == boolean);
  CHECK(custom_function_results(kLast, {f32}, {2}, x)[0].to_vector<float>() == Floats{2, -6});

  const Graph graph(default_context());
  const Dim n = graph.dim("n", 1, 100);
  const Node input = graph.input("x", f64, {n, 3});
  const std::vector<Node> nodes = custom_function_results(kGreatest, {f64, i64}, {n}, input);
  const Program program = graph.compile({nodes[0], nodes[1]});
  const Doubles values = {1, 2, 3, 6, 5, 4};
  Doubles best(2);
  std::vector<int64_t> place(2);
  program.call({{values.data(), {2, 3}}}, {{best.data(), 2}, {place.data(), 2}});
  CHECK(best == Doubles{3, 6});
  CHECK(place == std::vector<int64_t>{2, 0});

  CHECK(error_of([&] { custom_function_results(kGreatest, {f32}, {2}, x); }).code() == HARP_ERROR_PARSE);
  CHECK(error_of([&] { custom_function_results(kLast, {}, {2}, x); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(error_of([&] { custom_function_results(kLast, {f32}, {2}, std::vector<Tensor>()); }).message() ==
        "custom_function_results: expected at least one array, got an empty list");
}

TEST_CASE("G13.custom_function/c: mistakes in a body are errors where it is applied") {
  const Tensor x({{1.0F, 2.0F}});
  const Error parse = error_of([&] { custom_function("output = input0[ridx0,", f32, {1}, x); });
  CHECK(parse.code() == HARP_ERROR_PARSE);
  CHECK(error_of([&] { custom_function("output = input0[ridx0]", f32, {1}, x); }).code() == HARP_ERROR_SHAPE);
  const Tensor beyond = custom_function("output = input0[ridx0, 5]", f32, {1}, x);
  const Error range = error_of([&] { beyond.realize(); });
  CHECK(range.code() == HARP_ERROR_RANGE);
  CHECK(error_of([&] { grad(custom_function(kLast, f32, {1}, x).sum(), {x}); }).code() == HARP_ERROR_NO_GRADIENT);
  const Graph graph(default_context());
  CHECK(error_of([&] { custom_function("output = x", f32, {1}, graph.input("x", f32, {1, 2})); }).code() == HARP_ERROR_PARSE);
}

TEST_CASE("G13.custom_elementwise,custom_reduce,custom_cumulative/c: expressions of one's own") {
  const Tensor x({1.0F, -2.0F, 3.0F}), y({2.0F, 2.0F, 2.0F});
  CHECK(custom_elementwise({x, y}, "where(x0 > 0, x0 * x1, 0)").to_vector<float>() == Floats{2, 0, 6});
  CHECK(custom_reduce({x, y}, "x0 * x1", "sum").item<float>() == 4);
  CHECK(custom_cumulative({x}, "abs(x0)", "sum", 0).to_vector<float>() == Floats{1, 3, 6});
  CHECK(grad(custom_reduce({x}, "x0 * x0", "sum"), {x})[0].to_vector<float>() == Floats{2, -4, 6});
  CHECK(error_of([&] { custom_elementwise({x}, "x0 +"); }).code() == HARP_ERROR_PARSE);
}

TEST_CASE("G13.native/c: a lambda is an operation of tensors, once in each run") {
  const Context context{ContextOptions()};
  int calls = 0;
  const auto sorted = native("sorted", [&calls](const ArrayView<const float>& x, const ArrayView<float>& result) {
    ++calls;
    std::copy_n(x.data, x.size(), result.data);
    std::sort(result.data, result.data + result.size());
  });
  const Tensor x({3.0F, 1.0F, 2.0F}, context), y = sorted({3}, x * 2) + 1;
  CHECK(calls == 0);
  CHECK(y.to_vector<float>() == Floats{3, 5, 7});
  CHECK(calls == 1);
  const uint64_t compiled = compilations(context);
  CHECK((sorted({3}, Tensor({9.0F, 8.0F, 7.0F}, context) * 2) + 1).to_vector<float>() == Floats{15, 17, 19});
  CHECK(compilations(context) == compiled);
  CHECK(calls == 2);
  CHECK(error_of([&] { sorted({3}, Tensor({1.0, 2.0}, context)); }).code() == HARP_ERROR_DTYPE);
  CHECK(error_of([&] { grad(y.sum(), {x}); }).code() == HARP_ERROR_NO_GRADIENT);

  const auto scan = native("scan_rows", scan_rows);
  const Tensor table({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  CHECK(scan({2, 3}, table, 2.0).to_vector<double>() == Doubles{2, 6, 12, 8, 18, 30});
  const auto traced = jit([&](const Tensor& a) { return scan({2, 3}, a * a, 1) - 1; });
  CHECK(traced(table).to_vector<double>() == Doubles{0, 4, 13, 15, 40, 76});
}

TEST_CASE("G13.native/c: functions without captures are one operation wherever they are made") {
  const Context context{ContextOptions()};
  const Tensor x({1.0, 2.0}, context);
  uint64_t compiled = 0;
  for (int i = 0; i < 3; ++i) {
    const auto twice = native("twice", [](Span<const double> a, Span<double> result) {
      std::transform(a.begin(), a.end(), result.begin(), [](double value) { return 2 * value; });
    });
    CHECK(twice({2}, x).to_vector<double>() == Doubles{2, 4});
    if (i == 0) compiled = compilations(context);
  }
  CHECK(compilations(context) == compiled);
}

TEST_CASE("G13.native/c: in graphs with symbolic sizes, and of fields") {
  const auto pairs =
      native("pairs", [](const ArrayView<const int32_t>& a, const ArrayView<const double>& b, const ArrayView<double>& result) -> int32_t {
        if (a.rank() != 1 || b.rank() != 3 || result.rank() != 2 || b.dims[2] != 4) return 99;
        for (size_t i = 0; i < static_cast<size_t>(result.dims[0]); ++i)
          for (size_t k = 0; k < static_cast<size_t>(result.dims[1]); ++k)
            result.data[i * static_cast<size_t>(result.dims[1]) + k] = a.data[i] * b.data[4 * k];
        return 0;
      });
  const Graph graph(default_context());
  const Dim n = graph.dim("n", 1, 64), m = graph.dim("m", 1, 64);
  const Node first = graph.input("a", i32, {n}), second = graph.input("b", f64, {1, m, 4});
  const Program program = graph.compile({pairs({n, m}, first, second)});
  for (const int64_t size : {1, 2, 3}) {
    std::vector<int32_t> a(static_cast<size_t>(size));
    std::iota(a.begin(), a.end(), 1);
    const Doubles b(8, 0.5);
    Doubles result(static_cast<size_t>(2 * size));
    program.call({{a.data(), size}, {b.data(), {1, 2, 4}}}, {{result.data(), {size, 2}}});
    CHECK(result.back() == 0.5 * static_cast<double>(size));
  }
  Field<int32_t> a({3}, 2);
  Field<double> b({1, 2, 4}, 3), d;
  d = pairs({3, 2}, a, b) + 1;
  CHECK(d.size() == 6);
  CHECK(d[5] == 7);
  Field<double> deep({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2}, 4);
  const auto copy = native("copy", [](const ArrayView<const double>& x, const ArrayView<double>& result) {
    std::copy_n(x.data, x.size(), result.data);
    result.data[0] = static_cast<double>(x.rank() * 100 + result.rank());
  });
  d = copy({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1}, deep);
  CHECK(Doubles(d.begin(), d.end()) == Doubles{1616, 4});
}

TEST_CASE("G13.native/c: what a function fails with is the run's error") {
  const Tensor x({1.0, 2.0});
  const auto throws = native("throws", [](Span<const double> a, Span<double> result) {
    if (a[0] > 0) throw std::runtime_error("does not converge");
    result[0] = 0;
  });
  const Error thrown = error_of([&] { throws({1}, x).realize(); });
  CHECK(thrown.code() == HARP_ERROR_NATIVE);
  CHECK(contains(thrown.message(), "throws"));
  CHECK(contains(thrown.message(), "does not converge"));
  CHECK(throws({1}, x - 5).item<double>() == 0);
  const auto refuses = native("refuses", [](Span<const double>, Span<double>) { return 42; });
  const Error refused = error_of([&] { refuses({1}, x).realize(); });
  CHECK(refused.code() == HARP_ERROR_NATIVE);
  CHECK(contains(refused.message(), "42"));
  CHECK_FALSE(contains(refused.message(), "converge"));
}

TEST_CASE("G13.native/c: a function may compute with tensors of another context while its own program runs") {
  const Context context{ContextOptions()};
  const auto sums = native("sums", [](Span<const double> x, Span<double> result) {
    const Tensor inner = Tensor(x, {2, 2}).sum(0) + Tensor::ones(f64, {2});  // these tensors belong to the default context
    std::copy_n(inner.data<double>().begin(), 2, result.begin());
  });
  const Tensor x({1.0, 2.0, 3.0, 4.0}, context);
  const Tensor y = sums({2}, x * 2).sum() + exp(x * 0).sum(), z = x + 1;
  realize({y, z});
  CHECK(y.item<double>() == 26);
  CHECK(z.to_vector<double>() == Doubles{2, 3, 4, 5});
}
