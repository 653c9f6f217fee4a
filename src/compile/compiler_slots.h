// Limits how many compilers of a context run at the same time, and sets their priority, because compilers compete with the host application
// for CPUs.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>
#include <utility>

#include "base/time_limit.h"

namespace harp {

/// The slots of a context: a thread must have one for each compiler that it runs, so their number limits how many compilers run at the same
/// time. A thread that has a slot must not wait for another one, because two such threads could wait for each other forever. Thread-safe.
class CompilerSlots {
 public:
  /// `count` is the number of slots. `nice` is added to the nice value of compiler processes.
  CompilerSlots(size_t count, int nice) : count_(count), nice_(nice), free_(count) {}

  /// The permission to run one compiler; an empty Slot gives no permission. The destructor returns the slot.
  class Slot {
   public:
    Slot() = default;
    explicit Slot(CompilerSlots& slots) : slots_(&slots) {}
    Slot(Slot&& other) noexcept : slots_(std::exchange(other.slots_, nullptr)) {}
    Slot& operator=(Slot&&) = delete;
    ~Slot() {
      if (slots_ != nullptr) slots_->give_back();
    }
    explicit operator bool() const { return slots_ != nullptr; }

   private:
    CompilerSlots* slots_ = nullptr;
  };

  size_t count() const { return count_; }
  int nice() const { return nice_; }
  /// Waits for a free slot. Throws as TimeLimit::check() does.
  Slot take(TimeLimit& limit);
  /// Returns a slot, or an empty Slot if none is free or other threads are waiting.
  Slot try_take();

 private:
  void give_back();

  const size_t count_;
  const int nice_;
  std::mutex mutex_;
  std::condition_variable given_back_;
  size_t free_;
  std::list<char> waiting_;  // one element for each waiting thread, in order of arrival
};

}  // namespace harp
