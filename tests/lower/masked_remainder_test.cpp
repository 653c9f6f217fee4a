// Tests loops that call functions for fewer elements than a vector has lanes: they become one vector with masked loads and stores
// (ir/masked_remainder.cpp). The results must have the same bits as those of a scalar loop, and nothing else may be written.
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

TEST_CASE("G3.sum/interp,c G3.max/interp,c G15.softmax/interp,c X2: few columns of many rows, for every size of a program") {
  const Backends backends;
  const std::string results =
      "a = softmax(x, axis=0), b = sum(exp(x * 0.001), axes=[0]), c = max(x, axes=[0]), d = min(x * 2.0, axes=[0]), "
      "e = log_softmax(cast(x, dtype=f64), axis=0), f = sum(log(x * x + 1.0), axes=[0]), h = max(cast(x, dtype=f16), axes=[0]), "
      "i = prod(tanh(x), axes=[0]), j = logsumexp(x, axes=[0]), k = sum(where(x > 1.0, sin(x), x), axes=[0])";
  for (const int64_t columns : {1, 2, 3, 5, 7, 8, 9, 13, 16, 17, 23, 31, 33})
    for (const int64_t rows : {1, 9, 300}) {
      CAPTURE(columns);
      CAPTURE(rows);
      for (const std::string& sizes : {std::string("n, m"), std::to_string(rows) + ", " + std::to_string(columns)})
        backends.run("graph g(x: f32[" + sizes + "]) {\n  return " + results + "\n}",
                     rough({rows, columns}, static_cast<uint32_t>(columns)));
    }
}

TEST_CASE("G3.max/interp,c G15.softmax/interp,c X2: a masked vector and numbers that are not usual") {
  const Backends backends;
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
  for (const float value : {-0.0f, 0.0f, kInfinity, -kInfinity, kNan})
    for (const size_t at : {size_t{0}, size_t{4}, size_t{12}}) {
      CAPTURE(value);
      CAPTURE(at);
      Values<float> x{std::vector<float>(15, -0.0f), {3, 5}};
      x.items[at] = value;
      backends.run(
          "graph g(x: f32[n, m]) {\n  return a = max(x, axes=[0]), b = min(x, axes=[0]), c = softmax(x, axis=0), d = sum(exp(x), "
          "axes=[0])\n}",
          x);
    }
}

TEST_CASE("G15.softmax/c: the last columns are a masked vector where the machine has masked moves, and for costly functions elsewhere") {
  for (const char* row : {"x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"}) {
    CAPTURE(row);
    const std::string exps = source_of(row, "f32[n, m]", "sum(exp(x), axes=[0])");
    CHECK(has(exps, "load_masked_f32x"));
    CHECK_FALSE(has(exps, " exp_f32("));  // no scalar exp
  }
  CHECK(has(source_of("x86-64-v3", "f32[n, m]", "max(x, axes=[0])"), "__builtin_ia32_maskloadps256"));
  CHECK_FALSE(has(source_of("x86-64-v2", "f32[n, m]", "max(x, axes=[0])"), "load_masked"));
  CHECK(has(source_of("x86-64-v3", "f64[n, m]", "softmax(x, axis=0)"), "__builtin_ia32_maskstorepd256"));
}
