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

Kernel find_kernel(Op op, DType dtype) {
  const KernelTable* const tables[kMaxArity] = {&kUnaryKernels, &kBinaryKernels, &kTernaryKernels};
  const Kernel kernel = (*tables[info(op).arity - 1])[static_cast<int>(op)][static_cast<int>(dtype)][this_machine()];
  HARP_ASSERT(kernel != nullptr, "no rule for ", name(op), " of ", name(dtype));
  return kernel;
}

template <size_t N>
void run_kernel(Kernel kernel, std::span<const Array> sources, const Array& result) {
  // Operand 0 is the result, which is dense, so that its runs are dense too.
  const std::vector<int64_t> broadcast(result.shape.size(), 0);
  std::array<std::span<const int64_t>, N + 1> strides{std::span(result.strides)};
  for (size_t k = 0; k < N; ++k) strides[k + 1] = sources[k].rank() == 0 ? std::span(broadcast) : std::span(sources[k].strides);
  const auto element_size = [](const Array& array) { return static_cast<int64_t>(size_of(array.dtype)); };
  for_each_run(IndexSpace<N + 1>(result.shape, strides), [&](const auto& offsets, const auto& steps, int64_t n) {
    Run run{};
    for (size_t k = 0; k < N; ++k) {
      run.sources[k] = sources[k].data + offsets[k + 1] * element_size(sources[k]);
      run.steps[k] = steps[k + 1];
    }
    kernel(result.data + offsets[0] * element_size(result), run, n);
  });
}

}  // namespace

Array evaluate_elementwise(const Node& node, std::span<const Array> sources, const Sizes& sizes) {
  const Kernel kernel = find_kernel(node.op, sources.back().dtype);  // Where's first source is its condition
  Array result = Array::allocate(node.dtype, sizes.values(node.shape));
  for (const Array& source : sources)
    HARP_ASSERT(source.rank() == 0 || source.shape == result.shape, name(node.op), " of [", join(source.shape, ", "), "] into [",
                join(result.shape, ", "), "]");
  switch (sources.size()) {
    case 1: run_kernel<1>(kernel, sources, result); break;
    case 2: run_kernel<2>(kernel, sources, result); break;
    default: run_kernel<3>(kernel, sources, result); break;
  }
  return result;
}

}  // namespace harp::interp
