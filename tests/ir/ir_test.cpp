// Tests the loop IR: interning and simplification of values, math functions, the printer, the verifier, and which names and positions
// linearize() chooses.
#include <doctest/doctest.h>

#include <algorithm>

#include "base/error.h"
#include "ir/group_accesses.h"
#include "ir/ir.h"
#include "ir/linearize.h"
#include "ir/rewrite.h"

namespace {

using namespace harp;
using namespace harp::ir;

struct Bench {
  std::shared_ptr<SymTable> syms = std::make_shared<SymTable>();
  Arena arena{syms};
  Kernel kernel;

  Bench() {
    kernel.name = "kernel_0";
    kernel.comment = "test";
    kernel.params = {{"input0", DType::kF32, false}, {"input1", DType::kF32, false}, {"output0", DType::kF32, true}};
  }
  const UOp* load(int buffer, Sym index, const UOp* mask = nullptr) { return arena.load(DType::kF32, buffer, index, mask); }
  const UOp* add(const UOp* a, const UOp* b) { return arena.alu(Op::kAdd, DType::kF32, {a, b}); }
  const UOp* f32(double value) { return arena.constant(scalar_from_double(DType::kF32, value)); }
  Store* store(Sym index, const UOp* value) {
    auto* s = arena.statement<Store>();
    s->buffer = 2;
    s->index = index;
    s->value = value;
    return s;
  }
  Loop* loop(Sym variable, Sym end, Body body) {
    auto* s = arena.statement<Loop>();
    s->variable = variable;
    s->end = end;
    s->body = std::move(body);
    return s;
  }
  template <class S>
  S* accumulator() {
    auto* s = arena.statement<S>();
    s->accumulator = 0;
    return s;
  }
  AccUpdate* update(const UOp* value) {
    auto* s = accumulator<AccUpdate>();
    s->value = value;
    return s;
  }
  AccSet* set(int number, const UOp* value) {
    auto* s = arena.statement<AccSet>();
    s->accumulator = number;
    s->value = value;
    return s;
  }
  StoreGroup* at_once(Body sets) {
    auto* s = arena.statement<StoreGroup>();
    s->body = std::move(sets);
    return s;
  }
  /// Gives the kernel `count` accumulators of one f32 and returns the statements that declare them.
  Body declare_floats(int count) {
    Body declares;
    kernel.accumulators.assign(static_cast<size_t>(count), {{DType::kF32, 1}, 1, Op::kAdd, scalar_from_double(DType::kF32, 0)});
    for (int number = 0; number < count; ++number) {
      auto* s = arena.statement<AccDeclare>();
      s->accumulator = number;
      declares.push_back(s);
    }
    return declares;
  }
  const UOp* acc(int number) { return arena.acc(DType::kF32, number, 0); }
  std::string lines() { return print(kernel, linearize(kernel)); }
  /// Returns the message about the rule that the kernel breaks, or "" if it breaks none.
  std::string offence() {
    Module module;
    module.arena = std::make_shared<Arena>(syms);
    module.kernels = {kernel};
    try {
      verify(module);
    } catch (const Error& e) {
      CHECK(e.code == Code::kInternal);
      return e.message;
    }
    return "";
  }
};

/// Returns the number of lines before the line that contains `text`.
ptrdiff_t line_of(const std::string& all, std::string_view text) {
  const size_t at = all.find(text);
  REQUIRE_MESSAGE(at != std::string::npos, std::string(text), " is not in\n", all);
  return std::count(all.begin(), all.begin() + static_cast<ptrdiff_t>(at), '\n');
}
bool has(std::string_view all, std::string_view text) { return all.find(text) != std::string_view::npos; }

}  // namespace

TEST_CASE("IR: equal expressions are one, and only what is exact is simplified") {
  Bench b;
  const Sym i = b.syms->loop("i", 0, 10);
  const UOp *x = b.load(0, i), *y = b.load(1, i);
  CHECK(b.load(0, i) == x);
  CHECK(b.add(x, y) == b.add(x, y));
  CHECK(b.add(x, y) != b.add(y, x));  // the arena keeps the order of operands, on which the payload of a NaN may depend
  const UOp *yes = b.arena.constant(Scalar::of(DType::kBool, true)), *no = b.arena.constant(Scalar::of(DType::kBool, false));
  const UOp* less = b.arena.alu(Op::kLt, DType::kBool, {x, y});
  CHECK(b.arena.alu(Op::kWhere, DType::kF32, {less, x, x}) == x);
  CHECK(b.arena.alu(Op::kWhere, DType::kF32, {no, x, y}) == y);
  CHECK(b.arena.alu(Op::kBitAnd, DType::kBool, {yes, less}) == less);
  CHECK(b.arena.alu(Op::kBitAnd, DType::kBool, {less, no}) == no);
  CHECK(b.arena.alu(Op::kBitOr, DType::kBool, {less, no}) == less);
  CHECK(b.arena.alu(Op::kBitOr, DType::kBool, {yes, less}) == yes);
  CHECK(b.arena.alu(Op::kBitNot, DType::kBool, {b.arena.alu(Op::kBitNot, DType::kBool, {less})}) == less);
  CHECK(b.arena.alu(Op::kNeg, DType::kF32, {b.arena.alu(Op::kNeg, DType::kF32, {x})}) == x);
  CHECK(b.arena.alu(Op::kCast, DType::kF32, {x}) == x);
  CHECK(b.add(x, b.f32(0))->kind == UKind::kAlu);  // not simplified, because -0 + 0 is +0
  CHECK(b.add(b.f32(1), b.f32(2))->kind == UKind::kAlu);
  CHECK(b.arena.in_range(i) == yes);
  CHECK(b.arena.in_range(i - 10) == no);
  CHECK(b.arena.in_range(i - 5)->kind == UKind::kInRange);
  CHECK(b.load(0, i, no)->kind == UKind::kConst);
  CHECK(b.load(0, i, yes) == x);
  CHECK(b.arena.index(7)->kind == UKind::kConst);
  CHECK(b.arena.apply(Op::kMax, DType::kBool, {less, yes}) == yes);
  const auto decided_by = [&](Op op, float constant) { return b.arena.apply(op, DType::kF32, {x, b.f32(constant)})->sources[0]->op; };
  CHECK(decided_by(Op::kMax, 1) == Op::kLt);  // max(x, 1) is `x < 1 ? 1 : x`, which compilers turn into one instruction
  CHECK(decided_by(Op::kMin, -2) == Op::kLt);
  CHECK(decided_by(Op::kMax, 0) == Op::kLe);  // <= is required, because the maximum of -0 and +0 must be +0
}

TEST_CASE("IR: every function of ops/math.h is recorded once, over parameters alone") {
  Bench b;
  int functions = 0;
  for (int o = 0; o < kOpCount; ++o)
    for (const DType dtype : {DType::kI32, DType::kI64, DType::kF32, DType::kF64}) {
      const Op op = static_cast<Op>(o);
      if ((info(op).flags & kFunction) == 0 || !has_nodes_of(op, dtype)) continue;
      const Function* f = b.arena.function_of(op, dtype);
      ++functions;
      CHECK(f == b.arena.function_of(op, dtype));
      CHECK(f->name == cat(name(op), "_", name(dtype)));
      CHECK(f->parameters.size() == static_cast<size_t>(info(op).arity));
      CHECK(f->body->type == Type{f->result, 1});
      const std::vector<Line> lines = linearize(*f);
      CHECK(lines.back().kind == LineKind::kReturn);
      for (const Line& l : lines) CHECK((l.kind == LineKind::kLet || l.kind == LineKind::kReturn));
    }
  CHECK(functions > 60);
  CHECK_THROWS_AS(b.arena.function_of(Op::kAdd, DType::kF32), Error);
}

TEST_CASE("H2.linear_uops IR: expressions that are made in another order give the same text") {
  const auto texts = [](bool from_right) {
    Bench b;
    const Sym i = b.syms->loop("i", 0, 16);
    const auto operand = [&](int buffer) {
      const UOp* x = b.load(buffer, i);
      return b.arena.apply(Op::kExp, DType::kF32, {b.add(x, b.add(x, b.f32(buffer)))});
    };
    const UOp* right = from_right ? operand(1) : nullptr;
    const UOp* left = operand(0);
    if (!from_right) right = operand(1);
    b.kernel.body = {b.loop(i, 16, {b.store(i, b.add(b.add(left, right), left))})};
    return cat(print(b.arena, b.kernel), b.lines());
  };
  CHECK(texts(false) == texts(true));
}

TEST_CASE("H2 IR: printing numbers values in order of use and shows loops, masks and accumulators") {
  Bench b;
  const Sym n = b.syms->variable("n", 0, 100), i = b.syms->loop("i", 0, n);
  const UOp* x = b.load(0, i);
  b.kernel.accumulators = {{{DType::kF32, 1}, 1, Op::kAdd, scalar_from_double(DType::kF32, 0)}};
  b.kernel.body = {b.accumulator<AccDeclare>(), b.loop(i, n, {b.update(b.add(x, x))}), b.store(0, b.arena.acc(DType::kF32, 0, 0))};
  CHECK(b.offence() == "");
  CHECK(print(b.arena, b.kernel) ==
        "kernel_0(f32 input0, f32 input1, out f32 output0) # test\n"
        "  acc0: f32[1] Add from 0, in registers\n"
        "  declare acc0\n"
        "  for i in 0 .. n:\n"
        "    %0: f32 = load input0[i]\n"
        "    %1: f32 = Add(%0, %0)\n"
        "    update acc0[0] with %1\n"
        "  %2: f32 = acc0[0]\n"
        "  store output0[0] = %2\n");
}

TEST_CASE("IR: the verifier names the rule that a kernel breaks") {
  Bench b;
  const Sym i = b.syms->loop("i", 0, 10), j = b.syms->loop("j", 0, 10);
  const UOp* x = b.load(0, i);
  const auto offence = [&](Body body) {
    b.kernel.body = std::move(body);
    return b.offence();
  };
  CHECK(offence({b.loop(i, 10, {b.store(i, x)})}) == "");
  CHECK(has(offence({b.store(i, b.f32(1))}), "variable i is used outside its loop"));
  CHECK(has(offence({b.loop(i, 10, {b.store(i, b.load(0, j))})}), "variable j is used outside its loop"));
  CHECK(has(offence({b.loop(i, 10, {b.loop(i, 10, {b.store(i, x)})})}), "variable of its own"));
  CHECK(has(offence({b.loop(i, 10, {b.store(i, b.arena.index(i))})}), "loads and stores of output0 have its dtype f32, not i64"));
  Store* unwritten = b.store(i, x);
  unwritten->buffer = 1;
  CHECK(has(offence({b.loop(i, 10, {unwritten})}), "marked as written"));
  Loop* endless = b.loop(i, 10, {b.store(i, x)});
  endless->step = 0;
  CHECK(has(offence({endless}), "step is positive"));
  Loop* thread = b.loop(i, 10, {b.store(i, x)});
  thread->loop = LoopKind::kThread;
  CHECK(offence({thread}) == "");
  CHECK(offence({b.loop(j, 10, {thread})}) == "");
  CHECK(has(offence({b.loop(j, 10, {b.store(j, b.f32(1)), thread})}), "statements around the thread loop store to no parameter"));
  CHECK(has(offence({thread, b.loop(j, 10, {b.store(j, b.f32(1))})}), "statements around the thread loop store to no parameter"));
  CHECK(has(offence({thread, thread}), "a kernel has one thread loop"));
  Loop* longer = b.loop(i, j, {b.store(i, x)});
  longer->loop = LoopKind::kThread;
  CHECK(has(offence({b.loop(j, 10, {longer})}), "variable j is used outside its loop"));

  auto* define = b.arena.statement<Define>();
  define->variable = j;
  define->value = b.arena.index(3);
  define->body = {b.loop(i, j, {b.store(i, x)})};
  CHECK(offence({define}) == "");
  CHECK(has(offence({define, b.loop(i, j, {b.store(i, x)})}), "variable j is used outside its loop"));
  define->value = x;
  CHECK(has(offence({b.loop(i, 10, {define})}), "a position is defined by an i64"));

  auto* scatter = b.arena.statement<Scatter>();
  scatter->buffer = 2, scatter->value = x;
  scatter->position = b.arena.index(i), scatter->stride = 1;
  scatter->combine = Op::kAdd;
  CHECK(offence({b.loop(i, 10, {scatter})}) == "");
  scatter->atomic = true;
  CHECK(has(offence({b.loop(i, 10, {scatter})}), "an atomic scatter adds integers of 4 or 8 bytes"));

  UOp mixed{.kind = UKind::kAlu, .op = Op::kAdd, .type = {DType::kF32, 1}};
  mixed.sources = {x, b.arena.index(i)};
  CHECK(has(offence({b.loop(i, 10, {b.store(i, b.arena.intern(mixed))})}),
            "the operands of an operation have one dtype; got f32 = Add(f32, i64)"));
  UOp nowhere{.kind = UKind::kGather, .type = {DType::kF32, 1}};
  nowhere.buffer = 0;
  CHECK(has(offence({b.loop(i, 10, {b.store(i, b.arena.intern(nowhere))})}), "a gather has a position and at most a mask; got f32 of 0"));

  b.kernel.accumulators = {{{DType::kF32, 1}, 1, Op::kAdd, scalar_from_double(DType::kF32, 0)}};
  const UOp* total = b.arena.acc(DType::kF32, 0, 0);
  Stmt *declare = b.accumulator<AccDeclare>(), *update = b.update(x);
  CHECK(offence({declare, b.loop(i, 10, {update}), b.store(0, total)}) == "");
  CHECK(has(offence({b.store(0, total)}), "declared before it is read"));
  CHECK(has(offence({b.loop(i, 10, {update})}), "declared before it is updated"));
  CHECK(offence({declare, b.loop(i, 10, {update, b.store(i, total)})}).empty());  // the loop may read intermediate values
  CHECK(has(offence({declare, b.loop(i, 10, {update, b.accumulator<AccFold>()})}), "folded in the block that declares it"));

  Stmt *first = b.accumulator<Break>(), *second = b.accumulator<Break>();
  CHECK(has(offence({declare, b.loop(i, 10, {b.store(i, x), first})}), "a loop ends where an i32 is not 0"));
  b.kernel.accumulators = {{{DType::kI32, 1}, 1, Op::kAdd, scalar_from_int(DType::kI32, 0)}};
  CHECK(offence({declare, b.loop(i, 10, {b.store(i, x), first})}) == "");
  CHECK(offence({declare, b.loop(i, 10, {b.store(i, x), first, second})}) == "");
  CHECK(offence({declare, b.loop(i, 10, {first, b.store(i, x), second})}) == "");
  CHECK(has(offence({declare, b.loop(i, 10, {b.store(i, x)}), first}), "a break is directly inside a loop"));
  CHECK(has(offence({declare, b.loop(i, 10, {new_if(b.arena, i - 5, {first})})}), "a break is directly inside a loop"));
  CHECK(has(offence({b.loop(i, 10, {declare, b.store(i, x), first})}), "is declared outside of it"));
}

TEST_CASE("IR: after a copy that may overwrite an input, nothing reads that input") {
  Bench b;
  b.kernel.params.push_back({"output1", DType::kF32, true});
  b.kernel.params[0].in_place = {2};  // output0 may be input0
  const Sym i = b.syms->loop("i", 0, 10);
  const auto copy = [&](int from, int to) {
    auto* s = b.arena.statement<Copy>();
    s->inputs = {from}, s->buffer = to;
    s->from = i, s->from_stride = 10;
    s->rows = 10, s->length = 10;
    s->index = 10 * i, s->stride = 1;
    return s;
  };
  const auto offence = [&](Body body) {
    b.kernel.body = {b.loop(i, 10, std::move(body))};
    return b.offence();
  };
  Store* sum = b.store(i, b.load(1, i));
  sum->buffer = 3;
  CHECK(offence({sum, copy(1, 2)}) == "");
  CHECK(offence({sum, copy(1, 2), copy(1, 3)}) == "");
  CHECK(offence({copy(0, 3), copy(1, 2)}) == "");
  CHECK(has(offence({copy(1, 2), sum}), "only copies to parameters follow"));
  CHECK(has(offence({copy(1, 2), copy(0, 3)}), "does not read what a copy before it may overwrite, but one to output1 reads input0 after"));
}

TEST_CASE("IR: accumulators of bools, and groups of sets") {
  Bench b;
  const Sym i = b.syms->loop("i", 0, 10);
  const auto offence = [&](Body body) {
    b.kernel.body = std::move(body);
    return b.offence();
  };
  const UOp* less = b.arena.alu(Op::kLt, DType::kBool, {b.load(0, i), b.f32(1)});
  b.kernel.accumulators = {{{DType::kBool, 1}, 1, Op::kAdd, scalar_from_int(DType::kBool, 0)}};
  Stmt *declare = b.accumulator<AccDeclare>(), *end = b.accumulator<Break>();
  CHECK(offence({declare, b.loop(i, 10, {b.set(0, less), end, b.store(i, b.load(0, i))})}) == "");
  CHECK(has(offence({declare, b.loop(i, 10, {b.update(less)})}), "an accumulator of bools is set, not updated, but acc0 is updated"));
  CHECK(has(offence({declare, b.loop(i, 10, {b.set(0, less)}), b.accumulator<AccFold>()}), "an accumulator of bools is not folded"));
  b.kernel.accumulators[0].is_row = true;
  CHECK(has(offence({declare, b.loop(i, 10, {b.set(0, less)})}), "an accumulator of bools is one of a single thread"));
  b.kernel.accumulators = {{{DType::kBool, 1}, 1, Op::kAdd, scalar_from_int(DType::kBool, 1)}};
  CHECK(has(offence({declare}), "that start as false, but acc0 is not"));
  b.kernel.accumulators = {{{DType::kBool, 1}, 8, Op::kAdd, scalar_from_int(DType::kBool, 0)}};
  const auto set_to_every = [&](int64_t step) {
    UOp u{.kind = UKind::kAcc, .type = {DType::kBool, 4}};
    u.buffer = 0;
    u.lane_step = step;
    AccSet* set = b.set(0, b.arena.intern(std::move(u)));
    set->lane_step = 1;
    return set;
  };
  CHECK(offence({declare, set_to_every(1)}) == "");
  CHECK(has(offence({declare, set_to_every(2)}), "bools of an accumulator are read side by side"));

  const Body declares = b.declare_floats(2);
  const UOp* x = b.load(0, i);
  const auto with = [&](Stmt* group) { return offence({declares[0], declares[1], b.loop(i, 10, {group})}); };
  CHECK(with(b.at_once({b.set(0, x), b.set(1, b.acc(0))})) == "");
  CHECK(with(b.at_once({b.store(i, x)})) == "");
  CHECK(has(with(b.at_once({})), "a group of stores is not empty"));
  CHECK(has(with(b.at_once({b.set(0, x), b.store(i, x)})), "only stores, or only sets of accumulators"));
  CHECK(has(with(b.at_once({b.set(0, x), b.set(0, b.acc(1))})), "the sets of a group are of different accumulators, but two are of acc0"));

  // An accumulator of several elements may be declared with a vector of as many lanes.
  b.kernel.accumulators = {{{DType::kF32, 1}, 4, Op::kAdd, scalar_from_double(DType::kF32, 0)}};
  auto* vector = b.accumulator<AccDeclare>();
  vector->value = b.arena.splat(b.f32(1), 4);
  CHECK(offence({vector}) == "");
  vector->value = b.arena.splat(b.f32(1), 8);
  CHECK(has(offence({vector}), "or a lane for each element; acc0 has 4"));
  vector->value = b.f32(1);
  CHECK(has(offence({vector}), "or a lane for each element; acc0 has 4"));
}

TEST_CASE("L4 linearizer: values that do not change in a loop are computed before it, shared ones once") {
  Bench b;
  const Sym i = b.syms->loop("i", 0, 10), j = b.syms->loop("j", 0, 20);
  const UOp *x = b.load(0, i * 20 + j), *s = b.load(1, i);
  const UOp* factor = b.add(s, b.f32(1));
  b.kernel.body = {b.loop(i, 10, {b.loop(j, 20, {b.store(i * 20 + j, b.arena.alu(Op::kMul, DType::kF32, {b.add(x, x), factor}))})})};
  const std::string text = b.lines();
  CHECK(line_of(text, "loop ridx0") < line_of(text, "Add(load input1[i], 1)"));
  CHECK(line_of(text, "Add(load input1[i], 1)") < line_of(text, "loop ridx1"));
  CHECK(line_of(text, "input0_row = input0 + 20*i") < line_of(text, "loop ridx1"));
  CHECK(line_of(text, "output0_row = output0 + 20*i") < line_of(text, "loop ridx1"));
  CHECK(line_of(text, "loop ridx1") < line_of(text, "= load input0[20*i + j]"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 10);
}

TEST_CASE("linearizer: a load leaves a loop that may be empty only with a guard, and an If not at all") {
  Bench b;
  const Sym m = b.syms->variable("m", 0, 50), i = b.syms->loop("i", 0, 10), j = b.syms->loop("j", 0, m);
  b.kernel.body = {b.loop(i, 10, {b.loop(j, m, {b.store(i * m + j, b.load(1, i))})})};
  std::string text = b.lines();
  CHECK(has(text, "= load input1[i] if m - 1 >= 0"));
  CHECK(line_of(text, "load input1[i]") < line_of(text, "loop ridx1"));

  auto* branch = b.arena.statement<If>();
  branch->condition = i - 5;
  branch->body = {b.store(i, b.load(1, i - 5)), b.store(i + 100, b.add(b.load(1, i - 5), b.load(0, 3)))};
  b.kernel.body = {b.loop(i, 10, {branch})};
  text = b.lines();
  CHECK(line_of(text, "if i - 5 >= 0") < line_of(text, "load input1[i - 5]"));
  CHECK(line_of(text, "if i - 5 >= 0") < line_of(text, "load input0[3]"));

  // Inside an If, the optimiser may leave the If's condition out of a mask. Therefore even a masked load must not move out of the If.
  branch->condition = Sym(6) - i;
  branch->body = {b.loop(j, m, {b.store(i * m + j, b.load(1, i - 5, b.arena.in_range(i - 5)))})};
  b.kernel.body = {b.loop(i, 10, {branch})};
  text = b.lines();
  CHECK(line_of(text, "if 6 - i >= 0") < line_of(text, "load input1[i - 5]"));
}

TEST_CASE("linearizer: every line says which name of a value it means") {
  // The first inner loop may be empty. Its value is therefore computed before the loop under a guard (the condition that the loop is not
  // empty), and gets a name that is valid only under this guard. The second loop is never empty; for it the same value gets another name,
  // without a guard.
  Bench b;
  const Sym i = b.syms->loop("i", 0, 10);
  const Sym count = max(Sym(3) - i, 0), j = b.syms->loop("j", 0, count), k = b.syms->loop("k", 0, 2);
  const UOp* value = b.add(b.load(1, 7), b.f32(1));
  b.kernel.body = {b.loop(i, 10, {b.loop(j, count, {b.store(i * 9 + j, value)}), b.loop(k, 2, {b.store(i * 9 + k, value)})})};
  CHECK(b.offence() == "");
  std::vector<std::string> stored;
  std::vector<std::string> guarded;
  for (const Line& l : linearize(b.kernel)) {
    if (l.kind == LineKind::kStore) {
      REQUIRE(l.names.size() == 1);
      stored.push_back(l.names[0].second);
    }
    if (l.kind == LineKind::kLet && !l.guards.empty()) guarded.push_back(l.name);
  }
  REQUIRE(stored.size() == 2);
  CHECK(stored[0] != stored[1]);
  CHECK(guarded.size() == 1);
}

TEST_CASE("linearizer: values made from an accumulator are made again after it changed") {
  Bench b;
  const Sym i = b.syms->loop("i", 0, 10), j = b.syms->loop("j", 0, 10);
  b.kernel.accumulators = {{{DType::kF32, 1}, 1, Op::kAdd, scalar_from_double(DType::kF32, 0)}};
  const UOp* half = b.arena.alu(Op::kMul, DType::kF32, {b.arena.acc(DType::kF32, 0, 0), b.f32(0.5)});
  b.kernel.body = {b.accumulator<AccDeclare>(), b.loop(i, 10, {b.update(b.load(0, i))}), b.store(0, half),
                   b.loop(j, 10, {b.update(b.load(1, j))}), b.store(1, half)};
  CHECK(b.offence() == "");
  const std::string text = b.lines();
  const size_t first = text.find("Mul(acc0[0], 0.5)");
  REQUIRE(first != std::string::npos);
  CHECK(text.find("Mul(acc0[0], 0.5)", first + 1) != std::string::npos);
}

TEST_CASE("linearizer: sets at once read the old values, and few of them get names") {
  Bench b;
  const Sym i = b.syms->loop("i", 0, 10);
  const auto text = [&](int accumulators, Body sets) {
    Body body = b.declare_floats(accumulators);
    body.push_back(b.loop(i, 10, {b.at_once(std::move(sets))}));
    b.kernel.body = std::move(body);
    CHECK(b.offence() == "");
    return b.lines();
  };
  const auto minus = [&](const UOp* u) { return b.arena.alu(Op::kNeg, DType::kF32, {u}); };
  const UOp* x = b.load(0, i);

  // No value is needed after its accumulator has changed, so none gets a name. A value may read the accumulator to which it is assigned.
  std::string lines = text(3, {b.set(0, b.add(b.acc(0), x)), b.set(1, b.acc(0)), b.set(2, b.add(b.acc(1), b.acc(2)))});
  CHECK(!has(lines, "alu"));
  CHECK(line_of(lines, "set acc2[0] to Add(acc1[0], acc2[0])") < line_of(lines, "set acc1[0] to acc0[0]"));
  CHECK(line_of(lines, "set acc1[0] to acc0[0]") < line_of(lines, "set acc0[0] to Add(acc0[0], load input0[i])"));

  // Two accumulators are exchanged.
  lines = text(2, {b.set(0, b.acc(1)), b.set(1, b.acc(0))});
  CHECK(line_of(lines, "alu0: f32 = acc1[0]") < line_of(lines, "set acc1[0] to acc0[0]"));
  CHECK(line_of(lines, "set acc1[0] to acc0[0]") < line_of(lines, "set acc0[0] to alu0"));
  CHECK(!has(lines, "alu1"));

  // Three accumulators exchange their values in a cycle: one of the values has to be kept under a name.
  lines = text(3, {b.set(0, minus(b.acc(1))), b.set(1, minus(b.acc(2))), b.set(2, minus(b.acc(0)))});
  CHECK(line_of(lines, "alu0: f32 = Neg(acc1[0])") < line_of(lines, "set acc1[0] to Neg(acc2[0])"));
  CHECK(line_of(lines, "set acc1[0] to Neg(acc2[0])") < line_of(lines, "set acc2[0] to Neg(acc0[0])"));
  CHECK(line_of(lines, "set acc2[0] to Neg(acc0[0])") < line_of(lines, "set acc0[0] to alu0"));
  CHECK(!has(lines, "alu1"));

  // If a value occurs in the assignments to two accumulators, it gets a name before both. The name still denotes the value from before the
  // first assignment.
  const UOp* shared = b.add(b.acc(0), b.acc(1));
  lines = text(2, {b.set(0, minus(shared)), b.set(1, b.add(shared, x))});
  CHECK(line_of(lines, "alu0: f32 = Add(acc0[0], acc1[0])") < line_of(lines, "set acc0[0] to Neg(alu0)"));
  CHECK(has(lines, "set acc1[0] to Add(alu0, load input0[i])"));
  CHECK(!has(lines, "alu1"));
}

TEST_CASE("linearizer: a value that one branch uses is computed in it, unless it is invariant in a loop around the branches") {
  Bench b;
  const Sym i = b.syms->loop("i", 0, 10), j = b.syms->loop("j", 0, 10), k = b.syms->loop("k", 0, 10);
  const auto position = [&](Sym at) { return b.arena.cast(DType::kF32, b.arena.index(at)); };
  const UOp *rare = b.add(position(i * 3), b.f32(1)), *shared = b.add(position(i * 5), b.f32(2)), *fixed = b.add(b.f32(3), b.f32(4));
  const auto stores = [&](Sym at, const UOp* value) {
    return Body{b.store(at, b.arena.alu(Op::kMul, DType::kF32, {value, b.load(0, at)}))};
  };
  Body then = {b.loop(j, 10, stores(i * 10 + j, b.add(rare, b.add(shared, fixed))))};
  Body otherwise = {b.loop(k, 10, stores(i * 10 + k, shared))};
  b.kernel.body = {b.loop(i, 10, {new_if(b.arena, i - 5, std::move(then), std::move(otherwise))})};
  CHECK(b.offence() == "");
  const std::string text = b.lines();
  CHECK(line_of(text, "Add(3, 4)") < line_of(text, "loop ridx0"));
  CHECK(line_of(text, "loop ridx0") < line_of(text, "5*i"));
  CHECK(line_of(text, "5*i") < line_of(text, "if i - 5 >= 0"));
  CHECK(line_of(text, "if i - 5 >= 0") < line_of(text, "3*i"));
  CHECK(line_of(text, "3*i") < line_of(text, "loop ridx1"));
}

TEST_CASE("linearizer: in a run of stores everything is read before anything is written") {
  Bench b;
  b.kernel.params.push_back({"output1", DType::kF32, true});
  const Sym i = b.syms->loop("i", 0, 10);
  Store *first = b.store(i, b.load(1, i)), *second = b.store(i, b.load(0, i));
  second->buffer = 3;
  b.kernel.body = {b.loop(i, 10, {first, second})};
  const std::string text = b.lines();
  CHECK(line_of(text, "= load input0[i]") < line_of(text, "store output0"));
}

TEST_CASE("C1: the distances of several groups of accesses are joined without repetition") {
  Bench b;
  const UOp *x = b.arena.line_offset(0, 0), *y = b.arena.line_offset(1, 0), *z = b.arena.line_offset(2, 0);
  CHECK(joined_distances(b.arena, nullptr, x) == x);
  CHECK(joined_distances(b.arena, x, x) == x);
  const UOp* both = joined_distances(b.arena, x, y);
  for (const UOp* part : {x, y, both}) CHECK(joined_distances(b.arena, both, part) == both);
  const UOp* all = joined_distances(b.arena, both, joined_distances(b.arena, y, z));
  CHECK(all == b.arena.alu(Op::kBitOr, DType::kI64, {both, z}));
}

TEST_CASE("linearizer: a chain of 100,000 operations") {
  Bench b;
  const Sym i = b.syms->loop("i", 0, 10);
  const UOp* x = b.load(0, i);
  for (int k = 0; k < 100000; ++k) x = b.add(x, b.f32(k));
  b.kernel.body = {b.loop(i, 10, {b.store(i, x)})};
  CHECK(b.offence() == "");
  CHECK(linearize(b.kernel).size() > 20000);
}
