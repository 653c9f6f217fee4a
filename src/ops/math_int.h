// Defines functions on signed and unsigned integers of any width, and the few functions on bool. Arithmetic wraps, and no operation is
// undefined: before a division that would trap, the divisor is replaced, and the quotient is not used.
#pragma once

#include <limits>
#include <type_traits>

#include "ops/dtype.h"

namespace harp::math {

template <class M, DType D>
struct IntFunctions {
  static_assert(is_int(D));
  static constexpr bool kSigned = is_signed_int(D);
  static constexpr int kWidth = static_cast<int>(size_of(D)) * 8;
  using I = typename M::template T<D>;
  using Bool = typename M::template T<DType::kBool>;

  static I maximum(I a, I b) { return M::select(a > b, a, b); }
  static I minimum(I a, I b) { return M::select(a < b, a, b); }

  /// Returns the absolute value. For the smallest signed value that is the value itself.
  static I abs(I x) {
    if constexpr (kSigned)
      return M::select(x < constant(0), -x, x);
    else
      return x;
  }
  static I sign(I x) {
    I positive = M::select(x > constant(0), constant(1), constant(0));
    if constexpr (kSigned)
      return M::select(x < constant(0), constant(-1), positive);
    else
      return positive;
  }

  /// Returns the remainder of C, with the sign of x; 0 if y is 0.
  static I fmod(I x, I y) {
    I d = divisor(x, y);
    return M::select(trapping(x, y), constant(0), x % d);
  }

  /// Returns the remainder with the sign of y; 0 if y is 0.
  static I remainder(I x, I y) {
    I r = fmod(x, y);
    if constexpr (kSigned)
      return M::select((r != constant(0)) & ((r ^ y) < constant(0)), r + y, r);
    else
      return r;
  }

  /// Returns the quotient rounded down; 0 if y is 0. The smallest value divided by -1 wraps to itself.
  static I floor_divide(I x, I y) {
    I d = divisor(x, y), q = x / d;  // for the smallest value divided by -1, d is 1 and q is that value
    if constexpr (kSigned) {
      I r = x - q * d;
      q = M::select((r != constant(0)) & ((r ^ d) < constant(0)), q - constant(1), q);
    }
    return M::select(y == constant(0), constant(0), q);
  }

  /// Computes the power by square-and-multiply, wrapping. For a negative exponent the result is 1 if x = 1, 1 or -1 if x = -1, and
  /// otherwise 0 (also for x = 0).
  static I pow(I x, I y) {
    I result = constant(1), power = x;
    for (int bit = 0; bit < kWidth - (kSigned ? 1 : 0); ++bit) {
      I wanted = (y >> constant(bit)) & constant(1);
      result = M::select(wanted != constant(0), result * power, result);
      power = power * power;
    }
    if constexpr (kSigned) {
      Bool odd = (y & constant(1)) != constant(0);
      I inverse = M::select(x == constant(1), constant(1), constant(0));
      inverse = M::select(x == constant(-1), M::select(odd, constant(-1), constant(1)), inverse);
      result = M::select(y < constant(0), inverse, result);
    }
    return result;
  }

 private:
  static I constant(int64_t c) { return M::template integer<D>(c); }

  /// True for divisions that trap: by 0, and of the smallest value by -1.
  static Bool trapping(I x, I y) {
    Bool zero = y == constant(0);
    if constexpr (kSigned) {
      constexpr int64_t least = kWidth == 64 ? std::numeric_limits<int64_t>::min() : -(int64_t{1} << (kWidth - 1));
      return zero | ((y == constant(-1)) & (x == constant(least)));
    } else {
      return zero;
    }
  }
  static I divisor(I x, I y) { return M::select(trapping(x, y), constant(1), y); }
};

template <class M>
struct BoolFunctions {
  using Bool = typename M::template T<DType::kBool>;
  static Bool maximum(Bool a, Bool b) { return a | b; }
  static Bool minimum(Bool a, Bool b) { return a & b; }
};

}  // namespace harp::math
