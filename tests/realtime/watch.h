// Observes which services of the C library and of the kernel a piece of code uses. Calls that allocate or lock are counted (watch.cpp
// replaces these functions in the whole process); a system call is detected in a process in which they are forbidden.
#pragma once

#include <functional>
#include <string>

namespace realtime {

struct Calls {
  int memory = 0, locks = 0;
};

/// Counts the allocations and locks of this thread while body runs.
Calls calls_of(const std::function<void()>& body);

/// Forks and runs body twice in the child. During the second time the kernel kills the child for any system call. Returns what went wrong,
/// or "".
std::string system_call_of(const std::function<void()>& body);

}  // namespace realtime
