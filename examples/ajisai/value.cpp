#include "value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace ajisai {

size_t elements(std::span<const int64_t> shape, size_t at) {
  int64_t product = 1;
  for (const int64_t size : shape) {
    if (size != 0 && product > kMostElements / size) {
      throw Mistake(at,
                    "an array of shape " + text_of(shape) + " has too many elements, expected at most " + std::to_string(kMostElements));
    }
    product *= size;
  }
  return static_cast<size_t>(product);
}

Value make(harp_dtype dtype, Shape shape, size_t at) {
  if (shape.size() > HARP_MAX_RANK) {
    throw Mistake(at, "the shape " + text_of(shape) + " has " + std::to_string(shape.size()) + " axes, expected at most " +
                          std::to_string(HARP_MAX_RANK));
  }
  Value value;
  value.dtype = dtype;
  const size_t bytes = elements(shape, at) * harp_dtype_size(dtype);
  try {
    value.data = std::make_shared_for_overwrite<std::byte[]>(std::max<size_t>(bytes, 1));
  } catch (const std::bad_alloc&) {
    throw Mistake(at, "there is no memory for an array of shape " + text_of(shape));
  }
  value.shape = std::move(shape);
  return value;
}

Value make_numbers(std::span<const double> numbers, Shape shape, size_t at) {
  Value value = make(HARP_F64, std::move(shape), at);
  if (!numbers.empty()) std::memcpy(value.data.get(), numbers.data(), numbers.size_bytes());
  return value;
}

std::string text_of(std::span<const int64_t> shape) {
  std::string text = "[";
  for (size_t axis = 0; axis < shape.size(); ++axis) text += (axis > 0 ? ", " : "") + std::to_string(shape[axis]);
  return text + "]";
}

namespace {

/// Appends the shortest text that reads as the same number; whole numbers below 2^53 have no exponent.
void print_number(double number, std::string& to) {
  if (std::isnan(number)) {
    to += "NAN";
  } else if (std::isinf(number)) {
    to += number < 0 ? "-INF" : "INF";
  } else {
    char digits[32];
    const bool whole = std::fabs(number) < 9007199254740992.0 && number == std::trunc(number);
    const auto end = whole ? std::to_chars(digits, digits + sizeof digits, number, std::chars_format::fixed)
                           : std::to_chars(digits, digits + sizeof digits, number);
    to.append(digits, end.ptr);
  }
}

void print_axes(const Value& value, size_t axis, size_t& at, std::string& to) {
  if (axis == value.shape.size()) {
    if (value.dtype == HARP_BOOL) {
      to += value.truths()[at] ? "TRUE" : "FALSE";
    } else {
      print_number(value.numbers()[at], to);
    }
    ++at;
    return;
  }
  to += "[ ";
  for (int64_t i = 0; i < value.shape[axis]; ++i) {
    print_axes(value, axis + 1, at, to);
    to += ' ';
  }
  to += ']';
}

}  // namespace

void print(const Value& value, std::string& to) {
  // Brackets cannot show the sizes after an axis without elements: [0, 3] would look like [0].
  const auto empty = std::find(value.shape.begin(), value.shape.end(), 0);
  const bool shown = empty == value.shape.end() || (empty + 1 == value.shape.end() && value.dtype == HARP_F64);
  if (!shown) {
    to += value.dtype == HARP_BOOL ? "[ ] 0 > [ " : "[ ] [ ";
    for (const int64_t size : value.shape) to += std::to_string(size) + " ";
    to += "] RESHAPE";
    return;
  }
  size_t at = 0;
  print_axes(value, 0, at, to);
}

}  // namespace ajisai
