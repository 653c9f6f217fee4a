#include "fuzz/input_data.h"

#include <array>
#include <cmath>
#include <limits>

#include "fuzz/random.h"

namespace harp::fuzz {
namespace {

template <class T>
std::vector<Scalar> float_specials(DType dtype) {
  using Limits = std::numeric_limits<T>;
  std::vector<Scalar> values;
  for (const T value : {T(0), T(1), T(0.5), T(2), T(3), T(1e-3), Limits::denorm_min(), Limits::min(), Limits::max(), Limits::infinity(),
                        Limits::epsilon(), T(1.5), T(2.5), T(100.25), T(0x1p31), T(0x1p63), T(0.1), T(88.7), T(1e30)}) {
    values.push_back(Scalar::of(dtype, value));
    values.push_back(Scalar::of(dtype, -value));
  }
  values.push_back(Scalar::of(dtype, Limits::quiet_NaN()));
  values.push_back(Scalar::of(dtype, std::copysign(Limits::quiet_NaN(), T(-1))));
  return values;
}

/// Special values of the 16-bit floats: the smallest subnormal and normal numbers, the largest numbers, the machine epsilon, and some
/// numbers in between.
std::vector<Scalar> half_specials(DType dtype) {
  std::vector<Scalar> values;
  const bool wide = dtype == DType::kBF16;
  for (const double value : {0.0,
                             1.0,
                             0.5,
                             2.0,
                             3.0,
                             1e-3,
                             wide ? 0x1p-133 : 0x1p-24,
                             wide ? 0x1.fcp-127 : 0x1.ff8p-15,
                             wide ? 0x1p-126 : 0x1p-14,
                             wide ? 0x1.fep127 : 65504.0,
                             std::numeric_limits<double>::infinity(),
                             wide ? 0x1p-7 : 0x1p-10,
                             1.5,
                             2.5,
                             100.25,
                             2048.0,
                             256.0,
                             0.1,
                             88.7,
                             11.0,
                             32768.0,
                             127.0,
                             255.0}) {
    values.push_back(scalar_from_double(dtype, value));
    values.push_back(scalar_from_double(dtype, -value));
  }
  for (const uint16_t nan : {0x7fff, 0xffff}) values.push_back(Scalar::of(dtype, nan));
  return values;
}

template <class T>
std::vector<Scalar> int_specials(DType dtype) {
  using Limits = std::numeric_limits<T>;
  std::vector<Scalar> values;
  for (const T value : {T(0), T(1), T(-1), T(2), T(-2), T(7), T(31), T(32), T(33), T(64), T(-31), Limits::min(), Limits::max(),
                        T(Limits::min() + 1), T(Limits::max() - 1), T(0x10000), T(0x7fff)})
    values.push_back(Scalar::of(dtype, value));
  return values;
}

std::vector<Scalar> make_specials(DType dtype);

/// Complex special values: each real special value as the real part, with another one as the imaginary part.
std::vector<Scalar> complex_specials(DType dtype) {
  const std::vector<Scalar> parts = make_specials(real_dtype(dtype));
  std::vector<Scalar> values;
  for (size_t i = 0; i < parts.size(); ++i)
    for (const size_t far : {0, 7, 11}) values.push_back(complex_scalar(parts[i], parts[(i * 5 + far) % parts.size()]));
  return values;
}

std::vector<Scalar> make_specials(DType dtype) {
  switch (dtype) {
    case DType::kC64:
    case DType::kC128: return complex_specials(dtype);
    case DType::kF32: return float_specials<float>(dtype);
    case DType::kF64: return float_specials<double>(dtype);
    case DType::kF16:
    case DType::kBF16: return half_specials(dtype);
    case DType::kI8: return int_specials<int8_t>(dtype);
    case DType::kU8: return int_specials<uint8_t>(dtype);
    case DType::kI16: return int_specials<int16_t>(dtype);
    case DType::kU16: return int_specials<uint16_t>(dtype);
    case DType::kU32: return int_specials<uint32_t>(dtype);
    case DType::kU64: return int_specials<uint64_t>(dtype);
    case DType::kI32: return int_specials<int32_t>(dtype);
    case DType::kI64: return int_specials<int64_t>(dtype);
    case DType::kBool: return {Scalar::of(dtype, uint8_t{0}), Scalar::of(dtype, uint8_t{1})};
    default: return {};
  }
}

/// An ordinary value of the dtype. If `even` is true, all floats have about the same magnitude. The rounding errors of a long sum then
/// depend on the order of summation; a single huge element would hide that dependence.
Scalar ordinary_value(Random& random, DType dtype, bool even) {
  if (dtype == DType::kBool) return Scalar::of(dtype, static_cast<uint8_t>(random.below(2)));
  if (is_int(dtype)) {
    const uint64_t kind = random.below(8);
    if (kind == 0) return scalar_from_int(dtype, static_cast<int64_t>(random.next()));
    return scalar_from_int(dtype, random.between(is_signed_int(dtype) ? -9 : 0, 40));
  }
  if (is_complex(dtype)) {
    const Scalar re = ordinary_value(random, real_dtype(dtype), even);
    return complex_scalar(re, ordinary_value(random, real_dtype(dtype), even));
  }
  const uint64_t kind = random.below(16);
  double value = random.unit() * 8 - 4;
  if (even) return scalar_from_double(dtype, value);
  if (kind == 0) value = static_cast<double>(random.between(-6, 6));
  if (kind == 1) value = std::ldexp(value, static_cast<int>(random.between(-30, 30)));
  if (kind == 2)
    value = std::ldexp(value, static_cast<int>(dtype == DType::kF64   ? random.between(-1070, 1020)
                                               : dtype == DType::kF16 ? random.between(-25, 14)
                                                                      : random.between(-148, 124)));
  return scalar_from_double(dtype, value);
}

Scalar special_value(Random& random, DType dtype) {
  // Every byte except 0 is true as a bool, and code that reads bools has to handle all of these bytes.
  if (dtype == DType::kBool) return Scalar::of(dtype, static_cast<uint8_t>(random.next()));
  return random.pick(special_values(dtype));
}

void put(std::vector<std::byte>& bytes, size_t element, const Scalar& value) {
  const size_t size = size_of(value.dtype);
  std::memcpy(bytes.data() + element * size, value.bits, size);
}

}  // namespace

std::span<const Scalar> special_values(DType dtype) {
  static const auto tables = [] {
    std::array<std::vector<Scalar>, kDTypeCount> made;
    for (int i = 0; i < kDTypeCount; ++i) made[i] = make_specials(static_cast<DType>(i));
    return made;
  }();
  return tables[static_cast<size_t>(dtype)];
}

std::vector<std::byte> make_input(uint64_t seed, std::string_view name, DType dtype, int64_t count) {
  Random random(seed, name);
  // 0-2: floats of about the same magnitude; 3: floats of many magnitudes; 4-6: 4 % special values; 7: 25 % special values
  const uint64_t temper = random.below(8);
  const uint64_t special_of_1024 = temper < 4 ? 0 : temper < 7 ? 40 : 256;
  std::vector<std::byte> bytes(static_cast<size_t>(count) * size_of(dtype));
  for (size_t i = 0; i < static_cast<size_t>(count); ++i)
    put(bytes, i, random.below(1024) < special_of_1024 ? special_value(random, dtype) : ordinary_value(random, dtype, temper < 3));
  return bytes;
}

std::vector<std::byte> make_special_input(DType dtype, int64_t count, int64_t repeats) {
  const std::span<const Scalar> specials = special_values(dtype);
  std::vector<std::byte> bytes(static_cast<size_t>(count) * size_of(dtype));
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) put(bytes, i, specials[i / static_cast<size_t>(repeats) % specials.size()]);
  return bytes;
}

}  // namespace harp::fuzz
