// Tests maxima that are computed by an instruction that does not propagate NaN. The kernel detects NaN by the CPU's invalid flag instead
// (the schedule keyword nan_flag). Results must equal those of other schedules, for NaN and zeros of both signs at any position, and the
// caller's invalid flag must be restored afterwards.
#include "support/backends_run.h"
#include "support/schedule_mistake.h"

#if defined(__x86_64__)
#include <xmmintrin.h>

#include <limits>
#endif

using namespace capi_test;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

/// Runs a graph x -> y on the interpreter and compiled with a schedule, with special numbers at several positions among ordinary ones, and
/// compares the results.
template <class T>
void check_nan_flag(const std::string& text, const char* schedule, std::vector<int64_t> dims) {
  CAPTURE(text);
  CAPTURE(schedule);
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\n" + text);
  REQUIRE(graph != nullptr);
  const Program expected = compile(graph.get(), "interp");
  const Program program = compile(graph.get(), "c", [&](harp_compile_options& o) { o.schedule = schedule; });
  REQUIRE(program != nullptr);
  const auto check = [&](std::vector<T>& x) {
    const Buffer input = wrap(context.get(), x, dims);
    const std::vector<Buffer> right = run(expected.get(), {input.get()}), given = run(program.get(), {input.get()});
    return same_bits(given[0].get(), right[0].get());
  };
  int64_t count = 1;
  for (const int64_t d : dims) count *= d;
  std::vector<T> numbers;
  for (const float number : rough({count}, 3).items) numbers.push_back(static_cast<T>(number));
  CHECK(check(numbers));
  std::vector<T> unordered = numbers;
  for (const int64_t index : {int64_t{0}, count / 40, count / 2, count * 9 / 10, count - 1})
    for (const float nan : {kNan, -kNan}) {
      std::vector<T> x = numbers;
      x[static_cast<size_t>(index)] = unordered[static_cast<size_t>(index)] = static_cast<T>(nan);
      CHECK_MESSAGE(check(x), "NaN at ", index);
    }
  CHECK(check(unordered));
  for (const T rest : {T(-1), T(-kInfinity), T(-0.0f)})
    for (const int64_t index : {int64_t{0}, count / 9, count - 1})
      for (const T zero : {T(0.0f), T(-0.0f)}) {
        std::vector<T> x(static_cast<size_t>(count), rest);
        x[static_cast<size_t>(index)] = zero;
        CHECK_MESSAGE(check(x), "zero at ", index, " of ", static_cast<double>(rest));
        x[static_cast<size_t>(count / 2)] = -zero;
        CHECK_MESSAGE(check(x), "two zeros of ", static_cast<double>(rest));
      }
}

}  // namespace

TEST_CASE("L6 G3.max/c X2: max with the invalid flag finds NaN and the greater zero, along rows, along columns and over all axes") {
  const std::string of = "graph g(x: f32[m, n]) {\n  return y = max(x, axes=";
  for (const std::vector<int64_t>& dims : std::vector<std::vector<int64_t>>{{3, 1000}, {5, 64}, {7, 129}, {2, 5000}, {70, 40}, {1, 7}}) {
    CAPTURE(dims[0]);
    for (const char* schedule :
         {"kernel_0: reduce [thread, reduce simd=16] nan_flag", "kernel_0: reduce [thread unroll=2, reduce simd=16] nan_flag",
          "kernel_0: reduce [sequential unroll=3, reduce simd=4] nan_flag", "kernel_0: reduce [thread, reduce] nan_flag",
          "kernel_0: reduce [thread, reduce unroll=2 simd=8] overlap nan_flag", "kernel_0: reduce [thread, reduce simd=2] nan_flag"})
      check_nan_flag<float>(of + "[1])\n}", schedule, dims);
    for (const char* schedule : {"kernel_0: reduce [thread tile=1024 unroll=2 simd=16, reduce unroll=2] nan_flag",
                                 "kernel_0: reduce [thread tile=40 simd=8, reduce unroll=4] overlap nan_flag",
                                 "kernel_0: reduce [sequential tile=5, reduce] nan_flag"})
      check_nan_flag<float>(of + "[0])\n}", schedule, dims);
    for (const char* schedule : {"kernel_0: reduce [reduce simd=16] nan_flag", "kernel_0: reduce [reduce unroll=2 simd=16] nan_flag"})
      check_nan_flag<float>(of + "[0, 1])\n}", schedule, dims);
    check_nan_flag<double>("graph g(x: f64[m, n]) {\n  return y = max(x, axes=[1])\n}",
                           "kernel_0: reduce [thread unroll=2, reduce simd=8] nan_flag", dims);
    check_nan_flag<double>("graph g(x: f64[m, n]) {\n  return y = max(x, axes=[0])\n}",
                           "kernel_0: reduce [thread tile=512 unroll=2 simd=8, reduce unroll=2] nan_flag", dims);
  }
  // Tests operands, and operations on the result, that may raise the invalid flag themselves.
  check_nan_flag<float>("graph g(x: f32[m, 1000]) {\n  return y = max(log(x), axes=[1]) - max(x * x, axes=[1])\n}", nullptr, {4, 1000});
  check_nan_flag<float>("graph g(x: f32[m, 1000]) {\n  return y = exp(max(sqrt(x), axes=[1]))\n}",
                        "kernel_0: reduce [thread, reduce simd=16] nan_flag", {4, 1000});
}

#if defined(__x86_64__)
TEST_CASE("L6 G3.max/c: max over arrays in memory uses the invalid flag on CPUs with AVX-512, and the source has no other NaN test") {
  const Context context = make_context();
  const auto uses_nan_flag = [&](const char* graph) {
    const Graph parsed = parse(context.get(), std::string("harp 1\ngraph g(x: f32[m, 1000]) {\n  return y = ") + graph + "\n}");
    return source_for("x86-64-v4", parsed.get()).find("harp_met_invalid()") != std::string::npos;
  };
  for (const char* graph : {"max(x, axes=[0])", "max(x, axes=[1])", "max(x, axes=[0, 1])"}) CHECK_MESSAGE(uses_nan_flag(graph), graph);
  for (const char* graph : {"max(x * x, axes=[1])", "min(x, axes=[1])", "max(slice(x, start=[0, 0], stop=[m, 64], step=[1, 1]), axes=[1])",
                            "softmax(x, axis=1)"})
    CHECK_MESSAGE(!uses_nan_flag(graph), graph);
}

TEST_CASE("L6 G3.max/c: an invalid flag that the host had raised is raised again afterwards") {
  constexpr unsigned kInvalid = 1;
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\ngraph g(x: f32[m, 1000]) {\n  return y = max(x, axes=[1])\n}");
  const Program program = compile(
      graph.get(), "c", [](harp_compile_options& o) { o.schedule = "kernel_0: reduce [thread unroll=2, reduce simd=16] nan_flag"; });
  std::vector<float> x(5000, 1.0f);
  for (const float last : {2.0f, kNan}) {
    x.back() = last;
    const Buffer input = wrap(context.get(), x, {5, 1000});
    const unsigned host = _mm_getcsr();
    _mm_setcsr(host | kInvalid);
    const std::vector<Buffer> y = run(program.get(), {input.get()});
    const unsigned after = _mm_getcsr();
    _mm_setcsr(host);
    CHECK((after & kInvalid) == kInvalid);
    CHECK(((after ^ host) & 0xffc0) == 0);
    const std::vector<float> given = values<float>(y[0].get());
    CHECK(given[0] == 1.0f);
    CHECK((last == 2.0f ? given[4] == 2.0f : given[4] != given[4]));
  }
}
#endif

TEST_CASE("L6: nan_flag needs a kernel that computes maxima of f32 or f64 in one pass") {
  const Context context = make_context();
  for (const char* reduction :
       {"sum(x, axes=[1])", "min(x, axes=[1])", "max(cast(x, dtype=i32), axes=[1])", "max(cast(x, dtype=f16), axes=[1])"}) {
    const Graph graph = parse(context.get(), std::string("harp 1\ngraph g(x: f32[m, 64]) {\n  return y = ") + reduction + "\n}");
    CHECK(schedule_mistake(graph.get(), "kernel_0: reduce [thread, reduce simd=16] nan_flag")
              .find("nan_flag needs a kernel that computes maxima of f32 or f64") != std::string::npos);
  }
}
