#include "compile/compiler_slots.h"

namespace harp {
namespace {

constexpr std::chrono::milliseconds kWaitStep{20};  // the largest delay until a waiting thread notices its timeout or cancellation

}  // namespace

CompilerSlots::Slot CompilerSlots::take(TimeLimit& limit) {
  limit.check();
  std::unique_lock guard(mutex_);
  if (free_ == 0 || !waiting_.empty()) limit.enter("waiting for another C compiler of this context to finish");
  // Threads get slots in the order of their arrival, so no thread waits forever.
  const auto turn = waiting_.insert(waiting_.end(), 0);
  try {
    while (free_ == 0 || turn != waiting_.begin()) {
      limit.check();
      given_back_.wait_for(guard, kWaitStep);
    }
  } catch (...) {
    waiting_.erase(turn);
    throw;
  }
  waiting_.erase(turn);
  --free_;
  if (free_ > 0) given_back_.notify_all();  // wakes the next waiting thread
  return Slot(*this);
}

CompilerSlots::Slot CompilerSlots::try_take() {
  const std::lock_guard guard(mutex_);
  if (free_ == 0 || !waiting_.empty()) return {};
  --free_;
  return Slot(*this);
}

void CompilerSlots::give_back() {
  const std::lock_guard guard(mutex_);
  ++free_;
  given_back_.notify_all();
}

}  // namespace harp
