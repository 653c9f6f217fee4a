// Detects a fork that leaves a context unusable in the child. If another thread of the parent was inside the context at the fork, the child
// inherits a lock that nobody releases, or waits for a compilation that nobody finishes. A fork while no thread is inside is harmless.
#pragma once

#include <unistd.h>

#include <atomic>

#include "base/error.h"

namespace harp::capi {

class ForkGuard {
 public:
  /// Counts the current thread as inside the context during its lifetime.
  class Inside {
   public:
    explicit Inside(ForkGuard& guard) : guard_(guard) { guard_.inside_.fetch_add(1); }
    ~Inside() { guard_.inside_.fetch_sub(1); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    ForkGuard& guard_;
  };

  /// Enters the context. Error{kUnsupported} naming `function` in a child that was forked while a thread was inside.
  [[nodiscard]] Inside enter(const char* function) {
    const pid_t process = getpid(), owner = process_.load();
    if (process != owner) {
      // In a child, `inside_` still counts the threads of the parent that were inside, until the child's first thread resets it.
      HARP_CHECK(inside_.load() == 0 || process_.load() == process, Code::kUnsupported, function, ": process ", owner,
                 ", which made the context, was forked while a thread was using it; the child (process ", process,
                 ") must make its own context");
      process_.store(process);
    }
    return Inside(*this);
  }

 private:
  std::atomic<pid_t> process_{getpid()};
  std::atomic<int> inside_{0};
};

}  // namespace harp::capi
