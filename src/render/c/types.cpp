#include "render/c/types.h"

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace harp::render {
namespace {

/// The suffix of 64-bit constants. They must have exactly the type int64_t, because clang does not multiply a vector of int64_t by a `long
/// long`.
constexpr std::string_view kLong = std::is_same_v<int64_t, long> ? "l" : "ll";

/// Returns a C expression for a NaN, which calls a builtin. The NaN is signalling if the top bit of the mantissa is clear, else quiet. The
/// remaining bits of the mantissa are the payload.
template <class Bits>
std::string nan_literal(Bits bits, int mantissa_bits, std::string_view suffix) {
  const Bits payload = bits & ((Bits{1} << (mantissa_bits - 1)) - 1);
  const bool quiet = (bits >> (mantissa_bits - 1)) & 1;
  return cat(quiet ? "__builtin_nan" : "__builtin_nans", suffix, "(\"", payload == 0 ? std::string() : cat(payload), "\")");
}

template <class Float, class Bits>
Literal float_literal(Float value, int mantissa_bits, std::string_view suffix) {
  const Bits bits = std::bit_cast<Bits>(value);
  const bool negative = std::signbit(value);
  const std::string_view sign = negative ? "-" : "";
  if (std::isnan(value)) return {cat(sign, nan_literal<Bits>(bits, mantissa_bits, suffix)), negative};
  if (std::isinf(value)) return {cat(sign, "__builtin_inf", suffix, "()"), negative};
  std::string text = cat(value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return {cat(text, suffix), negative};
}

}  // namespace

std::string_view value_type(DType dtype) { return is_bool(dtype) ? "_Bool" : memory_type(dtype); }

std::string_view memory_type(DType dtype) {
  switch (dtype) {
    case DType::kBool:
    case DType::kU8: return "uint8_t";
    case DType::kI8: return "int8_t";
    case DType::kF16:
    case DType::kBF16:  // a bf16 is stored as its bits
    case DType::kU16: return "uint16_t";
    case DType::kI16: return "int16_t";
    case DType::kU32: return "uint32_t";
    case DType::kI32: return "int32_t";
    case DType::kU64: return "uint64_t";
    case DType::kI64: return "int64_t";
    case DType::kF32: return "float";
    case DType::kF64: return "double";
    default: fail(Code::kUnsupported, "the C renderer has no type for ", name(dtype));
  }
}

std::string vector_name(DType dtype, int lanes) { return cat(is_bool(dtype) ? "u8" : name(dtype), "x", lanes); }
std::string mask_name(int bits, int lanes) { return cat("i", bits, "x", lanes); }

namespace {

/// Returns a literal for a signed integer. There is no literal for the least value, because its magnitude does not fit the type; it is
/// written as an expression.
template <class Int>
Literal signed_literal(Int value, std::string_view suffix) {
  if (value == std::numeric_limits<Int>::min()) return {cat(value + 1, suffix, " - 1"), true};
  return {cat(value, suffix), value < 0};
}

std::string hex(uint64_t bits, int digits) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 4 * digits - 4; shift >= 0; shift -= 4) text += kDigits[bits >> shift & 15];
  return text;
}

/// Returns a literal for an unsigned integer. Masks, and numbers with many trailing zero bits, are hexadecimal.
Literal unsigned_literal(uint64_t value, std::string_view suffix) {
  const bool is_mask = value > 0xfff && ((value & (value + 1)) == 0 || std::countr_zero(value) >= 8);
  return {cat(is_mask ? hex(value, (std::bit_width(value) + 3) / 4) : cat(value), "u", suffix), false};
}

}  // namespace

Literal c_literal(const Scalar& value) {
  switch (value.dtype) {
    case DType::kBool: return {value.bits[0] != 0 ? "1" : "0", false};
    case DType::kF16:
    // The literal is the bits of the number, because C has no literals for 16-bit floats.
    case DType::kBF16: return {hex(value.as<uint16_t>(), 4), false};
    case DType::kF32: return float_literal<float, uint32_t>(value.as<float>(), 23, "f");
    case DType::kF64: return float_literal<double, uint64_t>(value.as<double>(), 52, "");
    case DType::kU8: return {cat(value.as<uint8_t>()), false};
    case DType::kU16: return {cat(value.as<uint16_t>()), false};
    case DType::kU32: return unsigned_literal(value.as<uint32_t>(), "");
    case DType::kU64: return unsigned_literal(value.as<uint64_t>(), kLong);
    case DType::kI8: return signed_literal(value.as<int8_t>(), "");
    case DType::kI16: return signed_literal(value.as<int16_t>(), "");
    case DType::kI32: return signed_literal(value.as<int32_t>(), "");
    case DType::kI64: return signed_literal(value.as<int64_t>(), kLong);
    default: fail(Code::kUnsupported, "the C renderer has no constant of ", name(value.dtype));
  }
}

}  // namespace harp::render
