// Tests scatters: the order of additions, on every backend; the number of kernels; and the message of every error.
#include <algorithm>
#include <cmath>
#include <limits>

#include "support/backends_run.h"
#include "support/misuse.h"

using namespace capi_test;

namespace {

/// Returns the position of the element that `index` selects from n elements, as docs/semantics.md defines it.
size_t named(int64_t index, int64_t n) { return static_cast<size_t>(std::clamp<int64_t>(index < 0 ? index + n : index, 0, n - 1)); }

Values<int32_t> indices(std::vector<int64_t> dims, int64_t n, uint32_t seed) {
  Values<int32_t> values = whole<int32_t>(std::move(dims), seed);
  std::mt19937 random(seed + 1);
  for (int32_t& i : values.items) i = static_cast<int32_t>(static_cast<int64_t>(random() % (2 * n + 4)) - n - 2);
  return values;
}

}  // namespace

TEST_CASE("G14.scatter_add/interp,c: rows of updates are added to rows, one after the other in the order of their indices") {
  const Backends backends;
  for (const int64_t width : {1, 3, 16, 67}) {
    const Values<float> x = rough({5, width}, 1), u = rough({200, width}, 2);
    const Values<int32_t> i = indices({200}, 5, 3);
    const auto outputs =
        backends.run("graph g(x: f32[n, k], i: i32[m], u: f32[m, k]) {\n  return y = index_add(x, i, u, axis=0)\n}", x, i, u);
    std::vector<float> expected = x.items;
    for (size_t row = 0; row < 200; ++row)
      for (size_t column = 0; column < static_cast<size_t>(width); ++column) {
        float& sum = expected[named(i.items[row], 5) * static_cast<size_t>(width) + column];
        sum = sum + u.items[row * static_cast<size_t>(width) + column];
      }
    CHECK(values<float>(outputs[0].get()) == expected);
  }
}

TEST_CASE("G14.scatter_add/interp,c G16: an index for each update; the last axis, one in the middle, all of one axis") {
  const Backends backends;
  const Values<float> x = rough({3, 7, 4}, 1);
  const Values<int32_t> i = indices({3, 30, 4}, 7, 3);
  const Values<float> u = rough({3, 30, 4}, 4);
  const auto outputs = backends.run(
      "graph g(x: f32[a, 7, b], i: i32[a, m, b], u: f32[a, m, b]) {\n"
      "  y = scatter_add(x, i, u * u, axis=1)\n"
      "  z = scatter_add(permute(x, axes=[0, 2, 1]), permute(i, axes=[0, 2, 1]), permute(u * u, axes=[0, 2, 1]))\n"
      "  return y, back = permute(z, axes=[0, 2, 1]), flat = scatter_add(flatten(x), flatten(i), flatten(u))\n}",
      x, i, u);
  std::vector<float> expected = x.items, flat = x.items;
  for (size_t a = 0; a < 3; ++a)
    for (size_t m = 0; m < 30; ++m)
      for (size_t b = 0; b < 4; ++b) {
        const size_t from = (a * 30 + m) * 4 + b;
        float& sum = expected[(a * 7 + named(i.items[from], 7)) * 4 + b];
        sum = sum + u.items[from] * u.items[from];
        float& one = flat[named(i.items[from], 84)];
        one = one + u.items[from];
      }
  CHECK(values<float>(outputs[0].get()) == expected);
  CHECK(values<float>(outputs[1].get()) == expected);
  CHECK(values<float>(outputs[2].get()) == flat);
}

TEST_CASE("G14.scatter_add/interp,c G16: to an axis without elements nothing is added; without updates x stays") {
  const Backends backends;
  const std::string text = "graph g(x: f32[n, 3], i: i32[m], u: f32[m, 3]) {\n  return y = index_add(x, i, u, axis=0)\n}";
  const auto none = backends.run(text, Values<float>{{}, {0, 3}}, Values<int32_t>{{0, -1}, {2}}, whole<float>({2, 3}, 1));
  CHECK(dims(none[0].get()) == std::vector<int64_t>{0, 3});
  const Values<float> x = rough({4, 3}, 1);
  const auto same = backends.run(text, x, Values<int32_t>{{}, {0}}, Values<float>{{}, {0, 3}});
  CHECK(values<float>(same[0].get()) == x.items);
}

TEST_CASE("G14.scatter_add/interp,c: narrow dtypes are added up in what they compute in and converted once") {
  const Backends backends;
  // The sum is computed in a wider dtype than f16, in which 1024 + 0.5 + 0.5 ... would stay 1024. If an intermediate sum exceeds the range
  // of i8, the final sum must still be right.
  const auto outputs = backends.run(
      "graph g(i: i32[m], u: f32[m], v: i16[m]) {\n"
      "  h = full(shape=[2], value=1024, dtype=f16)\n  b = full(shape=[2], value=100, dtype=i8)\n"
      "  return y = cast(scatter_add(h, i, cast(u, f16)), f32), z = cast(scatter_add(b, i, cast(v, i8)), i16)\n}",
      Values<int32_t>{{0, 0, 0, 0}, {4}}, Values<float>{{0.5f, 0.5f, 0.5f, 0.5f}, {4}}, Values<int16_t>{{100, 100, -100, -90}, {4}});
  CHECK(values<float>(outputs[0].get()) == std::vector<float>{1026, 1024});
  CHECK(values<int16_t>(outputs[1].get()) == std::vector<int16_t>{110, 100});
}

TEST_CASE("G14.scatter_add/interp,c G17: a kernel of its own, in which x and the updates are computed on the way") {
  const Backends backends;
  const auto kernels = [&](const std::string& text) { return backends.cost("graph " + text, {8, 9}).kernels; };
  CHECK(kernels("g(x: f32[n, 16], i: i32[m], u: f32[m, 16]) {\n  return y = index_add(x * 2, i * 3, exp(u), axis=0)\n}") == 1);
  const std::string after = "g(x: f32[n, 16], i: i32[m], u: f32[m, 16]) {\n  return y = x + 0.5 * index_add(x, i, u, axis=0), z = x * 2\n}";
  CHECK(kernels(after) == 2);
  backends.run("graph " + after, rough({6, 16}, 1), indices({40}, 6, 2), rough({40, 16}, 3));
  // A second scatter updates the result of the first one.
  backends.run(
      "graph g(x: f32[n, 16], i: i32[m], u: f32[m, 16]) {\n"
      "  y = index_add(x, i, u, axis=0)\n  return y, z = index_add(y, i, u, axis=0), t = take(y, i, axis=0)\n}",
      rough({6, 16}, 1), indices({40}, 6, 2), rough({40, 16}, 3));
}

TEST_CASE("G14: mistakes in what is added say what is wrong") {
  const std::string inputs =
      "x: f32[n, 3], b: bool[4], h: bool[n, 3], i: i32[2, 2], j: i32[n, 3], k: i32[5], e: f32[0, 3], u: f32[5, 3], d: f64[n, 3]";
  check_misuse(inputs, "scatter_add(x, x, x)", "DTYPE", "scatter_add: indices must be integers, got f32 (\"x\")");
  check_misuse(inputs, "scatter_add(h, j, h)", "DTYPE", "scatter_add: takes");
  check_misuse(inputs, "scatter_add(x, j, d)", "DTYPE", "must be the same");
  check_misuse(inputs, "scatter_add(x, i, x)", "SHAPE", "must be identical except along axis 1");
  check_misuse(inputs, "scatter_add(x, j, u)", "SHAPE", "updates [5, 3] (\"u\"); they must be identical");
  check_misuse(inputs, "scatter_add(x, j, x, axis=2)", "SHAPE", "axis 2");
  check_misuse(inputs, "index_add(x, i, u)", "SHAPE", "indices must have one axis, got shape [2, 2]");
  check_misuse(inputs, "index_add(x, k, x)", "SHAPE", "it must be [5, 3]: that of");
  check_misuse(inputs, "index_add(e, k, u)", "SHAPE", "has no elements, but indices of shape [5]");
}

TEST_CASE(
    "G22.scatter/interp,c: of several updates of one element the last stays, with its bits; max and min keep NaN; bool has all but mul") {
  const Backends backends;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto outputs = backends.run(
      "graph g(x: f32[4], i: i32[m], u: f32[m], h: u16[4], v: u16[m], b: bool[4], c: bool[m]) {\n"
      "  return a = scatter(x, i, u), m = scatter_max(x, i, u), n = scatter_min(x, i, u), p = scatter_mul(x, i, u),\n"
      "         q = bitcast(scatter(bitcast(h, f16), i, bitcast(v, f16)), u16), s = scatter(b, i, c), t = scatter_max(b, i, c), w = "
      "scatter_min(b, i, c)\n}",
      Values<float>{{1, 2, 3, 4}, {4}}, Values<int32_t>{{0, -2, 0, 9, 0}, {5}}, Values<float>{{5, nan, -7, 4, 2}, {5}},
      // the bits of f16: 0x8000 is -0, and 0xfc00 is minus infinity
      Values<uint16_t>{{1, 2, 3, 4}, {4}}, Values<uint16_t>{{9, 0x8000, 8, 0xfc00, 7}, {5}}, Values<uint8_t>{{0, 1, 0, 1}, {4}},
      Values<uint8_t>{{1, 1, 0, 0, 0}, {5}});
  const auto same = [](std::vector<float> got, std::vector<float> expected) {
    return std::equal(got.begin(), got.end(), expected.begin(), expected.end(),
                      [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); });
  };
  CHECK(same(values<float>(outputs[0].get()), {2, 2, nan, 4}));
  CHECK(same(values<float>(outputs[1].get()), {5, 2, nan, 4}));
  CHECK(same(values<float>(outputs[2].get()), {-7, 2, nan, 4}));
  CHECK(same(values<float>(outputs[3].get()), {-70, 2, nan, 16}));
  CHECK(values<uint16_t>(outputs[4].get()) == std::vector<uint16_t>{7, 2, 0x8000, 0xfc00});
  CHECK(values<uint8_t>(outputs[5].get()) == std::vector<uint8_t>{0, 1, 1, 0});
  CHECK(values<uint8_t>(outputs[6].get()) == std::vector<uint8_t>{1, 1, 1, 1});
  CHECK(values<uint8_t>(outputs[7].get()) == std::vector<uint8_t>{0, 1, 0, 0});
}

TEST_CASE("G22.scatter/interp,c: a reduction without the element itself; one that has no update stays") {
  const Backends backends;
  const auto outputs = backends.run(
      "graph g(x: f32[3], i: i32[m], u: f32[m], k: i32[3], l: i32[m]) {\n"
      "  return a = scatter_reduce(x, i, u, axis=0, reduction=\"mean\"), b = scatter_reduce(x, i, u, axis=0, reduction=\"mean\", "
      "include_self=false),\n"
      "         c = scatter_reduce(x, i, u, axis=0, reduction=\"prod\", include_self=false), d = scatter_reduce(k, i, l, axis=0, "
      "reduction=\"max\", "
      "include_self=false),\n         e = scatter_reduce(k, i, l, axis=0, reduction=\"min\", include_self=false)\n}",
      Values<float>{{10, 20, 30}, {3}}, Values<int32_t>{{2, 0, 2, 2}, {4}}, Values<float>{{1, 2, 3, 4.5f}, {4}},
      Values<int32_t>{{100, 200, -300}, {3}}, Values<int32_t>{{7, 8, -9, 5}, {4}});
  CHECK(values<float>(outputs[0].get()) == std::vector<float>{6, 20, 9.625f});
  CHECK(values<float>(outputs[1].get()) == std::vector<float>{2, 20, 8.5f / 3});
  CHECK(values<float>(outputs[2].get()) == std::vector<float>{2, 20, 13.5f});
  CHECK(values<int32_t>(outputs[3].get()) == std::vector<int32_t>{8, 200, 7});
  CHECK(values<int32_t>(outputs[4].get()) == std::vector<int32_t>{8, 200, -9});
}

TEST_CASE("G22.scatter_nd/interp,c: tuples name elements or rows; updates may be none") {
  const Backends backends;
  const auto outputs = backends.run(
      "graph g(x: f32[a, b], t: i32[k, 2], u: f32[k], r: i32[l, 1], v: f32[l, b]) {\n"
      "  return y = scatter_nd(x, t, u), z = scatter_nd(x, r, v, reduction=\"sum\"), w = scatter_nd(x, t[:0], u[:0])\n}",
      Values<float>{{1, 2, 3, 4, 5, 6}, {2, 3}}, Values<int32_t>{{0, 1, -1, -1, 0, 1, 5, 0}, {4, 2}}, Values<float>{{10, 20, 30, 40}, {4}},
      Values<int32_t>{{1, 1}, {2, 1}}, Values<float>{{1, 2, 3, 10, 20, 30}, {2, 3}});
  CHECK(values<float>(outputs[0].get()) == std::vector<float>{1, 30, 3, 4, 5, 40});  // the index [5, 0] is clamped to the last element
  CHECK(values<float>(outputs[1].get()) == std::vector<float>{1, 2, 3, 15, 27, 39});
  CHECK(values<float>(outputs[2].get()) == std::vector<float>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("G22: mistakes in what is scattered name the function that was called") {
  const std::string inputs =
      "x: f32[n, 3], b: bool[n, 3], z: complex64[n, 3], j: i32[n, 3], t: i32[k, 2], u: f32[k], e: f32[0, 3], s: i32[5, 2], v: f32[5]";
  check_misuse(inputs, "scatter(x, x, x)", "DTYPE", "scatter: indices must be integers, got f32 (\"x\")");
  check_misuse(inputs, "scatter_mul(b, j, b)", "DTYPE", "scatter_mul: takes");
  check_misuse(inputs, "scatter_mul(z, j, z)", "DTYPE", "scatter_mul: takes");
  check_misuse(inputs, "scatter_max(z, j, z)", "DTYPE", "scatter_max: takes");
  check_misuse(inputs, "scatter_reduce(z, j, z, axis=1, reduction=\"max\")", "DTYPE", "scatter_reduce: takes");
  check_misuse(inputs, "scatter_reduce(j, j, j, axis=1, reduction=\"mean\")", "DTYPE", "scatter_reduce: takes");
  check_misuse(inputs, "scatter_reduce(x, j, x, axis=1, reduction=\"set\")", "INVALID_ARGUMENT",
               "reduction is \"set\"; it must be one of \"sum\", \"prod\", \"mean\", \"max\", \"min\"");
  check_misuse(inputs, "scatter_nd(x, t, u, reduction=\"plus\")", "INVALID_ARGUMENT",
               "reduction is \"plus\"; it must be one of \"set\", \"sum\"");
  check_misuse(inputs, "scatter_nd(x, t, x)", "SHAPE",
               "updates have shape [n, 3] (\"x\"); it must be [k]: that of \"t\" without its last axis");
  check_misuse(inputs, "scatter_nd(u, t, u)", "SHAPE", "scatter_nd: a tuple of 2 indices for \"u\"");
  check_misuse(inputs, "scatter_nd(e, s, v)", "SHAPE", "scatter_nd: \"e\" of shape [0, 3] has no elements");
}
