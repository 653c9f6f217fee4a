// What a context shares between threads cannot be used in a forked child if a thread of the parent was at it when the process forked: a
// lock would stay closed for ever, or a compilation be waited for that nobody does any more. A fork while nobody is at it is fine.
#pragma once

#include <unistd.h>

#include <atomic>

#include "base/error.h"

namespace harp::capi {

class ForkGuard {
 public:
  /// Being at it, until the end of the scope.
  class Inside {
   public:
    explicit Inside(ForkGuard& guard) : guard_(guard) { guard_.inside_.fetch_add(1); }
    ~Inside() { guard_.inside_.fetch_sub(1); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    ForkGuard& guard_;
  };

  /// Error{kUnsupported} naming `function` in a child that was forked while a thread was at it.
  [[nodiscard]] Inside enter(const char* function) {
    const pid_t process = getpid(), owner = process_.load();
    if (process != owner) {
      // In a child the count is that of the parent's threads, until its first thread takes over.
      HARP_CHECK(inside_.load() == 0 || process_.load() == process, Code::kUnsupported, function, ": process ", owner,
                 ", which made the context, was forked while a thread was using it; the child (process ", process,
                 ") has to make a context of its own");
      process_.store(process);
    }
    return Inside(*this);
  }

 private:
  std::atomic<pid_t> process_{getpid()};
  std::atomic<int> inside_{0};
};

}  // namespace harp::capi
