// Defines a set of pointers without an allocation for each element (open addressing, linear probing): scheduling makes several small sets
// for every kernel. It has no iterators, so that no result can depend on the order of addresses.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace harp {

template <class T>
class PointerSet {
 public:
  bool contains(const T* element) const { return !slots_.empty() && slots_[slot_of(element)] == element; }

  /// Adds the element, which must not be null. Returns true if it was not in the set.
  bool insert(const T* element) {
    if (2 * size_ >= slots_.size()) grow();
    const T*& slot = slots_[slot_of(element)];
    if (slot == element) return false;
    slot = element;
    ++size_;
    return true;
  }

  size_t size() const { return size_; }

 private:
  /// Returns the slot of the element or, if it is not in the set, the empty slot where it would be inserted.
  size_t slot_of(const T* element) const {
    size_t slot =
        static_cast<size_t>((reinterpret_cast<uintptr_t>(element) / alignof(T)) * 0x9e3779b97f4a7c15u >> 32) & (slots_.size() - 1);
    while (slots_[slot] != nullptr && slots_[slot] != element) slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  void grow() {
    const std::vector<const T*> old = std::exchange(slots_, std::vector<const T*>(std::max<size_t>(8, 2 * slots_.size()), nullptr));
    for (const T* element : old)
      if (element != nullptr) slots_[slot_of(element)] = element;
  }

  std::vector<const T*> slots_;  // the number of slots is a power of two; at most half of the slots are used
  size_t size_ = 0;
};

}  // namespace harp
