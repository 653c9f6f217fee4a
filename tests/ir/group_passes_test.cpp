// Tests that the passes over the loop IR, linearize and the printers keep group loops (loops whose iterations are the threads of a GPU
// block) and barriers, and that no statement moves across a barrier.
#include <algorithm>
#include <functional>
#include <sstream>

#include "ir/linearize.h"
#include "support/group_kernels.h"

namespace {

using namespace harp;
using namespace harp::testing;

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// Returns the first word of each line of the kernel's linear text that begins with "group", "barrier", "set", "store" or "fold". Other
/// lines are skipped.
std::vector<std::string> order_of(const ir::Kernel& kernel) {
  std::vector<std::string> order;
  std::istringstream text(ir::print(kernel, ir::linearize(kernel)));
  for (std::string line; std::getline(text, line);) {
    line.erase(0, line.find_first_not_of(' '));
    for (const std::string_view word : {"group", "barrier", "set", "store", "fold"})
      if (line.starts_with(word)) order.push_back(line.substr(0, line.find_first_of(" [")));
  }
  return order;
}

size_t count(const ir::Kernel& kernel, auto holds) {
  const std::vector<const ir::Stmt*> all = ir::statements_of(kernel.body);
  return static_cast<size_t>(std::ranges::count_if(all, holds));
}
bool is_group(const ir::Stmt* s) {
  const auto* loop = ir::as<ir::Loop>(s);
  return loop != nullptr && loop->loop == ir::LoopKind::kGroup;
}
bool is_barrier(const ir::Stmt* s) { return s->kind == ir::StmtKind::kBarrier; }

TEST_CASE("H2.linear_uops: group loops and barriers in the texts of both stages") {
  GroupBuilder b(64);
  block_sum(b, 7);
  const ir::Kernel& kernel = b.module.kernels[0];
  const std::string text = ir::print(*b.arena, kernel);
  CHECK(has(text, "  acc0: f32[1] Add from 0, in registers\n  acc1: f32[64] of a row, shared\n"));
  CHECK(has(text, "  thread block in 0 .. 7:\n    declare acc1\n    group t in 0 .. 64:\n      declare acc0\n"));
  CHECK(has(text, "      set acc1[t] to %"));
  CHECK(has(text, "\n    barrier\n    group t in 0 .. 64:\n      if 31 - t >= 0:\n"));
  const std::vector<std::string> order = order_of(kernel);
  std::vector<std::string> expected = {"group", "set"};
  for (int step = 0; step < 6; ++step)
    for (const char* word : {"barrier", "group", "set"}) expected.emplace_back(word);
  for (const char* word : {"barrier", "group", "store"}) expected.emplace_back(word);
  CHECK(order == expected);

  GroupBuilder scan(32);
  block_scan(scan, 3);
  CHECK(has(ir::print(*scan.arena, scan.module.kernels[0]), "acc0: i64[128] Add from 0, in registers, 4 a thread\n"));
}

TEST_CASE("IR: apply_schedule makes vectors and unrolled loops inside group loops and keeps these and the barriers") {
  GroupBuilder b(32);
  const int x = b.input(DType::kF32), y = b.output(DType::kF32), array = b.shared(DType::kF32, 32 * 16);
  b.finish(b.each("block", 3,
                  [&](Sym block) {
                    return ir::Body{
                        b.declare(array), b.group([&](Sym t) {
                          ir::Loop* loop = b.each("j", 16, [&](Sym j) {
                            const UOp* mask = b.arena->in_range(Sym(7) - j);
                            return ir::Body{b.set(array, t * 16 + j, b.arena->load(DType::kF32, 0, block * 512 + t * 16 + j, mask))};
                          });
                          loop->tags.vector = {.lanes = 4, .partition = true};
                          return ir::Body{loop};
                        }),
                        b.barrier(), b.group([&](Sym t) {
                          ir::Loop* loop = b.each("j", 16, [&](Sym j) {
                            return ir::Body{b.store(1, block * 512 + (Sym(31) - t) * 16 + j, b.acc(array, (Sym(31) - t) * 16 + j))};
                          });
                          loop->tags.vector = {.lanes = 8, .together = 2, .most_steps = 4};
                          return ir::Body{loop};
                        })};
                  }),
           {x}, {y});
  ir::verify(b.module);
  ir::apply_schedule(b.module);
  ir::verify(b.module);
  const ir::Kernel& kernel = b.module.kernels[0];
  CHECK(count(kernel, is_group) == 2);
  CHECK(count(kernel, is_barrier) == 1);
  CHECK(count(kernel, [](const ir::Stmt* s) {
          const auto* set = ir::as<ir::AccSet>(s);
          return set != nullptr && set->value->type.lanes == 4;
        }) == 2);  // partition splits the loop into two loops, each with one such statement
  const std::vector<std::string> order = order_of(kernel);
  const auto barrier = std::ranges::find(order, "barrier");
  REQUIRE(barrier != order.end());
  CHECK(std::find(order.begin(), barrier, "store") == barrier);
  CHECK(std::find(barrier, order.end(), "set") == order.end());

  std::vector<float> in(3 * 512);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i) + 0.5f;
  std::vector<Array> inputs = {array_of(DType::kF32, in)};
  const render::RenderOptions options{machine(), false};
  const Unit unit(b.render(options), "gcc", options.target);
  const std::vector<float> out = values_of<float>(run(unit, b.module, inputs, in.size())[0]);
  for (size_t i = 0; i < in.size(); ++i) CHECK(out[i] == (i % 16 <= 7 ? in[i] : 0.0f));
}

TEST_CASE("IR: a nest around and inside a group loop keeps the threads") {
  GroupBuilder b(64);
  const int x = b.input(DType::kF32), y = b.output(DType::kF32);
  ir::Loop* group = b.group([](Sym) { return ir::Body{}; });
  ir::Loop* outer = b.each("i", 6, [&](Sym i) {
    return ir::Body{b.each("k", 5, [&](Sym k) {
      ir::Loop* inner = b.each("j", 4, [&](Sym j) {
        const Sym at = ((i * 5 + k) * 64 + group->variable) * 4 + j;
        return ir::Body{b.store(1, at, b.load(DType::kF32, 0, at, 1))};
      });
      inner->tags.vector = {.lanes = 4};
      group->body = {inner};
      return ir::Body{group};
    })};
  });
  outer->tags.nest = {.chunks = true};  // CPU threads share the iterations of this loop
  b.finish(outer, {x}, {y});
  ir::verify(b.module);
  ir::apply_schedule(b.module);
  ir::verify(b.module);
  const ir::Loop* thread = ir::thread_loop(b.module.kernels[0]);
  REQUIRE(thread != nullptr);
  CHECK(thread->end.is_constant(30));  // the two loops outside of the group loop (the loop over the threads) have become one
  const ir::Loop* kept = ir::only_loop_in(thread->body);
  REQUIRE(kept != nullptr);
  CHECK(kept->loop == ir::LoopKind::kGroup);
  CHECK(kept->end.is_constant(64));
  const ir::Loop* steps = ir::only_loop_in(kept->body);
  REQUIRE(steps != nullptr);
  CHECK(ir::as<ir::Store>(steps->body[0])->value->type.lanes == 4);
}

TEST_CASE("IR: loops around barriers and group loops do not become vectors, and may be unrolled") {
  GroupBuilder b(32);
  const auto nothing = [](Sym) { return ir::Body{}; };
  CHECK(!ir::can_vectorise(*b.arena, b.each("i", 16, [&](Sym) { return ir::Body{b.barrier()}; }), 4));
  CHECK(!ir::can_vectorise(*b.arena, b.each("i", 16, [&](Sym) { return ir::Body{b.group(nothing)}; }), 4));
  CHECK(ir::can_vectorise(*b.arena, b.each("i", 16, [&](Sym) { return ir::Body{b.each("j", 3, nothing)}; }), 4));
  ir::Loop* jammed = b.each("i", 16, [&](Sym) { return ir::Body{b.group(nothing), b.barrier()}; });
  jammed->step = 4;
  const ir::Body apart = ir::unroll_and_jam(*b.arena, {jammed}, 2);
  REQUIRE(apart.size() == 1);
  const ir::Body& steps = ir::as<ir::Loop>(apart[0])->body;
  REQUIRE(steps.size() == 4);
  for (size_t i = 0; i < 4; ++i) CHECK(is_barrier(steps[i]) == (i % 2 == 1));

  GroupBuilder product(64);
  tiled_matmul(product);
  ir::Kernel& kernel = product.module.kernels[0];
  auto* blocks = ir::as<ir::Loop>(kernel.body[0]);
  ir::Body unrolled;
  for (ir::Stmt* s : blocks->body) {
    auto* loop = ir::as<ir::Loop>(s);
    if (loop == nullptr || is_group(s))
      unrolled.push_back(s);
    else
      for (ir::Stmt* copy : ir::unroll(*product.arena, loop)) unrolled.push_back(copy);
  }
  blocks->body = unrolled;
  ir::verify(product.module);
  CHECK(count(kernel, is_barrier) == 6);
  CHECK(count(kernel, is_group) == 7);
}

TEST_CASE("IR: partition and unswitch of a loop around barriers keep their order") {
  GroupBuilder b(32);
  const int x = b.input(DType::kF32), y = b.output(DType::kF32), array = b.shared(DType::kF32, 32);
  const Sym n = b.syms->variable("n", 0, 8);
  b.module.shape_vars = {n};
  ir::Loop* rounds = b.each("round", 8, [&](Sym round) {
    return ir::Body{b.group([&](Sym t) {
                      const UOp* mask = b.arena->alu(Op::kBitAnd, DType::kBool, {b.arena->in_range(round - 3), b.arena->in_range(n - 5)});
                      return ir::Body{b.set(array, t, b.arena->load(DType::kF32, 0, round * 32 + t, mask))};
                    }),
                    b.barrier(), b.group([&](Sym t) { return ir::Body{b.store(1, round * 32 + t, b.acc(array, Sym(31) - t))}; }),
                    b.barrier()};
  });
  const auto check = [&](ir::Body parts, size_t barriers) {
    b.module.kernels.clear(), b.module.generations[0].launches.clear();
    b.finish(b.each("block", 1,
                    [&](Sym) {
                      ir::Body body = {b.declare(array)};
                      body.insert(body.end(), parts.begin(), parts.end());
                      return body;
                    }),
             {x}, {y});
    ir::verify(b.module);
    CHECK(count(b.module.kernels[0], is_barrier) == barriers);
    std::vector<std::string> order = order_of(b.module.kernels[0]), expected;
    for (size_t i = 0; i < barriers / 2; ++i)
      for (const char* word : {"group", "set", "barrier", "group", "store", "barrier"}) expected.emplace_back(word);
    CHECK(order == expected);
  };
  const std::vector<ir::Loop*> parts = ir::partition(*b.arena, rounds, 4);
  CHECK(parts.size() == 2);
  check(ir::Body(parts.begin(), parts.end()), 4);
  ir::Loop* last = parts.back();  // in this part the variable `round` is at least 3, so the only remaining condition is the one on n
  const ir::Body branches = ir::unswitch(*b.arena, last);
  REQUIRE(branches.size() == 1);
  CHECK(ir::as<ir::If>(branches[0]) != nullptr);
  check(branches, 4);
}

TEST_CASE("IR: nothing polls the cancel flag inside a group loop") {
  GroupBuilder b(1024);
  const int x = b.input(DType::kF32), y = b.output(DType::kF32), sum = b.own(DType::kF32);
  b.finish(b.each("block", 3,
                  [&](Sym block) {
                    return ir::Body{b.each("round", 1000, [&](Sym round) {
                      return ir::Body{b.group([&](Sym t) {
                                        return ir::Body{
                                            b.declare(sum),
                                            b.each("i", 100000,
                                                   [&](Sym i) {
                                                     return ir::Body{b.each("j", 100, [&](Sym j) {
                                                       return ir::Body{b.update(sum, 0, b.load(DType::kF32, 0, i * 100 + j, 1))};
                                                     })};
                                                   }),
                                            b.store(1, (block * 1000 + round) * 1024 + t, b.acc(sum, 0))};
                                      }),
                                      b.barrier()};
                    })};
                  }),
           {x}, {y});
  ir::apply_schedule(b.module);
  ir::verify(b.module);
  for (const ir::Stmt* s : ir::statements_of(b.module.kernels[0].body))
    if (const auto* loop = ir::as<ir::Loop>(s)) {
      const std::string& name = variable_of(loop->variable)->name;
      CAPTURE(name);
      CHECK((loop->poll_interval > 0) == (name == "round"));
    }
}

TEST_CASE("IR: values are computed again after a barrier if a shared element has changed") {
  GroupBuilder b(32);
  const int x = b.input(DType::kF32), y = b.output(DType::kF32), array = b.shared(DType::kF32, 32);
  b.finish(b.each("block", 3,
                  [&](Sym block) {
                    const auto writes = [&](Sym at) {
                      return b.group([&](Sym t) { return ir::Body{b.set(array, t, b.load(DType::kF32, 0, at + t, 1))}; });
                    };
                    // Element 5 does not depend on the thread, so the product may be computed once before the group loop. The second group
                    // loop that reads it must not use the product that the first one used.
                    const auto reads = [&](Sym at) {
                      return b.group([&](Sym t) {
                        const UOp* shared = b.acc(array, 5);
                        return ir::Body{b.store(1, at + t, b.arena->alu(Op::kMul, DType::kF32, {shared, shared}))};
                      });
                    };
                    return ir::Body{b.declare(array), writes(block * 64),      b.barrier(), reads(block * 64),
                                    b.barrier(),      writes(block * 64 + 32), b.barrier(), reads(block * 64 + 32)};
                  }),
           {x}, {y});
  std::vector<float> in(3 * 64);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i) + 0.5f;
  std::vector<Array> inputs = {array_of(DType::kF32, in)};
  const render::RenderOptions options{machine(), false};
  const Unit unit(b.render(options), "gcc", options.target);
  const std::vector<float> out = values_of<float>(run(unit, b.module, inputs, in.size())[0]);
  for (size_t i = 0; i < in.size(); ++i) CHECK(out[i] == in[i / 32 * 32 + 5] * in[i / 32 * 32 + 5]);
}

/// Returns the names of the variables of all loops of the kernel, sorted.
std::vector<std::string> loops_of(const ir::Kernel& kernel) {
  std::vector<std::string> names;
  for (const ir::Stmt* s : ir::statements_of(kernel.body))
    if (const auto* loop = ir::as<ir::Loop>(s)) names.push_back(variable_of(loop->variable)->name);
  std::ranges::sort(names);
  return names;
}

TEST_CASE("IR: loops of one iteration around and inside group loops are replaced by their bodies") {
  GroupBuilder b(32);
  const int x = b.input(DType::kF32), y = b.output(DType::kF32), array = b.shared(DType::kF32, 32);
  ir::Loop* round = ir::new_loop(*b.arena, "round", 3, 4);
  const auto copy = [&](Sym t) {
    const auto element = [&](Sym i) { return ir::Body{b.set(array, t, b.load(DType::kF32, 0, (round->variable + i) * 32 + t, 1))}; };
    return ir::Body{b.each("i", 1, element, ir::LoopKind::kUnroll)};
  };
  round->body = {b.group(copy), b.barrier()};
  const auto stores = [&](Sym t) {
    return ir::Body{b.each("j", 2, [&](Sym j) { return ir::Body{b.store(1, j * 32 + t, b.acc(array, Sym(31) - t))}; })};
  };
  b.finish(b.each("block", 1, [&](Sym) { return ir::Body{b.declare(array), round, b.group(stores)}; }), {x}, {y});
  ir::apply_schedule(b.module);
  ir::verify(b.module);
  ir::Kernel& kernel = b.module.kernels[0];
  CHECK(loops_of(kernel) == std::vector<std::string>{"block", "i", "j", "round", "t", "t"});
  ir::unroll_single_iterations(*b.arena, kernel);
  ir::verify(b.module);
  CHECK(loops_of(kernel) == std::vector<std::string>{"block", "j", "t", "t"});
  CHECK(order_of(kernel) == std::vector<std::string>{"group", "set", "barrier", "group", "store"});

  std::vector<float> in(4 * 32);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i) + 0.5f;
  std::vector<Array> inputs = {array_of(DType::kF32, in)};
  const render::RenderOptions options{machine(), false};
  const Unit unit(b.render(options), "gcc", options.target);
  const std::vector<float> out = values_of<float>(run(unit, b.module, inputs, 64)[0]);
  for (size_t i = 0; i < out.size(); ++i) CHECK(out[i] == in[96 + 31 - i % 32]);
}

TEST_CASE("IR: loops of one iteration stay where their bodies need a block of their own") {
  /// Makes a block that contains a loop of one iteration, and tests whether unroll_single_iterations() replaces the loop. Before that,
  /// `change` may alter the block. Its arguments are the builder, the loop, the list of statements before the loop (initially empty), and
  /// the number of an accumulator that the block does not declare.
  const auto is_replaced = [](const std::function<void(GroupBuilder&, ir::Loop&, ir::Body&, int)>& change) {
    GroupBuilder b(32);
    const int x = b.input(DType::kF32), y = b.output(DType::kF32), number = b.own(DType::kI32, 4);
    ir::Loop* one = b.each("one", 1, [&](Sym i) { return ir::Body{b.store(1, i, b.load(DType::kF32, 0, i, 1))}; });
    ir::Body body;
    change(b, *one, body, number);
    body.push_back(one);
    b.finish(b.each("block", 1, [&](Sym) { return body; }), {x}, {y});
    ir::Kernel& kernel = b.module.kernels[0];
    ir::unroll_single_iterations(*b.arena, kernel);
    const std::vector<std::string> left = loops_of(kernel);
    CHECK(std::ranges::count(left, std::string("block")) == 1);  // a thread loop always stays
    return std::ranges::count(left, std::string("one")) == 0;
  };
  CHECK(is_replaced([](GroupBuilder&, ir::Loop&, ir::Body&, int) {}));
  CHECK(is_replaced([](GroupBuilder&, ir::Loop& one, ir::Body&, int) { one.end = 4, one.step = 4; }));
  CHECK(!is_replaced([](GroupBuilder&, ir::Loop& one, ir::Body&, int) { one.end = 2; }));
  CHECK(!is_replaced([](GroupBuilder&, ir::Loop& one, ir::Body&, int) { one.end = 0; }));
  CHECK(!is_replaced([](GroupBuilder&, ir::Loop& one, ir::Body&, int) { one.end = 3, one.step = 4, one.overlap = true; }));
  CHECK(!is_replaced([](GroupBuilder& b, ir::Loop& one, ir::Body&, int a) { one.body.push_back(b.accumulator<ir::Break>(a)); }));
  const auto declares = [](GroupBuilder& b, ir::Loop& one, ir::Body&, int a) { one.body.insert(one.body.begin(), b.declare(a)); };
  CHECK(is_replaced(declares));
  CHECK(!is_replaced([&](GroupBuilder& b, ir::Loop& one, ir::Body& body, int a) {
    declares(b, one, body, a);
    body.push_back(b.declare(a));
  }));
  CHECK(!is_replaced([](GroupBuilder& b, ir::Loop& one, ir::Body& body, int a) {
    body.push_back(b.declare(a));
    one.body.push_back(b.fold(a));
  }));
  CHECK(is_replaced([&](GroupBuilder& b, ir::Loop& one, ir::Body& body, int a) {
    declares(b, one, body, a);
    one.body.push_back(b.fold(a));
  }));
}

}  // namespace
