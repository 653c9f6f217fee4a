// Defines what all benchmarks of a run share, and the type of a benchmark: the names of its measurements, which are known before anything
// runs, and the function that measures them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/goals.h"
#include "bench/harness/harp_handles.h"
#include "bench/harness/measure.h"
#include "bench/harness/memory.h"
#include "peers.h"

namespace bench {

/// The number of threads of measurements with several threads.
inline constexpr int kThreads = 2;

/// A directory with a unique name, which is removed together with this object.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Makes a context that caches compiled programs in `cache_directory` and runs them on this many threads.
Context new_context(const std::string& cache_directory, int threads = 1);

struct Session {
  Session(const Effort& effort, std::string peers_directory);

  Effort effort;
  std::string peers_directory;  // the directory of the programs with which harp is compared (harp_bench_NAME)
  TemporaryDirectory directory;
  Context context;   // for programs on one thread
  Context threaded;  // for programs on kThreads threads
  Memory memory;
  const peers* by_hand = nullptr;                              // hand-written loops for the CPU level `target()`
  const std::string& target() const { return target_; }        // the CPU level that harp compiles for
  std::string describe() const;                                // machine and compilers, in one line
  Graph new_graph(int threads = 1, uint32_t flags = 0) const;  // an empty graph
  harp_context* context_of(int threads) const { return threads == 1 ? context.get() : threaded.get(); }

 private:
  std::string target_, compiler_;
};

struct Benchmark {
  std::vector<std::string> rows;
  /// Returns one measurement for each name in `rows`, in that order. Throws MissingHardware (gpu_host.h) if this machine cannot measure
  /// them, and std::runtime_error if harp fails or its result is wrong.
  std::function<std::vector<Row>(Session&)> run;
};

/// A compiled graph that is called through its entry point, with the arrays to call it on. The caller owns the arrays.
class Kernel {
 public:
  Kernel(const harp_graph* graph, std::vector<void*> inputs, std::vector<void*> outputs, std::vector<size_t> shape_vars);
  void operator()(size_t repeats) {
    for (size_t i = 0; i < repeats; ++i) entry_(inputs_.data(), outputs_.data(), shape_vars_.data());
  }

 private:
  Program program_;
  harp_entry_point entry_;
  std::vector<void*> inputs_, outputs_;
  std::vector<size_t> shape_vars_;
};

/// How a program is called: by harp_program_run, as programs that use harp do, or through its entry point as a plain function. The entry
/// point is for runs that take less than a few microseconds and that are compared with a plain function, too. The overhead of
/// harp_program_run is measured by call.overhead.
enum class Call { kRun, kEntry };

/// A compiled graph without symbolic sizes, with its buffers and its workspace. The caller owns the arrays.
class ProgramRun {
 public:
  ProgramRun(const Session& session, const harp_graph* graph, const std::vector<void*>& inputs, const std::vector<void*>& outputs,
             Call call = Call::kRun, const harp_compile_options* options = nullptr, int threads = 1);
  void operator()(size_t repeats);
  /// Runs the program in memory that harp allocates: without a workspace, and with new outputs that are released after each run.
  void run_by_default(size_t repeats);
  /// Tests whether a run in memory that harp allocates gives the bytes that the caller's outputs contain now.
  bool equals_default_run();
  /// Runs the program once with this cancellation flag, and returns the status of the run.
  harp_status run_with_flag(const volatile int32_t* cancel);
  const harp_program* program() const { return program_.get(); }

 private:
  void run(size_t repeats);
  void enter(size_t repeats);

  Call call_;
  Program program_;
  Memory workspace_;
  std::vector<Buffer> buffers_;
  std::vector<harp_buffer*> inputs_, outputs_;
  harp_run_options options_ = HARP_RUN_OPTIONS_INIT;
  harp_entry_point_ex entry_;
  std::vector<void*> input_arrays_, output_arrays_;
  harp_runtime runtime_{};
};

/// How a time becomes the value of a measurement: work per second, or time per unit of work.
struct Scale {
  std::string unit;
  double amount;     // the amount of work in one run
  bool rate = true;  // false: the value is seconds / amount
  double of(double seconds) const { return rate ? amount / seconds : seconds / amount; }

  static Scale flops(double count) { return {"GFLOP/s", count * 1e-9}; }
  static Scale bytes(size_t count) { return {"GB/s", static_cast<double>(count) * 1e-9}; }
  static Scale nanoseconds_each(size_t count) { return {"ns", static_cast<double>(count) * 1e-9, false}; }
};

/// Returns the measurement that compares candidate 0 of `times`, which is harp, with candidate `index`, which is the library or loop called
/// `peer`. If `index` is nullopt, that library is not installed, and the goal counts as missed.
Row compared(const std::string& name, const Scale& scale, const Comparison& times, const std::string& peer, std::optional<size_t> index);

/// Returns a candidate that copies from one array to the other by memcpy.
Candidate memcpy_of(std::span<float> to, std::span<const float> from);

/// A size of a benchmark that is limited by memory bandwidth: the bytes of all its arrays together. The name says which cache the arrays
/// fit.
struct Footprint {
  const char* name;
  size_t bytes;
};
inline constexpr Footprint kL1 = {"l1", size_t{24} << 10};
inline constexpr Footprint kL2 = {"l2", size_t{512} << 10};
inline constexpr Footprint k32MB = {"32mb", size_t{32} << 20};
inline constexpr Footprint k512MB = {"512mb", size_t{512} << 20};

std::vector<Benchmark> latency_benchmarks();
std::vector<Benchmark> front_benchmarks();
std::vector<Benchmark> compiling_benchmarks();
std::vector<Benchmark> growing_benchmarks();
std::vector<Benchmark> cancelling_benchmarks();
std::vector<Benchmark> keeping_benchmarks();
std::vector<Benchmark> chain_benchmarks();
std::vector<Benchmark> custom_benchmarks();
std::vector<Benchmark> bandwidth_benchmarks();
std::vector<Benchmark> reduction_benchmarks();
std::vector<Benchmark> scan_benchmarks();
std::vector<Benchmark> short_axis_benchmarks();
std::vector<Benchmark> unknown_row_benchmarks();
std::vector<Benchmark> rearrangement_benchmarks();
std::vector<Benchmark> sort_benchmarks();
std::vector<Benchmark> transform_benchmarks();
std::vector<Benchmark> function_benchmarks();
std::vector<Benchmark> contraction_benchmarks();
std::vector<Benchmark> convolution_benchmarks();
std::vector<Benchmark> rowwise_benchmarks();
std::vector<Benchmark> tuning_benchmarks();
std::vector<Benchmark> simulation_benchmarks();
std::vector<Benchmark> training_benchmarks();
std::vector<Benchmark> npb_benchmarks();
std::vector<Benchmark> scaling_benchmarks();
std::vector<Benchmark> interpreter_benchmarks();
std::vector<Benchmark> gpu_benchmarks();

}  // namespace bench
