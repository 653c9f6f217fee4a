// Implements specialisation on demand (harp_program_specialize). A Specializer belongs to one harp_program that was compiled with
// HARP_SPECIALIZE_AUTO.
//
//   a run:                    if there is a program for exactly its sizes, executes it; otherwise counts the run and executes the general
//                             program
//   harp_program_specialize:  compiles a program for each combination of sizes that had at least two runs, most runs first
//
// The Specializer never makes a run wait or allocate memory. The specialised programs are in an array that only grows, so runs read it
// without a lock. A run is not counted if another thread is using the counts.
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
  static constexpr size_t kMostPrograms = 16;  // largest number of specialised programs of a Specializer
  static constexpr size_t kMostCounts = 32;    // largest number of combinations of sizes whose runs are counted

  /// A program for one combination of sizes.
  struct Special {
    std::vector<int64_t> values;  // the values of the shape variables
    std::shared_ptr<const CompiledProgram> compiled;
    // Whether it can write each output into the buffer of every input into which the general program can write it. If not, a run whose
    // outputs overlap its inputs executes the general program.
    bool in_place_like_general = false;
    size_t workspace = 0;  // bytes of workspace that a run needs with the context's number of threads
  };

  /// `general` is the program that was compiled from `graph` with these settings. It has at least one shape variable.
  Specializer(std::unique_ptr<const Graph> graph, CompileSettings settings, std::shared_ptr<const CompiledProgram> general);

  /// Returns the specialised program for these values of the shape variables, or null. If specialize() has not handled these values yet,
  /// counts the run.
  const Special* find(std::span<const int64_t> values) noexcept;
  /// Compiles a program for each combination of sizes that had at least two runs, and returns how many combinations it handled. Throws if a
  /// compilation fails; programs that were compiled before the failure are used nevertheless.
  size_t specialize(harp_context& context);
  /// Like find(), but does not count the run.
  const Special* known(std::span<const int64_t> values) const noexcept;
  /// Returns how many combinations of sizes specialize() has compiled for.
  size_t programs() const { return n_programs_.load(std::memory_order_acquire); }

 private:
  void count(std::span<const int64_t> values) noexcept;
  std::vector<std::vector<int64_t>> repeated();
  Special compile(harp_context& context, std::vector<int64_t> values) const;
  std::span<int64_t> counted(size_t i) { return std::span(counted_).subspan(i * variables_, variables_); }

  const std::unique_ptr<const Graph> graph_;
  const CompileSettings settings_;
  const std::shared_ptr<const CompiledProgram> general_;
  const size_t variables_;

  std::array<Special, kMostPrograms> programs_;
  std::atomic<size_t> n_programs_{0};  // number of finished elements of programs_; runs read only these elements, without a lock
  std::mutex mutex_;                   // guards the unfinished elements of programs_: only one call of specialize() is active at a time

  std::atomic_flag is_counting_;              // a spin lock for runs_ and counted_
  std::array<uint64_t, kMostCounts> runs_{};  // runs_[i] is the number of runs with the sizes counted(i); 0: slot i is free
  std::vector<int64_t> counted_;
};

}  // namespace harp::capi
