#include "compile/compiler_slots.h"

namespace harp {
namespace {

constexpr std::chrono::milliseconds kWaitStep{20};  // how late a waiting thread may notice that its time is over

}  // namespace

CompilerSlots::Slot CompilerSlots::take(TimeLimit& limit) {
  std::unique_lock guard(mutex_);
  if (free_ == 0) limit.enter("waiting until another C compiler of this context ends");
  while (free_ == 0) {
    limit.check();
    given_back_.wait_for(guard, kWaitStep);
  }
  --free_;
  return Slot(*this);
}

CompilerSlots::Slot CompilerSlots::try_take() {
  const std::lock_guard guard(mutex_);
  if (free_ == 0) return {};
  --free_;
  return Slot(*this);
}

void CompilerSlots::give_back() {
  const std::lock_guard guard(mutex_);
  ++free_;
  given_back_.notify_one();
}

}  // namespace harp
