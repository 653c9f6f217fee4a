#include "tool/arrays.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace harp::tool {

namespace {

constexpr harp_dtype kMaxDTypes = 64;
constexpr size_t kShown = 8;  // maximum number of elements in a summary

/// Calls body(dtype, name) for every dtype.
template <class Body>
void for_each_dtype(Body body) {
  for (harp_dtype dtype = 0; dtype < kMaxDTypes; ++dtype)
    if (const char* name = harp_dtype_name(dtype)) body(dtype, std::string_view(name));
}

/// The layout of a 16-bit float.
struct HalfFormat {
  int mantissa_bits;  // bits of the mantissa without the implicit leading one
  int bias;
};
HalfFormat format_of(harp_dtype half) { return half == HARP_F16 ? HalfFormat{10, 15} : HalfFormat{7, 127}; }

double value_of_half(uint16_t bits, const HalfFormat& format) {
  const int mantissa = bits & ((1 << format.mantissa_bits) - 1), exponent = (bits & 0x7fff) >> format.mantissa_bits;
  double value = std::ldexp(mantissa, std::max(exponent, 1) - format.bias - format.mantissa_bits);
  if (exponent == 2 * format.bias + 1)
    value = mantissa == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  else if (exponent != 0)
    value += std::ldexp(1.0, exponent - format.bias);
  return (bits & 0x8000) != 0 ? -value : value;
}

/// Returns the bits of the 16-bit float that is nearest to the value. The value is in [-1, 1]; it is 0, or its magnitude is at least the
/// smallest normal number of the format.
uint16_t half_of_value(double value, const HalfFormat& format) {
  if (value == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);  // the fraction is in [0.5, 1)
  const auto digits = static_cast<int>(std::nearbyint(std::ldexp(fraction, format.mantissa_bits + 1)));
  const int magnitude = ((exponent - 2 + format.bias) << format.mantissa_bits) + digits;
  return static_cast<uint16_t>(magnitude | (value < 0 ? 0x8000 : 0));
}

uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

template <class T, class Element>
void fill_with(harp_buffer* buffer, uint64_t seed, Element element) {
  T* data = static_cast<T*>(harp_buffer_data(buffer));
  const size_t count = harp_buffer_size(buffer) / sizeof(T);
  for (size_t i = 0; i < count; ++i) data[i] = static_cast<T>(element(mix(seed + (i + 1) * 0x9e3779b97f4a7c15u)));
}

bool is_complex(harp_dtype dtype) { return dtype == HARP_COMPLEX64 || dtype == HARP_COMPLEX128; }
/// Returns the dtype of the real and imaginary parts for a complex dtype, and the dtype itself for all others.
harp_dtype part_dtype(harp_dtype dtype) { return dtype == HARP_COMPLEX64 ? HARP_F32 : dtype == HARP_COMPLEX128 ? HARP_F64 : dtype; }

std::string number(double value) {
  if (std::isnan(value)) return "nan";  // the sign of a NaN has no meaning
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

/// Calls body(i, element) for every element, converted to double. For a complex array it calls the body for every real and imaginary part.
/// Integers beyond 2^53 are rounded, which is good enough for a summary.
template <class Body>
void for_each_element(const harp_buffer* buffer, Body body) {
  const void* data = harp_buffer_const_data(buffer);
  std::vector<std::byte> copy;  // holds a copy of the elements if the host cannot address them
  if (data == nullptr && harp_buffer_size(buffer) > 0) {
    copy.resize(harp_buffer_size(buffer));
    done("", harp_buffer_read, buffer, copy.size(), static_cast<void*>(copy.data()));
    data = copy.data();
  }
  const harp_dtype dtype = part_dtype(harp_buffer_dtype(buffer));
  const size_t count = harp_buffer_size(buffer) / harp_dtype_size(dtype);
  const auto run = [&](auto* typed) {
    for (size_t i = 0; i < count; ++i) body(i, static_cast<double>(typed[i]));
  };
  switch (dtype) {
    case HARP_BOOL:
    case HARP_U8: run(static_cast<const uint8_t*>(data)); break;
    case HARP_I8: run(static_cast<const int8_t*>(data)); break;
    case HARP_I16: run(static_cast<const int16_t*>(data)); break;
    case HARP_U16: run(static_cast<const uint16_t*>(data)); break;
    case HARP_F16:
    case HARP_BF16:
      for (size_t i = 0; i < count; ++i) body(i, value_of_half(static_cast<const uint16_t*>(data)[i], format_of(dtype)));
      break;
    case HARP_U32: run(static_cast<const uint32_t*>(data)); break;
    case HARP_U64: run(static_cast<const uint64_t*>(data)); break;
    case HARP_I32: run(static_cast<const int32_t*>(data)); break;
    case HARP_I64: run(static_cast<const int64_t*>(data)); break;
    case HARP_F32: run(static_cast<const float*>(data)); break;
    case HARP_F64: run(static_cast<const double*>(data)); break;
    // A complex dtype does not occur: `dtype` is the dtype of one part.
    default: throw std::logic_error("an array whose elements are no numbers");
  }
}

}  // namespace

RandomArray parse_random(std::string_view text) {
  const auto wrong = [&](const std::string& what) -> Failure {
    return {"'" + std::string(text) + "' is not a random array such as f32[512,1024]:7: " + what, 2};
  };
  RandomArray array{};
  const size_t open = text.find('['), close = text.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) throw wrong("sizes must be given in [ ]");
  std::string known;
  for_each_dtype([&](harp_dtype dtype, std::string_view name) {
    if (text.substr(0, open) == name) array.dtype = dtype;
    known += (known.empty() ? "" : ", ") + std::string(name);
  });
  if (array.dtype == 0) throw wrong("the dtype must be one of " + known);

  const auto parse = [&](std::string_view part, auto& value, const char* what) {
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size() || part.empty())
      throw wrong("'" + std::string(part) + "' is not a " + what);
  };
  std::string_view sizes = text.substr(open + 1, close - open - 1);
  while (!sizes.empty()) {
    const size_t comma = std::min(sizes.find(','), sizes.size());
    parse(sizes.substr(0, comma), array.dims.emplace_back(), "size");
    if (array.dims.back() < 0) throw wrong("size " + std::to_string(array.dims.back()) + " is negative");
    sizes.remove_prefix(std::min(comma + 1, sizes.size()));
  }
  const std::string_view rest = text.substr(close + 1);
  if (!rest.empty() && rest.front() != ':') throw wrong("expected :SEED after ]");
  if (!rest.empty()) parse(rest.substr(1), array.seed, "seed");
  return array;
}

Buffer make_random(harp_context* context, const RandomArray& array) {
  Buffer buffer =
      made<Buffer>("", harp_buffer_new, context, nullptr, array.dtype, static_cast<int32_t>(array.dims.size()), array.dims.data());
  harp_buffer* target = buffer.get();
  const auto with_sign = [](uint64_t z) { return static_cast<int64_t>(z % 201) - 100; };
  const auto without_sign = [](uint64_t z) { return z % 201; };
  const auto real = [](uint64_t z) { return static_cast<float>(z >> 40) * 0x1p-23f - 1; };
  switch (part_dtype(array.dtype)) {
    case HARP_BOOL: fill_with<uint8_t>(target, array.seed, [](uint64_t z) { return z & 1; }); break;
    case HARP_I8: fill_with<int8_t>(target, array.seed, with_sign); break;
    case HARP_I16: fill_with<int16_t>(target, array.seed, with_sign); break;
    case HARP_I32: fill_with<int32_t>(target, array.seed, with_sign); break;
    case HARP_I64: fill_with<int64_t>(target, array.seed, with_sign); break;
    case HARP_U8: fill_with<uint8_t>(target, array.seed, without_sign); break;
    case HARP_U16: fill_with<uint16_t>(target, array.seed, without_sign); break;
    case HARP_U32: fill_with<uint32_t>(target, array.seed, without_sign); break;
    case HARP_U64: fill_with<uint64_t>(target, array.seed, without_sign); break;
    case HARP_F16:
    case HARP_BF16:
      fill_with<uint16_t>(target, array.seed, [&](uint64_t z) {
        const double grid = std::nearbyint(real(z) * 1024) / 1024;  // a multiple of 2^-10 is 0 or a normal number in every 16-bit format
        return half_of_value(grid, format_of(array.dtype));
      });
      break;
    case HARP_F32: fill_with<float>(target, array.seed, real); break;
    case HARP_F64: fill_with<double>(target, array.seed, [](uint64_t z) { return static_cast<double>(z >> 11) * 0x1p-52 - 1; }); break;
    default: throw std::logic_error("an array whose elements are no numbers");
  }
  return buffer;
}

std::string type_of(const harp_buffer* buffer) {
  const int64_t* dims = harp_buffer_dims(buffer);
  std::string text = std::string(harp_dtype_name(harp_buffer_dtype(buffer))) + "[";
  for (int32_t axis = 0; axis < harp_buffer_rank(buffer); ++axis) text += (axis > 0 ? ", " : "") + std::to_string(dims[axis]);
  return text + "]";
}

namespace {

/// Returns the summary of a complex array: its mean and its greatest absolute value. Complex numbers have no minimum and maximum.
std::string complex_summary(const harp_buffer* buffer) {
  double parts[2] = {0, 0}, sums[2] = {0, 0}, greatest = 0;
  size_t count = 0, nans = 0;
  std::string first;
  for_each_element(buffer, [&](size_t i, double value) {
    parts[i % 2] = value;
    if (i % 2 == 0) return;
    if (count < kShown) first += (count > 0 ? " (" : "(") + number(parts[0]) + ", " + number(parts[1]) + ")";
    ++count;
    for (int part = 0; part < 2; ++part) sums[part] += parts[part];
    if (std::isnan(parts[0]) || std::isnan(parts[1])) ++nans;
    greatest = std::fmax(greatest, std::hypot(parts[0], parts[1]));
  });
  const auto n = static_cast<double>(count);
  std::string text;
  if (count > nans) text += "  max abs " + number(greatest) + "  mean (" + number(sums[0] / n) + ", " + number(sums[1] / n) + ")";
  if (nans > 0) text += "  nan " + std::to_string(nans);
  return text + "\n  " + (count == 0 ? "no elements" : first) + (count > kShown ? " ..." : "") + "\n";
}

}  // namespace

std::string summary(const std::string& name, const harp_buffer* buffer) {
  if (is_complex(harp_buffer_dtype(buffer))) return name + ": " + type_of(buffer) + complex_summary(buffer);
  double least = std::numeric_limits<double>::infinity(), greatest = -least, sum = 0;
  size_t count = 0, nans = 0;
  std::string first;
  for_each_element(buffer, [&](size_t i, double value) {
    if (i < kShown) first += (i > 0 ? " " : "") + number(value);
    ++count;
    sum += value;
    if (std::isnan(value)) ++nans;
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  });
  std::string text = name + ": " + type_of(buffer);
  if (count > nans) text += "  min " + number(least) + "  max " + number(greatest) + "  mean " + number(sum / static_cast<double>(count));
  if (nans > 0) text += "  nan " + std::to_string(nans);
  return text + "\n  " + (count == 0 ? "no elements" : first) + (count > kShown ? " ..." : "") + "\n";
}

}  // namespace harp::tool
