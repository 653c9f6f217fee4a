// Tests functions that compute two vectors with interleaved operations (render/c/function.cpp), for CPUs that can start two such operations
// in a cycle. Whether a vector takes the rare path is decided for each of the two separately. If the number of vectors is odd, the last one
// is computed alone and must have the same bits.
#include "base/text.h"
#include "graph/text.h"
#include "pipeline.h"
#include "support/backends_run.h"
#include "support/machine.h"

using namespace capi_test;

namespace {

std::string source_of(std::string_view text, std::string_view row) {
  harp::PipelineOptions options;
  options.target = harp::testing::row(row);
  return harp::generate(*harp::parse_graph(text), options).source;
}
bool is_interleaved(const std::string& source) { return source.find("_of_two_x16(alu") != source.npos; }

/// Returns arguments for sin. One in each `period` numbers is so large that sin takes its rare path.
Values<float> mostly_near(int64_t count, int64_t period) {
  Values<float> x{{}, {count}};
  for (int64_t i = 0; i < count; ++i) x.items.push_back(static_cast<float>(i % period == period - 3 ? 1e6 + i : i * 0.37 - 5));
  return x;
}

}  // namespace

TEST_CASE("L6 X2/c: kernels of one or two functions and little else interleave two vectors if the CPU starts two operations a cycle") {
  const auto of = [](std::string_view y) { return harp::cat("graph g(x: f32[n], z: f32[n]) { return y = ", y, " }"); };
  for (const char* y : {"sin(x)", "expm1(x)", "exp(x) * 0.5 - x", "log(exp(x) + 1.0)"}) {
    CAPTURE(y);
    CHECK(is_interleaved(source_of(of(y), "x86-64-v4")));
    CHECK(!is_interleaved(source_of(of(y), "x86-64-v4-one-load")));
    CHECK(source_of(of(y), "x86-64-v3").find("_of_two_") == std::string::npos);
  }
  for (const char* y : {"x * z", "maximum(x, z)", "sin(x) * exp(z) + log(z)", "sin(x * x * x * x / z / z / z) * 2.0"}) {
    CAPTURE(y);
    CHECK(!is_interleaved(source_of(of(y), "x86-64-v4")));
  }
  // The second exp needs the result of the first, so the two calls are not merged, although their lines are adjacent.
  const std::string twice = source_of(of("exp(exp(x))"), "x86-64-v4");
  CHECK(twice.find("exp_f32_of_two_x16(alu0, alu1, &alu2, &alu3);") != std::string::npos);
  CHECK(twice.find("exp_f32_of_two_x16(alu2, alu3, &alu4, &alu5);") != std::string::npos);
}

TEST_CASE("L6 X2/interp,c: two vectors of a function in turn give the bits of one after the other") {
  const Backends backends;
  for (const char* f : {"sin(x)", "tan(x)", "expm1(x)", "atanh(x * 0.001)", "exp(sin(x))", "cast(sin(cast(x, dtype=f64)), dtype=f32)"})
    for (const int64_t period : {16, 33, 64})
      for (const int64_t n : {1, 15, 16, 33, 47, 100, 127, 128, 129, 150, 4096 + 20, 4096 + 40}) {
        CAPTURE(n);
        backends.run(harp::cat("graph g(x: f32[n]) { return y = ", f, " }"), mostly_near(n, period));
        if (n == 33 || n == 150) backends.run(harp::cat("graph g(x: f32[", n, "]) { return y = ", f, " }"), mostly_near(n, period));
      }
}
