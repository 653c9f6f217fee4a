// Detects that a fork left a context unusable in the child. A thread is "inside" a context while it executes a call that may take the
// context's locks. If another thread of the parent was inside at the fork, the child inherits a lock that nobody releases, or waits for a
// compilation that nobody finishes. A fork while no thread is inside is harmless.
#pragma once

#include <unistd.h>

#include <atomic>

#include "base/error.h"

namespace harp::capi {

class ForkGuard {
 public:
  /// While an object of this class exists, the current thread counts as inside the context.
  class Inside {
   public:
    explicit Inside(ForkGuard& guard) : guard_(guard) { guard_.inside_.fetch_add(1); }
    ~Inside() { guard_.inside_.fetch_sub(1); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    ForkGuard& guard_;
  };

  /// Enters the context. Throws Error{kUnsupported} naming `function` in a child that was forked while a thread was inside.
  [[nodiscard]] Inside enter(const char* function) {
    const pid_t process = getpid(), owner = process_.load();
    if (process != owner) {
      // In a child, `inside_` still counts the threads that were inside in the parent at the fork. It may also count another thread of the
      // child that has entered since `owner` was read; in that case process_ already is the child's id, and entering is safe.
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
