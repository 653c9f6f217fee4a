// Converts one element to another dtype, for every pair of real dtypes.
//
// Float to integer truncates and saturates; NaN gives 0. Integer to float, and float to a narrower float, round once, to nearest with ties
// to even. Integer to a narrower integer wraps. A conversion to bool gives x != 0; a conversion from bool gives 0 or 1.
#pragma once

#include <limits>

#include "interp/element.h"
#include "ops/math_half.h"

namespace harp::interp {

template <DType to, DType from>
Element<to> cast_element(Element<from> x) {
  using To = Element<to>;
  if constexpr (to == from) {
    return x;
  } else if constexpr (is_half(from)) {
    return cast_element<to, DType::kF32>(math::HalfConversions<ScalarMath, from>::widen(x));
  } else if constexpr (is_half(to)) {
    using Math = math::HalfConversions<ScalarMath, to>;
    if constexpr (is_float(from))
      return Math::narrow(x);
    else if constexpr (size_of(from) >= 4)
      return Math::template narrow_int<from>(x);
    else
      return Math::narrow(static_cast<float>(x));
  } else if constexpr (is_bool(to)) {
    return x != Element<from>(0);
  } else if constexpr (is_float(from) && is_int(to)) {
    // Both bounds are 0, powers of two or negated powers of two, so every float dtype represents them exactly.
    using From = Element<from>;
    constexpr From kLeast = static_cast<From>(std::numeric_limits<To>::min());
    constexpr From kBeyond = static_cast<From>(uint64_t{1} << (std::numeric_limits<To>::digits - 1)) * 2;
    if (x != x) return 0;
    if (x < kLeast) return std::numeric_limits<To>::min();
    if (x >= kBeyond) return std::numeric_limits<To>::max();
    return static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace harp::interp
