// Instantiates the innermost loops of reductions for each operation and dtype that ops.def allows, and selects them.
#include "interp/reduce_loops.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "interp/combine.h"
#include "interp/machine.h"

namespace harp::interp {
namespace {

template <class X>
const X& element(const std::byte* data) {
  return *reinterpret_cast<const X*>(data);
}

// In the loops below, X is the type of the elements. The loop over a row is compiled several times: for elements at any distance, for the
// frequent distances, with which it is vectorised well, and for kLanes columns. The parameter `accumulators` is marked __restrict, because
// otherwise each row would begin with a check whether accumulators and elements overlap.

template <class C, class X>
[[gnu::always_inline]] inline void accumulate_row(typename C::T* __restrict accumulators, const std::byte* x, int64_t step, int64_t n) {
  for (int64_t j = 0; j < n; ++j) accumulators[j] = C::combine(accumulators[j], C::read(element<X>(x + j * step)));
}

/// Does the same as accumulate_row() for kLanes adjacent elements. The loop is unrolled, because otherwise its speed depends on its address
/// in the program.
template <class C, class X>
[[gnu::always_inline]] inline void accumulate_lanes(typename C::T* __restrict lanes, const std::byte* x) {
#pragma GCC unroll 16
  for (int64_t j = 0; j < kLanes; ++j) lanes[j] = C::combine(lanes[j], C::read(element<X>(x + j * static_cast<int64_t>(sizeof(X)))));
}

template <class C, class X>
void accumulate(std::byte* accumulators, int64_t accumulators_step, const Elements* x, int64_t rows, int64_t columns) {
  constexpr auto kAdjacent = static_cast<int64_t>(sizeof(X));
  const auto [data, row_step, column_step] = *x;
  for (int64_t i = 0; i < rows; ++i) {
    auto* row_accumulators = reinterpret_cast<typename C::T*>(accumulators + i * accumulators_step);
    const std::byte* row = data + i * row_step;
    if (column_step != kAdjacent)
      accumulate_row<C, X>(row_accumulators, row, column_step, columns);
    else if (columns == kLanes)
      accumulate_lanes<C, X>(row_accumulators, row);
    else
      accumulate_row<C, X>(row_accumulators, row, kAdjacent, columns);
  }
}

template <class C>
[[gnu::always_inline]] inline void accumulate_row(typename C::T* __restrict accumulators, const std::byte* a, int64_t a_step,
                                                  const std::byte* b, int64_t b_step, int64_t n) {
  using X = typename C::Stored;
  for (int64_t j = 0; j < n; ++j)
    accumulators[j] = Rule<Op::kFma>::apply(C::read(element<X>(a + j * a_step)), C::read(element<X>(b + j * b_step)), accumulators[j]);
}

template <DType dtype>
void accumulate_products(std::byte* accumulators, int64_t accumulators_step, const Elements* x, int64_t rows, int64_t columns) {
  using C = Combine<Op::kSum, dtype>;
  constexpr auto kAdjacent = static_cast<int64_t>(sizeof(typename C::Stored));
  const Elements a = x[0], b = x[1];
  for (int64_t i = 0; i < rows; ++i) {
    auto* row_accumulators = reinterpret_cast<typename C::T*>(accumulators + i * accumulators_step);
    const std::byte *a_row = a.from_row(i).data, *b_row = b.from_row(i).data;
    // in a matrix product, all columns have the same element of one operand
    if (a.column_step == 0 && b.column_step == kAdjacent)
      accumulate_row<C>(row_accumulators, a_row, 0, b_row, kAdjacent, columns);
    else if (a.column_step == kAdjacent && b.column_step == 0)
      accumulate_row<C>(row_accumulators, a_row, kAdjacent, b_row, 0, columns);
    else if (a.column_step != kAdjacent || b.column_step != kAdjacent)
      accumulate_row<C>(row_accumulators, a_row, a.column_step, b_row, b.column_step, columns);
    else if (columns == kLanes)
      accumulate_row<C>(row_accumulators, a_row, kAdjacent, b_row, kAdjacent, kLanes);
    else
      accumulate_row<C>(row_accumulators, a_row, kAdjacent, b_row, kAdjacent, columns);
  }
}

template <DType dtype>
HARP_WITH_FMA void accumulate_products_with_fma(std::byte* accumulators, int64_t accumulators_step, const Elements* x, int64_t rows,
                                                int64_t columns) {
  accumulate_products<dtype>(accumulators, accumulators_step, x, rows, columns);
}

template <class C>
void fill(std::byte* accumulators, int64_t n) {
  std::fill_n(reinterpret_cast<typename C::T*>(accumulators), n, C::identity());
}

template <class C>
void combine_lanes(std::byte* lanes, std::byte* results, int64_t rows) {
  using T = typename C::T;
  const T identity = C::identity();
  T* lane = reinterpret_cast<T*>(lanes);
  for (int64_t i = 0; i < rows; ++i, lane += kLanes) {
    for (int64_t half = kLanes / 2; half > 0; half /= 2)
      for (int64_t j = 0; j < half; ++j) lane[j] = C::combine(lane[j], lane[j + half]);
    reinterpret_cast<T*>(results)[i] = C::combine(identity, lane[0]);
  }
}

template <class C>
void write(const std::byte* accumulators, std::byte* results, int64_t n) {
  const auto* from = reinterpret_cast<const typename C::T*>(accumulators);
  auto* to = reinterpret_cast<typename C::Stored*>(results);
  for (int64_t j = 0; j < n; ++j) to[j] = C::template write<typename C::Stored>(from[j]);
}

// A conversion does not depend on the operation. So the loop that writes results is compiled for one operation only.
template <Op op, DType dtype, class C = Combine<op, dtype>, class Wide = Combine<op, C::kWide>>
constexpr ReduceLoops kLoops = {
    .accumulator_bytes = sizeof(typename C::T),
    .fill = fill<C>,
    .accumulate = accumulate<C, typename C::Stored>,
    .combine = accumulate<Wide, typename Wide::Stored>,
    .combine_lanes = combine_lanes<C>,
    .write = write<Combine<Op::kReduceMax, dtype>>,
};

using ReduceTable = std::array<std::array<const ReduceLoops*, kDTypeCount>, kOpCount>;

/// The table has an entry for every reduction of ops.def and every dtype that it accepts. A combination without a rule does not compile.
constexpr ReduceTable make_reduce_table() {
  ReduceTable table{};
  [&]<int... i>(std::integer_sequence<int, i...>) {
    (
        [&] {
          constexpr Op op = static_cast<Op>(i);
          if constexpr (is_reduce(op) && !is_arg_extreme(op)) {
            for_each_dtype([&]<DType dtype>() {
              if constexpr (accepts(op, dtype)) table[i][static_cast<int>(dtype)] = &kLoops<op, combined_as(op, dtype)>;
            });
          }
        }(),
        ...);
  }
  (std::make_integer_sequence<int, kOpCount>());
  return table;
}
constexpr ReduceTable kReduces = make_reduce_table();

/// The loops of sums of products, by dtype and machine. Only floats need them: for integers, a product followed by a sum gives the same
/// bits.
constexpr std::array<std::array<AccumulateLoop, kMachineCount>, kDTypeCount> make_product_table() {
  std::array<std::array<AccumulateLoop, kMachineCount>, kDTypeCount> table{};
  for_each_dtype([&]<DType dtype>() {
    if constexpr (is_float(dtype)) table[static_cast<int>(dtype)] = {accumulate_products<dtype>, accumulate_products_with_fma<dtype>};
  });
  return table;
}
constexpr auto kProducts = make_product_table();

}  // namespace

ReduceLoops reduce_loops(Op op, DType dtype, bool product) {
  const ReduceLoops* found = kReduces[static_cast<int>(op)][static_cast<int>(dtype)];
  HARP_ASSERT(found != nullptr, "no rule for ", name(op), " of ", name(dtype));
  ReduceLoops loops = *found;
  if (!product) return loops;
  loops.accumulate = kProducts[static_cast<int>(dtype)][this_machine()];
  HARP_ASSERT(loops.accumulate != nullptr, "no rule for a sum of products of ", name(dtype));
  return loops;
}

}  // namespace harp::interp
