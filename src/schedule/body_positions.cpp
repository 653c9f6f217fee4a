#include "schedule/body_positions.h"

#include <algorithm>
#include <utility>

namespace harp {
namespace {

/// The largest number of terms of a product of two sums in a position (an i64 value made of constants, sizes, indices and loop counters).
/// Without a limit, nested products of sums could have arbitrarily many terms. body_lanes.cpp analyses a body before it is lowered, with
/// half this limit: what it finds to be a position must also be one in the lowering, where an index may be a sum of two terms, one for the
/// vector and one for the lane. A term has at most one index as a factor, because the product of two indices may be too large, so the
/// number of terms at most doubles.
constexpr size_t kMostTerms = 64, kMostAnalysedTerms = kMostTerms / 2;
size_t terms_of(Sym e) { return e.is_constant() ? 1 : e.node()->terms.size() + 1; }

}  // namespace

BodyPositions::BodyPositions(const Node& custom, std::vector<Sym> index, SymTable* table)
    : node_(custom),
      body_(*custom.as<CustomAttributes>().body),
      index_(std::move(index)),
      table_(table),
      variables_(body_.variables.size()) {}

std::optional<BodyPosition> BodyPositions::of(int expression) const {
  const BodyExpression& e = body_.expressions[static_cast<size_t>(expression)];
  if (e.dtype != DType::kI64) return std::nullopt;
  switch (e.kind) {
    case BodyKind::kConstant: {
      const auto value = e.value.as<int64_t>();
      return fits(value) ? std::optional(BodyPosition{value, value, value}) : std::nullopt;
    }
    case BodyKind::kPosition: return BodyPosition{index_[static_cast<size_t>(e.axis)], 0, kMostSize};
    case BodyKind::kSize: return BodyPosition{size_of_axis(e), 0, kMostSize};
    case BodyKind::kVariable: return of_variable(e.variable);
    case BodyKind::kLoad:
    case BodyKind::kElement: return std::nullopt;
    case BodyKind::kApply: break;
  }
  if (e.op != Op::kNeg && e.op != Op::kAdd && e.op != Op::kMul && e.op != Op::kMax && e.op != Op::kMin) return std::nullopt;
  const std::optional<BodyPosition> a = of(e.operands[0]), b = e.op == Op::kNeg ? a : of(e.operands[1]);
  if (!a || !b) return std::nullopt;
  const auto made = [](WideInt lo, WideInt hi, auto&& value) -> std::optional<BodyPosition> {
    if (!fits(lo) || !fits(hi)) return std::nullopt;
    return BodyPosition{value(), lo, hi};
  };
  switch (e.op) {
    case Op::kNeg: return made(-a->hi, -a->lo, [&] { return -a->value; });
    case Op::kAdd: return made(a->lo + b->lo, a->hi + b->hi, [&] { return a->value + b->value; });
    case Op::kMax: return made(std::max(a->lo, b->lo), std::max(a->hi, b->hi), [&] { return max(a->value, b->value); });
    case Op::kMin: return made(std::min(a->lo, b->lo), std::min(a->hi, b->hi), [&] { return min(a->value, b->value); });
    case Op::kMul: {
      if (terms_of(a->value) * terms_of(b->value) > (table_ != nullptr ? kMostAnalysedTerms : kMostTerms)) return std::nullopt;
      const auto [lo, hi] = std::minmax({a->lo * b->lo, a->lo * b->hi, a->hi * b->lo, a->hi * b->hi});
      return made(lo, hi, [&] { return a->value * b->value; });
    }
    default: return std::nullopt;
  }
}

std::optional<BodyPosition> BodyPositions::difference(const BodyPosition& a, const BodyPosition& b) {
  if (!fits(a.lo - b.hi) || !fits(a.hi - b.lo)) return std::nullopt;
  return BodyPosition{a.value - b.value, a.lo - b.hi, a.hi - b.lo};
}

Sym BodyPositions::size_of_axis(const BodyExpression& e) const {
  const Shape& shape = e.array == ElementBody::kOutput ? node_.shape : node_.sources[static_cast<size_t>(e.array)]->shape;
  return size(shape[static_cast<size_t>(e.axis)]);
}

}  // namespace harp
