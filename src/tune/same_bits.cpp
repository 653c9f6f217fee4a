#include "tune/same_bits.h"

#include <cstring>

#include "base/text.h"

namespace harp::tune {
namespace {

/// Describes the parts of an element: the real or imaginary part of a complex dtype, and the whole element otherwise. `infinity` is the bit
/// pattern of positive infinity for a float part, and 0 for other dtypes.
struct Part {
  size_t bytes;
  uint64_t infinity;
};
Part part_of(DType dtype) {
  switch (dtype) {
    case DType::kF16: return {2, 0x7c00};
    case DType::kBF16: return {2, 0x7f80};
    case DType::kF32:
    case DType::kC64: return {4, 0x7f800000};
    case DType::kF64:
    case DType::kC128: return {8, 0x7ff0000000000000};
    default: return {size_of(dtype), 0};
  }
}

std::string hexadecimal(uint64_t value, size_t bytes) {
  std::string text = "0x";
  for (size_t digit = 2 * bytes; digit-- > 0;) text += "0123456789abcdef"[value >> (4 * digit) & 15];
  return text;
}

}  // namespace

std::string first_difference(DType dtype, std::span<const std::byte> got, std::span<const std::byte> expected) {
  if (got.size() != expected.size()) return cat("got ", got.size(), " bytes, expected ", expected.size());
  if (got.empty() || std::memcmp(got.data(), expected.data(), got.size()) == 0) return {};
  const Part part = part_of(dtype);
  const uint64_t sign = uint64_t{1} << (8 * part.bytes - 1);
  const auto is_nan = [&](uint64_t bits) { return part.infinity != 0 && (bits & ~sign) > part.infinity; };
  for (size_t at = 0; at + part.bytes <= got.size(); at += part.bytes) {
    uint64_t a = 0, b = 0;  // the memcpy calls assume little-endian byte order
    std::memcpy(&a, got.data() + at, part.bytes);
    std::memcpy(&b, expected.data() + at, part.bytes);
    if (a == b || (is_nan(a) && is_nan(b))) continue;
    return cat("element ", at / size_of(dtype), " is ", hexadecimal(a, part.bytes), " instead of ", hexadecimal(b, part.bytes));
  }
  return {};
}

}  // namespace harp::tune
