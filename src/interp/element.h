// The C++ type of an element of each dtype that graphs use, and the loop over those dtypes that the tables are made with.
#pragma once

#include <cstdint>
#include <utility>

#include "ops/dtype.h"

namespace harp::interp {

template <DType dtype>
struct ElementOf;
#define HARP_ROW(id, name, size, kind, ctype, in_graph) \
  template <>                                           \
  struct ElementOf<DType::k##id> {                      \
    using Type = ctype;                                 \
  };
HARP_DTYPES(HARP_ROW)
#undef HARP_ROW

template <DType dtype>
using Element = typename ElementOf<dtype>::Type;

/// Calls body.template operator()<dtype>() for every dtype that graphs may use.
template <class Body>
constexpr void for_each_graph_dtype(Body body) {
  [&]<int... i>(std::integer_sequence<int, i...>) {
    (
        [&] {
          if constexpr (kDTypes[i].in_graph) body.template operator()<static_cast<DType>(i)>();
        }(),
        ...);
  }
  (std::make_integer_sequence<int, kDTypeCount>());
}

}  // namespace harp::interp
