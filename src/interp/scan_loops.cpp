// Instantiates the innermost loops of scans for each operation and dtype that ops.def allows, and selects them.
#include "interp/scan_loops.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "interp/combine.h"

namespace harp::interp {
namespace {

constexpr int64_t kQuad = 4, kQuads = kScanGroup / kQuad;

// In the functions below, X is the type of the scanned elements and of the results.

/// Scans a group of at most 64 elements, which are x_step bytes apart, beginning with `carry`, and returns the carry for the next group. If
/// y is null, no results are stored. The quads of the group (4 adjacent elements each), and then the totals of the quads, are scanned as
/// Hillis and Steele do: for k = 1, 2, 4 … each x[i] with i >= k is replaced by x[i - k] combined with x[i], using the old values.
template <class C, class X>
typename C::T tree_group(const std::byte* x, int64_t x_step, std::byte* y, int64_t y_step, int64_t n, typename C::T carry) {
  using T = typename C::T;
  const T identity = C::identity();
  std::array<T, kScanGroup> group;
  std::array<T, kQuads> totals;
  for (int64_t i = 0; i < n; ++i) group[i] = C::read(*reinterpret_cast<const X*>(x + i * x_step));
  std::fill(group.begin() + n, group.end(), identity);
  for (int64_t q = 0; q < kQuads; ++q) {
    T* quad = &group[q * kQuad];
    const T a = quad[0], b = quad[1], c = quad[2], d = quad[3];
    const T ab = C::combine(a, b), bc = C::combine(b, c), cd = C::combine(c, d);  // k = 1
    const T abc = C::combine(a, bc), abcd = C::combine(ab, cd);                   // k = 2
    quad[1] = ab;
    quad[2] = abc;
    quad[3] = totals[q] = abcd;
  }
  for (int64_t k = 1; k < kQuads; k *= 2)
    for (int64_t i = kQuads - 1; i >= k; --i) totals[i] = C::combine(totals[i - k], totals[i]);
  if (y != nullptr) {
    for (int64_t q = 0; q * kQuad < n; ++q) {
      const T before = C::combine(carry, q == 0 ? identity : totals[q - 1]);
      for (int64_t i = 0; i < kQuad; ++i) group[q * kQuad + i] = C::combine(group[q * kQuad + i], before);
    }
    for (int64_t i = 0; i < n; ++i) *reinterpret_cast<X*>(y + i * y_step) = C::template write<X>(group[i]);
  }
  return C::combine(carry, totals[kQuads - 1]);
}

template <class C, class X>
void tree(std::byte* carries, const Elements& x, const Results& y, int64_t rows, int64_t columns) {
  using T = typename C::T;
  for (int64_t j = 0; j < columns; ++j) {
    const Elements from = x.from_column(j);
    const Results to = y.from_column(j);
    T carry = reinterpret_cast<T*>(carries)[j];
    for (int64_t i = 0; i < rows; i += kScanGroup)
      carry = tree_group<C, X>(from.from_row(i).data, from.row_step, y.data == nullptr ? nullptr : to.from_row(i).data, to.row_step,
                               std::min(kScanGroup, rows - i), carry);
    reinterpret_cast<T*>(carries)[j] = carry;
  }
}

/// Continues n scans of order chain by one element each. The parameter `carries` is marked __restrict, so that the loop is vectorised.
template <class C, class X>
[[gnu::always_inline]] inline void chain_row(typename C::T* __restrict carries, const std::byte* x, int64_t x_step, std::byte* y,
                                             int64_t y_step, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    carries[j] = C::combine(carries[j], C::read(*reinterpret_cast<const X*>(x + j * x_step)));
    if (y != nullptr) *reinterpret_cast<X*>(y + j * y_step) = C::template write<X>(carries[j]);
  }
}

template <class C, class X>
void chain(std::byte* carries, const Elements& x, const Results& y, int64_t rows, int64_t columns) {
  constexpr auto kAdjacent = static_cast<int64_t>(sizeof(X));
  auto* const carry = reinterpret_cast<typename C::T*>(carries);
  for (int64_t i = 0; i < rows; ++i) {
    const std::byte* from = x.from_row(i).data;
    if (y.data == nullptr)
      chain_row<C, X>(carry, from, x.column_step, nullptr, 0, columns);
    else if (x.column_step == kAdjacent && y.column_step == kAdjacent)
      chain_row<C, X>(carry, from, kAdjacent, y.from_row(i).data, kAdjacent, columns);
    else
      chain_row<C, X>(carry, from, x.column_step, y.from_row(i).data, y.column_step, columns);
  }
}

template <class C>
void fill(std::byte* accumulators, int64_t n) {
  std::fill_n(reinterpret_cast<typename C::T*>(accumulators), n, C::identity());
}

template <Op op, DType dtype, ScanOrder order>
constexpr ScanLoops loops_of() {
  using C = Combine<op, dtype>;
  using Wide = Combine<op, C::kWide>;
  using Stored = typename C::Stored;
  using T = typename C::T;
  if constexpr (order == ScanOrder::kTree)
    return {sizeof(T), fill<C>, tree<C, Stored>, tree<Wide, T>};
  else
    return {sizeof(T), fill<C>, chain<C, Stored>, chain<Wide, T>};
}
template <Op op, DType dtype, ScanOrder order>
constexpr ScanLoops kLoops = loops_of<op, dtype, order>();

using ScanTable = std::array<std::array<const ScanLoops*, kDTypeCount>, kOpCount>;

/// The table has an entry for every scan of ops.def and every dtype that it accepts. A combination without a rule does not compile.
template <ScanOrder order>
constexpr ScanTable make_scan_table() {
  ScanTable table{};
  [&]<int... i>(std::integer_sequence<int, i...>) {
    (
        [&] {
          constexpr Op op = static_cast<Op>(i);
          if constexpr (is_scan(op)) {
            for_each_dtype([&]<DType dtype>() {
              if constexpr (accepts(op, dtype)) table[i][static_cast<int>(dtype)] = &kLoops<op, combined_as(op, dtype), order>;
            });
          }
        }(),
        ...);
  }
  (std::make_integer_sequence<int, kOpCount>());
  return table;
}
constexpr ScanTable kTrees = make_scan_table<ScanOrder::kTree>(), kChains = make_scan_table<ScanOrder::kChain>();

}  // namespace

ScanLoops scan_loops(Op op, DType dtype, ScanOrder order) {
  const ScanLoops* loops = (order == ScanOrder::kTree ? kTrees : kChains)[static_cast<int>(op)][static_cast<int>(dtype)];
  HARP_ASSERT(loops != nullptr, "no rule for ", name(op), " of ", name(dtype));
  return *loops;
}

}  // namespace harp::interp
