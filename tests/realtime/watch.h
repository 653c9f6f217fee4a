// What a piece of code asks of the C library and of the kernel: calls that allocate or lock are counted (watch.cpp replaces them in the
// whole process), system calls are forbidden.
#pragma once

#include <functional>
#include <string>

namespace realtime {

struct Calls {
  int memory = 0, locks = 0;
};

/// Calls of this thread while body runs.
Calls calls_of(const std::function<void()>& body);

/// Runs body in a forked child, twice, the second time in a process that the kernel kills for any system call but its exit. "", or what
/// went wrong.
std::string system_call_of(const std::function<void()>& body);

}  // namespace realtime
