// Allocates memory that does not distort measurements: it has huge pages if the system provides them, every page is touched before the
// clock starts, and arrays begin at different offsets in a page. (Otherwise a load has to wait for an earlier store to another array whose
// address has the same lowest twelve bits.)
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

  /// Makes room for arrays of `bytes` in total. Arrays that were taken before become invalid. The memory never shrinks, so it is not
  /// touched anew for a smaller benchmark.
  void reserve(size_t bytes);
  std::span<float> take(size_t count);
  /// Does the same as take(), but for elements of any type.
  template <class T>
  std::span<T> take_as(size_t count) {
    return {reinterpret_cast<T*>(take((count * sizeof(T) + sizeof(float) - 1) / sizeof(float)).data()), count};
  }

  /// Returns the number of bytes to pass to reserve() for `arrays` arrays of `bytes_each` bytes. For arrays of different sizes, the caller
  /// adds the results for each size.
  static size_t room(size_t arrays, size_t bytes_each);

 private:
  void release();

  std::byte* data_ = nullptr;
  size_t size_ = 0, used_ = 0;
  size_t taken_ = 0;  // number of arrays that were taken; it selects the offset of the next one
};

/// Fills an array with pseudo-random numbers in [low, high) that depend only on index and seed.
void fill(std::span<float> values, float low, float high, unsigned seed);
void fill(std::span<double> values, float low, float high, unsigned seed);  // the same numbers, as doubles
void fill(std::span<int8_t> values, unsigned seed);                         // random numbers in the whole range of int8_t

}  // namespace bench
