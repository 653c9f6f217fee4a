// Programs such as games and audio software flush denormals to zero or change the rounding mode. These floating-point modes must not affect
// what harp builds, prints, compiles and computes, and harp must leave them as they were.
#include <doctest/doctest.h>

#if defined(__x86_64__)
#include <xmmintrin.h>

#include "support/capi_support.h"

using namespace capi_test;

namespace {

constexpr unsigned kModes = 0xffc0, kFlush = 0x8040, kUp = 0x4000, kZero = 0x6000;

/// Sets floating-point modes of this thread, and restores the previous modes at the end of the scope.
class Modes {
 public:
  explicit Modes(unsigned more) : host_(_mm_getcsr()) { _mm_setcsr(host_ | more); }
  ~Modes() { _mm_setcsr(host_); }
  Modes(const Modes&) = delete;
  Modes& operator=(const Modes&) = delete;

 private:
  unsigned host_;
};

/// Builds constants from numbers of every kind, and parses a graph with numbers that are subnormal or need rounding. Returns the text of
/// both graphs.
std::string build_and_print(harp_context* context) {
  const Graph graph = make_graph(context);
  const harp_dim n = 3;
  harp_output(graph.get(), "a", harp_constant(graph.get(), HARP_F32, 1e-40));
  harp_output(graph.get(), "b", harp_constant(graph.get(), HARP_F32, 0.1));
  harp_output(graph.get(), "c", harp_constant_i64(graph.get(), HARP_F32, 16777217));
  harp_output(graph.get(), "d", harp_full(harp_constant(graph.get(), HARP_F32, 0.1), 1, &n));
  harp_output(graph.get(), "e", harp_linspace(graph.get(), HARP_F32, 0, 0.7, 3));
  harp_output(graph.get(), "f", harp_elu(harp_constant(graph.get(), HARP_F32, -1.3), 0.1));
  const Graph text = parse(context, "harp 1\ngraph g(x: f32[1]) {\n  return y = x * f32(1e-40) + 0.1, z = f64(4.9e-324)\n}\n");
  return take(harp_graph_print(graph.get(), nullptr)) + take(harp_graph_print(text.get(), nullptr));
}

std::vector<float> compile_and_run(harp_context* context, const char* backend) {
  const Graph graph = parse(context, "harp 1\ngraph g(x: f32[1]) {\n  return y = x * f32(1e-40)\n}\n");
  const Program program = compile(graph.get(), backend);
  std::vector<float> x = {0x1p100f};
  const Buffer input = wrap(context, x, {1});
  return values<float>(run(program.get(), {input.get()})[0].get());
}

}  // namespace
#endif

TEST_CASE("C1 X2.stable/c: the host's floating-point modes change nothing on either backend, and are left alone") {
#if defined(__x86_64__)  // on other architectures this test cannot set the modes
  const std::string expected = build_and_print(make_context().get());
  const float product = 0x1p100f * 1e-40f;
  REQUIRE(product > 0);
  for (const unsigned more : {kFlush, kUp, kZero, kFlush | kZero}) {
    CAPTURE(more);
    const Context context = make_context();
    std::string text;
    std::vector<float> interpreted, compiled;
    unsigned after = 0, before = 0;
    {
      const Modes modes(more);
      before = _mm_getcsr() & kModes;
      text = build_and_print(context.get());
      interpreted = compile_and_run(context.get(), "interp");
      compiled = compile_and_run(context.get(), "c");
      after = _mm_getcsr() & kModes;
    }
    CHECK(after == before);
    CHECK(text == expected);
    CHECK(interpreted == std::vector<float>{product});
    CHECK(compiled == std::vector<float>{product});
    // the program that was compiled under the changed modes gives the right result under the default modes, too
    CHECK(compile_and_run(context.get(), "c") == std::vector<float>{product});
  }
#endif
}
