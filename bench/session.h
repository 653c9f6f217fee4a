// What the benchmarks of one run have in common, and what a benchmark is: the rows it fills, known before anything runs, and a function.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/goals.h"
#include "bench/harp_handles.h"
#include "bench/measure.h"
#include "bench/memory.h"
#include "peers.h"

namespace bench {

/// A directory for this run alone, gone afterwards.
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

/// A context whose compile cache is `cache_directory` and nothing else.
Context new_context(const std::string& cache_directory);

struct Session {
  explicit Session(const Effort& effort);

  Effort effort;
  TemporaryDirectory directory;
  Context context;
  Memory memory;
  const peers* by_hand = nullptr;  // for the CPU level harp compiles for
  std::string describe() const;    // one line: machine, compilers

 private:
  std::string target_, compiler_;
};

struct Benchmark {
  std::vector<std::string> rows;
  /// One row for each name in `rows`, in that order. Throws std::runtime_error when harp fails or its result is wrong.
  std::function<std::vector<Row>(Session&)> run;
};

/// A compiled graph as the plain function it is, with the arrays it is called on. Arrays belong to the caller.
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

/// Sizes at which memory-bound code is measured: all arrays together, so that the name says where they fit.
struct Footprint {
  const char* name;
  size_t bytes;
};
inline constexpr Footprint kL1 = {"l1", size_t{24} << 10};
inline constexpr Footprint kL2 = {"l2", size_t{512} << 10};
inline constexpr Footprint k32MB = {"32mb", size_t{32} << 20};
inline constexpr Footprint k512MB = {"512mb", size_t{512} << 20};

std::vector<Benchmark> latency_benchmarks();
std::vector<Benchmark> chain_benchmarks();
std::vector<Benchmark> reduction_benchmarks();
std::vector<Benchmark> scan_benchmarks();

}  // namespace bench
