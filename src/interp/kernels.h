// Defines the loops of the elementwise ops. A Kernel computes one run, that is, n elements that are equally far apart. kernel_row<op>()
// instantiates a kernel for every dtype in which the op computes, and for floats both with and without the FMA instruction (machine.h). The
// table of each arity has its own translation unit, because the functions of ops/math.h are large. A missing Rule is a compile error,
// because all rules are instantiated.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

#include "interp/machine.h"
#include "interp/rules.h"

namespace harp::interp {

inline constexpr int kMaxArity = 3;

/// The sources of the n elements that one call of a Kernel computes: for each source, the address of its first element and the distance
/// between its elements, in elements. With distance 0, one element is used for all n.
struct Run {
  std::array<const std::byte*, kMaxArity> sources;
  std::array<int64_t, kMaxArity> steps;
};
using Kernel = void (*)(std::byte* result, const Run& run, int64_t n);
// the kernels of one op, by dtype and machine; null if the op does not compute in the dtype
using KernelRow = std::array<std::array<Kernel, kMachineCount>, kDTypeCount>;
using KernelTable = std::array<KernelRow, kOpCount>;

/// Returns the dtype of source k of an op whose operands have the given dtype; the condition of a where is always a bool.
constexpr DType source_dtype(Op op, DType dtype, size_t k) { return op == Op::kWhere && k == 0 ? DType::kBool : dtype; }
constexpr DType result_dtype(Op op, DType dtype) { return info(op).result == Result::kBool ? DType::kBool : dtype; }

/// Reads one source of a Run (a sequence of elements that are equally far apart) in blocks of contiguous elements; if the elements are not
/// contiguous, they are copied to a buffer. Therefore every op needs only one loop, over contiguous elements, which the compiler
/// vectorises.
template <class T>
class DenseBlocks {
 public:
  static constexpr int64_t kBlock = 256;

  DenseBlocks(const std::byte* source, int64_t step) : source_(reinterpret_cast<const T*>(source)), step_(step) {
    if (step == 0) std::fill(copy_.begin(), copy_.end(), *source_);
  }
  const T* block(int64_t begin, int64_t n) {
    if (step_ == 1) return source_ + begin;
    if (step_ != 0)
      for (int64_t i = 0; i < n; ++i) copy_[i] = source_[(begin + i) * step_];
    return copy_.data();
  }

 private:
  const T* source_;
  int64_t step_;
  std::array<T, kBlock> copy_;
};

template <Op op, DType dtype, size_t... k>
void run_blocks(std::byte* result, const Run& run, int64_t n, std::index_sequence<k...>) {
  using R = Element<result_dtype(op, dtype)>;
  static_assert(std::is_same_v<R, decltype(Rule<op>::apply(Element<source_dtype(op, dtype, k)>()...))>,
                "the rule's result is not what ops.def says");
  R* const out = reinterpret_cast<R*>(result);
  std::tuple<DenseBlocks<Element<source_dtype(op, dtype, k)>>...> sources({run.sources[k], run.steps[k]}...);
  constexpr int64_t kBlock = DenseBlocks<R>::kBlock;
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t count = std::min(kBlock, n - begin);
    const std::tuple blocks(std::get<k>(sources).block(begin, count)...);
    for (int64_t i = 0; i < count; ++i) out[begin + i] = Rule<op>::apply(std::get<k>(blocks)[i]...);
  }
}

template <Op op, DType dtype>
void kernel(std::byte* result, const Run& run, int64_t n) {
  run_blocks<op, dtype>(result, run, n, std::make_index_sequence<static_cast<size_t>(info(op).arity)>());
}
template <Op op, DType dtype>
HARP_WITH_FMA void kernel_with_fma(std::byte* result, const Run& run, int64_t n) {
  run_blocks<op, dtype>(result, run, n, std::make_index_sequence<static_cast<size_t>(info(op).arity)>());
}

template <Op op>
constexpr KernelRow kernel_row() {
  KernelRow row{};
  for_each_dtype([&]<DType dtype>() {
    if constexpr (accepts(op, dtype) && works_in(op, dtype) == dtype) {
      // Loops over integers and bools never call fma, so one version of them serves all processors.
      if constexpr (is_float(dtype))
        row[static_cast<int>(dtype)] = {kernel<op, dtype>, kernel_with_fma<op, dtype>};
      else
        row[static_cast<int>(dtype)] = {kernel<op, dtype>, kernel<op, dtype>};
    }
  });
  return row;
}

/// Makes a table with one row per op. Only the rows of elementwise ops with this number of operands are filled.
template <int arity>
constexpr KernelTable make_kernels() {
  KernelTable table{};
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

extern const KernelTable kUnaryKernels;
extern const KernelTable kBinaryKernels;
extern const KernelTable kTernaryKernels;

}  // namespace harp::interp
