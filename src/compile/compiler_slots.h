// Limits the number and the priority of C compilers that run at the same time, because they use the host's CPUs.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>
#include <utility>

#include "base/time_limit.h"

namespace harp {

/// Thread-safe. A thread that holds a slot must not wait for another slot, because two such threads could deadlock.
class CompilerSlots {
 public:
  /// `nice` is added to the nice value of the processes.
  CompilerSlots(size_t count, int nice) : count_(count), nice_(nice), free_(count) {}

  /// The right to run one compiler; an empty Slot grants nothing.
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
  /// Waits for a free slot; throws as TimeLimit::check() does.
  Slot take(TimeLimit& limit);
  /// Returns an empty slot if none is free.
  Slot try_take();

 private:
  void give_back();

  const size_t count_;
  const int nice_;
  std::mutex mutex_;
  std::condition_variable given_back_;
  size_t free_;
  std::list<char> waiting_;  // waiting threads, in order of arrival
};

}  // namespace harp
