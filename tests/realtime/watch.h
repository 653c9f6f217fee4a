// Observes which services of the C library and of the kernel a piece of code uses. Calls that allocate or lock are counted (watch.cpp
// replaces these functions in the whole process); a system call is detected in a process in which they are forbidden.
#pragma once

#include <functional>
#include <string>

namespace realtime {

struct Calls {
  int memory = 0, locks = 0;
};

/// Runs body and returns how often this thread allocated memory and took a lock meanwhile.
Calls calls_of(const std::function<void()>& body);

/// Forks, and runs body twice in the child. In the second run, the kernel kills the child at the first system call. Returns a description
/// of what went wrong, or "".
std::string system_call_of(const std::function<void()>& body);

}  // namespace realtime
