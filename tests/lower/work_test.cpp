// Tests the estimate of how long kernels take (lower/work.cpp), which decides whether several workers share a kernel: that it is near what
// was measured, and that kernels of a microsecond or two are not shared.
#include <doctest/doctest.h>

#include <string>

#include "base/text.h"
#include "lower/lower.h"
#include "opt/passes.h"
#include "support/scheduled.h"

using namespace schedule_test;

namespace {

constexpr double kMicrosecond = 1e6;  // in picoseconds

/// Returns the estimated time of all kernels of a graph, in microseconds.
double microseconds(const std::string& text, std::string_view row = "x86-64-v4") {
  const Program program = schedule_graph(opt::optimise(parse_graph(text), {}), {testing::row(row), 0, {}});
  const std::shared_ptr<ir::Module> module = lower::lower_program(program);
  double all = 0;
  for (const ir::Kernel& kernel : module->kernels) {
    REQUIRE(kernel.work.is_constant());
    all += static_cast<double>(kernel.work.constant()) / kMicrosecond;
  }
  return all;
}

std::string graph_of(const std::string& parameters, const std::string& result) {
  return cat("graph g(", parameters, ") {\n  return y = ", result, "\n}");
}

}  // namespace

TEST_CASE("L5: the estimated time of a kernel is at most about four times what was measured, and not much less") {
  struct Case {
    std::string text;
    double measured;  // microseconds, by one thread of a Xeon with AVX-512, with arrays in L2
  };
  const Case cases[] = {
      {graph_of("x: f32[65536]", "x + 1.0"), 6.4},
      {graph_of("x: u8[262144]", "x + 1"), 6.4},
      {graph_of("x: f32[65536]", "exp(x)"), 19},
      {graph_of("x: f32[131072]", "sum(x)"), 3.9},
      {graph_of("x: f32[1000, 50]", "softmax(x, axis=1)"), 20},
      {graph_of("a: f32[64, 64], b: f32[64, 64]", "a @ b"), 2},
      {graph_of("a: f32[256, 256], b: f32[256, 256]", "a @ b"), 110},
      {graph_of("x: complex128[4096, 4]", "fft(x)"), 21.6},
  };
  for (const Case& each : cases) {
    CAPTURE(each.text);
    const double estimated = microseconds(each.text);
    CHECK(estimated < 5 * each.measured);
    CHECK(estimated > each.measured / 3);
  }
}

TEST_CASE("L5: the estimated time counts bytes, lanes, and elements that are loaded one by one") {
  const auto copy = [](const std::string& dtype) { return microseconds(graph_of("x: " + dtype + "[100000]", "contiguous(x)")); };
  CHECK(copy("u8") < 0.5 * copy("f32"));
  CHECK(copy("f32") < 0.7 * copy("f64"));
  const std::string exponential = graph_of("x: f32[100000]", "exp(x)");
  CHECK(microseconds(exponential) < 0.7 * microseconds(exponential, "x86-64-v3"));
  CHECK(microseconds(exponential, "x86-64-v3") < 0.7 * microseconds(exponential, "x86-64"));
  const double adjacent = microseconds(graph_of("x: f32[400, 200]", "slice(x, stop=[400, 100]) * 2.0"));
  CHECK(microseconds(graph_of("x: f32[400, 300]", "slice(x, step=[1, 3]) * 2.0")) > 1.5 * adjacent);
  // The factors of a product are read much less often than its terms are added.
  CHECK(microseconds(graph_of("a: f32[300, 300], b: f32[300, 300]", "a @ b")) < 1000);
}

TEST_CASE("L5: small kernels are not shared") {
  // The first four kernels take about a microsecond together. Two workers would take longer, because each then reads from the other one's
  // cache.
  const std::string waves = R"(graph waves(ex: f32[24, 263], ey: f32[24, 263], hz: f32[24, 263]) {
  b = concat(ey[:1], ey[1:] - (hz[1:] - hz[:-1]) * 0.5, axis=0)
  a = concat(ex[:, :1], ex[:, 1:] - (hz[:, 1:] - hz[:, :-1]) * 0.5, axis=1)
  d = hz[:-1, :-1] - (a[:-1, 1:] - a[:-1, :-1] + b[1:, :-1] - b[:-1, :-1]) * 0.7
  h = concat(concat(d, hz[:-1, -1:], axis=1), hz[-1:], axis=0)
  return x = a, y = b, z = h
})";
  CHECK(source_of(waves).find("harp_has_workers") == std::string::npos);
  CHECK(source_of(graph_of("a: f32[48, 48], b: f32[48, 48]", "a @ b")).find("harp_has_workers") == std::string::npos);
  CHECK(source_of(graph_of("x: f32[200000]", "x + 1.0")).find("harp_for(rt, ") != std::string::npos);
  CHECK(source_of(graph_of("a: f32[256, 256], b: f32[256, 256]", "a @ b")).find("harp_has_workers") != std::string::npos);
}
