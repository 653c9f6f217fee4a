// A piece of a test in a process of its own.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

namespace capi_test {

inline constexpr unsigned kPatience = 60;  // seconds until a hanging child is killed

/// What body() gives, run in a forked child, which ends there whatever body() throws; -1 if the child was killed, 255 if it threw.
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
