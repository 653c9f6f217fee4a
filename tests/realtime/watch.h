// Observes which services of the C library and of the kernel a piece of code uses: calls that allocate or lock are counted (watch.cpp
// replaces them in the whole process), and system calls are forbidden.
#pragma once

#include <functional>
#include <string>

namespace realtime {

struct Calls {
  int memory = 0, locks = 0;
};

/// Returns the calls that this thread makes while body runs.
Calls calls_of(const std::function<void()>& body);

/// Runs body in a forked child, twice; the second time the kernel kills the process for any system call but its exit. Returns "", or what
/// went wrong.
std::string system_call_of(const std::function<void()>& body);

}  // namespace realtime
