// Runs a part of a test in its own process.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

namespace capi_test {

inline constexpr unsigned kPatience = 60;  // in seconds; a child that runs longer is regarded as hanging and is killed

/// Forks, runs body() in the child and returns its result: -1 if the child was killed, 255 if body() threw. The child always exits here, so
/// that it never continues with the tests of its parent.
inline int in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kPatience);
    try {
      _exit(body());
    } catch (...) {
      _exit(255);
    }
  }
  int status = 0;
  while (waitpid(child, &status, 0) == -1 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace capi_test
