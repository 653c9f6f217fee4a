// Implements the time limit and the cancellation of a compilation. The compilation names each step that it begins, so the error message of
// a timeout can say how long each step took.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"

namespace harp {

/// Limits the time of one compilation. An object is used by one thread only. It reads the clock through a Process, harp's interface to the
/// operating system's processes and clock.
class TimeLimit {
 public:
  /// The time starts now. The limit expires after `allowed` (set by compile_timeout_ms) or at the caller's `deadline`, whichever is
  /// earlier.
  TimeLimit(Process& process, std::chrono::milliseconds allowed, Deadline deadline = Deadline::max(), CancelFlag cancel = nullptr);
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  Deadline now() const { return process_.now(); }
  Deadline deadline() const { return deadline_; }
  CancelFlag cancel() const { return cancel_; }
  bool is_over() const { return now() >= deadline_; }

  /// Records that a step begins. `step` completes the phrase "it was …" in messages ("scheduling kernels"); its text must outlive this
  /// object.
  void enter(std::string_view step);
  /// Throws Error{kCancelled} if the compilation was cancelled. Calls fail() if the limit has expired.
  void check();
  /// Reports a timeout: throws Error{kCompiler} with the interrupted step, the duration of each step, and `detail` about the interrupted
  /// step.
  [[noreturn]] void fail(std::string_view detail = {}, std::string compiler_output = {});

 private:
  struct Step {
    std::string_view name;
    Deadline::duration took{0};
  };

  Process& process_;
  Deadline start_, deadline_;
  bool is_callers_;  // true if the caller's deadline is earlier than the end of `allowed`
  CancelFlag cancel_;
  std::vector<Step> steps_;  // in the order they were entered; the last step is still running
  Deadline entered_;
};

}  // namespace harp
