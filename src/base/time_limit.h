// Time limit and cancellation of one piece of work. The work names each step it begins, so the timeout error can say how long each step
// took.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"

namespace harp {

/// Limits one compilation; used by one thread. Reads the clock of its Process.
class TimeLimit {
 public:
  /// Starts now. It expires after `allowed` (set by compile_timeout_ms) or at the caller's `deadline`, whichever is earlier.
  TimeLimit(Process& process, std::chrono::milliseconds allowed, Deadline deadline = Deadline::max(), CancelFlag cancel = nullptr);
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  Deadline now() const { return process_.now(); }
  Deadline deadline() const { return deadline_; }
  CancelFlag cancel() const { return cancel_; }
  bool is_over() const { return now() >= deadline_; }

  /// Records that a step begins. Its name completes "it was …" in messages ("scheduling kernels"); the text must outlive this object.
  void enter(std::string_view step);
  /// Throws Error{kCancelled} if the work was cancelled, and calls fail() if the time is over.
  void check();
  /// Reports a timeout: throws Error{kCompiler} with the interrupted step, the time of each step, and `detail` about the last one.
  [[noreturn]] void fail(std::string_view detail = {}, std::string compiler_output = {});

 private:
  struct Step {
    std::string_view name;
    Deadline::duration took{0};
  };

  Process& process_;
  Deadline start_, deadline_;
  bool is_callers_;  // true if the deadline is the caller's
  CancelFlag cancel_;
  std::vector<Step> steps_;  // the last one is still running
  Deadline entered_;
};

}  // namespace harp
