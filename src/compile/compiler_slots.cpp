#include "compile/compiler_slots.h"

namespace harp {
namespace {

constexpr std::chrono::milliseconds kWaitStep{20};  // how late a waiting thread may notice that its time is over

}  // namespace

CompilerSlots::Slot CompilerSlots::take(TimeLimit& limit) {
  limit.check();
  std::unique_lock guard(mutex_);
  if (free_ == 0 || !waiting_.empty()) limit.enter("waiting until another C compiler of this context ends");
  // In the order in which they came: a thread that waits long may not wait for ever.
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
  if (free_ > 0) given_back_.notify_all();  // the next one's turn has come
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
