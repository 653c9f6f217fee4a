#include "interp/sort.h"

#include <algorithm>
#include <numeric>

#include "interp/element.h"

namespace harp::interp {
namespace {

template <class T>
void argsort(const Array& keys, const Array& result) {
  const int64_t n = keys.shape.back(), rows = n == 0 ? 0 : keys.count() / n;
  const T* key = reinterpret_cast<const T*>(keys.data);
  int64_t* order = reinterpret_cast<int64_t*>(result.data);
  for (int64_t row = 0; row < rows; ++row, key += n, order += n) {
    std::iota(order, order + n, int64_t{0});
    std::stable_sort(order, order + n, [key](int64_t a, int64_t b) { return key[a] < key[b]; });
  }
}

}  // namespace

Array evaluate_argsort(const Node& node, std::span<const Array> sources, const Sizes& sizes) {
  const Array keys = as_contiguous(sources[0]), result = Array::allocate(node.dtype, sizes.values(node.shape));
  for_integer(keys.dtype, [&]<class T>() { argsort<T>(keys, result); });
  return result;
}

}  // namespace harp::interp
