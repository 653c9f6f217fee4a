// The cost of checking the cancellation flag of a run, and the time from setting the flag to the end of the run. For the cost, a program is
// compared with the same program compiled from an edited source: without the checks, and without the split of loops into pieces that exists
// for the checks.
#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "bench/harness/text_program.h"

namespace bench {
namespace {

// Graphs for which the cost of the checks is measured. The custom functions differ in their loops. long: a long loop of few operations;
// sparse: rows of 13 elements, with checked indices; steps: loops whose lengths depend on the data; window: nine iterations per element.
struct Costing {
  const char* name;
  const char* text;
};
constexpr Costing kCosts[] = {
    {"chain", "graph g(a: f32[131072], b: f32[131072]) {\n  return y = relu(a * b + a) * 2\n}"},
    {"scan", "graph g(x: f32[1048576]) {\n  return y = cumsum(x, axis=0)\n}"},
    {"rows", "graph g(x: f32[512, 1024]) {\n  return y = sum(x, axes=[1])\n}"},
    {"custom.long",
     "graph g(a: i32[8, 16384], b: i32[16384]) {\n  return y = custom_function(a, b, body=\"\"\"for i in 0 .. 16384 { output = output + "
     "input0[ridx0, i] * input1[i] }\"\"\", dtype=i32, shape=[8])\n}"},
    {"custom.sparse",
     "graph g(ends: i64[3001], columns: i32[39000], values: f32[39000], v: f32[40000]) {\n  return y = custom_function(ends, columns, "
     "values, v, body=\"\"\"for i in input0[ridx0] .. input0[ridx0 + 1] { output = output + input2[i] * input3[input1[i]] }\"\"\", "
     "dtype=f32, shape=[3000])\n}"},
    {"custom.steps",
     "graph g(turns: i32[300], c: f32[300]) {\n  return y = custom_function(turns, c, body=\"\"\"for i in 0 .. input0[ridx0] { output = "
     "output * output * 0.25 + input1[ridx0] }\"\"\", dtype=f32, shape=[300])\n}"},
    {"custom.window",
     "graph g(x: f32[258, 258], w: f32[3, 3]) {\n  return y = custom_function(x, w, body=\"\"\"for i in 0 .. 3 { for j in 0 .. 3 { output "
     "= "
     "output + input0[ridx0 + i, ridx1 + j] * input1[i, j] } }\"\"\", dtype=f32, shape=[256, 256])\n}"},
};
// The values of integer inputs are 0, 13, 26 ... modulo kIntegers.
constexpr int64_t kStride = 13, kIntegers = 40000;

/// A script that takes the place of the C compiler. It edits the source and then runs the compiler: the cancellation flag counts as never
/// set, and a loop is not split into pieces between which the flag is checked. (Loops of known length stay split, so that gcc generates the
/// same code for a piece as for the whole loop.) The script fails if it does not find the check of the flag in the source.
constexpr const char* kBlindCompiler = R"(#!/bin/sh
for word in "$@"; do
  case $word in
    *.c)
      grep -q 'return __atomic_load_n(flag, __ATOMIC_RELAXED);' "$word" || exit 1
      sed -i -e 's/return __atomic_load_n(flag, __ATOMIC_RELAXED);/return 0;/' \
        -e 's/\(, ridx[0-9]*_end = \).* ? .* : \(.*\);;) {$/\1\2;;) {/' -e 's/if (ridx[0-9]* >= [^0-9].*) break;$/break;/' "$word"
      ;;
  esac
done
exec ${HARP_CC:-${CC:-cc}} "$@"
)";

std::vector<Row> run_cost(Session& session, const Costing& costing, const std::string& name) {
  const TemporaryDirectory files;
  const std::string compiler = files.path() + "/cc";
  std::ofstream(compiler) << kBlindCompiler;
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  harp_compile_options blind = HARP_COMPILE_OPTIONS_INIT;
  blind.compiler = compiler.c_str();
  TextOptions options;
  options.stride = kStride, options.integers = kIntegers;
  TextProgram checking(session, costing.text, options);
  const std::unique_ptr<ProgramRun> without = checking.compiled_with(session, blind);
  checking(1);
  const std::vector<float> bits(checking.output().begin(), checking.output().end());
  (*without)(1);
  if (std::memcmp(checking.output().data(), bits.data(), checking.output().size_bytes()) != 0)
    throw std::runtime_error(name + ": the result differs without checks of the cancellation flag");
  const Candidate candidates[] = {[&](size_t repeats) { checking(repeats); }, [&](size_t repeats) { (*without)(repeats); }};
  const Comparison times = compare(candidates, session.effort);
  return {{name, times.seconds(0) * 1e6, "us", "without checks of the flag", times.seconds(1) * 1e6, times.ratio(0, 1)}};
}

// Each program takes a tenth of a second or more, so that it is still running when the flag is set, 5 to 19 ms after the start.
constexpr Costing kLatencies[] = {
    {"chain", "graph g(x: f32[33554432]) {\n  return y = gelu(sin(exp(x)))\n}"},
    {"product", "graph g(a: f32[3072, 3072], b: f32[3072, 3072]) {\n  return c = a @ b\n}"},
    {"scan", "graph g(x: f32[33554432]) {\n  return y = cumsum(tan(sin(exp(x))), axis=0)\n}"},
    {"sort", "graph g(x: f32[8388608]) {\n  return y = sort(x, axis=0)\n}"},
    {"custom",
     "graph g(x: f32[64]) {\n  return y = custom_function(x, body=\"\"\"for i in 0 .. 1099511627776 { for j in 0 .. i { output = output + "
     "input0[ridx0] } }\"\"\", dtype=f32, shape=[64])\n}"},
};

/// The CPU time of the constructing thread, which other threads may read. Time in which the system runs other threads does not count.
class ClockOfThread {
 public:
  ClockOfThread() {
    if (pthread_getcpuclockid(pthread_self(), &clock_) != 0) throw std::runtime_error("cannot read the CPU clock of this thread");
  }
  double seconds() const {
    timespec time{};
    clock_gettime(clock_, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

 private:
  clockid_t clock_{};
};

std::vector<Row> run_latency(Session& session, const Costing& running, const std::string& name) {
  TextProgram program(session, running.text);
  const ClockOfThread clock;
  double longest = 0;
  for (int i = 0; i < (session.effort.max_rounds < 20 ? 3 : 21); ++i) {
    int32_t flag = 0;
    std::atomic<double> set = 0;
    std::thread canceller([&, i] {
      std::this_thread::sleep_for(std::chrono::microseconds(5000 + 700 * i));
      set = clock.seconds();
      __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
    });
    const harp_status status = program.run_with_flag(&flag);
    const double end = clock.seconds();
    canceller.join();
    if (status != HARP_ERROR_CANCELLED)
      throw std::runtime_error(name + ": the run finished or failed before it was cancelled: status " + std::to_string(status));
    longest = std::max(longest, end - set);
  }
  return {{name, longest * 1e3, "ms", "", {}, {}}};
}

}  // namespace

std::vector<Benchmark> cancelling_benchmarks() {
  std::vector<Benchmark> benchmarks;
  for (const Costing& costing : kCosts) {
    const std::string name = std::string("cancel.cost.") + costing.name;
    benchmarks.push_back({{name}, [&costing, name](Session& session) { return run_cost(session, costing, name); }});
  }
  for (const Costing& running : kLatencies) {
    const std::string name = std::string("cancel.latency.") + running.name;
    benchmarks.push_back({{name}, [&running, name](Session& session) { return run_latency(session, running, name); }});
  }
  return benchmarks;
}

}  // namespace bench
