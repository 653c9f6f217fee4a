// Memory that does not distort measurements: huge pages where the system gives them, every page touched before the clock starts, and
// arrays that do not all begin at the same offset in a page (loads would wait for stores whose addresses agree in twelve bits).
#pragma once

#include <cstddef>
#include <span>

namespace bench {

class Memory {
 public:
  Memory() = default;
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Room for `bytes`, of which arrays are taken; what was taken before is gone. Grows only, so that pages are touched once.
  void reserve(size_t bytes);
  std::span<float> take(size_t count);
  /// The same for elements of another type.
  template <class T>
  std::span<T> take_as(size_t count) {
    return {reinterpret_cast<T*>(take((count * sizeof(T) + sizeof(float) - 1) / sizeof(float)).data()), count};
  }

  /// What reserve() needs for that many arrays. For arrays of several sizes, the sum of their rooms.
  static size_t room(size_t arrays, size_t bytes_each);

 private:
  void release();

  std::byte* data_ = nullptr;
  size_t size_ = 0, used_ = 0;
  size_t taken_ = 0;  // arrays, for their offsets
};

/// Numbers in [low, high) that look random and are the same in every run.
void fill(std::span<float> values, float low, float high, unsigned seed);
void fill(std::span<double> values, float low, float high, unsigned seed);  // the same numbers

}  // namespace bench
