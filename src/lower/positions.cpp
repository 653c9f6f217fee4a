// Expresses minima, maxima and remainders as selects with conditions that are linear in the loop variables, where possible. partition() can
// then split a loop where such a condition changes, so that the positions in each part are linear.
#include "lower/positions.h"

#include "base/error.h"

namespace harp::lower {
namespace {

/// Returns an expression that equals mod(a, b) for every b. It avoids the division in the two periods around 0: it is a for 0 <= a < b, a +
/// b for -b <= a < 0, and mod(a, b) elsewhere. If b <= 0, both conditions are false.
Sym remainder(Sym a, Sym b) { return select(a, select(b - 1 - a, a, mod(a, b)), select(a + b, a + b, mod(a, b))); }

}  // namespace

Sym index_at(const Node& indices, const Index& at) {
  const auto of_source = [&](size_t i, const Index& index) { return index_at(*indices.sources[i], index); };
  const auto operand = [&](size_t i) { return of_source(i, indices.sources[i]->rank() == 0 ? Index{} : at); };
  switch (indices.op) {
    case Op::kArange: return at[0];
    case Op::kSize: return indices.as<SizeAttributes>().value;
    case Op::kConstant: return indices.as<ConstantAttributes>().value.as<int64_t>();
    case Op::kCast:
    case Op::kCheckIndex: return of_source(0, at);
    case Op::kNeg: return Sym(0) - operand(0);
    case Op::kAdd: return operand(0) + operand(1);
    case Op::kMin: {
      const Sym a = operand(0), b = operand(1);
      return select(b - a, a, b);
    }
    case Op::kMax: {
      const Sym a = operand(0), b = operand(1);
      return select(a - b, a, b);
    }
    case Op::kRem: return remainder(operand(0), operand(1));
    case Op::kReshape: return of_source(0, reshape_index(at, indices.shape, indices.sources[0]->shape));
    case Op::kPermute: {
      const auto& axes = indices.as<PermuteAttributes>().axes;
      Index source(at.size());
      for (size_t i = 0; i < axes.size(); ++i) source[static_cast<size_t>(axes[i])] = at[i];
      return of_source(0, source);
    }
    case Op::kExpand: {
      Index source = at;
      for (size_t i = 0; i < source.size(); ++i)
        if (indices.sources[0]->shape[i].is_constant(1)) source[i] = 0;
      return of_source(0, source);
    }
    default: fail(Code::kInternal, "expected an op whose elements are integer expressions of their position, got ", name(indices.op));
  }
}

Sym selected_position(Sym index, Sym size) {
  const Sym from_start = select(index, index, index + size);
  return select(from_start, select(size - 1 - from_start, from_start, size - 1), 0);
}

}  // namespace harp::lower
