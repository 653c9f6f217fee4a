#include "interp/sort.h"

#include <limits>
#include <numeric>

#include "interp/element.h"

namespace harp::interp {
namespace {

template <class T>
void argsort(const Array& keys, const Array& result, const Sizes& sizes) {
  const int64_t n = keys.shape.back(), rows = n == 0 ? 0 : keys.count() / n;
  const T* key = reinterpret_cast<const T*>(keys.data);
  int64_t* order = reinterpret_cast<int64_t*>(result.data);
  CancelChecks checks(sizes);
  for (int64_t row = 0; row < rows; ++row, key += n, order += n) {
    checks.in_parts(n, [&](int64_t begin, int64_t count) { std::iota(order + begin, order + begin + count, begin); });
    stable_sort(
        order, order + n, [key](int64_t a, int64_t b) { return key[a] < key[b]; }, checks);
  }
}

/// Sorts each row along the last axis, stably, by key(bits), where `bits` are the bits of an element.
template <class T, class Key>
void sort(const Array& x, bool descending, const Array& result, Key key, const Sizes& sizes) {
  const int64_t n = x.shape.back(), rows = n == 0 ? 0 : x.count() / n;
  T* row = reinterpret_cast<T*>(result.data);
  copy_elements(x, result, sizes);
  CancelChecks checks(sizes);
  for (int64_t i = 0; i < rows; ++i, row += n) {
    checks.count(n);  // count the elements too, because a row of one element needs no comparisons
    stable_sort(
        row, row + n, [&](T a, T b) { return descending ? key(b) < key(a) : key(a) < key(b); }, checks);
  }
}

/// Returns the elements of the sorted rows that belong to the node's shape: all, or only the first ones of each row if the scheduler has
/// shortened the sort (schedule/shorten_sorts.h).
Array kept(Array sorted, const Node& node, const Sizes& sizes) {
  sorted.shape = sizes.values(node.shape);
  return sorted;
}

}  // namespace

Array evaluate_argsort(const Node& node, std::span<const Array> sources, const Sizes& sizes) {
  const Array keys = as_contiguous(sources[0], sizes), result = Array::allocate(node.dtype, keys.shape);
  for_integer(keys.dtype, [&]<class T>() { argsort<T>(keys, result, sizes); });
  return kept(result, node, sizes);
}

Array evaluate_sort(const Node& node, std::span<const Array> sources, const Sizes& sizes) {
  const Array x = as_contiguous(sources[0], sizes), result = Array::allocate(node.dtype, x.shape);
  const bool descending = node.as<SortAttributes>().descending;
  if (!is_float(x.dtype)) {
    for_integer(is_bool(x.dtype) ? DType::kU8 : x.dtype, [&]<class T>() {
      sort<T>(
          x, descending, result, [](T a) { return a; }, sizes);
    });
    return kept(result, node, sizes);
  }
  const size_t size = size_of(x.dtype);
  const auto infinity = static_cast<int64_t>(scalar_from_double(x.dtype, std::numeric_limits<double>::infinity()).bits[0]);
  for_integer(size == 2   ? DType::kI16
              : size == 4 ? DType::kI32
                          : DType::kI64,
              [&]<class T>() {
                // The key is that of graph/sorting.cpp: the distance from 0, negative for negative numbers, so -0 equals +0. NaN is greater
                // than all numbers.
                sort<T>(
                    x, descending, result,
                    [infinity](T bits) {
                      const int64_t distance = bits & std::numeric_limits<T>::max();
                      return distance > infinity ? std::numeric_limits<int64_t>::max() : bits < 0 ? -distance : distance;
                    },
                    sizes);
              });
  return kept(result, node, sizes);
}

}  // namespace harp::interp
