// Specialisation on demand (harp_program_specialize). A Specializer belongs to one harp_program that was compiled with
// HARP_SPECIALIZE_AUTO.
//
//   a run:                    sizes ── find ──► the program for exactly these sizes; if none: the general one, and counts the run
//   harp_program_specialize:  counts ── sizes of at least two runs, most runs first ──► compile ──► found by later runs
//
// A run never waits and never allocates here. The programs are in an array that only grows, so runs read it without a lock; a run that
// finds the counts in use by another thread is not counted.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "capi/compile_settings.h"
#include "capi/compiled_program.h"
#include "graph/graph.h"

namespace harp::capi {

class Specializer {
 public:
  static constexpr size_t kMostPrograms = 16;  // most specialised programs of a Specializer
  static constexpr size_t kMostCounts = 32;    // most combinations of sizes whose runs are counted

  /// A program for one combination of sizes.
  struct Special {
    std::vector<int64_t> values;  // values of the shape variables
    // Null if the general program must be used for these sizes too, because it can compute an output in place that the special one cannot.
    std::shared_ptr<const CompiledProgram> compiled;
    size_t workspace = 0;  // bytes that a run needs with the context's number of workers
  };

  /// `general` is the program of `graph` with these settings. It has at least one shape variable.
  Specializer(std::unique_ptr<const Graph> graph, CompileSettings settings, std::shared_ptr<const CompiledProgram> general);

  /// Returns the program for these values of the shape variables, or null; if there is none yet, counts the run.
  const Special* find(std::span<const int64_t> values) noexcept;
  /// Compiles a program for each combination of sizes that repeats, and returns the number of these programs. Throws the errors of a
  /// compilation; programs that were compiled before the error are used nevertheless.
  size_t specialize(harp_context& context);
  /// Like find(), but does not count the run.
  const Special* known(std::span<const int64_t> values) const noexcept;
  /// Returns how many combinations of sizes specialize() has compiled for.
  size_t programs() const { return n_programs_.load(std::memory_order_acquire); }

 private:
  const Special* made(std::span<const int64_t> values) const noexcept;
  void count(std::span<const int64_t> values) noexcept;
  std::vector<std::vector<int64_t>> repeated();
  Special compile(harp_context& context, std::vector<int64_t> values) const;
  std::span<int64_t> counted(size_t i) { return std::span(counted_).subspan(i * variables_, variables_); }

  const std::unique_ptr<const Graph> graph_;
  const CompileSettings settings_;
  const std::shared_ptr<const CompiledProgram> general_;
  const size_t variables_;

  std::array<Special, kMostPrograms> programs_;
  std::atomic<size_t> n_programs_{0};  // how many elements of programs_ are final; readers use only these, without a lock
  std::mutex mutex_;                   // guards the other elements, so that only one call of specialize() runs at a time

  std::atomic_flag is_counting_;              // a lock for the members below
  std::array<uint64_t, kMostCounts> runs_{};  // runs_[i]: runs with the sizes counted(i); 0: slot i is free
  std::vector<int64_t> counted_;
};

}  // namespace harp::capi
