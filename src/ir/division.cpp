#include "ir/division.h"

#include <string>

#include "base/text.h"

namespace harp::ir {
namespace {

const UOp* divided(Arena& arena, Op op, const UOp* dividend, const UOp* divisor, bool is_negative) {
  const DType dtype = dividend->type.dtype;
  const auto alu = [&](Op of, const UOp* a, const UOp* b) { return arena.alu(of, dtype, {a, b}); };
  const auto negative = [&](const UOp* a) { return arena.alu(Op::kNeg, dtype, {a}); };
  // C rounds the quotient towards 0, so the rest has the sign of the dividend.
  const UOp* quotient = alu(Op::kDiv, dividend, divisor);
  if (op == Op::kIdiv && !is_signed_int(dtype)) return quotient;
  const UOp* rest = alu(Op::kAdd, dividend, negative(alu(Op::kMul, quotient, divisor)));
  if (op == Op::kFmod || !is_signed_int(dtype)) return rest;
  // Idiv rounds the quotient down, and the result of Rem has the sign of the divisor. Where `rest` is not 0 and its sign differs from that
  // of the divisor, the quotient is therefore 1 less than in C, and the remainder is one divisor more. `differs` is -1 (all bits are set)
  // there, else 0.
  const UOp* last_bit = arena.constant(scalar_from_int(dtype, static_cast<int>(size_of(dtype)) * 8 - 1));
  const UOp* differs = alu(Op::kShr, is_negative ? negative(rest) : rest, last_bit);
  return op == Op::kIdiv ? alu(Op::kAdd, quotient, differs) : alu(Op::kAdd, rest, alu(Op::kBitAnd, differs, divisor));
}

}  // namespace

const Function* division_by_constant(Arena& arena, Op op, const UOp* divisor) {
  const DType dtype = divisor->type.dtype;
  const UOp* one_lane = divisor->kind == UKind::kSplat ? divisor->sources[0] : divisor;
  if ((op != Op::kIdiv && op != Op::kRem && op != Op::kFmod) || !is_int(dtype) || one_lane->kind != UKind::kConst) return nullptr;
  // No CPU multiplies vectors of bytes, so the C compiler divides bytes lane by lane with either function. The function for any divisor is
  // better: compiled by gcc, a function with a constant takes twice the time.
  if (size_of(dtype) == 1) return nullptr;
  // The bits of the constant, shifted to the top of a 64-bit word, which removes the bits beyond its dtype.
  const int unused = 64 - static_cast<int>(size_of(dtype)) * 8;
  const uint64_t bits = one_lane->value.bits[0] << unused;
  const bool is_negative = is_signed_int(dtype) && bits >> 63 != 0;
  const uint64_t magnitude = (is_negative ? 0 - bits : bits) >> unused;
  if (magnitude == 0 || (is_negative && magnitude == 1)) return nullptr;
  std::string full = cat(name(op), "_by_", is_negative ? "minus_" : "", magnitude, "_", name(dtype));
  if (const Function* known = arena.find_function(full)) return known;
  const UOp* dividend = arena.intern({.kind = UKind::kParam, .type = {dtype, 1}, .buffer = 0});
  const UOp* result = divided(arena, op, dividend, one_lane, is_negative);
  Function* function = arena.new_function(std::move(full), {dtype}, dtype);
  function->body = result;
  function->op = op;
  return function;
}

}  // namespace harp::ir
