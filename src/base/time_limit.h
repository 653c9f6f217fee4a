// How long one piece of work may take, and who may cancel it. The work names each step it begins, so that the error at the end of the time
// tells what the time went to.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"

namespace harp {

/// Of one compilation; used by one thread. The time is that of its Process.
class TimeLimit {
 public:
  /// From now on. It ends after `allowed`, the time that compile_timeout_ms sets, or, where that is earlier, at the caller's `deadline`.
  TimeLimit(Process& process, std::chrono::milliseconds allowed, Deadline deadline = Deadline::max(), CancelFlag cancel = nullptr);
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  Deadline now() const { return process_.now(); }
  Deadline deadline() const { return deadline_; }
  CancelFlag cancel() const { return cancel_; }
  bool is_over() const { return now() >= deadline_; }

  /// What is done from now on, as in "it was scheduling kernels"; the text has to outlive this object.
  void enter(std::string_view step);
  /// Throws Error{kCancelled}, or Error{kCompiler} as fail() does, where the work has to stop.
  void check();
  /// The time is over: Error{kCompiler} with the step that was interrupted, how long each step took, and `detail` about the last one.
  [[noreturn]] void fail(std::string_view detail = {}, std::string compiler_output = {});

 private:
  struct Step {
    std::string_view name;
    Deadline::duration took{0};
  };

  Process& process_;
  Deadline start_, deadline_;
  bool is_callers_;  // the deadline
  CancelFlag cancel_;
  std::vector<Step> steps_;  // the last one is not over
  Deadline entered_;
};

}  // namespace harp
