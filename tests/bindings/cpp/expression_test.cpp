// Tests expression templates: each assignment runs one program, which is found by the type of the expression. Also tests overlapping
// memory, broadcasting, reductions, and fuse().
#include <cmath>
#include <thread>
#include <type_traits>

#include "support.h"

using namespace harp;
using cpp_test::compilations;
using cpp_test::error_of;
using cpp_test::numbers;
using cpp_test::own_context;
using cpp_test::values;

namespace {

using Doubles = std::vector<double>;

}  // namespace

TEST_CASE("E1.expr,field,binary_expr,operators: the type of an expression says what it computes") {
  const Field<double> a({3}, 2), b({3}, 3), c({3}, 1);
  const auto product = a * b;
  static_assert(std::is_same_v<std::decay_t<decltype(product)>, BinaryExpr<op::mul, Field<double>, Field<double>>>);
  static_assert(std::is_same_v<decltype(a * b + c), BinaryExpr<op::add, BinaryExpr<op::mul, Field<double>, Field<double>>, Field<double>>>);
  static_assert(std::is_same_v<decltype(exp(a) * 2), BinaryExpr<op::mul, UnaryExpr<op::exp, Field<double>>, Scalar<int>>>);
  static_assert(std::is_base_of_v<Expr<std::decay_t<decltype(product)>>, std::decay_t<decltype(product)>>);
  CHECK(values(product) == Doubles{6, 6, 6});
}

TEST_CASE("E1.one_kernel,no_temporary E3.launch_only: an assignment is one loop, whatever the expression") {
  const Context context = own_context();
  Field<double> a({100}, 2, context), b({100}, 3, context), c({100}, 1, context), d;
  d = a * b + c;
  CHECK(values(d) == Doubles(100, 7));
  const Launches before = launches();
  const uint64_t compiled = compilations(context);
  const double* memory = d.data();
  for (int i = 0; i < 10; ++i) d = a * b + c;
  CHECK(launches().runs == before.runs + 10);
  CHECK(launches().kernels == before.kernels + 10);
  CHECK(launches().bytes == before.bytes + 10 * 4 * 100 * sizeof(double));
  CHECK(compilations(context) == compiled);
  CHECK(d.data() == memory);
  const Field<double> e = a * b + c;
  CHECK(values(e) == Doubles(100, 7));
}

TEST_CASE("E3.walked_once,cached_by_type E3.compiled/cc: the type and the context are the key; values and sizes are not") {
  const Context context = own_context();
  const auto saxpy = [](Field<double>& y, double factor, const Field<double>& x) { y = factor * x + y; };
  Field<double> x = numbers({5}, 0, context), y({5}, 1, context);
  saxpy(y, 2, x);
  CHECK(values(y) == Doubles{1, 3, 5, 7, 9});
  const uint64_t compiled = compilations(context);
  for (int i = 0; i < 5; ++i) saxpy(y, 0.5 * i, x);
  for (const int64_t n : {1, 7, 64, 1000, 0}) {
    Field<double> u = numbers({n}, 0, context), v({n}, 1, context);
    saxpy(v, -1, u);
    for (size_t i = 0; i < v.size(); ++i) CHECK(v[i] == 1 - static_cast<double>(i));
  }
  Field<double> square = numbers({3, 4}, 0, context), other({3, 4}, 1, context);
  saxpy(other, 1, square);
  CHECK(other[11] == 12);
  CHECK(compilations(context) == compiled);
  Field<double> here = numbers({5}), there({5}, 1);  // another context
  saxpy(there, 2, here);
  CHECK(values(there) == Doubles{1, 3, 5, 7, 9});
}

TEST_CASE("E1.operators: numbers on both sides, functions, comparisons, conversion on assignment") {
  const Field<double> a = numbers({4}, 1);
  Field<double> d = 1 / a + 2.0F;
  CHECK(values(d) == Doubles{3, 2.5, 1.0 / 3 + 2, 2.25});
  d = where(a > 2, sqrt(a), -a);
  CHECK(d[0] == -1);
  CHECK(d[3] == 2);
  d = maximum(a, 2.5) - minimum(3, a) + pow(a, 2.0);
  CHECK(d[0] == 2.5 - 1 + 1);
  const Field<float> f = a * 0.5;
  CHECK(f[3] == 2);
  const Field<bool> mask = a == 3;
  CHECK(mask[2]);
  CHECK_FALSE(mask[0]);
  const Field<int32_t> i = cast(a, i32) % 3;
  CHECK(i[3] == 1);
  const Field<double> mixed = f + a;
  CHECK(mixed[3] == 6);
  Field<float> g({2}, 0.1F);
  g = g * 0.1;  // 0.1 is rounded to f32, the dtype of g
  CHECK(g[0] == 0.1F * 0.1F);
  g += 1;
  g *= g;
  CHECK(g[0] == (0.1F * 0.1F + 1) * (0.1F * 0.1F + 1));
  d = 4.0;
  CHECK(values(d) == Doubles(4, 4));
  const Field<std::complex<double>> z = a * std::complex<double>(0, 1);
  CHECK(z[1] == std::complex<double>(0, 2));
}

TEST_CASE("E1.operators: an integer that the dtype of the other operand cannot hold is an error in each evaluation") {
  const Field<uint8_t> bytes({2}, 250);
  const Field<int8_t> small({2}, 100);
  const Field<uint64_t> large({2}, 5);
  Field<bool> test({2}, true);
  Field<uint8_t> sum({2}, 9);
  const auto refused = [](const std::function<void()>& function) {
    const Error error = error_of(function);
    return error.code() == HARP_ERROR_RANGE ? error.message() : std::string(error.code_name());
  };
  CHECK(refused([&] { test = bytes < 300; }) == "the number 300 does not fit u8");
  CHECK(refused([&] { test = bytes > -1; }) == "the number -1 does not fit u8");
  CHECK(refused([&] { test = small < 200U; }) == "the number 200 does not fit i8");
  CHECK(refused([&] { test = large > -1; }) == "the number -1 does not fit u64");
  CHECK(test[0]);
  for (const int number : {5, 256, 4, -1, 0}) {
    const bool fits = number >= 0 && number < 256;
    CHECK(refused([&] { sum = bytes + number; }) == (fits ? "OK" : "the number " + std::to_string(number) + " does not fit u8"));
    if (fits) CHECK(sum[0] == static_cast<uint8_t>(250 + number));
  }
  CHECK(sum[0] == 250);
  CHECK(refused([&] { fuse(sum = bytes + 1, test = bytes < 300); }) == "the number 300 does not fit u8");
  CHECK(sum[0] == 250);
  test = small > -128;
  CHECK(test[0]);
  test = bytes < 300.0;  // integers and a floating-point number: both are converted to f32
  CHECK(test[0]);
}

TEST_CASE("E1.no_temporary: a field may be read and written in one assignment") {
  Field<double> a = numbers({5}), kept = a;
  const double* memory = a.data();
  a = a * a + a;
  CHECK(values(a) == Doubles{0, 2, 6, 12, 20});
  CHECK(a.data() == memory);  // still the same memory, because the result is computed element by element in place
  a = kept;
  a = a + roll(a, 1, 0);
  CHECK(values(a) == Doubles{4, 1, 3, 5, 7});
  a = kept;
  a = flip(a, 0) - a;
  CHECK(values(a) == Doubles{4, 2, 0, -2, -4});

  Doubles host = {0, 1, 2, 3, 4, 5};
  Field<double> view = Field<double>::view(host.data(), {5}), shifted = Field<double>::view(host.data() + 1, {5});
  view = shifted * 10;  // the memory of both sides overlaps
  CHECK(host == Doubles{10, 20, 30, 40, 50, 5});
  view = view + roll(view, 2, 0);
  CHECK(host == Doubles{50, 70, 40, 60, 80, 5});
  view = kept;
  CHECK(host == Doubles{0, 1, 2, 3, 4, 5});
}

TEST_CASE("E1.one_kernel: shapes broadcast, and a field takes the shape of what it is given") {
  const Field<double> column = numbers({3, 1}, 1), row = numbers({4}, 1);
  Field<double> table = column * row;
  CHECK(table.rank() == 2);
  CHECK(table.shape()[1] == 4);
  CHECK(table[11] == 12);
  table = column + 1;
  CHECK(table.size() == 3);
  const Field<double> sums = sum(column * row, 1);
  CHECK(values(sums) == Doubles{10, 20, 30});
  const Field<double> normal = column * row - mean(column * row, 1, true);
  CHECK(normal[0] == -1.5);
  const Field<double> product = matmul(numbers({2, 2}), numbers({2, 2}));
  CHECK(values(product) == Doubles{2, 3, 6, 11});
  const Field<double> flat = reshape(numbers({2, 3}), {6});
  CHECK(flat[5] == 5);
  const Field<double> wide = matmul(numbers({2, 3}), numbers({3, 5}));
  CHECK(wide.shape()[1] == 5);

  Field<double> view = Field<double>::view(table.data(), {3});
  CHECK(error_of([&] { view = row * 2; }).code() == HARP_ERROR_SHAPE);
  CHECK(error_of([&] { table = numbers({2, 3}) + numbers({4}); }).code() == HARP_ERROR_SHAPE);
  const Field<double> nothing;
  CHECK(error_of([&] { table = nothing + 1; }).code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(table.size() == 3);
}

TEST_CASE("E1.operators: reductions are numbers") {
  const Field<double> a = numbers({4, 5}, -3), b({4, 5}, 2);
  double expected = 0, length = 0;
  for (const double x : a) expected += x * 2, length += x * x;
  const double total = sum(a * b), product = dot(a, b), size = norm(a);
  CHECK(total == expected);
  CHECK(product == expected);
  CHECK(size == doctest::Approx(std::sqrt(length)));
  const double quotient = dot(a, a) / dot(b, b);
  CHECK(quotient == doctest::Approx(length / 80));
  CHECK(max(a).value<double>() == 16);
  const int64_t where_greatest = argmax(a);
  CHECK(where_greatest == 19);
  bool below = false, too_low = false;
  if (min(a) < -2) below = true;  // -3
  if (min(a) < -3) too_low = true;
  CHECK(below);
  CHECK_FALSE(too_low);
  const Field<double> scaled = a / max(abs(a));
  CHECK(scaled[19] == 1);
  CHECK(error_of([&] { static_cast<void>(static_cast<double>(sum(a, 0))); }).code() == HARP_ERROR_SHAPE);
}

TEST_CASE("E1.one_kernel: fuse computes several assignments in one run, as if they stood one after the other") {
  Field<double> a = numbers({6}), b({6}, 2), d, e;
  double s = 0;
  d = a, e = a;
  const Launches before = launches();
  fuse(d = a + b, e = d * 2, into(s) = sum(e));
  CHECK(launches().runs == before.runs + 1);
  CHECK(values(d) == Doubles{2, 3, 4, 5, 6, 7});
  CHECK(values(e) == Doubles{4, 6, 8, 10, 12, 14});
  CHECK(s == 54);
  fuse(a = a + b, b = a - b);  // the second assignment reads the new a
  CHECK(values(a) == Doubles{2, 3, 4, 5, 6, 7});
  CHECK(values(b) == Doubles{0, 1, 2, 3, 4, 5});
  fuse(a = b + 0, b = a + 0);  // the second assignment reads the new a, which is the old b
  CHECK(values(a) == values(b));
  Field<double> number({}, 3);
  fuse(d = a + number, into(s) = number * 2);
  CHECK(values(d)[5] == 8);
  CHECK(s == 6);
  const Field<double> x = numbers({6}), y({6}, 1);
  Field<double> u = x, v = y;
  fuse(u = v + 0, v = x + 0);
  CHECK(values(u) == Doubles(6, 1));
  CHECK(values(v) == values(x));
  Field<double> p, q;  // nothing yet
  fuse(p = x + y, q = p * 10, into(s) = sum(p) + sum(q));
  CHECK(values(p) == Doubles{1, 2, 3, 4, 5, 6});
  CHECK(values(q) == Doubles{10, 20, 30, 40, 50, 60});
  CHECK(s == 231);
  Field<double> all = Field<double>::view(p.data(), {6}), tail = Field<double>::view(p.data() + 1, {5});
  fuse(p = p * 2, q = all + 0);  // `all` is another view of p's memory, so q is computed from the new p
  CHECK(values(q) == Doubles{2, 4, 6, 8, 10, 12});
  fuse(p = p * 0.5, q = tail + 0);  // `tail` is a part of p's memory
  CHECK(values(q) == Doubles{2, 3, 4, 5, 6});
  d = e = x + y;
  CHECK(values(d) == Doubles{1, 2, 3, 4, 5, 6});
  CHECK(values(e) == values(d));
}

TEST_CASE("E1.expr: the same field twice is one input, and another combination another program") {
  Field<double> a = numbers({4}, 1), b({4}, 5), c({4}, 1), d;
  const auto combine = [&](const Field<double>& x, const Field<double>& y) { d = x * y + c; };
  combine(a, b);
  CHECK(values(d) == Doubles{6, 11, 16, 21});
  combine(a, a);
  CHECK(values(d) == Doubles{2, 5, 10, 17});
  combine(b, a);
  CHECK(values(d) == Doubles{6, 11, 16, 21});
  const Launches before = launches();
  d = a + roll(a, 1, 0) + roll(a, -1, 0);
  CHECK(launches().bytes == before.bytes + 2 * 4 * sizeof(double));
  CHECK(values(d) == Doubles{7, 6, 9, 8});
  d = a + roll(a, 2, 0) + roll(a, -1, 0);  // differs from the previous program only in an attribute, which is a part of the program's key
  CHECK(values(d) == Doubles{6, 9, 8, 7});
}

TEST_CASE("E1.field: copies are copies, moves are not, spans and contexts") {
  Field<double> a = numbers({3}), b = a;
  b[0] = 9;
  CHECK(a[0] == 0);
  const double* memory = b.data();
  const Field<double> c = std::move(b);
  CHECK(c.data() == memory);
  a = c;
  CHECK(a[0] == 9);
  CHECK(a.span().size() == 3);
  CHECK_FALSE(a.is_view());
  const Context context = own_context();
  const Field<double> d({3}, 1, context);
  Field<double> e;
  e = d + 1;
  CHECK(e.context() == context);
  CHECK(error_of([] { Field<float>({1, -1}); }).code() == HARP_ERROR_RANGE);
}

TEST_CASE("E3.launch_only: threads assign at the same time") {
  std::vector<std::thread> threads;
  std::vector<double> results(4);
  for (size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Field<double> a({100 + static_cast<int64_t>(t)}, 1), b;
      for (int i = 0; i < 200; ++i) {
        b = a * 2 + static_cast<double>(t);
        results[t] = sum(b);
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (size_t t = 0; t < 4; ++t) CHECK(results[t] == (2.0 + static_cast<double>(t)) * (100.0 + static_cast<double>(t)));
}

TEST_CASE("E3.launch_only: a context of several threads gives the same bits") {
  ContextOptions options;
  options.threads = 2;
  const Context two(options);
  Field<double> a = numbers({300, 1000}), b = numbers({300, 1000}, 0, two);
  a *= 0.001, b *= 0.001;
  const Field<double> c = exp(sin(a)), d = exp(sin(b));
  CHECK(values(c) == values(d));
  const double s = sum(a * a), t = sum(b * b);
  CHECK(s == t);
}
