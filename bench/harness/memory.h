// Memory that does not distort measurements: huge pages if the system has them, every page touched before the clock starts, and arrays with
// different offsets in a page (otherwise loads wait for stores whose addresses agree in twelve bits).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bench {

class Memory {
 public:
  Memory() = default;
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Makes room for arrays of `bytes` in total; arrays that were taken before become invalid. The memory only grows, so each page is
  /// touched once.
  void reserve(size_t bytes);
  std::span<float> take(size_t count);
  /// Like take(), for elements of another type.
  template <class T>
  std::span<T> take_as(size_t count) {
    return {reinterpret_cast<T*>(take((count * sizeof(T) + sizeof(float) - 1) / sizeof(float)).data()), count};
  }

  /// The argument of reserve() for this many arrays. For arrays of different sizes, add up their rooms.
  static size_t room(size_t arrays, size_t bytes_each);

 private:
  void release();

  std::byte* data_ = nullptr;
  size_t size_ = 0, used_ = 0;
  size_t taken_ = 0;  // number of arrays, which selects the next offset
};

/// Fills with pseudo-random numbers in [low, high) that are the same in every run.
void fill(std::span<float> values, float low, float high, unsigned seed);
void fill(std::span<double> values, float low, float high, unsigned seed);  // the same numbers in double
void fill(std::span<int8_t> values, unsigned seed);                         // in the whole range

}  // namespace bench
