// Implements conversions, with a table of loops indexed by source and result dtype. A bitcast of a NaN gives the bits of the positive quiet
// NaN, because the sign and payload of a computed NaN differ between processors.
#include <bit>
#include <cstring>

#include "base/error.h"
#include "interp/cast.h"
#include "interp/elementwise.h"

namespace harp::interp {
namespace {

template <DType to, DType from>
Element<to> bitcast_element(Element<from> x) {
  if constexpr (is_half(from)) {
    return std::bit_cast<Element<to>>(math::HalfConversions<ScalarMath, from>::canonical_bits(x));
  } else {
    if constexpr (is_float(from))
      if (x != x) x = std::numeric_limits<Element<from>>::quiet_NaN();
    return std::bit_cast<Element<to>>(x);
  }
}

using LoopTable = std::array<std::array<ConvertLoop, kDTypeCount>, kDTypeCount>;  // [from][to]

template <DType to, DType from, Element<to> (*convert)(Element<from>)>
void convert_run(std::byte* result, const std::byte* source, int64_t step, int64_t n) {
  auto* const out = reinterpret_cast<Element<to>*>(result);
  const auto* const in = reinterpret_cast<const Element<from>*>(source);
  for (int64_t i = 0; i < n; ++i) out[i] = convert(in[i * step]);
}

constexpr LoopTable make_casts() {
  LoopTable table{};
  for_each_dtype([&]<DType from>() {
    for_each_dtype(
        [&]<DType to>() { table[static_cast<int>(from)][static_cast<int>(to)] = convert_run<to, from, cast_element<to, from>>; });
  });
  return table;
}

constexpr LoopTable make_bitcasts() {
  LoopTable table{};
  for_each_dtype([&]<DType from>() {
    for_each_dtype([&]<DType to>() {
      if constexpr (size_of(from) == size_of(to))
        table[static_cast<int>(from)][static_cast<int>(to)] = convert_run<to, from, bitcast_element<to, from>>;
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

Array convert(const LoopTable& loops, const Node& node, const Array& source, const Sizes& sizes) {
  const ConvertLoop loop = loops[static_cast<int>(source.dtype)][static_cast<int>(node.dtype)];
  HARP_ASSERT(loop != nullptr, "no ", name(node.op), " from ", name(source.dtype), " to ", name(node.dtype));
  Array result = Array::allocate(node.dtype, source.shape);
  const IndexSpace<2> space(source.shape, {std::span(source.strides), std::span(result.strides)});
  CancelChecks checks(sizes);
  for_each_run(space, [&](const auto& offsets, const auto& steps, int64_t n) {
    checks.in_parts(n, [&](int64_t begin, int64_t count) {
      loop(result.data + (offsets[1] + begin * steps[1]) * static_cast<int64_t>(size_of(node.dtype)),
           source.data + (offsets[0] + begin * steps[0]) * static_cast<int64_t>(size_of(source.dtype)), steps[0], count);
    });
  });
  return result;
}

}  // namespace

ConvertLoop cast_loop(DType from, DType to) { return kCasts[static_cast<int>(from)][static_cast<int>(to)]; }

Array evaluate_cast(const Node& node, std::span<const Array> sources, const Sizes& sizes) {
  return convert(kCasts, node, sources[0], sizes);
}
Array evaluate_bitcast(const Node& node, std::span<const Array> sources, const Sizes& sizes) {
  return convert(kBitcasts, node, sources[0], sizes);
}

}  // namespace harp::interp
