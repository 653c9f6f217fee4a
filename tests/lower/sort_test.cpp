// Tests sorting: values on every backend, equal elements and NaN, rows of every length, the number of kernels, and the message of every
// error.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "support/backends_run.h"
#include "support/misuse.h"

using namespace capi_test;

namespace {

std::vector<int64_t> reference_order(const std::vector<float>& x, bool descending) {
  std::vector<int64_t> order(x.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto rank = [&](int64_t i) { return std::isnan(x[static_cast<size_t>(i)]) ? INFINITY : x[static_cast<size_t>(i)]; };
  const auto is_nan = [&](int64_t i) { return std::isnan(x[static_cast<size_t>(i)]); };
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    if (descending) std::swap(a, b);
    return rank(a) < rank(b) || (rank(a) == rank(b) && !is_nan(a) && is_nan(b));
  });
  return order;
}

}  // namespace

TEST_CASE("G16: sort: stable, -0 equals 0, NaN above everything") {
  const Backends backends;
  const Values<float> x{{3, -0.0f, NAN, 0, -1, INFINITY, 3, -NAN, -INFINITY, 0, -0.0f}, {11}};
  const auto outputs =
      backends.run("graph g(x: f32[n]) {\n  return up = argsort(x), down = argsort(x, descending=true), sorted = sort(x)\n}", x);
  CHECK(values<int64_t>(outputs[0].get()) == reference_order(x.items, false));
  CHECK(values<int64_t>(outputs[1].get()) == reference_order(x.items, true));
  const auto sorted = values<float>(outputs[2].get());
  CHECK(sorted.front() == -INFINITY);
  CHECK(std::signbit(sorted[2]));  // zeros of both signs keep their order
  CHECK_FALSE(std::signbit(sorted[3]));
  CHECK(std::isnan(sorted[10]));
}

TEST_CASE("G16: sort: rows side by side, one by one and long: every element as it was, zeros and NaN in their order") {
  const Backends backends;
  const float some[] = {-0.0f, 0, NAN, -NAN, 1, -1, INFINITY, -INFINITY, 1e-45f, -1e-45f, 3.5f};
  for (const int64_t rows : {1, 3, 16, 17, 40})
    for (const int64_t n : {0, 1, 2, 3, 31, 64, 100, 127, 128, 129, 250, 256, 257, 300, 512, 1000, 4096, 4097}) {
      if (n > 300 && rows != 1 && rows != 17) continue;
      CAPTURE(rows);
      CAPTURE(n);
      Values<float> x = rough({rows, n}, static_cast<uint32_t>(rows * n) + 1);
      // One third of the rows has ordinary numbers only, one third has only few different values, and one third has both.
      for (size_t i = 0; i < x.items.size(); ++i)
        if (const size_t row = i / static_cast<size_t>(n); row % 3 == 1 || (row % 3 == 2 && i % 7 == 0)) x.items[i] = some[i * 5 % 11];
      const auto outputs = backends.run("graph g(x: f32[m, n]) {\n  return up = sort(x), down = sort(x, descending=true)\n}", x);
      const auto up = values<float>(outputs[0].get()), down = values<float>(outputs[1].get());
      const auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
      for (int64_t row = 0; row < rows; ++row) {
        const std::vector<float> one(x.items.begin() + row * n, x.items.begin() + (row + 1) * n);
        for (const bool descending : {false, true}) {
          const std::vector<int64_t> order = reference_order(one, descending);
          for (int64_t i = 0; i < n; ++i)
            REQUIRE(bits((descending ? down : up)[static_cast<size_t>(row * n + i)]) ==
                    bits(one[static_cast<size_t>(order[static_cast<size_t>(i)])]));
        }
      }
    }
}

TEST_CASE("G16: sort: rows of any length, along any axis") {
  const Backends backends;
  for (const int64_t n : {0, 1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 129, 1025}) {
    const Values<float> x = rough({3, n}, static_cast<uint32_t>(n) + 1);
    const auto outputs = backends.run(
        "graph g(x: f32[m, n]) {\n  return rows = argsort(x), columns = argsort(transpose(x), axis=0), all = argsort(x, axis=none)\n}", x);
    const auto rows = values<int64_t>(outputs[0].get()), columns = values<int64_t>(outputs[1].get());
    for (int64_t row = 0; row < 3; ++row) {
      const std::vector<float> one(x.items.begin() + row * n, x.items.begin() + (row + 1) * n);
      const std::vector<int64_t> expected = reference_order(one, false);
      for (int64_t i = 0; i < n; ++i) {
        REQUIRE(rows[static_cast<size_t>(row * n + i)] == expected[static_cast<size_t>(i)]);
        REQUIRE(columns[static_cast<size_t>(i * 3 + row)] == expected[static_cast<size_t>(i)]);
      }
    }
    CHECK(values<int64_t>(outputs[2].get()) == reference_order(x.items, false));
  }
}

namespace {

/// Checks the permutations that sort rows of one dtype. Lengths are below and above the limit at which radix sort begins. Keys differ in
/// every byte, only in the highest or the lowest byte, or not at all, and include the least and greatest values.
template <class T>
void check_order_of(const Backends& backends, std::string_view dtype) {
  CAPTURE(dtype);
  constexpr int kTop = 8 * (sizeof(T) - 1);
  std::mt19937_64 random(sizeof(T));
  for (const int64_t n : {1, 40, 128, 129, 700, 1100}) {
    const int64_t rows = n == 128 || n == 1100 ? 5 : 70;  // 70 rows are more than a vector has lanes
    CAPTURE(n);
    std::vector<T> x;
    for (int64_t i = 0; i < rows * n; ++i) {
      const uint64_t bits = random();
      const uint64_t by_row[] = {bits, bits % 5, bits % 3 << kTop, 77,
                                 bits % 2 ? uint64_t{1} << (kTop + 7) : (uint64_t{1} << (kTop + 7)) - 1};
      x.push_back(static_cast<T>(by_row[i / n % 5]));
    }
    const auto outputs = backends.run(harp::cat("graph g(x: i", 8 * sizeof(T), "[m, n]) {\n  z = bitcast(x, dtype=", dtype,
                                                ")\n  return y = argsort(z), up = sort(z ^ 0), down = sort(z, descending=true)\n}"),
                                      Values<std::make_signed_t<T>>{{x.begin(), x.end()}, {rows, n}});
    const auto order = values<int64_t>(outputs[0].get());
    const auto up = values<T>(outputs[1].get()), down = values<T>(outputs[2].get());
    for (int64_t row = 0; row < rows; ++row) {
      const T* keys = x.data() + row * n;
      std::vector<int64_t> expected(static_cast<size_t>(n));
      std::iota(expected.begin(), expected.end(), int64_t{0});
      std::stable_sort(expected.begin(), expected.end(), [keys](int64_t a, int64_t b) { return keys[a] < keys[b]; });
      CHECK(std::equal(expected.begin(), expected.end(), order.begin() + row * n));
      std::vector<T> sorted(keys, keys + n);
      std::sort(sorted.begin(), sorted.end());
      CHECK(std::equal(sorted.begin(), sorted.end(), up.begin() + row * n));
      CHECK(std::equal(sorted.rbegin(), sorted.rend(), down.begin() + row * n));
    }
  }
}

}  // namespace

TEST_CASE("G16: sort: integers of every width, bytes that differ and bytes that do not") {
  const Backends backends;
  check_order_of<int8_t>(backends, "i8");
  check_order_of<uint8_t>(backends, "u8");
  check_order_of<int16_t>(backends, "i16");
  check_order_of<uint16_t>(backends, "u16");
  check_order_of<int32_t>(backends, "i32");
  check_order_of<uint32_t>(backends, "u32");
  check_order_of<int64_t>(backends, "i64");
  check_order_of<uint64_t>(backends, "u64");
}

TEST_CASE("G16 G17: sort: without their order rows are sorted by one kernel; else keys by one, their order by another, and a take") {
  const Backends backends;
  const auto kernels = [&](std::string_view dtype, std::string_view outputs) {
    return backends.cost(harp::cat("graph g(x: ", dtype, "[m, n]) {\n  return ", outputs, "\n}"), {4, 50}).kernels;
  };
  CHECK(kernels("i32", "y = argsort(x)") == 1);
  CHECK(kernels("f32", "y = argsort(exp(x))") == 2);
  CHECK(kernels("i32", "y = sort(x)") == 1);
  CHECK(kernels("f32", "y = sort(x, descending=true)") == 1);
  CHECK(kernels("f32", "y = relu(sort(x)) * 2") == 2);
  CHECK(kernels("f32", "y = take_along_axis(x, argsort(x))") == 1);
  // All rows are sorted, because a row may have fewer than three elements. select_test.cpp has rows of known lengths.
  CHECK(kernels("f32", "y = take_along_axis(x, argsort(x)[:, :3])") == 2);
  CHECK(kernels("f32", "y = take_along_axis(x, argsort(x, descending=true)[:, 9:1:-2])") == 2);
  // takes the elements of each row in the order that sorts another row
  CHECK(kernels("f32", "y = take_along_axis(x, argsort(x)[::-1])") == 3);
  CHECK(kernels("f32", "y = take_along_axis(x, argsort(abs(x)))") == 3);
  CHECK(kernels("f32", "y = sort(x), order = argsort(x)") == 3);
  CHECK(kernels("f32", "y = sort(x), order = argsort(x, descending=true)") == 3);
}

TEST_CASE("G16: sort: a block of rows that are sorted side by side has at least as many rows as a vector has lanes") {
  const Context context = make_context();
  const auto source = [&](std::string_view shape) {
    const Graph parsed = parse(context.get(), harp::cat("harp 1\ngraph g(x: f32[", shape, "]) {\n  return y = sort(x)\n}").c_str());
    return source_for("x86-64-v4", parsed.get());
  };
  const auto has = [](const std::string& text, std::string_view part) { return text.find(part) != text.npos; };
  CHECK(has(source("65, 100"), ", 65, 100, output0"));         // all rows are sorted in one call
  CHECK(has(source("100, 512"), "harp_for(rt, cancel, 6, "));  // each call sorts at least 16 rows
  CHECK(has(source("5000, 512"), "harp_for(rt, cancel, 16, "));
  CHECK(has(source("9, 512"), "harp_for(rt, cancel, 9, "));     // fewer rows than lanes are sorted one by one
  CHECK(has(source("20, 5000"), "harp_for(rt, cancel, 16, "));  // long rows are sorted one by one
}

TEST_CASE("G16: topk: the greatest or least, in order, equals as they stand") {
  const Backends backends;
  const Values<int32_t> x{{5, 1, 5, 9, 0, 9}, {6}};
  const auto outputs = backends.run(
      "graph g(x: i32[n in 4..100]) {\n  v, i = topk(x, 4)\n  w, j = topk(x, 3, largest=false)\n  return v = v, i = i, w = w, j = j\n}", x);
  CHECK(values<int32_t>(outputs[0].get()) == std::vector<int32_t>{9, 9, 5, 5});
  CHECK(values<int64_t>(outputs[1].get()) == std::vector<int64_t>{3, 5, 0, 2});
  CHECK(values<int32_t>(outputs[2].get()) == std::vector<int32_t>{0, 1, 5});
  CHECK(values<int64_t>(outputs[3].get()) == std::vector<int64_t>{4, 1, 0});

  const Values<int32_t> matrix{{5, 1, 5, 9, 0, 9}, {2, 3}};
  const auto of_all = backends.run("graph g(x: i32[2, 3]) {\n  v, i = topk(x, 4, axis=none)\n  return v = v, i = i\n}", matrix);
  CHECK(values<int32_t>(of_all[0].get()) == std::vector<int32_t>{9, 9, 5, 5});
  CHECK(values<int64_t>(of_all[1].get()) == std::vector<int64_t>{3, 5, 0, 2});
  const Graph built = make_graph(backends.context());
  const harp_dim sizes[] = {2, 3};
  harp_node* first = nullptr;
  CHECK(harp_topk(harp_input(built.get(), "x", HARP_I32, 2, sizes), 4, HARP_AXIS_NONE, 1, &first, nullptr) == HARP_OK);
  CHECK(harp_node_dtype(first) == HARP_I32);
}

TEST_CASE("G16: topk: floats without their indices: zeros and NaN in their order") {
  const Backends backends;
  const float some[] = {-0.0f, 0, NAN, -NAN, 1, -1, INFINITY, -INFINITY, 3.5f, 3.5f};
  for (const int64_t rows : {1, 15, 16, 40, 65})
    for (const int64_t n : {6, 17, 100, 130}) {
      CAPTURE(rows);
      CAPTURE(n);
      Values<float> x = rough({rows, n}, static_cast<uint32_t>(rows + n));
      for (size_t i = 0; i < x.items.size(); i += 3) x.items[i] = some[i * 7 % 10];
      const auto outputs = backends.run(
          "graph g(x: f32[m, n in 6..1000]) {\n  v, i = topk(x, 6)\n  w, j = topk(x, 1, largest=false)\n"
          "  return v = v, w = w, every = take_along_axis(x, argsort(x)[:, 5:0:-2]),\n"
          "    columns = take_along_axis(x, argsort(x, axis=0)[:2], axis=0)\n}",
          x);
      const auto greatest = values<float>(outputs[0].get()), least = values<float>(outputs[1].get()),
                 every = values<float>(outputs[2].get());
      const auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
      for (int64_t row = 0; row < rows; ++row) {
        const std::vector<float> one(x.items.begin() + row * n, x.items.begin() + (row + 1) * n);
        const std::vector<int64_t> down = reference_order(one, true), up = reference_order(one, false);
        const auto is = [&](float found, int64_t expected) { return bits(found) == bits(one[static_cast<size_t>(expected)]); };
        for (size_t i = 0; i < 6; ++i) REQUIRE(is(greatest[static_cast<size_t>(row) * 6 + i], down[i]));
        REQUIRE(is(least[static_cast<size_t>(row)], up[0]));
        for (size_t i = 0; i < 3; ++i) REQUIRE(is(every[static_cast<size_t>(row) * 3 + i], up[5 - 2 * i]));
      }
    }
}

TEST_CASE("G16: topk: few elements of long rows, in random, ascending and descending order, with equal elements") {
  const Backends backends;
  for (const int64_t rows : {1, 3, 9, 33})
    for (const int64_t n : {100, 1000, 3001}) {
      CAPTURE(rows);
      CAPTURE(n);
      Values<float> random = rough({rows, n}, static_cast<uint32_t>(rows + n)), ascending = random, equal = random, odd = random;
      std::ranges::sort(ascending.items);
      for (float& item : equal.items) item = std::floor(item * 2);
      constexpr float kOdd[] = {-0.0f, 0, NAN, -NAN, INFINITY};
      for (size_t i = 0; i < odd.items.size(); i += 5) odd.items[i] = kOdd[i % 3];
      for (const Values<float>& x : {random, ascending, equal, odd})
        for (const char* size : {"m", ""}) {
          const std::string shape = *size != 0 ? "m, n in 32..9999" : std::to_string(rows) + ", " + std::to_string(n);
          backends.run("graph g(x: f32[" + shape +
                           "]) {\n  v, i = topk(x, 3)\n  w, j = topk(x, 17, largest=false)\n  d, k = topk(cast(x, "
                           "dtype=f64), 30)\n  h, l = topk(cast(clip(x, -100, 100), dtype=i16), 1)\n  return v = v, w = w, j = j, d = d, k "
                           "= k, h = h, l = l\n}",
                       x);
        }
    }
}

TEST_CASE("G16: searchsorted: before or after what equals, in any size") {
  const Backends backends;
  for (const int64_t n : {0, 1, 2, 7, 64, 1000}) {
    Values<int32_t> sorted{{}, {n}}, wanted{{}, {2, 6}};
    for (int64_t i = 0; i < n; ++i) sorted.items.push_back(static_cast<int32_t>(i / 3));
    for (int32_t i = -2; i < 10; ++i) wanted.items.push_back(i * 30);
    const auto outputs = backends.run(
        "graph g(s: i32[n], v: i32[k, 6]) {\n  return a = searchsorted(s, v), b = searchsorted(s, v, side=\"right\")\n}", sorted, wanted);
    const auto left = values<int64_t>(outputs[0].get()), right = values<int64_t>(outputs[1].get());
    for (size_t i = 0; i < wanted.items.size(); ++i) {
      const auto [low, high] = std::equal_range(sorted.items.begin(), sorted.items.end(), wanted.items[i]);
      CHECK(left[i] == low - sorted.items.begin());
      CHECK(right[i] == high - sorted.items.begin());
    }
  }
}

TEST_CASE("G16: searchsorted: tables whose length only the run knows, of any dtype and in any order") {
  const Backends backends;
  for (const int64_t n : {0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 63, 64, 255, 256, 2047, 2048, 70000}) {
    CAPTURE(n);
    const Values<float> table = rough({n}, 1), wanted = rough({29}, 2);
    backends.run("graph g(s: f32[n], v: f32[k]) {\n  return a = searchsorted(sort(s), v), b = searchsorted(s, v, side=\"right\")\n}", table,
                 wanted);
    // The positions and what is searched for are in one buffer, and the positions are used in an expression.
    backends.run(
        "graph g(s: f64[n], v: f64[k]) {\n  c = cumsum(v)\n  return a = searchsorted(sort(s), c), b = cast(searchsorted(s, v), f64) * c\n}",
        Values<double>{{table.items.begin(), table.items.end()}, {n}}, Values<double>{{wanted.items.begin(), wanted.items.end()}, {29}});
  }
  const auto graph = "graph g(s: i16[n in 5..300], v: i16[k]) {\n  return a = searchsorted(s, v)\n}";
  for (const int64_t n : {5, 8, 255, 256, 300}) {
    Values<int16_t> sorted{{}, {n}}, wanted{{}, {19}};
    for (int64_t i = 0; i < n; ++i) sorted.items.push_back(static_cast<int16_t>(i * i % 1000));
    for (int64_t i = 0; i < 19; ++i) wanted.items.push_back(static_cast<int16_t>(i * 57 - 20));
    backends.run(graph, sorted, wanted);
  }
}

TEST_CASE("G16: searchsorted: the steps that a short table does not need are in branches, and each step is emitted once") {
  const auto context = make_context();
  const auto graph = parse(context.get(), "harp 1\ngraph g(s: f32[n], v: f32[k]) {\n  return a = searchsorted(s, v)\n}");
  const std::string source = source_for("x86-64-v3", graph.get());
  const auto count = [&](std::string_view part) {
    int found = 0;
    for (size_t at = source.find(part); at != std::string::npos; at = source.find(part, at + 1)) ++found;
    return found;
  };
  for (const int64_t most : {2, 4, 8, 16, 64, 256, 2048, 65536, 4194304}) CHECK(count(harp::cat("if (shape0 >= ", most, ") {")) >= 1);
  CHECK(count(" = gather_f32x4_i32(input0, ") == 30);  // of 31 steps; the first one loads the same element for all values
  CHECK(count("kernel_1(") == 0);  // no kernel computes the keys of the whole table, which may be longer than all searches
}

TEST_CASE("G16: sort: every mistake has its own words") {
  const std::string inputs = "x: f32[n, 5], s: f32[7], i: i32[m], r: f32[]";
  check_misuse(inputs, "sort(x, axis=2)", "SHAPE", "axis 2");
  check_misuse(inputs, "argsort(r)", "SHAPE", "axis -1");
  check_misuse(inputs, "topk(x, 6)", "SHAPE", "topk: k is 6, but axis 1");
  check_misuse(inputs, "topk(x, -1)", "RANGE", "topk: k is -1; it must be at least 0");
  check_misuse(inputs, "searchsorted(x, s)", "SHAPE", "it must have one axis");
  check_misuse(inputs, "searchsorted(s, i)", "DTYPE", "they must have the same dtype");
  check_misuse(inputs, "searchsorted(s, s, side=\"middle\")", "INVALID_ARGUMENT", "it must be left or right");
}
