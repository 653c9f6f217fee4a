#include "interp/elementwise.h"

#include "base/error.h"
#include "interp/kernels.h"

namespace harp::interp {
namespace {

consteval bool every_arity_has_a_table() {
  for (const OpInfo& op : kOps)
    if (op.family == Family::kElementwise && (op.arity < 1 || op.arity > kMaxArity)) return false;
  return true;
}
static_assert(every_arity_has_a_table(), "an elementwise op of ops.def has no kernels");

/// Returns the kernel of `op` for a dtype in which the op computes.
Kernel find_kernel(Op op, DType dtype) {
  const KernelTable* const tables[kMaxArity] = {&kUnaryKernels, &kBinaryKernels, &kTernaryKernels};
  const Kernel kernel = (*tables[info(op).arity - 1])[static_cast<int>(op)][static_cast<int>(dtype)][this_machine()];
  HARP_ASSERT(kernel != nullptr, "no rule for ", name(op), " of ", name(dtype));
  return kernel;
}

int64_t size_of_element(DType dtype) { return static_cast<int64_t>(size_of(dtype)); }

/// Reduces shift counts modulo the number of bits of the narrow dtype. The counts have been widened to i32 already.
void wrap_counts(std::byte* wide_counts, DType narrow, int64_t n) {
  auto* const counts = reinterpret_cast<int32_t*>(wide_counts);
  for (int64_t i = 0; i < n; ++i) counts[i] &= static_cast<int32_t>(8 * size_of(narrow)) - 1;
}

/// Computes n elements of a narrow dtype (f16, for example) in blocks: widens the operands, runs the kernel and narrows the result.
template <size_t N>
void run_narrow(Op op, DType narrow, Kernel kernel, std::byte* result, const Run& run, int64_t n) {
  const DType wide = info(narrow).computes_in, wide_result = result_dtype(op, wide), narrow_result = result_dtype(op, narrow);
  constexpr int64_t kBlock = 256;
  alignas(64) std::array<std::array<std::byte, kBlock * sizeof(int64_t)>, N + 1> blocks;
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t count = std::min(kBlock, n - begin);
    Run block{};
    for (size_t k = 0; k < N; ++k) {
      block.steps[k] = run.steps[k] == 0 ? 0 : 1;
      block.sources[k] = blocks[k].data();
      const int64_t used = run.steps[k] == 0 ? 1 : count;
      cast_loop(narrow, wide)(blocks[k].data(), run.sources[k] + begin * run.steps[k] * size_of_element(narrow), run.steps[k], used);
      if (k == 1 && (op == Op::kShl || op == Op::kShr)) wrap_counts(blocks[k].data(), narrow, used);
    }
    kernel(blocks[N].data(), block, count);
    cast_loop(wide_result, narrow_result)(result + begin * size_of_element(narrow_result), blocks[N].data(), 1, count);
  }
}

template <size_t N>
void run_kernel(Op op, std::span<const Array> sources, const Array& result, const Sizes& sizes) {
  // The dtype is that of the last source, because the first source of Where is its condition.
  const DType dtype = sources.back().dtype, works = works_in(op, dtype);
  const Kernel kernel = find_kernel(op, works);
  // In the index space, operand 0 is the result and operand k + 1 is source k. The result is contiguous, so each of its runs is too.
  const std::vector<int64_t> broadcast(result.shape.size(), 0);
  std::array<std::span<const int64_t>, N + 1> strides{std::span(result.strides)};
  for (size_t k = 0; k < N; ++k) strides[k + 1] = sources[k].rank() == 0 ? std::span(broadcast) : std::span(sources[k].strides);
  CancelChecks checks(sizes);
  for_each_run(IndexSpace<N + 1>(result.shape, strides), [&](const auto& offsets, const auto& steps, int64_t n) {
    checks.in_parts(n, [&](int64_t begin, int64_t count) {
      Run run{};
      for (size_t k = 0; k < N; ++k) {
        run.sources[k] = sources[k].data + (offsets[k + 1] + begin * steps[k + 1]) * size_of_element(sources[k].dtype);
        run.steps[k] = steps[k + 1];
      }
      std::byte* const out = result.data + (offsets[0] + begin) * size_of_element(result.dtype);
      if (works == dtype)
        kernel(out, run, count);
      else
        run_narrow<N>(op, dtype, kernel, out, run, count);
    });
  });
}

}  // namespace

void compute_element(Op op, DType dtype, std::span<const std::byte* const> sources, std::byte* result) {
  const DType works = works_in(op, dtype);
  const Kernel kernel = find_kernel(op, works);
  Run run{};
  for (size_t k = 0; k < sources.size(); ++k) run.sources[k] = sources[k], run.steps[k] = 1;
  if (works == dtype) return kernel(result, run, 1);
  switch (sources.size()) {
    case 1: return run_narrow<1>(op, dtype, kernel, result, run, 1);
    case 2: return run_narrow<2>(op, dtype, kernel, result, run, 1);
    case 3: return run_narrow<3>(op, dtype, kernel, result, run, 1);
    default: HARP_ASSERT(false, name(op), " has 1 to 3 sources, not ", sources.size());
  }
}

Array evaluate_elementwise(const Node& node, std::span<const Array> sources, const Sizes& sizes) {
  Array result = Array::allocate(node.dtype, sizes.values(node.shape));
  for (const Array& source : sources)
    HARP_ASSERT(source.rank() == 0 || source.shape == result.shape, name(node.op), " of [", join(source.shape, ", "), "] into [",
                join(result.shape, ", "), "]");
  switch (sources.size()) {
    case 1: run_kernel<1>(node.op, sources, result, sizes); break;
    case 2: run_kernel<2>(node.op, sources, result, sizes); break;
    case 3: run_kernel<3>(node.op, sources, result, sizes); break;
    default: HARP_ASSERT(false, name(node.op), " has 1 to 3 sources, not ", sources.size());
  }
  return result;
}

}  // namespace harp::interp
