// Values of the interpreter: arrays of numbers (f64) or truths (bool), which are never changed once they are made, so that copies share
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <harp.h>

namespace ajisai {

using Shape = std::vector<int64_t>;

/// Of one array; it bounds each size, too. More is a mistake in what was typed rather than something to wait for.
constexpr int64_t kMostElements = int64_t{1} << 31;

/// A mistake in what was typed. `at` is the byte of the source that it is about.
struct Mistake : std::runtime_error {
  Mistake(size_t at, const std::string& message) : std::runtime_error(message), at(at) {}
  size_t at;
};

struct Value {
  harp_dtype dtype = HARP_F64;  // or HARP_BOOL
  Shape shape;
  std::shared_ptr<std::byte[]> data;
  bool is_stack = false;  // made by `..`: what is computed of it goes back to the stack, item by item

  const double* numbers() const { return reinterpret_cast<const double*>(data.get()); }
  const bool* truths() const { return reinterpret_cast<const bool*>(data.get()); }
};

/// Number of elements. A shape that no array of this machine has is a Mistake at `at`.
size_t elements(std::span<const int64_t> shape, size_t at);
/// A value with room for its elements.
Value make(harp_dtype dtype, Shape shape, size_t at);
Value make_numbers(std::span<const double> numbers, Shape shape, size_t at);

/// "[2, 3]"
std::string text_of(std::span<const int64_t> shape);
/// As it is typed: "[ [ 1 2 ] [ 3 4 ] ]". Reading it again gives the same value.
void print(const Value& value, std::string& to);

}  // namespace ajisai
