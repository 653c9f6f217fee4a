// Tests the bounds of integer values that decide whether an index is clamped (ir/number_range.h).
#include "ir/number_range.h"

#include <doctest/doctest.h>

using namespace harp;
using namespace harp::ir;

namespace {

struct Numbers {
  Arena arena{std::make_shared<SymTable>()};
  const UOp* loaded(DType dtype) { return arena.load(dtype, 0, arena.syms().loop("ridx", 0, 10)); }
  const UOp* number(DType dtype, int64_t value) { return arena.constant(scalar_from_int(dtype, value)); }
  const UOp* where(const UOp* a, const UOp* b) { return arena.apply(Op::kWhere, a->type.dtype, {loaded(DType::kBool), a, b}); }
  const UOp* of_two(Op op, const UOp* a, const UOp* b) { return arena.apply(op, a->type.dtype, {a, b}); }
};

void check_range(const UOp* number, int64_t lo, int64_t hi) {
  const NumberRange found = range_of_number(number);
  CHECK(static_cast<int64_t>(found.lo) == lo);
  CHECK(static_cast<int64_t>(found.hi) == hi);
}

}  // namespace

TEST_CASE("number_range: bounds follow from constants, dtypes and operations") {
  Numbers n;
  const UOp *wide = n.loaded(DType::kI32), *byte = n.loaded(DType::kU8);
  check_range(wide, INT32_MIN, INT32_MAX);
  check_range(byte, 0, 255);
  check_range(n.number(DType::kI32, -7), -7, -7);
  check_range(n.arena.cast(DType::kI64, byte), 0, 255);
  const UOp* step = n.where(n.number(DType::kI32, 9), n.number(DType::kI32, 0));
  check_range(n.of_two(Op::kAdd, step, n.number(DType::kI32, 3)), 3, 12);
  check_range(n.of_two(Op::kMin, n.of_two(Op::kMax, wide, n.number(DType::kI32, 0)), n.number(DType::kI32, 9)), 0, 9);
  check_range(n.of_two(Op::kBitAnd, wide, n.number(DType::kI32, 15)), 0, 15);
  check_range(n.of_two(Op::kBitAnd, n.number(DType::kI32, 15), wide), 0, 15);
}

TEST_CASE("number_range: a result that may wrap around may be any number") {
  Numbers n;
  const UOp* byte = n.loaded(DType::kU8);
  check_range(n.of_two(Op::kAdd, byte, n.number(DType::kU8, 1)), 0, 255);
  check_range(n.arena.cast(DType::kI8, byte), -128, 127);
  check_range(n.of_two(Op::kBitAnd, n.loaded(DType::kI32), n.number(DType::kI32, -2)), INT32_MIN, INT32_MAX);
  check_range(n.arena.cast(DType::kI32, n.loaded(DType::kF32)), INT32_MIN, INT32_MAX);
  check_range(n.arena.index(n.arena.syms().loop("ridx", 0, 10)), INT64_MIN, INT64_MAX);
}

TEST_CASE("number_range: an index that is inside its axis is not clamped") {
  Numbers n;
  const UOp* byte = n.loaded(DType::kU8);
  CHECK(n.arena.position(byte, 256) == n.arena.cast(DType::kI32, byte));
  CHECK(n.arena.position(byte, 255)->function->op == Op::kMin);
  const UOp* negative = n.where(n.number(DType::kI32, -1), n.number(DType::kI32, 4));
  CHECK(n.arena.position(negative, 5)->kind == UKind::kCall);  // -1 is the last element
  const Sym size = n.arena.syms().variable("n", 0, 1000);
  const UOp* halved = n.arena.cast(DType::kI32, n.arena.index(floor_div(size, 2)));
  const UOp* limited = n.arena.position(halved, size);
  CHECK(limited->function->op == Op::kMin);  // a number that is not negative has only an upper limit
}
