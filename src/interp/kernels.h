// Loops of the elementwise ops. A Kernel computes one run of n elements; kernel_of<op, dtype> is its instance, and
// kernel_row<op>() the instances for every dtype the op accepts. The table is filled by one translation unit for each arity, because
// the functions of ops/math.h are large; instantiating it is what makes a missing Rule a compile error.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "interp/rules.h"

namespace harp::interp {

/// Sources of one run: where each begins, and how many elements lie between two of its elements (0: the same for all).
struct Run {
  std::array<const std::byte*, 3> sources;
  std::array<int64_t, 3> steps;
};
using Kernel = void (*)(std::byte* result, const Run& run, int64_t n);
using KernelRow = std::array<Kernel, kDTypeCount>;  // null where the op does not take the dtype

/// dtype of source k when the operands are of `dtype`.
constexpr DType source_dtype(Op op, DType dtype, int k) { return op == Op::kWhere && k == 0 ? DType::kBool : dtype; }
constexpr DType result_dtype(Op op, DType dtype) { return info(op).result == Result::kBool ? DType::kBool : dtype; }

template <Op op, DType dtype>
void kernel_of(std::byte* result, const Run& run, int64_t n) {
  using R = Element<result_dtype(op, dtype)>;
  [&]<size_t... k>(std::index_sequence<k...>) {
    static_assert(std::is_same_v<R, decltype(Rule<op>::apply(Element<source_dtype(op, dtype, k)>()...))>,
                  "the rule's result is not what ops.def says");
    R* const out = reinterpret_cast<R*>(result);
    const auto at = [&]<size_t j>(std::integral_constant<size_t, j>, int64_t i) {
      return reinterpret_cast<const Element<source_dtype(op, dtype, j)>*>(run.sources[j])[i];
    };
    // Long functions get one loop; short operations one more that the compiler vectorises.
    if constexpr (!(info(op).flags & kFunction)) {
      if (((run.steps[k] == 1) && ...)) {
        for (int64_t i = 0; i < n; ++i) out[i] = Rule<op>::apply(at(std::integral_constant<size_t, k>(), i)...);
        return;
      }
    }
    for (int64_t i = 0; i < n; ++i) out[i] = Rule<op>::apply(at(std::integral_constant<size_t, k>(), i * run.steps[k])...);
  }
  (std::make_index_sequence<static_cast<size_t>(info(op).arity)>());
}

template <Op op>
constexpr KernelRow kernel_row() {
  KernelRow row{};
  for_each_graph_dtype([&]<DType dtype>() {
    if constexpr (accepts(op, dtype)) row[static_cast<int>(dtype)] = kernel_of<op, dtype>;
  });
  return row;
}

/// Rows of the elementwise ops with this arity; the others stay null.
template <int arity>
constexpr std::array<KernelRow, kOpCount> make_kernels() {
  std::array<KernelRow, kOpCount> table{};
  [&]<int... i>(std::integer_sequence<int, i...>) {
    (
        [&] {
          if constexpr (kOps[i].family == Family::kElementwise && kOps[i].arity == arity) table[i] = kernel_row<static_cast<Op>(i)>();
        }(),
        ...);
  }
  (std::make_integer_sequence<int, kOpCount>());
  return table;
}

extern const std::array<KernelRow, kOpCount> kUnaryKernels;
extern const std::array<KernelRow, kOpCount> kBinaryKernels;
extern const std::array<KernelRow, kOpCount> kTernaryKernels;

}  // namespace harp::interp
