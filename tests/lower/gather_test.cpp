// Tests gathers: values on every backend, the number of kernels, the arrays in memory, and the message of every error.
#include <algorithm>

#include "pipeline.h"
#include "support/backends_run.h"
#include "support/misuse.h"

using namespace capi_test;

namespace {

template <class T>
Values<T> numbers(std::vector<T> items) {
  const auto count = static_cast<int64_t>(items.size());
  return {std::move(items), {count}};
}

/// Returns the position of the element that `index` selects from n elements, as docs/semantics.md defines it.
size_t named(int64_t index, int64_t n) { return static_cast<size_t>(std::clamp<int64_t>(index < 0 ? index + n : index, 0, n - 1)); }

}  // namespace

TEST_CASE("G14.take/interp,c G16: an index counts from the end once and is then moved to the nearest element") {
  const Backends backends;
  const std::vector<int64_t> wanted = {0, 1, 6, 7, 8, 1000, -1, -7, -8, -9, -1000, INT64_MAX, INT64_MIN, INT64_MIN + 3};
  const Values<float> x = rough({7}, 1);
  const auto outputs = backends.run("graph g(x: f32[n], i: i64[m]) {\n  return y = take(x, i)\n}", x, numbers(wanted));
  const auto y = values<float>(outputs[0].get());
  REQUIRE(y.size() == wanted.size());
  for (size_t i = 0; i < y.size(); ++i) {
    const int64_t index = std::clamp<int64_t>(wanted[i], -100, 100);
    CHECK(y[i] == x.items[named(index, 7)]);
  }
  // u64 has numbers that no signed dtype can represent; i8 is the narrowest dtype.
  const auto wide = backends.run("graph g(x: f32[n], i: u64[m], j: i8[m]) {\n  return y = take(x, i), z = take(x, j)\n}", x,
                                 numbers<uint64_t>({2, UINT64_MAX, uint64_t{1} << 63}), numbers<int8_t>({6, -8, -128}));
  CHECK(values<float>(wide[0].get()) == std::vector<float>{x.items[2], x.items[6], x.items[6]});
  CHECK(values<float>(wide[1].get()) == std::vector<float>{x.items[6], x.items[0], x.items[0]});
}

TEST_CASE("G14.take/interp,c G16: an axis without elements gives zeros, where it is known so an error") {
  const Backends backends;
  const auto outputs =
      backends.run("graph g(x: f32[n, 3], b: bool[n], i: i32[m]) {\n  return y = take(x, i, axis=0) + 1, c = take(b, i)\n}",
                   Values<float>{{}, {0, 3}}, Values<uint8_t>{{}, {0}}, numbers<int32_t>({0, -1, 5}));
  CHECK(values<float>(outputs[0].get()) == std::vector<float>(9, 1.0f));
  CHECK(values<uint8_t>(outputs[1].get()) == std::vector<uint8_t>(3, 0));
  const auto none =
      backends.run("graph g(x: f32[0], i: i32[m]) {\n  return y = take(x, i)\n}", Values<float>{{}, {0}}, numbers<int32_t>({}));
  CHECK(dims(none[0].get()) == std::vector<int64_t>{0});
}

TEST_CASE("G14.take,take_along_axis/interp,c G16 G17: one kernel with what is around, two where the array has to be made first") {
  const Backends backends;
  const auto kernels = [&](const std::string& text) { return backends.cost("graph " + text, {8, 9}).kernels; };
  // An embedding: one kernel gathers the rows of a table, adds a bias and applies a function.
  CHECK(kernels("g(x: f32[n, 16], i: i32[m], b: f32[16]) flags=[broadcast] {\n  return y = relu(take(x, i, axis=0) + b)\n}") == 1);
  // The kernel also computes the indices.
  CHECK(kernels("g(x: f32[n], i: i32[m]) {\n  return y = take(x, i * 3 % 7)\n}") == 1);
  // Elements of a view are gathered from the original array, without a copy.
  CHECK(kernels("g(x: f32[n, 16], i: i32[m]) {\n  return y = take(flip(transpose(x), axes=[0]), i, axis=0)\n}") == 1);
  CHECK(kernels("g(x: f32[n, 16], i: i32[m]) {\n  return y = take(reshape(x, shape=[n, 4, 4]), i, axis=1), z = take(x, i)\n}") == 2);
  // One kernel stores the computed array. A second kernel gathers its elements and sums them.
  const std::string computed = "g(x: f32[n, 16], i: i32[m]) {\n  return y = sum(take(exp(x) * 2, i, axis=0), axes=[1])\n}";
  CHECK(kernels(computed) == 2);
  const Values<float> x = whole<float>({5, 16}, 1);
  const Values<int32_t> i = numbers<int32_t>({4, -1, 0, 99});
  backends.run("graph " + computed, x, i);
  backends.run("graph g(x: f32[n, 16], i: i32[m]) {\n  e = x * x\n  return e, y = take(e, i, axis=0), t = take(transpose(e), i, axis=1)\n}",
               x, i);
  // The flattened transpose is not a view, so it is stored first.
  const auto outputs = backends.run("graph g(x: f32[n, 16], i: i32[m]) {\n  return y = take(transpose(x), i)\n}", x, i);
  CHECK(values<float>(outputs[0].get()) == std::vector<float>{x.items[4 * 16], x.items[4 * 16 + 15], x.items[0], x.items[4 * 16 + 15]});
}

TEST_CASE("G14 X6/interp,c: prefetches read no index beyond the end of the indices") {
  const Backends backends;
  const Values<float> x = whole<float>({300000, 16}, 1);
  for (const int64_t k : {0, 10, 100}) {
    CAPTURE(k);
    const Values<int64_t> ids{std::vector<int64_t>(static_cast<size_t>(k), 299999), {k}};
    backends.run(
        "graph g(x: f32[300000, 16], ids: i64[k]) {\n  t = take(x, ids, axis=0)\n  return y = pad(t, before=[0, 0], after=[8, 0], "
        "value=0), z = pad(t, before=[70000, 0], after=[500000, 0], value=1)\n}",
        x, ids);
    backends.run(
        "graph g(x: f32[300000, 16], ids: i64[k]) {\n  return y = take(x, pad(ids, before=[1], after=[70000], value=5), axis=0)\n}", x,
        ids);
    backends.run("graph g(x: f32[300000, 16], ids: i64[k], j: i64[m]) {\n  return y = take(x, concat(ids, j, axis=0), axis=0)\n}", x, ids,
                 Values<int64_t>{{7, 8, 9}, {3}});
  }
}

TEST_CASE("G14.take_along_axis/interp,c: what sort orders by, at the same place on all other axes") {
  const Backends backends;
  const Values<double> x = whole<double>({3, 5}, 4);
  const Values<int32_t> i{{4, 3, 2, -5, 0, 9, 1, 1, -9, 2, 3, 4}, {3, 4}};
  const auto outputs = backends.run(
      "graph g(x: f64[n, 5], i: i32[n, k]) {\n  return y = take_along_axis(x, i), z = take_along_axis(transpose(x), transpose(i), "
      "axis=0)\n}",
      x, i);
  const auto y = values<double>(outputs[0].get()), z = values<double>(outputs[1].get());
  for (size_t row = 0; row < 3; ++row)
    for (size_t k = 0; k < 4; ++k) {
      const double expected = x.items[row * 5 + named(i.items[row * 4 + k], 5)];
      CHECK(y[row * 4 + k] == expected);
      CHECK(z[k * 3 + row] == expected);
    }
}

TEST_CASE("G14.take,take_along_axis/interp,c L6: single elements are taken without vectors, rows by vectors") {
  const Backends backends;
  const std::string along =
      "graph g(x: f32[6, 5], i: i64[6, k]) {\n  y = take_along_axis(x, i)\n  return y, z = y * y + 1.0, e = exp(y)\n}";
  for (const int64_t k : {1, 2, 3, 4, 7, 16, 40}) {
    Values<int64_t> i{{}, {6, k}};
    for (int64_t at = 0; at < 6 * k; ++at) i.items.push_back(at * 7 % 23 - 11);  // some indices are out of range, at both ends of the axis
    backends.run(along, whole<float>({6, 5}, 1), i);
  }
  const auto source = [](const std::string& text) {
    const Context context = make_context();
    const Graph graph = parse(context.get(), "harp 1\ngraph " + text);
    return source_for("x86-64-v4", graph.get());
  };
  const auto has = [](const std::string& text, std::string_view part) { return text.find(part) != text.npos; };
  const std::string taken = source("g(x: f32[75, 2], i: i64[75, 128]) {\n  return y = take_along_axis(x, i)\n}");
  CHECK_FALSE(has(taken, "gather_f32"));
  CHECK(has(taken, "__builtin_expect((uint64_t)x < (uint64_t)y, 1) ? x : clamp_any_index_i64(x, y)"));
  CHECK(has(source("g(x: f32[75, 2], i: i64[75, 128]) {\n  return y = exp(take_along_axis(x, i))\n}"), "gather_f32"));
  const std::string rows = source("g(x: f32[75, 64], i: i64[128]) {\n  return y = take(x, i, axis=0)\n}");
  CHECK(has(rows, "*(const f32x16*)(input0 + "));
  CHECK_FALSE(has(rows, "gather_f32"));
}

TEST_CASE("G14 G17 X2: an output takes the place of the indices, never of what is taken from") {
  using Pairs = std::vector<harp::InPlaceArguments>;
  const auto in_place = [](const std::string& text) { return harp::in_place_arguments(*harp::parse_graph("graph " + text), {}); };
  CHECK(in_place("g(x: i32[8], i: i32[8]) {\n  return y = take(x, i)\n}") == Pairs{{0, 1}});
  CHECK(in_place("g(x: i32[8]) {\n  return y = take(x, x)\n}").empty());
  CHECK(in_place("g(x: f32[8], i: i32[8]) {\n  return y = take(x, i)\n}").empty());
}

TEST_CASE("G14: mistakes in indices say what is wrong") {
  const std::string inputs = "x: f32[n, 3], b: bool[4], i: i32[2, 2], e: f32[0, 3]";
  check_misuse(inputs, "take(x, x)", "DTYPE", "take: indices must be integers, got f32 (\"x\")");
  check_misuse(inputs, "take(x, b)", "DTYPE", "indices must be integers, got bool");
  check_misuse(inputs, "take(x, 1.5)", "RANGE", "1.5");
  check_misuse(inputs, "take(x, i, axis=2)", "SHAPE", "axis 2");
  check_misuse(inputs, "take(e, i, axis=0)", "SHAPE", "axis 0 of \"e\" of shape [0, 3] has no elements, but indices of shape [2, 2]");
  check_misuse(inputs, "take_along_axis(x, i, axis=1)", "SHAPE", "must be identical except along axis 1");
  check_misuse(inputs, "take_along_axis(x, b, axis=0)", "DTYPE", "indices must be integers");
}
