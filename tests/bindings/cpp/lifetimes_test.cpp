// Tests cases in which array libraries often fail: arrays that are read and written in one statement, temporaries, objects that are empty
// or were moved from, several contexts, arrays of no or one element, and many inputs.
#include <thread>
#include <tuple>

#include "support.h"

using namespace harp;
using cpp_test::contains;
using cpp_test::error_of;
using cpp_test::numbers;
using cpp_test::own_context;
using cpp_test::values;

namespace {

using Doubles = std::vector<double>;
using Floats = std::vector<float>;

}  // namespace

TEST_CASE("E1.no_temporary: a field on both sides of an assignment") {
  Field<double> square = numbers({3, 3}), wide = numbers({2, 3});
  square = transpose(square);
  CHECK(values(square) == Doubles{0, 3, 6, 1, 4, 7, 2, 5, 8});
  wide = transpose(wide);
  CHECK(wide.shape()[0] == 3);
  CHECK(values(wide) == Doubles{0, 3, 1, 4, 2, 5});
  wide = matmul(wide, transpose(wide));  // 3 x 2 times 2 x 3, so the shape changes
  CHECK(values(wide) == Doubles{9, 12, 15, 12, 17, 22, 15, 22, 29});
  square = square / sum(square, 0);
  CHECK(square[0] == 0);
  CHECK(square[8] == 8.0 / 21);
  square = square - square;
  CHECK(values(square) == Doubles(9, 0));

  Field<double> a = numbers({4}), b = numbers({4}, 10);
  fuse(a = b + 0, b = a * 2, a = a + b);  // a twice
  CHECK(values(a) == Doubles{30, 33, 36, 39});
  CHECK(values(b) == Doubles{20, 22, 24, 26});
  a += a;
  a %= 50;
  CHECK(values(a) == Doubles{10, 16, 22, 28});

  Doubles host = {1, 2, 3, 4, 5, 6};
  Field<double> low = Field<double>::view(host.data(), {3}), high = Field<double>::view(host.data() + 2, {3});
  fuse(low = high * 10, high = low + 1);  // the targets overlap; where they do, the later assignment wins
  CHECK(host == Doubles{30, 40, 31, 41, 51, 6});
  high = low;  // source and target overlap
  CHECK(host == Doubles{30, 40, 30, 40, 31, 6});
}

TEST_CASE("E1.field: a copy from a view of a field's own memory, and of nothing") {
  Field<double> a = numbers({6});
  const Field<double> tail = Field<double>::view(a.data() + 4, {2});
  a = tail;
  CHECK(values(a) == Doubles{4, 5});
  Field<double> nothing;
  a = nothing;
  CHECK_FALSE(a);
  CHECK(a.size() == 0);
  CHECK(a.rank() == 0);
  CHECK(error_of([&] { a = 1.0; }).code() == HARP_ERROR_INVALID_ARGUMENT);
  const Field<double> moved = std::move(nothing);
  CHECK_FALSE(moved);
  a = numbers({2});
  const Field<double> b = std::move(a);
  CHECK(b.size() == 2);
  CHECK_FALSE(a);  // NOLINT(bugprone-use-after-move)
  CHECK(error_of([&] { a += 1; }).code() == HARP_ERROR_INVALID_ARGUMENT);
  a = b * 2;  // the field can be used again
  CHECK(values(a) == Doubles{0, 2});
}

TEST_CASE("E1.expr: expressions that are kept, and temporaries inside a statement") {
  Field<double> a = numbers({3}), d;
  const auto doubled = a * 2;
  // The expression `later` contains a copy of the expression sum(a). But it refers to the field a, whose elements are read when d is
  // assigned.
  const auto later = doubled + sum(a);
  d = later;
  CHECK(values(d) == Doubles{3, 5, 7});
  a = numbers({2}, 5);
  d = later;
  CHECK(values(d) == Doubles{21, 23});
  d = numbers({2}) + numbers({2}, 1) * numbers({2}, 2);
  CHECK(values(d) == Doubles{2, 7});
  Field<float> f;
  f = d = a + 1;  // d is f64 and f is f32; both get the same values
  CHECK(f[1] == 7);
  double number = 0;
  CHECK(error_of([&] { fuse(d = a + 1, into(number) = sum(a + numbers({3}))); }).code() == HARP_ERROR_SHAPE);
  CHECK(values(d) == Doubles{6, 7});
  CHECK(error_of([&] { d = a + (a[0] > 0 ? throw Error(HARP_ERROR_IO, "of the user's") : 1); }).code() == HARP_ERROR_IO);
  CHECK(values(d) == Doubles{6, 7});
}

TEST_CASE("E1.field: no elements, one element, dtypes that do not go together") {
  Field<double> none({0, 3}), d;
  d = none * 2 + 1;
  CHECK(d.size() == 0);
  CHECK(d.shape()[1] == 3);
  CHECK(sum(none).value<double>() == 0);
  CHECK(error_of([&] { static_cast<void>(max(none).value<double>()); }).code() == HARP_ERROR_SHAPE);
  d = sum(none, 0);
  CHECK(values(d) == Doubles(3, 0));
  Field<double> one({}, 4);
  d = one * one + numbers({2});
  CHECK(values(d) == Doubles{16, 17});
  d = one + 1;
  CHECK(d.rank() == 0);
  CHECK(d[0] == 5);
  Field<int32_t> i({2}, 7);
  Field<bool> bit({2}, true);
  Field<float> f({2}, 0.5F);
  d = where(bit, i, f);
  CHECK(values(d) == Doubles{7, 7});
  i = f * 5;  // converted to the dtype of i, as C++ does
  CHECK(i[0] == 2);
  i += true;
  CHECK(i[0] == 3);
  const Error error = error_of([&] { f = f & bit; });
  CHECK(error.code() == HARP_ERROR_DTYPE);
  CHECK(contains(error.message(), "bitwise_and"));
}

TEST_CASE("E1.one_kernel: sizes that an operation cannot have are found in each new shape") {
  Field<double> d;
  const auto fold = [&](const Field<double>& x) { d = reshape(slice(x, 1, 7), {2, 3}) * 2; };
  fold(numbers({10}));
  CHECK(values(d) == Doubles{2, 4, 6, 8, 10, 12});
  fold(numbers({7}));
  CHECK(values(d) == Doubles{2, 4, 6, 8, 10, 12});
  const Error error = error_of([&] { fold(numbers({4})); });
  CHECK(error.code() == HARP_ERROR_SHAPE);
  CHECK(contains(error.message(), "[3]"));
  const auto add = [&](const Field<double>& x, const Field<double>& y) { d = x + y; };
  add(numbers({2, 2}), numbers({2, 2}));
  add(numbers({2, 1}), numbers({1, 2}));
  CHECK(values(d) == Doubles{0, 1, 1, 2});
  add(numbers({1, 1}), numbers({3}));
  CHECK(d.rank() == 2);
  const Error shapes = error_of([&] { add(numbers({2, 3}), numbers({3, 2})); });
  CHECK(contains(shapes.message(), "[2, 3]"));
  CHECK(contains(shapes.message(), "[3, 2]"));
}

TEST_CASE("E1.expr: seventy fields in one expression, of which one is written") {
  std::vector<Field<double>> f;
  for (int i = 0; i < 70; ++i) f.push_back(numbers({3}, i));
  const auto ten = [&](size_t k) {
    return f[k] + f[k + 1] + f[k + 2] + f[k + 3] + f[k + 4] + f[k + 5] + f[k + 6] + f[k + 7] + f[k + 8] + f[k + 9];
  };
  f[66] = ten(0) + ten(10) + ten(20) + ten(30) + ten(40) + ten(50) + roll(ten(60), 1, 0);
  double expected = 0;
  for (int i = 0; i < 70; ++i) expected += i;
  CHECK(values(f[66]) == Doubles{expected + 20, expected + 60, expected + 130});
}

TEST_CASE("H1.lazy/cpp: the truth of a tensor is that of its only element") {
  const Tensor loss({0.25F});
  int steps = 0;
  for (Tensor x = loss; x > 0.1; x = x / 2) ++steps;
  CHECK(steps == 2);
  const bool zero = static_cast<bool>(Tensor({-0.0})), half = static_cast<bool>(cast(Tensor({0.5}), f16));
  CHECK_FALSE(zero);
  CHECK(half);
  CHECK(static_cast<bool>((Tensor({1, 2}) == Tensor({1, 2})).all()));
  CHECK_FALSE(static_cast<bool>(Tensor({std::complex<float>(0, -0.0F)})));
  CHECK(static_cast<bool>(Tensor({std::complex<float>(0, 1)})));
  CHECK_FALSE(static_cast<bool>(Tensor()));
  CHECK_FALSE(Tensor().defined());
  CHECK(loss.defined());
  const Error error = error_of([&] { static_cast<void>(static_cast<bool>(Tensor({1, 2}) == Tensor({1, 2}))); });
  CHECK(error.code() == HARP_ERROR_SHAPE);
  CHECK(contains(error.message(), "[2]"));
  const auto looks = jit([](const Tensor& x) { return x > 0 ? x : -x; });
  CHECK(error_of([&] { looks(loss); }).code() == HARP_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("H6.span_in/cpp: tensors from rows, bools and numbers") {
  const Tensor table({{1, 2, 3}, {4, 5, 6}});
  CHECK(table.dtype() == i32);
  CHECK(table.dim(0) == 2);
  CHECK(table.sum(0).to_vector<int32_t>() == std::vector<int32_t>{5, 7, 9});
  CHECK(Tensor({1.0F, 2.0F, 3.0F, 4.0F}, {2, 2}).dim(1) == 2);
  CHECK(error_of([] { Tensor({{1, 2}, {3}}); }).code() == HARP_ERROR_SHAPE);
  CHECK(Tensor(std::vector<bool>{true, false, true}).to_vector<bool>() == std::vector<bool>{true, false, true});
  CHECK(Tensor(std::vector<bool>{true, false, true}).count_nonzero().item<int64_t>() == 2);
  CHECK(Tensor::scalar(2.0, i32).item<int32_t>() == 2);
  CHECK(cast(Tensor::scalar(0.5, f16), f32).item<float>() == 0.5F);
  CHECK(error_of([] { Tensor::scalar(2.5, i32); }).code() == HARP_ERROR_RANGE);
  CHECK(error_of([] { Tensor::scalar(300, u8); }).code() == HARP_ERROR_RANGE);
  CHECK(error_of([] { Tensor::scalar(2, boolean); }).code() == HARP_ERROR_RANGE);
  CHECK(error_of([] { Tensor::scalar(std::complex<double>(0, 1), f64); }).code() == HARP_ERROR_RANGE);
  CHECK(error_of([] { Tensor::scalar(1, DType::unknown); }).code() == HARP_ERROR_DTYPE);
}

TEST_CASE("H1.lazy/cpp: empty tensors and such that were moved from") {
  Tensor a({1.0, 2.0}), b = std::move(a);
  CHECK_FALSE(a.defined());  // NOLINT(bugprone-use-after-move)
  CHECK(error_of([&] { a + 1; }).code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(error_of([&] { a.sum(); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(error_of([&] { concat({b, a}); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(error_of([&] { grad(a, {b}); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(error_of([] { stack(std::vector<Tensor>()); }).message() == "stack: expected at least one array, got an empty list");
  CHECK(error_of([] { concat(std::vector<Node>()); }).message() == "concat: expected at least one array, got an empty list");
  CHECK(error_of([] { meshgrid(std::vector<Node>()); }).message() == "meshgrid: expected at least one array, got an empty list");
  CHECK(a.to_vector<double>().empty());
  CHECK_FALSE(a.buffer());
  realize({a, b});
  a = b + b;
  b = Tensor();
  CHECK(a.to_vector<double>() == Doubles{2, 4});
  a += std::move(a);
  CHECK(a.to_vector<double>() == Doubles{4, 8});
}

TEST_CASE("H6: empty handles are errors") {
  const Graph graph;
  CHECK(error_of([&] { graph.input("x", f32, {2}); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(error_of([&] { graph.dim("n", 0, 9); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(error_of([&] { graph.output("y", Node()); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(error_of([&] { static_cast<void>(graph.compile()); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(error_of([&] { Graph made{Context()}; }).code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(error_of([&] { Program().run({}); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(error_of([&] { Program().call({}, {}); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(error_of([&] { Buffer(Context(), f32, {2}); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(error_of([&] { Buffer().span<float>(); }).code() != HARP_OK);
  CHECK(Buffer(default_context(), f32, {0, 3}).dims().size() == 2);
  const Graph moved(default_context());
  const Dim n = moved.dim("n", 0, 9);
  CHECK(2 * n == n + n);
  CHECK(n + 1 != n);
  CHECK(n - n == 0);
}

TEST_CASE("H1.realize/cpp: tensors of two contexts, together and from two threads") {
  const Context first = own_context(), second = own_context();
  const Tensor a = Tensor({1.0, 2.0}, first) + 1, b = Tensor({3.0}, second) * 2, c = a * a;
  const Launches before = launches();
  realize({a, b, c});
  CHECK(launches().runs == before.runs + 2);
  CHECK(a.context() == first);
  CHECK(b.context() == second);
  CHECK(c.to_vector<double>() == Doubles{4, 9});
  CHECK(b.item<double>() == 6);
  CHECK(error_of([&] { grad(a.sum() * 2, {a}, Tensor({1.0}, second)); }).code() == HARP_ERROR_INVALID_ARGUMENT);

  std::vector<std::thread> threads;
  std::vector<double> sums(4);
  for (size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const Context& mine = t % 2 == 0 ? first : second;
      for (int i = 0; i < 50; ++i) {
        Field<double> x({3 + static_cast<int64_t>(t)}, 2, mine), y;
        y = x * x + i;
        sums[t] = (Tensor(Span<const double>(y.data(), y.size()), static_cast<int64_t>(y.size()), mine) - i).sum().item<double>();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (size_t t = 0; t < 4; ++t) CHECK(sums[t] == 4.0 * static_cast<double>(3 + t));
}

TEST_CASE("H1.cached/cpp: what jit gives keeps its structure, and inner functions join the outer one's context") {
  const auto parts = jit([](const Tensor& x) {
    return std::make_tuple(std::vector<Tensor>{x, x + 1}, x * 2, std::vector<Tensor>{}, std::array<Tensor, 2>{x - 1, x});
  });
  const auto [list, twice, none, pair] = parts(Tensor({5.0}));
  REQUIRE(list.size() == 2);
  CHECK(list[1].item<double>() == 6);
  CHECK(twice.item<double>() == 10);
  CHECK(none.empty());
  CHECK(pair[0].item<double>() == 4);
  const Context context = own_context();
  const auto scale = jit([](const Tensor& x, const Tensor& k) { return x * k; });
  const auto outer = jit([&](const Tensor& x) { return scale(x, 0.5) + scale(2, x); });
  const Tensor y = outer(Tensor({4.0F}, context));
  CHECK(y.dtype() == f32);
  CHECK(y.item<float>() == 10);
}

TEST_CASE("H1.lazy/cpp: many tensors and wide graphs") {
  std::vector<Tensor> many;
  Tensor x({1.0, 2.0});
  for (int i = 0; i < 300; ++i) many.push_back(x + i);
  realize(many);
  CHECK(many[299].to_vector<double>() == Doubles{300, 301});
  CHECK(concat(many).sum().item<double>() == 300 * 3.0 + 2 * 299 * 150);
  // x has only 60 distinct values, but 2^60 paths lead through its graph; a limit on the graph's size must count values
  for (int i = 0; i < 60; ++i) x = x + x;
  CHECK(x.to_vector<double>() == Doubles{0x1p60, 0x1p61});
}

TEST_CASE("H1.lazy/cpp: the memory of values is used again, and may be given back by another thread") {
  const Tensor x({1.0, 2.0});
  const auto step = [&](int i) {
    Tensor y = x;
    for (int k = 0; k < 20; ++k) y = y * 0.5 + i;
    return y.sum();
  };
  double first = 0;
  for (int i = 0; i < 3; ++i) first = step(7).item<double>();
  const size_t kept = detail::Blocks::kept();
  for (int i = 0; i < 50; ++i) step(i).realize();
  CHECK(detail::Blocks::kept() == kept);
  CHECK(step(7).item<double>() == first);

  std::vector<Tensor> made;
  std::thread([&] {
    for (int i = 0; i < 3000; ++i) made.push_back(x + i);
  }).join();
  realize({made.front(), made.back()});
  CHECK(made.back().to_vector<double>() == Doubles{3000, 3001});
  made.clear();
  CHECK(detail::Blocks::kept() <= detail::Blocks::kSizes * detail::Blocks::kMost);
  std::thread([&] { CHECK(step(7).item<double>() == first); }).join();
}
