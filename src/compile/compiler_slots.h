// How many C compilers may run at the same time, and with which priority: they are the host's CPUs.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>
#include <utility>

#include "base/time_limit.h"

namespace harp {

/// Thread-safe. Who holds a slot may not wait for another: two that do so could wait for each other for ever.
class CompilerSlots {
 public:
  /// `nice`: what is added to the nice value of the processes.
  CompilerSlots(size_t count, int nice) : count_(count), nice_(nice), free_(count) {}

  /// The right to run one compiler; empty: it was not given.
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
  /// Waits until one is free, or throws as TimeLimit::check() does.
  Slot take(TimeLimit& limit);
  /// Empty, if none is free now.
  Slot try_take();

 private:
  void give_back();

  const size_t count_;
  const int nice_;
  std::mutex mutex_;
  std::condition_variable given_back_;
  size_t free_;
  std::list<char> waiting_;  // those who wait, the first one first
};

}  // namespace harp
