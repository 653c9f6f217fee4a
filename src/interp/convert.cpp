// Conversions: a table of loops by source and result dtype.
//
// Casts: float to int truncates, saturates and makes NaN 0; int to float rounds to nearest even; int to a shorter int wraps; to bool is
// != 0; from bool gives 0 or 1. Bitcasts of a float NaN give the positive quiet NaN, because the sign and payload of a computed
// NaN differ between machines.
#include <bit>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "interp/element.h"
#include "interp/elementwise.h"

namespace harp::interp {
namespace {

template <class To, class From>
To cast_element(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // Both bounds are powers of two (or their negatives), so they are exact in From.
    constexpr From kLeast = static_cast<From>(std::numeric_limits<To>::min());
    constexpr From kBeyond = static_cast<From>(To(1) << (std::numeric_limits<To>::digits - 1)) * 2;
    if (x != x) return 0;
    if (x < kLeast) return std::numeric_limits<To>::min();
    if (x >= kBeyond) return std::numeric_limits<To>::max();
    return static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

template <class To, class From>
To bitcast_element(From x) {
  if constexpr (std::is_floating_point_v<From>)
    if (x != x) x = std::numeric_limits<From>::quiet_NaN();
  return std::bit_cast<To>(x);
}

using Loop = void (*)(std::byte* result, const std::byte* source, int64_t step, int64_t n);
using LoopTable = std::array<std::array<Loop, kDTypeCount>, kDTypeCount>;  // [from][to]

template <class To, class From, To (*convert)(From)>
void convert_run(std::byte* result, const std::byte* source, int64_t step, int64_t n) {
  To* const out = reinterpret_cast<To*>(result);
  const From* const in = reinterpret_cast<const From*>(source);
  for (int64_t i = 0; i < n; ++i) out[i] = convert(in[i * step]);
}

constexpr LoopTable make_casts() {
  LoopTable table{};
  for_each_graph_dtype([&]<DType from>() {
    for_each_graph_dtype([&]<DType to>() {
      table[static_cast<int>(from)][static_cast<int>(to)] =
          convert_run<Element<to>, Element<from>, cast_element<Element<to>, Element<from>>>;
    });
  });
  return table;
}

constexpr LoopTable make_bitcasts() {
  LoopTable table{};
  for_each_graph_dtype([&]<DType from>() {
    for_each_graph_dtype([&]<DType to>() {
      if constexpr (size_of(from) == size_of(to))
        table[static_cast<int>(from)][static_cast<int>(to)] =
            convert_run<Element<to>, Element<from>, bitcast_element<Element<to>, Element<from>>>;
    });
  });
  return table;
}

constexpr LoopTable kCasts = make_casts();
constexpr LoopTable kBitcasts = make_bitcasts();

consteval bool casts_cover_every_op_of_the_family() {
  for (int i = 0; i < kOpCount; ++i)
    if (kOps[i].family == Family::kConvert && static_cast<Op>(i) != Op::kCast && static_cast<Op>(i) != Op::kBitcast) return false;
  return true;
}
static_assert(casts_cover_every_op_of_the_family(), "a conversion of ops.def has no loops here");

Array convert(const LoopTable& loops, const Node& node, const Array& source) {
  const Loop loop = loops[static_cast<int>(source.dtype)][static_cast<int>(node.dtype)];
  HARP_ASSERT(loop != nullptr, "no ", name(node.op), " from ", name(source.dtype), " to ", name(node.dtype));
  Array result = Array::allocate(node.dtype, source.shape);
  const IndexSpace<2> space(source.shape, {std::span(source.strides), std::span(result.strides)});
  for_each_run(space, [&](const auto& offsets, const auto& steps, int64_t n) {
    loop(result.data + offsets[1] * static_cast<int64_t>(size_of(node.dtype)),
         source.data + offsets[0] * static_cast<int64_t>(size_of(source.dtype)), steps[0], n);
  });
  return result;
}

}  // namespace

Array evaluate_cast(const Node& node, std::span<const Array> sources, const Sizes&) { return convert(kCasts, node, sources[0]); }
Array evaluate_bitcast(const Node& node, std::span<const Array> sources, const Sizes&) { return convert(kBitcasts, node, sources[0]); }

}  // namespace harp::interp
