#include "schedule/narrow_products.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/error.h"
#include "ops/scalar.h"

namespace harp {
namespace {

// On each path down from a factor, at most this many nodes, not counting views, are searched for the array of narrow integers from which
// the factor is computed.
constexpr int kMaxDepth = 8;

struct Interval {
  int64_t least, greatest;

  bool is_within(const Interval& other) const { return other.least <= least && greatest <= other.greatest; }
};
constexpr Interval kI8{std::numeric_limits<int8_t>::min(), std::numeric_limits<int8_t>::max()},
    kU8{std::numeric_limits<uint8_t>::min(), std::numeric_limits<uint8_t>::max()},
    kI16{std::numeric_limits<int16_t>::min(), std::numeric_limits<int16_t>::max()},
    kI32{std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};

Interval hull(const Interval& a, const Interval& b) { return {std::min(a.least, b.least), std::max(a.greatest, b.greatest)}; }

Interval interval_of(const Scalar& constant) {
  const auto value = static_cast<int64_t>(to_double(constant));
  return {value, value};
}

/// Returns an interval that contains all values of an integer node of at most 32 bits; nothing if no interval smaller than the range of i32
/// is known.
std::optional<Interval> interval_of(const Node& whole, int depth = kMaxDepth) {
  const Node* below = &whole;
  while (is_movement(below->op) && below->op != Op::kPad) below = below->sources[0];
  const Node& node = *below;
  if (is_bool(node.dtype)) return Interval{0, 1};
  if (!is_int(node.dtype) || depth == 0) return std::nullopt;
  if (size_of(node.dtype) < sizeof(int32_t)) {
    const int64_t count = int64_t{1} << (8 * size_of(node.dtype));
    return is_signed_int(node.dtype) ? Interval{-count / 2, count / 2 - 1} : Interval{0, count - 1};
  }
  if (node.dtype != DType::kI32) return std::nullopt;
  const auto of_source = [&](size_t i) { return interval_of(*node.sources[i], depth - 1); };
  switch (node.op) {
    case Op::kConstant: return interval_of(node.as<ConstantAttributes>().value);
    case Op::kCast: return of_source(0);
    case Op::kPad: {
      const std::optional<Interval> inside = of_source(0);
      return inside ? std::optional(hull(*inside, interval_of(node.as<PadAttributes>().value))) : std::nullopt;
    }
    case Op::kNeg: {
      const std::optional<Interval> x = of_source(0);
      return x && x->least > kI32.least ? std::optional(Interval{-x->greatest, -x->least}) : std::nullopt;
    }
    case Op::kAdd: {
      const std::optional<Interval> a = of_source(0), b = a ? of_source(1) : std::nullopt;
      if (!b) return std::nullopt;
      const Interval sum{a->least + b->least, a->greatest + b->greatest};
      return sum.is_within(kI32) ? std::optional(sum) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

/// Returns how many values of the factor fit a lane.
int values_of_lane(const Node& factor) {
  const std::optional<Interval> values = interval_of(factor);
  if (!values) return 1;
  if (values->is_within(kI8) || values->is_within(kU8)) return kTermsOfQuad;
  return values->is_within(kI16) ? kTermsOfPair : 1;
}

}  // namespace

int most_terms_of_lane(const Node& reduce, const Contraction& contraction) {
  if (reduce.dtype != DType::kI32) return 1;
  return std::min(values_of_lane(*contraction.row_factor), values_of_lane(*contraction.column_factor));
}

Quads quads_of(const Contraction& contraction) {
  const std::optional<Interval> rows = interval_of(*contraction.row_factor), columns = interval_of(*contraction.column_factor);
  HARP_ASSERT(rows && columns, "four terms share a lane only if they are known to fit bytes");
  if (columns->is_within(kI8) && rows->is_within(kU8)) return {.are_columns_signed = true, .inverts_row_signs = false};
  if (columns->is_within(kU8) && rows->is_within(kI8)) return {.are_columns_signed = false, .inverts_row_signs = false};
  return {.are_columns_signed = columns->is_within(kI8), .inverts_row_signs = true};
}

}  // namespace harp
