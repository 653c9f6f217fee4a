// The class Memory takes all arrays of a benchmark from one mapping (mmap), which is replaced if a benchmark needs a larger one.
#include "bench/harness/memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>

namespace bench {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kPage = 4096;
constexpr size_t kLine = 64;
constexpr size_t kStagger = 17 * kLine;  // offset of an array within its page relative to the previous array, in bytes
constexpr size_t kOffsets = 16;          // number of different offsets

size_t round_up(size_t value, size_t to) { return (value + to - 1) / to * to; }

uint32_t random_bits(size_t i, unsigned seed) {
  const uint32_t bits = (static_cast<uint32_t>(i) + seed) * 2654435769u;
  return (bits ^ bits >> 15) * 2246822519u;
}

/// Fills an array with pseudo-random numbers in [low, high). peers/served.py computes the same numbers.
template <class T>
void fill_any(std::span<T> values, float low, float high, unsigned seed) {
  const float scale = (high - low) / 16777216.0f;
  for (size_t i = 0; i < values.size(); ++i) values[i] = low + scale * static_cast<float>(random_bits(i, seed) >> 8);
}

}  // namespace

Memory::~Memory() { release(); }

void Memory::release() {
  if (data_ != nullptr) munmap(data_, size_);
  data_ = nullptr;
  size_ = 0;
}

size_t Memory::room(size_t arrays, size_t bytes_each) { return arrays * (round_up(bytes_each, kPage) + kPage + kOffsets * kStagger); }

void Memory::reserve(size_t bytes) {
  used_ = taken_ = 0;
  if (bytes <= size_) return;
  release();
  const size_t size = round_up(bytes, kHugePage);
  void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  madvise(data, size, MADV_HUGEPAGE);  // if the system refuses, the pages stay small
  std::memset(data, 0, size);
  data_ = static_cast<std::byte*>(data);
  size_ = size;
}

std::span<float> Memory::take(size_t count) {
  const size_t begin = round_up(used_, kPage) + taken_ % kOffsets * kStagger;
  if (begin + count * sizeof(float) > size_) throw std::bad_alloc();
  used_ = begin + count * sizeof(float);
  ++taken_;
  return {reinterpret_cast<float*>(data_ + begin), count};
}

void fill(std::span<float> values, float low, float high, unsigned seed) { fill_any(values, low, high, seed); }
void fill(std::span<double> values, float low, float high, unsigned seed) { fill_any(values, low, high, seed); }
void fill(std::span<int8_t> values, unsigned seed) {
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int8_t>(random_bits(i, seed) >> 24);
}

}  // namespace bench
