// Evaluates Sort and ArgSort nodes, which sort each row along the last axis.
#pragma once

#include <algorithm>

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

/// Calls std::stable_sort, and counts each comparison as an element of work for cancellation.
template <class T, class Less>
void stable_sort(T* first, T* last, Less less, CancelChecks& checks) {
  // std::stable_sort copies this function object; all copies share the count, because it is captured by reference.
  std::stable_sort(first, last, [&checks, less](T a, T b) {
    checks.count();
    return less(a, b);
  });
}

Array evaluate_argsort(const Node& node, std::span<const Array> sources, const Sizes& sizes);
Array evaluate_sort(const Node& node, std::span<const Array> sources, const Sizes& sizes);

}  // namespace harp::interp
