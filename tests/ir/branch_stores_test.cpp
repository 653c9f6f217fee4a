// Tests the rewrite branch_stores(): which stores of a choice by a size become a store and a branch with a second one, and which stay.
#include <doctest/doctest.h>

#include "ir/rewrite.h"

namespace {

using namespace harp;
using namespace harp::ir;

/// A loop over n elements, with one store to y. `x` is an input, `z` an input that may be the same memory as y.
struct Bench {
  std::shared_ptr<SymTable> syms = std::make_shared<SymTable>();
  Arena arena{syms};
  Sym n = syms->variable("n", 0, 1000), m = syms->variable("m", 0, 1000);
  Loop* loop = new_loop(arena, "i", 0, n);
  std::vector<Param> params = {{"x", DType::kF32, false}, {"y", DType::kF32, true}, {"z", DType::kF32, false}};

  Bench() { params[2].in_place = {1}; }
  const UOp* x() { return arena.load(DType::kF32, 0, loop->variable); }
  const UOp* z() { return arena.load(DType::kF32, 2, loop->variable); }
  const UOp* plus(const UOp* a, double b) {
    return arena.apply(Op::kAdd, DType::kF32, {a, arena.constant(Scalar::of(DType::kF32, static_cast<float>(b)))});
  }
  const UOp* less(Sym size, int64_t bound) {
    return arena.apply(Op::kLt, DType::kBool, {arena.index(size), arena.constant(Scalar::of(DType::kI64, bound))});
  }
  const UOp* choose(const UOp* condition, const UOp* a, const UOp* b) { return arena.apply(Op::kWhere, DType::kF32, {condition, a, b}); }
  /// Stores the value, and returns the number of stores after the rewrite.
  size_t stores(const UOp* value) {
    auto* s = arena.statement<Store>();
    s->buffer = 1;
    s->index = loop->variable;
    s->value = value;
    s->nontemporal = true;
    loop->body = {s};
    branch_stores(arena, loop, params);
    size_t found = 0;
    for (const Stmt* each : statements_of(loop->body)) found += as<Store>(each) != nullptr ? 1 : 0;
    return found;
  }
};

TEST_CASE("H2 branch_stores: a value that the other side continues is stored first, and the rest is in a branch") {
  Bench b;
  const UOp *first = b.plus(b.x(), 1), *second = b.plus(first, 2);
  CHECK(b.stores(b.choose(b.less(b.m, 8), first, second)) == 2);
  REQUIRE(b.loop->body.size() == 2);
  const auto* store = as<Store>(b.loop->body[0]);
  const auto* branch = as<If>(b.loop->body[1]);
  REQUIRE(store != nullptr);
  REQUIRE(branch != nullptr);
  CHECK(store->value == first);
  CHECK_FALSE(store->nontemporal);
  CHECK(branch->condition == b.m - 8);
  CHECK(branch->otherwise.empty());
  const auto* rest = as<Store>(branch->body.at(0));
  REQUIRE(rest != nullptr);
  CHECK(rest->value == second);
  CHECK_FALSE(rest->nontemporal);
}

TEST_CASE("H2 branch_stores: a chain of choices becomes nested branches, also below an operation on its result") {
  Bench b;
  const UOp *one = b.plus(b.x(), 1), *two = b.plus(one, 2), *three = b.plus(two, 3);
  CHECK(b.stores(b.plus(b.choose(b.less(b.m, 2), one, b.choose(b.less(b.m, 4), two, three)), 5)) == 3);
  const auto* outer = as<If>(b.loop->body.at(1));
  REQUIRE(outer != nullptr);
  CHECK(outer->condition == b.m - 2);
  const auto* inner = as<If>(outer->body.at(1));
  REQUIRE(inner != nullptr);
  CHECK(inner->condition == b.m - 4);
}

TEST_CASE("H2 branch_stores: what stays") {
  Bench b;
  const UOp* first = b.plus(b.x(), 1);
  // The first value needs much that the second one does not need.
  const UOp* other = b.z();
  for (int i = 0; i < 20; ++i) other = b.plus(other, i);
  CHECK(b.stores(b.choose(b.less(b.m, 8), other, first)) == 1);
  // The second value loads what the first store may have overwritten, unless the first one has loaded it, too.
  const UOp* sum = b.arena.apply(Op::kAdd, DType::kF32, {first, b.z()});
  CHECK(b.stores(b.choose(b.less(b.m, 8), first, sum)) == 1);
  CHECK(b.stores(b.choose(b.less(b.m, 8), sum, b.plus(sum, 1))) == 2);
  // The condition differs between iterations, or does not compare a size.
  CHECK(b.stores(b.choose(b.less(b.loop->variable, 8), first, b.plus(first, 1))) == 1);
  CHECK(b.stores(b.choose(b.arena.apply(Op::kLt, DType::kBool, {b.x(), first}), first, b.plus(first, 1))) == 1);
}

}  // namespace
