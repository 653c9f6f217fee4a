// Implements the two orders of a scan that docs/semantics.md ("Scans") defines, tree and chain, for arrays with any strides, and a table of
// functions by op and dtype.
//
// Both orders split the axis into blocks of 4,096 elements. First the total of each block is computed, beginning with the identity; the
// total of the last block is not needed. An exclusive scan of the totals, by the same algorithm, gives the initial carry of each block.
// Then each block is scanned, beginning with its carry.
#include "interp/scan.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/error.h"
#include "interp/combine.h"

namespace harp::interp {
namespace {

constexpr int64_t kBlock = 4096;
constexpr int64_t kGroup = 64, kQuad = 4, kQuads = kGroup / kQuad;
/// Number of adjacent scans that are computed together.
constexpr int64_t kChainWidth = 512;

/// The elements along the scanned axis, which are `step` elements apart. If several scans are computed together, x[i] is the first element
/// of row i, which has one element for each scan.
template <class T>
struct Strided {
  T* data;
  int64_t step;
  T& operator[](int64_t i) const { return data[i * step]; }
  Strided from(int64_t i) const { return {data + i * step, step}; }
};

int64_t blocks_of(int64_t n) { return (n + kBlock - 1) / kBlock; }

/// An inclusive scan of n elements in place. For k = 1, 2, 4 … below n, each x[i] with i >= k is replaced by x[i - k] combined with x[i],
/// using the old values.
template <class C>
void hillis_steele(typename C::T* x, int64_t n) {
  for (int64_t k = 1; k < n; k *= 2)
    for (int64_t i = n - 1; i >= k; --i) x[i] = C::combine(x[i - k], x[i]);
}

// In the functions below, X and Y are the element types of the scanned array and of its result. In a scan of block totals, both are the
// type of accumulators.

/// Scans one block of at most 4,096 elements, beginning with `carry`, and returns the carry for the next block. If y is null, no results
/// are stored.
template <class C, class X, class Y>
typename C::T tree_block(Strided<const X> x, const Strided<Y>* y, int64_t n, typename C::T carry) {
  using T = typename C::T;
  const T identity = C::identity();
  for (int64_t begin = 0; begin < n; begin += kGroup) {
    const int64_t count = std::min(kGroup, n - begin);
    std::array<T, kGroup> group;
    std::array<T, kQuads> totals;
    for (int64_t i = 0; i < count; ++i) group[i] = C::read(x[begin + i]);
    std::fill(group.begin() + count, group.end(), identity);
    for (int64_t q = 0; q < kQuads; ++q) {
      hillis_steele<C>(&group[q * kQuad], kQuad);
      totals[q] = group[q * kQuad + kQuad - 1];
    }
    hillis_steele<C>(totals.data(), kQuads);
    for (int64_t i = 0; y != nullptr && i < count; ++i) {
      const T before = i < kQuad ? identity : totals[i / kQuad - 1];
      (*y)[begin + i] = C::template write<Y>(C::combine(group[i], C::combine(carry, before)));
    }
    carry = C::combine(carry, totals[kQuads - 1]);
  }
  return carry;
}

template <class C, class X, class Y>
void tree(Strided<const X> x, Strided<Y> y, int64_t n, CancelChecks& checks) {
  using T = typename C::T;
  const int64_t blocks = blocks_of(n);
  std::vector<T> before(blocks, C::identity());
  if (blocks > 1) {
    std::vector<T> totals;
    for (int64_t b = 0; b + 1 < blocks; ++b) {
      checks.count(kBlock);
      totals.push_back(tree_block<C, X, Y>(x.from(b * kBlock), nullptr, kBlock, C::identity()));
    }
    tree<C, T, T>({totals.data(), 1}, {before.data() + 1, 1}, blocks - 1, checks);
  }
  for (int64_t b = 0; b < blocks; ++b) {
    const int64_t count = std::min(kBlock, n - b * kBlock);
    checks.count(count);
    const Strided<Y> to = y.from(b * kBlock);
    tree_block<C, X, Y>(x.from(b * kBlock), &to, count, before[b]);
  }
}

/// Computes `width` scans of n elements together. The scanned elements form an array of n rows, with one column for each scan: x[i] is the
/// first element of row i, and the elements of a row are `x_column` apart. y and `y_column` describe the results in the same way.
template <class C, class X, class Y>
void chains(Strided<const X> x, int64_t x_column, Strided<Y> y, int64_t y_column, int64_t n, int64_t width, CancelChecks& checks) {
  using T = typename C::T;
  const int64_t blocks = blocks_of(n);
  std::vector<T> before(blocks * width, C::identity());
  if (blocks > 1) {
    std::vector<T> totals((blocks - 1) * width, C::identity());
    for (int64_t i = 0; i < (blocks - 1) * kBlock; ++i) {
      checks.count(width);
      T* total = &totals[i / kBlock * width];
      const X* row = &x[i];
      for (int64_t j = 0; j < width; ++j) total[j] = C::combine(total[j], C::read(row[j * x_column]));
    }
    chains<C, T, T>({totals.data(), width}, 1, {before.data() + width, width}, 1, blocks - 1, width, checks);
  }
  for (int64_t i = 0; i < n; ++i) {
    checks.count(width);
    T* carry = &before[i / kBlock * width];
    const X* from = &x[i];
    Y* to = &y[i];
    for (int64_t j = 0; j < width; ++j) {
      carry[j] = C::combine(carry[j], C::read(from[j * x_column]));
      to[j * y_column] = C::template write<Y>(carry[j]);
    }
  }
}

/// Returns the axes that are not scanned, for the source and the result. This is a separate function so that it is not compiled for each
/// operation and dtype.
IndexSpace<2> kept_axes(const ScanAttributes& attributes, const Array& source, const Array& result) {
  const auto others = [&](std::vector<int64_t> numbers) {
    numbers.erase(numbers.begin() + attributes.axis);
    return numbers;
  };
  const std::vector<int64_t> source_strides = others(source.strides), result_strides = others(result.strides);
  return IndexSpace<2>(others(source.shape), {std::span(source_strides), std::span(result_strides)});
}

template <class C>
void scan(const ScanAttributes& attributes, const Array& source, const Array& result, const Sizes& sizes) {
  using T = typename C::Stored;
  const int64_t n = source.shape[attributes.axis];
  Strided<const T> x{reinterpret_cast<const T*>(source.data), source.strides[attributes.axis]};
  Strided<T> y{reinterpret_cast<T*>(result.data), result.strides[attributes.axis]};
  // some size is 0, so there are no results to compute
  if (std::find(source.shape.begin(), source.shape.end(), 0) != source.shape.end()) return;
  if (attributes.reverse) {
    x = {&x[n - 1], -x.step};
    y = {&y[n - 1], -y.step};
  }
  CancelChecks checks(sizes);
  for_each_run(kept_axes(attributes, source, result), [&](const auto& offsets, const auto& steps, int64_t count) {
    const auto x_at = [&](int64_t j) { return Strided<const T>{x.data + offsets[0] + j * steps[0], x.step}; };
    const auto y_at = [&](int64_t j) { return Strided<T>{y.data + offsets[1] + j * steps[1], y.step}; };
    if (attributes.order == ScanOrder::kTree) {
      for (int64_t j = 0; j < count; ++j) tree<C, T, T>(x_at(j), y_at(j), n, checks);
    } else {
      for (int64_t j = 0; j < count; j += kChainWidth)
        chains<C, T, T>(x_at(j), steps[0], y_at(j), steps[1], n, std::min(kChainWidth, count - j), checks);
    }
  });
}

using ScanFunction = void (*)(const ScanAttributes&, const Array&, const Array&, const Sizes&);
using ScanTable = std::array<std::array<ScanFunction, kDTypeCount>, kOpCount>;

/// The table has a function for every scan of ops.def and every dtype that it accepts. A combination without a rule does not compile.
constexpr ScanTable make_scan_table() {
  ScanTable table{};
  [&]<int... i>(std::integer_sequence<int, i...>) {
    (
        [&] {
          constexpr Op op = static_cast<Op>(i);
          if constexpr (is_scan(op)) {
            for_each_dtype([&]<DType dtype>() {
              if constexpr (accepts(op, dtype)) table[i][static_cast<int>(dtype)] = scan<Combine<op, combined_as(op, dtype)>>;
            });
          }
        }(),
        ...);
  }
  (std::make_integer_sequence<int, kOpCount>());
  return table;
}
constexpr ScanTable kScans = make_scan_table();

}  // namespace

Array evaluate_scan(const Node& node, std::span<const Array> operands, const Sizes& sizes) {
  const Array result = Array::allocate(node.dtype, sizes.values(node.shape));
  const ScanFunction function = kScans[static_cast<int>(node.op)][static_cast<int>(node.dtype)];
  HARP_ASSERT(function != nullptr, "no rule for ", name(node.op), " of ", name(node.dtype));
  function(node.as<ScanAttributes>(), operands[0], result, sizes);
  return result;
}

}  // namespace harp::interp
