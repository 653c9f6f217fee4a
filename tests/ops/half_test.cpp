// Tests the 16-bit floats: converts all 65,536 values of f16 and of bf16, and the midpoints between neighbouring values, with
// ops/math_half.h, as text, and in generated code.
#include "ops/math_half.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <random>

#include "base/text.h"
#include "ops/scalar.h"
#include "support/backends_run.h"
#include "support/counting_math.h"

using namespace harp;

namespace {

constexpr int kValues = 65536;

template <DType D>
using Scalars = math::HalfConversions<ScalarMath, D>;
template <DType D>
using Counted = math::HalfConversions<CountingMath, D>;
template <DType D>
using HalfOf = ScalarMath::T<D>;

/// Returns the value that these bits represent, computed from the definition of the format.
template <DType D>
double value_of(uint16_t bits) {
  constexpr int kMantissa = D == DType::kF16 ? 10 : 7, kBias = D == DType::kF16 ? 15 : 127;
  const int mantissa = bits & ((1 << kMantissa) - 1), exponent = (bits & 0x7fff) >> kMantissa;
  double magnitude =
      exponent == 0 ? std::ldexp(mantissa, 1 - kBias - kMantissa) : std::ldexp(mantissa + (1 << kMantissa), exponent - kBias - kMantissa);
  if (exponent == 2 * kBias + 1) magnitude = mantissa == 0 ? INFINITY : NAN;
  return bits & 0x8000 ? -magnitude : magnitude;
}

template <DType D>
uint16_t narrowed(double x) {
  return Scalars<D>::narrow(x).bits;
}

template <DType D>
void check_every_value() {
  for (int i = 0; i < kValues; ++i) {
    const HalfOf<D> half{static_cast<uint16_t>(i)};
    const double value = value_of<D>(half.bits);
    CAPTURE(i);
    const float wide = Scalars<D>::widen(half);
    REQUIRE(std::bit_cast<uint32_t>(Counted<D>::widen(CountingMath::T<D>(half)).get()) == std::bit_cast<uint32_t>(wide));
    if (std::isnan(value)) {
      REQUIRE(std::isnan(wide));
      REQUIRE(std::isnan(value_of<D>(Scalars<D>::narrow(wide).bits)));
      REQUIRE(Scalars<D>::canonical_bits(half) == math::HalfFormat<D>::kNan);
      continue;
    }
    REQUIRE(std::bit_cast<uint32_t>(wide) == std::bit_cast<uint32_t>(static_cast<float>(value)));
    REQUIRE(Scalars<D>::narrow(wide).bits == half.bits);
    REQUIRE(narrowed<D>(value) == half.bits);
    REQUIRE(Scalars<D>::canonical_bits(half) == half.bits);
  }
}

/// Checks that x, a number between two neighbours, rounds to `expected` from each type that can represent x.
template <DType D>
void check_rounding(double x, uint16_t expected) {
  CAPTURE(x);
  REQUIRE(narrowed<D>(x) == expected);
  REQUIRE(Counted<D>::narrow(CountingMath::T<DType::kF64>(x)).get().bits == expected);
  if (static_cast<double>(static_cast<float>(x)) == x) {
    REQUIRE(Scalars<D>::narrow(static_cast<float>(x)).bits == expected);
    REQUIRE(Counted<D>::narrow(CountingMath::T<DType::kF32>(static_cast<float>(x))).get().bits == expected);
  }
  if (x != std::trunc(x)) return;
  if (std::fabs(x) < 0x1p31) REQUIRE(Scalars<D>::template narrow_int<DType::kI32>(static_cast<int32_t>(x)).bits == expected);
  if (std::fabs(x) < 0x1p63) REQUIRE(Scalars<D>::template narrow_int<DType::kI64>(static_cast<int64_t>(x)).bits == expected);
  if (x >= 0 && x < 0x1p32) REQUIRE(Scalars<D>::template narrow_int<DType::kU32>(static_cast<uint32_t>(x)).bits == expected);
  if (x >= 0 && x < 0x1p64) REQUIRE(Scalars<D>::template narrow_int<DType::kU64>(static_cast<uint64_t>(x)).bits == expected);
}

template <DType D>
void check_between_neighbours() {
  constexpr int kInfinity = math::HalfFormat<D>::kInfinity;
  for (int i = 0; i < kInfinity; ++i) {
    const auto low = static_cast<uint16_t>(i), high = static_cast<uint16_t>(i + 1);
    const double a = value_of<D>(low);
    // After the greatest finite number, b is what the next number would be if the range of exponents did not end. The midpoint rounds to
    // infinity.
    const double b = high == kInfinity ? 2 * a - value_of<D>(static_cast<uint16_t>(i - 1)) : value_of<D>(high);
    const double middle = a + (b - a) / 2;
    const uint16_t even = i % 2 == 0 ? low : high;
    for (const int sign : {1, -1}) {
      const uint16_t bit = sign < 0 ? 0x8000 : 0;
      check_rounding<D>(sign * middle, even | bit);
      check_rounding<D>(sign * std::nextafter(middle, 0), low | bit);
      check_rounding<D>(sign * std::nextafter(middle, INFINITY), high | bit);
      const float single = static_cast<float>(middle);  // the conversion is exact, because f32 has more bits
      check_rounding<D>(sign * static_cast<double>(std::nextafter(single, 0.0f)), low | bit);
      check_rounding<D>(sign * static_cast<double>(std::nextafter(single, INFINITY)), high | bit);
    }
  }
  check_rounding<D>(1e300, kInfinity);
  check_rounding<D>(-1e300, kInfinity | 0x8000);
  check_rounding<D>(INFINITY, kInfinity);
  check_rounding<D>(-1e-300, 0x8000);
  CHECK(std::isnan(value_of<D>(narrowed<D>(NAN))));
}

/// Checks integers next to the midpoint of two neighbours. Such integers would be rounded twice if they were converted to f64 first.
void check_wide_integers() {
  using Math = Scalars<DType::kBF16>;
  for (int shift = 54; shift < 63; ++shift) {
    const int64_t middle = (int64_t{257} << (shift - 8)), one = int64_t{1};
    const auto even = static_cast<uint16_t>((127 + shift) << 7);
    CAPTURE(shift);
    CHECK(Math::narrow_int<DType::kI64>(middle).bits == even);
    CHECK(Math::narrow_int<DType::kI64>(middle + one).bits == even + 1);
    CHECK(Math::narrow_int<DType::kI64>(middle - one).bits == even);
    CHECK(Math::narrow_int<DType::kI64>(-middle - one).bits == ((even + 1) | 0x8000));
    CHECK(Math::narrow_int<DType::kU64>(static_cast<uint64_t>(middle) * 2 + 1).bits == even + 128 + 1);
    CHECK(Math::narrow_int<DType::kU64>(static_cast<uint64_t>(middle) * 2).bits == even + 128);
  }
  CHECK(Math::narrow_int<DType::kI64>(INT64_MIN).bits == 0xdf00);
  CHECK(Math::narrow_int<DType::kU64>(UINT64_MAX).bits == 0x5f80);
  CHECK(Math::narrow_int<DType::kI32>(INT32_MIN).bits == 0xcf00);
  CHECK(Scalars<DType::kF16>::narrow_int<DType::kI32>(65519).bits == 0x7bff);
  CHECK(Scalars<DType::kF16>::narrow_int<DType::kI32>(65520).bits == 0x7c00);
}

/// Checks that the text of every value is read back as the same value.
void check_text(DType dtype) {
  for (int i = 0; i < kValues; ++i) {
    const Scalar value = Scalar::of(dtype, static_cast<uint16_t>(i));
    const double exact = to_double(value);
    if (std::isnan(exact)) continue;
    const std::string text = to_string(value);
    CAPTURE(text);
    REQUIRE(scalar_from_double(dtype, std::stod(text)) == value);
  }
}

std::vector<uint16_t> every_value() {
  std::vector<uint16_t> values(kValues);
  for (int i = 0; i < kValues; ++i) values[static_cast<size_t>(i)] = static_cast<uint16_t>(i);
  return values;
}

}  // namespace

TEST_CASE("G9.f16/interp G9.bf16/interp: every value of f16 and bf16 widens exactly and narrows back") {
  check_every_value<DType::kF16>();
  check_every_value<DType::kBF16>();
}

TEST_CASE("G9.f16/interp G9.bf16/interp: between all neighbours, floats and integers round once, ties to even") {
  check_between_neighbours<DType::kF16>();
  check_between_neighbours<DType::kBF16>();
  check_wide_integers();
}

TEST_CASE("G18: the text of every half is short and reads back") {
  check_text(DType::kF16);
  check_text(DType::kBF16);
  CHECK(to_string(scalar_from_double(DType::kF16, 0.1)) == "0.1");
  CHECK(to_string(scalar_from_double(DType::kF16, 65504)) == "65500");
  CHECK(to_string(scalar_from_double(DType::kBF16, 1e-40)) == "9e-41");
  CHECK(to_string(scalar_from_double(DType::kBF16, -INFINITY)) == "-inf");
  CHECK(to_string(scalar_from_double(DType::kF16, -0.0)) == "-0");
}

TEST_CASE("G9.f16/interp,c G9.bf16/interp,c X2: generated code converts every value of f16 and bf16 to the same bits") {
  const capi_test::Backends backends;
  for (const std::string half : {"f16", "bf16"}) {
    const std::string text =
        "graph all(bits: u16[n], other: u16[n]) {\n  x = bitcast(bits, dtype=" + half + ")\n  y = bitcast(other, dtype=" + half +
        ")\n  fine = where(isnan(x), 0, x)\n"
        "  return wide = cast(fine, f32), double = cast(fine, f64), i8 = cast(x, i8), u8 = cast(x, u8), i16 = cast(x, i16), "
        "u16 = cast(x, u16), i32 = cast(x, i32), u32 = cast(x, u32), i64 = cast(x, i64), u64 = cast(x, u64), "
        "same = bitcast(x, dtype=u16), turned = bitcast(-fine, dtype=u16), add = bitcast(fine + where(isnan(y), 1, y), dtype=u16), "
        "mul = bitcast(x * y, dtype=u16), div = bitcast(x / y, dtype=u16), less = x < y, kept = where(x < y, x, y)\n}\n";
    std::vector<uint16_t> other = every_value();
    std::mt19937 random(7);
    for (uint16_t& bits : other) bits = static_cast<uint16_t>(random());
    const auto outputs =
        backends.run(text, capi_test::Values<uint16_t>{every_value(), {kValues}}, capi_test::Values<uint16_t>{other, {kValues}});
    const auto wide = capi_test::values<float>(outputs[0].get());
    for (int i = 0; i < kValues; ++i) {
      const double value =
          half == "f16" ? value_of<DType::kF16>(static_cast<uint16_t>(i)) : value_of<DType::kBF16>(static_cast<uint16_t>(i));
      REQUIRE(wide[static_cast<size_t>(i)] == static_cast<float>(std::isnan(value) ? 0.0 : value));
    }
  }
}

TEST_CASE("G9.f16/interp,c G9.bf16/interp,c X2: generated code rounds floats and integers to halves as the interpreter does") {
  const capi_test::Backends backends;
  std::vector<float> singles;
  std::vector<double> doubles;
  std::vector<int64_t> integers;
  std::mt19937_64 random(11);
  for (int i = 0; i < 40000; ++i) {
    // Numbers near a tie: the bits that a conversion drops are exactly half a unit in the last place, or one more or less.
    const uint32_t bits = static_cast<uint32_t>(random()), kept = bits & (i % 2 ? 0xffffe000u : 0xffff0000u), tie = i % 2 ? 0x1000 : 0x8000;
    const uint32_t near = kept + tie + static_cast<uint32_t>(random() % 3) - 1;
    const auto single = std::bit_cast<float>(i % 4 < 2 ? near : (near & 0x807fffffu) | (102 + static_cast<uint32_t>(random() % 44)) << 23);
    singles.push_back(std::isnan(single) ? 1.0f : single);
    const double nearest = static_cast<double>(singles.back());
    doubles.push_back(i % 3 == 0 ? nearest : std::nextafter(nearest, i % 3 == 1 ? 0.0 : static_cast<double>(INFINITY)));
    integers.push_back(static_cast<int64_t>(random()) >> (i % 64));
  }
  for (const std::string half : {"f16", "bf16"}) {
    const std::string as = ", dtype=" + half + "), dtype=u16)";
    backends.run("graph round(x: f32[n], d: f64[n], i: i64[n]) {\n  return a = bitcast(cast(x" + as + ", b = bitcast(cast(d" + as +
                     ", c = bitcast(cast(i" + as + ", e = bitcast(cast(cast(i, i32)" + as + ", f = bitcast(cast(cast(i, u32)" + as +
                     ", g = bitcast(cast(cast(i, u64)" + as + ", h = bitcast(cast(cast(i, i16)" + as + ", j = bitcast(cast(cast(i, u8)" +
                     as + ", k = bitcast(cast(i > 0" + as + "\n}\n",
                 capi_test::Values<float>{singles, {40000}}, capi_test::Values<double>{doubles, {40000}},
                 capi_test::Values<int64_t>{integers, {40000}});
  }
}
