// Tests sorts of rows of a few elements whose number is known, which become exchanges of elements (schedule/short_sorts.h): values, with
// equal elements, zeros and NaN, on every backend; and which sorts become exchanges.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "support/backends_run.h"

using namespace capi_test;

namespace {

/// The indices that sort n floats; equal elements keep their order, and NaN comes after all numbers.
std::vector<int64_t> sorted_order(const float* x, int64_t n, bool descending) {
  const auto is_before = [&](int64_t a, int64_t b) { return std::isnan(x[a]) ? false : std::isnan(x[b]) || x[a] < x[b]; };
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return descending ? is_before(b, a) : is_before(a, b); });
  return order;
}

/// Rows of ordinary numbers, of zeros and NaNs, and of both.
Values<float> odd_rows(int64_t rows, int64_t n) {
  constexpr float kOdd[] = {-0.0f, 0, NAN, -NAN, 1, -1, INFINITY, -INFINITY, 1e-45f, -1e-45f, 3.5f};
  Values<float> x = rough({rows, n}, static_cast<uint32_t>(rows * n) + 1);
  for (size_t i = 0; i < x.items.size(); ++i)
    if (const size_t row = i / static_cast<size_t>(n); row % 3 == 1 || (row % 3 == 2 && i % 2 == 0)) x.items[i] = kOdd[i * 5 % 11];
  return x;
}

bool calls_routine(const char* row, std::string_view dtype, std::string_view shape, std::string_view outputs) {
  const Context context = make_context();
  const Graph graph = parse(context.get(), harp::cat("harp 1\ngraph g(x: ", dtype, "[", shape, "]) {\n  ", outputs, "\n}").c_str());
  REQUIRE(graph != nullptr);
  return source_for(row, graph.get()).find("sort_") != std::string::npos;
}

}  // namespace

TEST_CASE("G16: sort, argsort and topk of rows of 2 to 16 elements, a known number, along any axis: every element as it was") {
  const Backends backends;
  for (const int64_t n : {2, 3, 4, 5, 7, 8, 9, 16})
    for (const char* rows : {"m", "37"}) {
      CAPTURE(n);
      const Values<float> x = odd_rows(37, n);
      const std::string text =
          harp::cat("graph g(x: f32[", rows, ", ", n, "]) {\n  v, i = topk(x, 1, largest=false)\n  w, j = topk(x, 2)\n",
                    "  return up = sort(x), down = sort(x, descending=true), order = argsort(x), v = v, w = w, j = j,\n",
                    "    columns = sort(transpose(x), axis=0), last = argsort(x, descending=true)[:, ", n / 2, ":]\n}");
      const auto outputs = backends.run(text, x);
      const auto up = values<float>(outputs[0].get()), down = values<float>(outputs[1].get()), least = values<float>(outputs[3].get()),
                 greatest = values<float>(outputs[4].get()), columns = values<float>(outputs[6].get());
      const auto order = values<int64_t>(outputs[2].get()), two = values<int64_t>(outputs[5].get());
      for (int64_t row = 0; row < 37; ++row) {
        const float* one = x.items.data() + row * n;
        const std::vector<int64_t> first = sorted_order(one, n, false), last = sorted_order(one, n, true);
        const auto is = [&](float found, int64_t at) { return std::bit_cast<uint32_t>(found) == std::bit_cast<uint32_t>(one[at]); };
        for (int64_t i = 0; i < n; ++i) {
          const auto at = static_cast<size_t>(row * n + i);
          REQUIRE(is(up[at], first[static_cast<size_t>(i)]));
          REQUIRE(is(down[at], last[static_cast<size_t>(i)]));
          REQUIRE(order[at] == first[static_cast<size_t>(i)]);
          REQUIRE(is(columns[static_cast<size_t>(i * 37 + row)], first[static_cast<size_t>(i)]));
        }
        REQUIRE(is(least[static_cast<size_t>(row)], first[0]));
        for (size_t i = 0; i < 2; ++i) {
          REQUIRE(is(greatest[static_cast<size_t>(row) * 2 + i], last[i]));
          REQUIRE(two[static_cast<size_t>(row) * 2 + i] == last[i]);
        }
      }
    }
}

TEST_CASE("G16: sort, argsort and topk of short rows of every dtype, of values that a kernel computes, in rows that are not adjacent") {
  const Backends backends;
  const Values<float> x = odd_rows(40, 6);
  for (const char* dtype : {"f64", "f16", "bf16", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "bool"})
    backends.run(harp::cat("graph g(x: f32[m, 6]) {\n  z = cast(x * 2, dtype=", dtype, ")\n  v, i = topk(z, 3)\n",
                           "  return up = cast(sort(z[:, ::2]), dtype=f32), down = cast(sort(z[:, 1:], descending=true), dtype=f32),\n",
                           "    v = cast(v, dtype=f32), i = i, columns = cast(sort(reshape(z, [-1, 3, 2]), axis=1), dtype=f32)\n}"),
                 x);
  backends.run(
      "graph g(x: f32[m, 6]) {\n  return s = sum(sort(x), axes=[0]), t = exp(sort(x * x)[:, 1:3]), u = sort(x + 1)[:, 4] * x[:, 0]\n}", x);
}

TEST_CASE("G16: sorts of rows of a few elements call no routine, if there are rows for vectors") {
  for (const char* row : {"x86-64", "x86-64-v3", "x86-64-v4", "aarch64"}) {
    CAPTURE(row);
    for (const char* rows : {"m, ", "4000, ", "3, n, "}) {
      CHECK_FALSE(calls_routine(row, "f32", harp::cat(rows, "2"), "return y = sort(x)"));
      CHECK_FALSE(calls_routine(row, "f64", harp::cat(rows, "7"), "return y = sort(x, descending=true)"));
      CHECK_FALSE(calls_routine(row, "i32", harp::cat(rows, "8"), "return y = argsort(x)"));
      CHECK_FALSE(calls_routine(row, "f32", harp::cat(rows, "16"), "v, i = topk(x, 1)\n  return v = v, i = i"));
      CHECK(calls_routine(row, "f32", harp::cat(rows, "8"), "return y = sort(x)"));
      CHECK(calls_routine(row, "f32", harp::cat(rows, "17"), "v, i = topk(x, 1)\n  return v = v"));
    }
    CHECK(calls_routine(row, "f32", "m, k", "return y = sort(x)"));
    CHECK(calls_routine(row, "f32", "15, 2", "return y = sort(x)"));
  }
}
