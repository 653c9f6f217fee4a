// How reductions and scans combine elements: the operation, its identity, and the type in which values run. One place for both, so
// that what is true of a dtype's sums is true of its running sums.
#pragma once

#include <type_traits>

#include "interp/rules.h"

namespace harp::interp {

template <Op op, DType dtype>
struct Combine {
  using T = std::conditional_t<dtype == DType::kBool, uint8_t, Element<dtype>>;  // bool as a byte: a vector<bool> has no elements
  static T combine(T a, T b) {
    return static_cast<T>(Rule<combine_of(op)>::apply(static_cast<Element<dtype>>(a), static_cast<Element<dtype>>(b)));
  }
  static T identity() { return identity_of(op, dtype).as<T>(); }
};

}  // namespace harp::interp
