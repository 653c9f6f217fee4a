#include "ir/number_range.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace harp::ir {
namespace {

constexpr size_t kMostNodes = 256;  // limits the work for one value; a search in a table of 2^31 elements has 31 times three operations

NumberRange range_of_dtype(DType dtype) {
  if (is_bool(dtype)) return {0, 1};
  const int bits = 8 * static_cast<int>(size_of(dtype)) - (is_signed_int(dtype) ? 1 : 0);
  const WideInt end = WideInt{1} << bits;
  return {is_signed_int(dtype) ? -end : 0, end - 1};
}

WideInt value_of(const Scalar& value) {
  if (is_bool(value.dtype)) return static_cast<WideInt>(value.bits[0] & 1);
  // The bytes beyond the number's size are 0, so a negative number needs its sign again.
  const WideInt bits = static_cast<WideInt>(value.bits[0]);
  return bits > range_of_dtype(value.dtype).hi ? bits - (WideInt{1} << (8 * size_of(value.dtype))) : bits;
}

class Ranges {
 public:
  NumberRange of(const UOp* u) {
    const DType dtype = u->type.dtype;
    const NumberRange all = range_of_dtype(dtype);
    if (u->kind == UKind::kConst) return {value_of(u->value), value_of(u->value)};
    if (u->kind == UKind::kIndex) return of_size(u->index, all);
    const std::optional<Op> op = operation(*u);
    if (!op || known_.size() >= kMostNodes) return all;
    if (const auto found = known_.find(u); found != known_.end()) return found->second;
    known_.emplace(u, all);
    const NumberRange computed = of_operation(*op, *u, all);
    // The result of an operation that may overflow wraps around, so it may be any number.
    return known_[u] = computed.lo >= all.lo && computed.hi <= all.hi ? computed : all;
  }

 private:
  static NumberRange of_size(Sym value, const NumberRange& all) {
    if (std::ranges::any_of(variables_of(value), [](const SymAtom* variable) { return variable->is_loop; })) return all;
    const SymRange bounds = range(value);
    return {bounds.lo, bounds.hi};
  }
  /// Returns the operation that computes the value; a function may implement it. Nothing if the value is not computed by an operation.
  static std::optional<Op> operation(const UOp& u) {
    if (u.kind == UKind::kCall) return u.function->op;
    return u.kind == UKind::kAlu ? std::optional(u.op) : std::nullopt;
  }
  NumberRange of_operation(Op op, const UOp& u, const NumberRange& all) {
    if (!std::ranges::all_of(u.sources, [](const UOp* s) { return is_int(s->type.dtype) || is_bool(s->type.dtype); })) return all;
    const auto source = [&](size_t i) { return of(u.sources[i]); };
    switch (op) {
      case Op::kCast: return source(0);
      case Op::kAdd: {
        const NumberRange a = source(0), b = source(1);
        return {a.lo + b.lo, a.hi + b.hi};
      }
      case Op::kMin: {
        const NumberRange a = source(0), b = source(1);
        return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
      }
      case Op::kMax: {
        const NumberRange a = source(0), b = source(1);
        return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
      }
      case Op::kWhere: {
        const NumberRange a = source(1), b = source(2);
        return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
      }
      case Op::kBitAnd: {
        // No bit is set that is not set in both, so the result is at most the lesser of two numbers that are not negative.
        const NumberRange a = source(0), b = source(1);
        if (a.lo >= 0 && b.lo >= 0) return {0, std::min(a.hi, b.hi)};
        return a.lo >= 0 ? NumberRange{0, a.hi} : b.lo >= 0 ? NumberRange{0, b.hi} : all;
      }
      default: return all;
    }
  }

  std::unordered_map<const UOp*, NumberRange> known_;
};

}  // namespace

NumberRange range_of_number(const UOp* number) { return Ranges().of(number); }

}  // namespace harp::ir
