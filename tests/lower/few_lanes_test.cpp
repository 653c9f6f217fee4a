// Tests reductions of rows that are known to have at most 32 elements, if there are too few rows for vectors across them: their
// accumulators have only as many lanes as a row has elements (lower/reduce_lanes.cpp). The results must have the same bits as with all 64
// lanes.
#include <limits>
#include <string>

#include "support/backends_run.h"

using namespace capi_test;

namespace {

std::string source_of(const char* row, const std::string& parameter, const std::string& result) {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\ngraph g(x: " + parameter + ") {\n  return y = " + result + "\n}");
  return source_for(row, graph.get());
}

bool has(const std::string& source, std::string_view part) { return source.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("G3.sum/interp,c G3.prod/interp,c G3.max/interp,c G3.min/interp,c L5.merge_order/c: one or two rows of few elements") {
  const Backends backends;
  const std::string results =
      "a = sum(x, axes=[1]), b = prod(x * 0.5, axes=[1]), c = max(x, axes=[1]), d = min(x, axes=[1]), e = mean(x * x, axes=[1]), "
      "f = sum(cast(x, dtype=f64), axes=[1]), h = max(cast(x, dtype=i8), axes=[1]), i = sum(cast(x, dtype=i64), axes=[1]), "
      "j = any(x > 1.5, axes=[1]), k = softmax(x, axis=1), l = var(x, axes=[1]), m = sum(cast(x, dtype=f16), axes=[1]), "
      "n = sum(x), o = norm(x, axes=[1])";
  for (const int64_t rows : {1, 2})
    for (const int64_t count : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 20, 31, 32, 33}) {
      CAPTURE(rows);
      CAPTURE(count);
      const std::string sizes = std::to_string(rows) + ", " + std::to_string(count);
      backends.run("graph g(x: f32[" + sizes + "]) {\n  return " + results + "\n}", rough({rows, count}, static_cast<uint32_t>(count)));
    }
}

TEST_CASE("G3.sum/interp,c G3.max/interp,c: few lanes and numbers that are not usual") {
  const Backends backends;
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kTiny = 1e-30f;
  const std::string text =
      "graph g(x: f32[2, 6], w: f32[2, 6]) {\n  return a = sum(x, axes=[1]), b = sum(x * w, axes=[1]), c = max(x, axes=[1]), "
      "d = min(x, axes=[1]), e = sum(x * w, axes=[0, 1])\n}";
  const Values<float> w{{kTiny, -kTiny, kTiny, kTiny, -kTiny, kTiny, 1, 1, 1, 1, 1, 1}, {2, 6}};
  for (const float value : {-0.0f, 0.0f, -kTiny, kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN()}) {
    CAPTURE(value);
    backends.run(text, Values<float>{std::vector<float>(12, value), {2, 6}}, w);
    Values<float> mixed{std::vector<float>(12, -0.0f), {2, 6}};
    mixed.items[3] = value;
    mixed.items[11] = -value;
    backends.run(text, mixed, w);
  }
}

TEST_CASE("L5.merge_order/c: a row of few elements is folded from as many lanes") {
  CHECK(has(source_of("x86-64-v4", "f32[7]", "min(x, axes=[0])"), "fold_minimum_8_f32("));
  CHECK(has(source_of("x86-64-v3", "f32[1, 3]", "max(x, axes=[1])"), "fold_maximum_4_f32("));
  CHECK(has(source_of("x86-64-v4", "f64[2]", "max(x, axes=[0])"), "fold_maximum_2_f64("));
  CHECK_FALSE(has(source_of("x86-64-v4", "f32[20]", "sum(x, axes=[0])"), "acc0[4]"));  // 64 lanes would be four vectors
  CHECK(has(source_of("x86-64-v4", "f32[60]", "sum(x, axes=[0])"), "acc0[4]"));
}
