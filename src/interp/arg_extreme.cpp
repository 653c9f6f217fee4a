// Adjacent results of an argmax or argmin are computed together, in blocks. The loop over the reduced axis updates, for each result of the
// block, the best element so far and its index.
#include "interp/arg_extreme.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/error.h"
#include "interp/combine.h"

namespace harp::interp {
namespace {

constexpr int64_t kWidth = 512;  // number of adjacent results in a block; the block's data fit the L1 cache

/// True if x replaces `best`, which has a smaller index. NaN is better than every number; the first NaN stays the best.
template <Op op, class T>
bool is_better(T x, T best) {
  if constexpr (std::is_floating_point_v<T>)
    if (x != x || best != best) return x != x && best == best;
  return op == Op::kArgMax ? x > best : x < best;
}

template <Op op, DType dtype>
void arg_extreme(const Array& source, int axis, const Array& result, const Sizes& sizes) {
  using Combined = Combine<op, dtype>;
  using T = typename Combined::T;
  using Stored = typename Combined::Stored;
  const int64_t length = source.shape[static_cast<size_t>(axis)], along = source.strides[static_cast<size_t>(axis)];
  std::vector<int64_t> strides = source.strides;
  strides.erase(strides.begin() + axis);
  const IndexSpace<2> kept(result.shape, {std::span<const int64_t>(strides), std::span<const int64_t>(result.strides)});
  const Stored* const elements = reinterpret_cast<const Stored*>(source.data);
  int64_t* const indices = reinterpret_cast<int64_t*>(result.data);
  CancelChecks checks(sizes);
  for_each_run(kept, [&](const auto& offsets, const auto& steps, int64_t count) {
    for (int64_t begin = 0; begin < count; begin += kWidth) {
      const int64_t width = std::min(kWidth, count - begin);
      const Stored* const first = elements + offsets[0] + begin * steps[0];
      int64_t* const target = indices + offsets[1] + begin * steps[1];
      std::array<T, kWidth> best;
      checks.count(width);
      for (int64_t j = 0; j < width; ++j) {
        target[j * steps[1]] = length > 0 ? 0 : std::numeric_limits<int32_t>::max();
        if (length > 0) best[static_cast<size_t>(j)] = Combined::read(first[j * steps[0]]);
      }
      for (int64_t i = 1; i < length; ++i) {
        checks.count(width);
        for (int64_t j = 0; j < width; ++j) {
          const T x = Combined::read(first[i * along + j * steps[0]]);
          if (!is_better<op>(x, best[static_cast<size_t>(j)])) continue;
          best[static_cast<size_t>(j)] = x;
          target[j * steps[1]] = i;
        }
      }
    }
  });
}

using ArgExtremeFunction = void (*)(const Array&, int, const Array&, const Sizes&);

template <Op op>
constexpr std::array<ArgExtremeFunction, kDTypeCount> make_table() {
  std::array<ArgExtremeFunction, kDTypeCount> table{};
  for_each_dtype([&]<DType dtype>() {
    if constexpr (accepts(op, dtype)) table[static_cast<int>(dtype)] = arg_extreme<op, dtype>;
  });
  return table;
}
constexpr auto kGreatest = make_table<Op::kArgMax>(), kLeast = make_table<Op::kArgMin>();

}  // namespace

Array evaluate_arg_extreme(const Node& node, std::span<const Array> operands, const Sizes& sizes) {
  const Array result = Array::allocate(node.dtype, sizes.values(node.shape));
  const auto dtype = static_cast<size_t>(operands[0].dtype);
  const ArgExtremeFunction function = (node.op == Op::kArgMax ? kGreatest : kLeast)[dtype];
  HARP_ASSERT(function != nullptr, "no rule for ", name(node.op), " of ", name(operands[0].dtype));
  function(operands[0], node.as<ReduceAttributes>().axes[0], result, sizes);
  return result;
}

}  // namespace harp::interp
