// Defines the C++ type of an element of each dtype, and loops over dtypes, with which the interpreter's tables of functions are built.
#pragma once

#include <utility>

#include "base/error.h"
#include "ops/scalar_math.h"

namespace harp::interp {

template <DType dtype>
using Element = ScalarMath::T<dtype>;

/// Calls body.template operator()<dtype>() for every dtype that operations compute in: all graph dtypes except the complex ones.
template <class Body>
constexpr void for_each_dtype(Body body) {
  [&]<int... i>(std::integer_sequence<int, i...>) {
    (
        [&] {
          if constexpr (kDTypes[i].in_graph && kDTypes[i].kind != DTypeKind::kComplex) body.template operator()<static_cast<DType>(i)>();
        }(),
        ...);
  }
  (std::make_integer_sequence<int, kDTypeCount>());
}

/// `dtype` must be an integer dtype. Calls body.template operator()<Element<dtype>>().
template <class Body>
void for_integer(DType dtype, Body body) {
  HARP_ASSERT(is_int(dtype), "expected an integer dtype, got ", name(dtype));
  for_each_dtype([&]<DType each>() {
    if constexpr (is_int(each))
      if (each == dtype) body.template operator()<Element<each>>();
  });
}

}  // namespace harp::interp
