// Values of the interpreter: arrays of numbers (f64) or truths (bool). They never change after they are made, so copies share their
// elements.
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

/// Maximum number of elements of an array, and of each size. Larger arrays are probably mistakes, and would take long.
constexpr int64_t kMostElements = int64_t{1} << 31;

/// A mistake in the text that a user typed. `at` is its position in the text in bytes.
struct Mistake : std::runtime_error {
  Mistake(size_t at, const std::string& message) : std::runtime_error(message), at(at) {}
  size_t at;
};

struct Value {
  harp_dtype dtype = HARP_F64;  // or HARP_BOOL
  Shape shape;
  std::shared_ptr<std::byte[]> data;
  bool is_stack = false;  // made by the word `..`, or computed from such a value; at the end of the text it is split again

  const double* numbers() const { return reinterpret_cast<const double*>(data.get()); }
  const bool* truths() const { return reinterpret_cast<const bool*>(data.get()); }
};

/// Number of elements. Throws a Mistake at `at` if the shape exceeds the limit.
size_t elements(std::span<const int64_t> shape, size_t at);
/// Makes a value with memory for its elements.
Value make(harp_dtype dtype, Shape shape, size_t at);
Value make_numbers(std::span<const double> numbers, Shape shape, size_t at);

/// "[2, 3]"
std::string text_of(std::span<const int64_t> shape);
/// Appends a value to `to` as text: "[ [ 1 2 ] [ 3 4 ] ]". Reading this text gives the same value.
void print(const Value& value, std::string& to);

}  // namespace ajisai
