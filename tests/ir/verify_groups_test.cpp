// Tests the verifier's rules about group loops (loops whose iterations are the threads of a GPU block), barriers, and shared and spread
// accumulators. For each rule there is a kernel that obeys it and one that breaks it.
#include "support/group_kernels.h"

#include <random>

#include "base/error.h"

namespace {

using namespace harp;
using namespace harp::testing;

std::string offence(const ir::Module& module) {
  try {
    ir::verify(module);
  } catch (const Error& e) {
    return e.message;
  }
  return "";
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// A kernel over 8 blocks of 32 threads. Parameter 0 is an input and parameter 1 an output, both of dtype f32.
struct Bench : GroupBuilder {
  int x, y, array, lanes, single;
  Bench() : GroupBuilder(32) {
    x = input(DType::kF32), y = output(DType::kF32);
    array = shared(DType::kF32, 64);
    lanes = spread(DType::kF32, 2);
    single = own(DType::kF32);
  }
  const UOp* element(Sym index) { return load(DType::kF32, 0, index, 1); }
  const UOp* zero() { return arena->constant(scalar_from_double(DType::kF32, 0)); }

  /// Returns the verifier's message about the rule that is broken by a kernel whose blocks execute these statements, or "" if no rule is
  /// broken. make(block) returns the statements for the number of the block. The accumulators of the block are declared before them.
  template <class Statements>
  std::string offence_of(Statements make) {
    ir::Loop* blocks = each("block", 8, [&](Sym block) {
      ir::Body body = {declare(array), declare(lanes)};
      for (ir::Stmt* s : make(block)) body.push_back(s);
      return body;
    });
    finish(blocks, {x}, {y});
    const std::string result = offence(module);
    module.kernels.clear(), module.generations[0].launches.clear();
    return result;
  }
  /// Like offence_of(), but the statements are in a group loop (a loop over the threads of a block). make(thread) returns them for the
  /// number of the thread.
  template <class Statements>
  std::string offence_of_threads(Statements make) {
    return offence_of([&](Sym) { return ir::Body{group(make)}; });
  }
};

TEST_CASE("IR: kernels with group loops are accepted") {
  {
    GroupBuilder b(64);
    block_sum(b, 5);
    CHECK(offence(b.module) == "");
    reverse_threads(b);
    CHECK(offence(b.module) == "");
    CHECK(ir::group_size(b.module.kernels[0]) == 64);
    CHECK(ir::shared_bytes(b.module.kernels[0]) == 256);
  }
  {
    GroupBuilder b(256);
    transposed_tiles(b);
    CHECK(offence(b.module) == "");
    CHECK(ir::shared_bytes(b.module.kernels[0]) == 32 * 33 * 4);
  }
  {
    GroupBuilder b(32);
    block_scan(b, 5);
    CHECK(offence(b.module) == "");
  }
  {
    GroupBuilder b(64);
    tiled_matmul(b);
    CHECK(offence(b.module) == "");
  }
  {
    GroupBuilder b(16);
    minus_largest(b, 5);
    CHECK(offence(b.module) == "");
  }
}

TEST_CASE("IR: a barrier is where all threads of a block arrive") {
  Bench b;
  const auto nothing = [&](Sym) { return ir::Body{}; };
  const Sym n = b.syms->variable("n", 0, 100);
  CHECK(b.offence_of([&](Sym block) {
    return ir::Body{b.group(nothing), b.when(n - 5, {b.barrier()}), b.each("i", block, [&](Sym) { return ir::Body{b.barrier()}; })};
  }) == "");
  const std::string outside = "a barrier is between group loops, where all threads of the block arrive, not inside the group loop over t";
  CHECK(has(b.offence_of_threads([&](Sym) { return ir::Body{b.barrier()}; }), outside));
  CHECK(has(b.offence_of_threads([&](Sym t) { return ir::Body{b.when(t - 5, {b.barrier()})}; }), outside));
  CHECK(has(b.offence_of_threads([&](Sym t) { return ir::Body{b.each("i", t, [&](Sym) { return ir::Body{b.barrier()}; })}; }), outside));

  // A barrier is rejected outside of the thread loop (the loop over blocks), and in a kernel without group loops (loops over the threads of
  // a block).
  ir::Loop* blocks = b.each("block", 8, [&](Sym) { return ir::Body{b.group(nothing)}; });
  b.finish(blocks, {b.x}, {b.y});
  CHECK(offence(b.module) == "");
  b.module.kernels[0].body.push_back(b.barrier());
  CHECK(has(offence(b.module), "a barrier is inside the thread loop"));
  b.module.kernels[0].body = {b.barrier()};
  b.module.kernels[0].accumulators.clear();
  CHECK(has(offence(b.module), "belong to a kernel with group loops, and this one has none"));
}

TEST_CASE("IR: a group loop runs over the threads of a block") {
  Bench b;
  const auto nothing = [&](Sym) { return ir::Body{}; };
  const auto with = [&](auto change) {
    return b.offence_of([&](Sym) {
      ir::Loop* loop = b.group(nothing);
      change(*loop);
      return ir::Body{loop};
    });
  };
  CHECK(with([](ir::Loop&) {}) == "");
  const std::string range = "a group loop runs from 0 to a constant of 1 to 1024, not from ";
  CHECK(has(with([](ir::Loop& loop) { loop.begin = 1; }), range + "1 to 32 in steps of 1"));
  CHECK(has(with([](ir::Loop& loop) { loop.step = 2; }), range + "0 to 32 in steps of 2"));
  CHECK(has(with([&](ir::Loop& loop) { loop.poll_interval = 1; }), "does not poll"));
  CHECK(has(with([&](ir::Loop& loop) { loop.tags.vector = {.lanes = 4}; }), "the iterations of a group loop are threads"));
  CHECK(has(b.offence_of([&](Sym) { return ir::Body{b.group([&](Sym) { return ir::Body{b.group(nothing)}; })}; }),
            "a group loop is not inside another one, but that over t is"));
  CHECK(has(b.offence_of([&](Sym) {
    ir::Loop* other = ir::new_loop(*b.arena, "u", 0, 16, ir::LoopKind::kGroup);
    return ir::Body{b.group(nothing), other};
  }),
            "all group loops of a kernel have the same number of threads, not 32 and 16"));
  CHECK(has(b.offence_of_threads([&](Sym t) {
    ir::Loop* loop = b.each("i", t, nothing);
    loop->poll_interval = 1;
    return ir::Body{loop};
  }),
            "no loop inside a group loop polls the cancel flag"));
  const int stop = b.add({.type = {DType::kI32, 1}, .init = scalar_from_int(DType::kI32, 0)});
  const auto leaves = [&](bool a_loop_of_its_own) {
    return b.offence_of([&](Sym) {
      return ir::Body{b.declare(stop), b.group([&](Sym) {
                        ir::Body body = {b.accumulator<ir::Break>(stop)};
                        return a_loop_of_its_own ? ir::Body{b.each("i", 4, [&](Sym) { return body; })} : body;
                      })};
    });
  };
  CHECK(leaves(true) == "");
  CHECK(has(leaves(false), "no thread leaves a group loop before the others"));

  const auto of_size = [&](Sym size) {
    GroupBuilder other(1024);
    const int y = other.output(DType::kF32);
    other.finish(other.each("block", 8, [&](Sym) { return ir::Body{ir::new_loop(*other.arena, "t", 0, size, ir::LoopKind::kGroup)}; }), {},
                 {y});
    return offence(other.module);
  };
  CHECK(of_size(1024) == "");
  CHECK(has(of_size(1025), range + "0 to 1025"));
  CHECK(has(of_size(0), range + "0 to 0"));

  GroupBuilder outside(32);
  const int y = outside.output(DType::kF32);
  outside.finish(outside.each("block", 8, nothing), {}, {y});
  outside.module.kernels[0].body.push_back(outside.group(nothing));
  CHECK(has(offence(outside.module), "a group loop is inside the thread loop, but that over t is not"));
}

TEST_CASE("IR: outside of group loops all threads compute the same and store nothing") {
  Bench b;
  CHECK(b.offence_of([&](Sym block) {
    return ir::Body{b.declare(b.single), b.update(b.single, 0, b.element(block)),
                    b.group([&](Sym t) { return ir::Body{b.store(1, block * 32 + t, b.acc(b.single, 0))}; })};
  }) == "");
  CHECK(has(b.offence_of([&](Sym block) {
    return ir::Body{b.group([&](Sym) { return ir::Body{}; }), b.store(1, block, b.element(block))};
  }),
            "outside of group loops are executed by every thread of the block and store nothing, but one stores to parameter 1"));
  CHECK(has(b.offence_of([&](Sym block) {
    return ir::Body{b.declare(b.single), b.group([&](Sym t) { return ir::Body{b.update(b.single, 0, b.element(block * 32 + t))}; })};
  }),
            "but acc2 is none of these and all threads have the same copy"));
  CHECK(has(b.offence_of([&](Sym) {
    return ir::Body{b.group([&](Sym) { return ir::Body{}; }), b.set(b.array, 0, b.zero())};
  }),
            "a shared accumulator changes inside group loops, but acc0 changes outside"));
  CHECK(has(b.offence_of([&](Sym) {
    return ir::Body{b.group([&](Sym) { return ir::Body{}; }), ir::new_retry(*b.arena, {}, {})};
  }),
            "a retry is inside a group loop"));
}

TEST_CASE("IR: where accumulators of a kernel with group loops are, and how large") {
  const auto offence_with = [](ir::Accumulator a, bool in_group = false, bool declared = true) {
    Bench b;
    const int number = b.add(a);
    return b.offence_of([&](Sym) {
      const ir::Body declares = declared ? ir::Body{b.declare(number)} : ir::Body{};
      ir::Loop* group = b.group([&](Sym) { return in_group ? declares : ir::Body{}; });
      ir::Body body = in_group ? ir::Body{} : declares;
      body.push_back(group);
      return body;
    });
  };
  const Scalar zero = scalar_from_double(DType::kF32, 0);
  const ir::Type f32{DType::kF32, 1};
  CHECK(offence_with({.type = f32, .count = 128, .init = zero, .space = Space::kStack}, true) == "");
  CHECK(
      has(offence_with({.type = f32, .count = 128, .init = zero, .space = Space::kStack}), "is declared in a group loop, but acc3 is not"));
  CHECK(has(offence_with({.type = f32, .count = 128, .init = zero, .space = Space::kScratch}, true), "is in a worker's scratch memory"));
  CHECK(has(offence_with({.type = f32, .count = 129, .init = zero}, true), "has at most 128 elements for each thread"));
  CHECK(has(offence_with({.type = f32, .count = 4, .init = zero, .space = Space::kWorkspace}), "is not in the workspace"));
  // shared
  CHECK(offence_with({.type = f32, .count = 4, .init = zero, .space = Space::kShared, .is_row = true}) == "");
  CHECK(has(offence_with({.type = f32, .count = 4, .init = zero, .space = Space::kShared, .is_row = true}, true),
            "is declared in the thread loop, outside of group loops, but acc3 is not"));
  CHECK(has(offence_with({.type = f32, .count = 4, .init = zero, .space = Space::kShared}), "is an array without initial value"));
  const int64_t bytes = ir::kMaxSharedBytes - 256;  // the other shared array of Bench has 256 bytes
  CHECK(offence_with({.type = f32, .count = bytes / 4, .init = zero, .space = Space::kShared, .is_row = true}) == "");
  CHECK(has(offence_with({.type = f32, .count = bytes / 4 + 1, .init = zero, .space = Space::kShared, .is_row = true}),
            "a kernel has at most 232448 bytes of shared memory, not 232464"));
  // spread
  CHECK(offence_with({.type = f32, .count = 96, .init = zero, .spread = 3}) == "");
  CHECK(offence_with({.type = f32, .count = 128 * 32, .init = zero, .spread = 128}) == "");
  CHECK(has(offence_with({.type = f32, .count = 129 * 32, .init = zero, .spread = 129}), "has at most 128 elements for each thread"));
  CHECK(has(offence_with({.type = f32, .count = 95, .init = zero, .spread = 3}),
            "a spread accumulator has 3 elements for each of 32 threads, but acc3 has 95"));
  CHECK(has(offence_with({.type = f32, .count = 96, .init = zero, .space = Space::kStack, .spread = 3}),
            "a spread accumulator is in registers of one lane"));
  CHECK(has(offence_with({.type = f32, .count = 96, .init = zero, .spread = 3}, true), "is declared in the thread loop"));
}

TEST_CASE("IR: an asynchronous copy is of 4, 8 or 16 aligned bytes to a shared array") {
  Bench b;
  const auto offence_of_copy = [&](auto change) {
    return b.offence_of([&](Sym block) {
      return ir::Body{b.group([&](Sym t) {
                        ir::CopyAsync* copy = b.copy_async(b.array, t * 2, 0, block * 64 + t * 2, 2, 2);
                        change(*copy, t);
                        return ir::Body{copy};
                      }),
                      b.group([&](Sym) { return ir::Body{b.wait(0)}; })};
    });
  };
  CHECK(offence_of_copy([](ir::CopyAsync&, Sym) {}) == "");
  CHECK(offence_of_copy([](ir::CopyAsync& copy, Sym t) { copy.exist = max(min(t - 5, 2), 0); }) == "");
  CHECK(has(offence_of_copy([](ir::CopyAsync& copy, Sym) { copy.length = 3; }), "has 4, 8 or 16 bytes, but that to acc0 has 12"));
  CHECK(has(offence_of_copy([](ir::CopyAsync& copy, Sym t) { copy.index = t * 2 + 1; }), "is a multiple of that number, not 2*t + 1"));
  CHECK(has(offence_of_copy([](ir::CopyAsync& copy, Sym) { copy.exist = 3; }), "none to all exist, not 3"));
  CHECK(has(offence_of_copy([](ir::CopyAsync& copy, Sym t) { copy.exist = min(t - 5, 2); }), "none to all exist"));
  CHECK(has(offence_of_copy([](ir::CopyAsync& copy, Sym t) { copy.index = mod(t, 4) * 2; }), "between two barriers"));
  const int row = b.add({.type = {DType::kF32, 1}, .count = 64, .init = scalar_from_double(DType::kF32, 0), .is_row = true});
  CHECK(has(b.offence_of_threads([&](Sym t) {
    return ir::Body{b.declare(row), b.copy_async(row, 0, 0, t, 1, 1)};
  }),
            "a thread copies asynchronously to a shared array, inside a group loop, but acc3 is not shared"));
}

TEST_CASE("IR: no thread uses what an asynchronous copy writes before a wait and a barrier") {
  Bench b;
  const Sym n = b.syms->variable("n", 0, 100);
  const auto wait = [&](int pending) { return b.group([&](Sym) { return ir::Body{b.wait(pending)}; }); };
  const auto copies = [&](Sym stage) {
    return b.group([&](Sym t) { return ir::Body{b.copy_async(b.array, stage * 32 + t, 0, t, 1, 1)}; });
  };
  const auto reads = [&](Sym stage) {
    return b.group([&](Sym t) { return ir::Body{b.update(b.lanes, t * 2, b.acc(b.array, stage * 32 + 31 - t))}; });
  };
  const std::string early = "no thread uses an element that an asynchronous copy writes before a wait for the copy and a barrier";
  CHECK(b.offence_of([&](Sym) { return ir::Body{copies(0), wait(0), b.barrier(), reads(0)}; }) == "");
  CHECK(b.offence_of([&](Sym) { return ir::Body{copies(0), reads(1), wait(0)}; }) == "");
  CHECK(has(b.offence_of([&](Sym) { return ir::Body{copies(0), b.barrier(), reads(0), wait(0)}; }), early));
  CHECK(has(b.offence_of([&](Sym) { return ir::Body{copies(0), wait(0), reads(0)}; }), early));
  CHECK(has(b.offence_of([&](Sym) { return ir::Body{copies(0), b.barrier(), wait(0), reads(0)}; }), early));
  CHECK(has(b.offence_of([&](Sym) { return ir::Body{copies(0), wait(1), b.barrier(), reads(0), wait(0)}; }), early));
  CHECK(b.offence_of([&](Sym) { return ir::Body{copies(0), copies(1), wait(1), b.barrier(), reads(0), wait(0)}; }) == "");
  CHECK(has(b.offence_of([&](Sym) { return ir::Body{copies(0), copies(1), wait(1), b.barrier(), reads(1), wait(0)}; }), early));
  CHECK(has(b.offence_of([&](Sym) { return ir::Body{copies(0), b.barrier(), copies(0), wait(0)}; }), early));
  const std::string at_end = "a block of threads waits for its asynchronous copies";
  CHECK(has(b.offence_of([&](Sym) { return ir::Body{copies(0)}; }), at_end));
  CHECK(has(b.offence_of([&](Sym) { return ir::Body{copies(0), copies(1), wait(1), b.barrier()}; }), at_end));
  // If the wait is in the same group loop (loop over the threads of a block) as the copies, it does not wait for them, because their batch
  // ends only with the loop.
  CHECK(has(b.offence_of([&](Sym) {
    return ir::Body{b.group([&](Sym t) { return ir::Body{b.copy_async(b.array, t, 0, t, 1, 1), b.wait(0)}; })};
  }),
            at_end));
  // In the first two kernels the threads would wait for different batches of copies. In the third one the wait is outside of group loops.
  const std::string together = "all threads wait for the same batches of copies";
  CHECK(has(b.offence_of_threads([&](Sym t) { return ir::Body{b.when(t - 5, {b.wait(0)})}; }), together));
  CHECK(has(b.offence_of_threads([&](Sym t) { return ir::Body{b.each("i", t, [&](Sym) { return ir::Body{b.wait(0)}; })}; }), together));
  CHECK(has(b.offence_of([&](Sym) { return ir::Body{b.group([&](Sym) { return ir::Body{}; }), b.wait(0)}; }), together));
  // The copies or the wait are inside an if that either all threads or no threads enter. The kernel is accepted only if the copies, their
  // wait and the barrier are all inside the if.
  CHECK(b.offence_of([&](Sym) { return ir::Body{b.when(n - 5, {copies(0), wait(0), b.barrier()}), reads(0)}; }) == "");
  CHECK(has(b.offence_of([&](Sym) { return ir::Body{b.when(n - 5, {copies(0)}), b.barrier(), reads(0), wait(0)}; }), early));
  CHECK(has(b.offence_of([&](Sym) { return ir::Body{copies(0), b.when(n - 5, {wait(0)}), b.barrier(), reads(0), wait(0)}; }), early));
  // Both branches of an if in one batch copy to the same elements, which different threads would copy to if they took different branches.
  const auto of_branches = [&](const std::function<Sym(Sym thread)>& condition) {
    return b.offence_of([&](Sym) {
      return ir::Body{
          b.group([&](Sym t) {
            return ir::Body{b.when(condition(t), {b.copy_async(b.array, t, 0, t, 1, 1)}, {b.copy_async(b.array, 31 - t, 0, t, 1, 1)})};
          }),
          wait(0), b.barrier(), reads(0)};
    });
  };
  CHECK(of_branches([&](Sym) { return n - 5; }) == "");
  CHECK(has(of_branches([&](Sym t) { return t - 5; }), early));
}

TEST_CASE("IR: asynchronous copies may fill the stages of a ring some steps in advance") {
  Bench b;
  const Sym n = b.syms->variable("n", 0, 100);
  struct Ring {
    int stages = 4, started = 3, ahead = 3, pending = 2;  // started: the number of steps whose copies start before the loop
    bool waits = true, has_barrier = true, reads_before = false;
  };
  const auto offence_of_ring = [&](Ring ring) {
    const int array = b.shared(DType::kF32, ring.stages * 32);
    const auto copy = [&](Sym t, Sym step) { return b.copy_async(array, mod(step, ring.stages) * 32 + t, 0, step * 32 + t, 1, 1); };
    return b.offence_of([&](Sym) {
      ir::Body body = {b.declare(array)};
      for (int step = 0; step < ring.started; ++step) body.push_back(b.group([&](Sym t) { return ir::Body{copy(t, step)}; }));
      body.push_back(b.each("step", n, [&](Sym step) {
        const auto read = [&] {
          return b.group([&](Sym t) { return ir::Body{b.update(b.lanes, t * 2, b.acc(array, mod(step, ring.stages) * 32 + 31 - t))}; });
        };
        ir::Body steps;
        if (ring.reads_before) steps.push_back(read());
        if (ring.waits) steps.push_back(b.group([&](Sym) { return ir::Body{b.wait(ring.pending)}; }));
        if (ring.has_barrier) steps.push_back(b.barrier());
        steps.push_back(b.group([&](Sym t) { return ir::Body{copy(t, step + ring.ahead)}; }));
        steps.push_back(read());
        return steps;
      }));
      body.push_back(b.group([&](Sym) { return ir::Body{b.wait(0)}; }));
      return body;
    });
  };
  const std::string early = "no thread uses an element that an asynchronous copy writes before a wait for the copy and a barrier";
  const std::string no_wait = "a loop that starts asynchronous copies waits for them and contains a barrier, but that over step does not";
  CHECK(offence_of_ring({}) == "");
  CHECK(offence_of_ring({.stages = 2, .started = 1, .ahead = 1, .pending = 0}) == "");
  CHECK(offence_of_ring({.stages = 8, .started = 7, .ahead = 7, .pending = 6}) == "");
  CHECK(offence_of_ring({.stages = 8, .pending = 2}) == "");
  CHECK(offence_of_ring({.stages = 3, .started = 2, .ahead = 2, .pending = 1}) == "");
  CHECK(has(offence_of_ring({.pending = 3}), early));
  CHECK(has(offence_of_ring({.stages = 2, .started = 1, .ahead = 1, .pending = 1}), early));
  CHECK(has(offence_of_ring({.ahead = 4}), early));                 // the copies overwrite elements that the threads still read
  CHECK(has(offence_of_ring({.stages = 3, .pending = 2}), early));  // the same
  CHECK(has(offence_of_ring({.started = 2}), early));               // no copies start for the third step, so waits cover one batch fewer
  CHECK(has(offence_of_ring({.reads_before = true}), early));
  CHECK(has(offence_of_ring({.waits = false}), no_wait));
  CHECK(has(offence_of_ring({.has_barrier = false}), no_wait));
}

TEST_CASE("IR: a thread uses its own elements of a spread accumulator") {
  Bench b;
  const auto updates = [&](auto index) {
    return b.offence_of_threads(
        [&](Sym t) { return ir::Body{b.each("j", 2, [&](Sym j) { return ir::Body{b.update(b.lanes, index(t, j), b.zero())}; })}; });
  };
  CHECK(updates([](Sym t, Sym j) { return t * 2 + j; }) == "");
  CHECK(updates([](Sym t, Sym j) { return t * 2 + 1 - j; }) == "");
  CHECK(has(updates([](Sym t, Sym j) { return t + j * 32; }), "thread t uses elements 2*t to 2*t + 1 of the spread acc1, not "));
  CHECK(has(updates([](Sym t, Sym j) { return t * 2 + j + 1; }), "of the spread acc1"));
  CHECK(has(updates([](Sym, Sym j) { return j; }), "of the spread acc1"));
  // vectors
  const auto vector = [&](int step) {
    return b.offence_of_threads([&](Sym t) {
      auto* s = b.update(b.lanes, t * 2, b.load(DType::kF32, 0, t * 2, 2));
      s->lane_step = step;
      return ir::Body{s};
    });
  };
  CHECK(vector(1) == "");
  CHECK(has(vector(2), "and 1 more in steps of 2"));
  // Each read is inside an If on the thread number: only thread 0, only thread 4, or all threads from 4 on execute it.
  const auto reads = [&](auto condition, Sym index) {
    return b.offence_of([&](Sym block) {
      return ir::Body{b.group([&](Sym t) { return ir::Body{b.when(condition(t), {b.store(1, block * 32 + t, b.acc(b.lanes, index))})}; })};
    });
  };
  CHECK(reads([](Sym t) { return -t; }, 1) == "");
  CHECK(has(reads([](Sym t) { return -t; }, 2), "of the spread acc1, not 2"));
  CHECK(reads([](Sym t) { return min(t - 4, Sym(4) - t); }, 8) == "");
  CHECK(has(reads([](Sym t) { return t - 4; }, 8), "of the spread acc1, not 8"));
  // A value outside of the loops over threads reads an element of a spread accumulator, whose elements are distributed over the threads.
  // There only a fold (a reduction over all threads) defines such an element.
  const auto declared = [&](bool folds, bool changes, Sym index) {
    return b.offence_of([&](Sym) {
      ir::Body body = {b.group([&](Sym t) { return ir::Body{b.update(b.lanes, t * 2, b.zero())}; })};
      if (folds) body.push_back(b.fold(b.lanes));
      if (changes) body.push_back(b.group([&](Sym t) { return ir::Body{b.update(b.lanes, t * 2, b.zero())}; }));
      body.push_back(b.declare(b.single, b.acc(b.lanes, index)));
      return body;
    });
  };
  CHECK(declared(true, false, 0) == "");
  CHECK(has(declared(false, false, 0), "outside of group loops element 0 of a spread accumulator is read after its fold"));
  CHECK(has(declared(true, true, 0), "is read after its fold"));
  CHECK(has(declared(true, false, 1), "is read after its fold"));
  CHECK(has(b.offence_of_threads([&](Sym) { return ir::Body{b.declare(b.lanes), b.fold(b.lanes)}; }), "acc1 is not"));
}

TEST_CASE("IR: between two barriers no thread writes a shared element that another one uses") {
  Bench b;
  const auto writes = [&](auto index) { return b.offence_of_threads([&](Sym t) { return ir::Body{b.set(b.array, index(t), b.zero())}; }); };
  CHECK(writes([](Sym t) { return t; }) == "");
  CHECK(writes([](Sym t) { return Sym(31) - t; }) == "");
  CHECK(writes([](Sym t) { return t * 2 + 1; }) == "");
  CHECK(writes([](Sym t) { return mod(t, 8) * 5 + floor_div(t, 8); }) == "");
  const std::string rule = "between two barriers no thread writes an element of a shared accumulator that another one uses";
  CHECK(has(writes([](Sym) { return 0; }), rule));
  CHECK(has(writes([](Sym t) { return floor_div(t, 2); }), rule));
  CHECK(has(writes([](Sym t) { return mod(t, 8); }), rule));
  CHECK(has(writes([](Sym t) { return mod(t, 8) * 3 + floor_div(t, 8); }), rule));
  // In the accepted kernels only thread 0 writes, or only the first one of each eight threads, so that each element is written by one
  // thread. In the others a second thread writes the same element.
  const auto of_some = [&](auto condition, auto index) {
    return b.offence_of_threads([&](Sym t) { return ir::Body{b.when(condition(t), {b.set(b.array, index(t), b.zero())})}; });
  };
  CHECK(of_some([](Sym t) { return -t; }, [](Sym) { return 7; }) == "");
  CHECK(has(of_some([](Sym t) { return Sym(1) - t; }, [](Sym) { return 7; }), rule));
  CHECK(of_some([](Sym t) { return -mod(t, 8); }, [](Sym t) { return floor_div(t, 8); }) == "");
  CHECK(has(of_some([](Sym t) { return Sym(1) - mod(t, 8); }, [](Sym t) { return floor_div(t, 8); }), rule));

  const auto both = [&](auto write, auto read, bool waits) {
    return b.offence_of([&](Sym block) {
      ir::Body body = {b.group([&](Sym t) { return ir::Body{b.set(b.array, write(t), b.zero())}; })};
      if (waits) body.push_back(b.barrier());
      body.push_back(b.group([&](Sym t) { return ir::Body{b.store(1, block * 32 + t, b.acc(b.array, read(t)))}; }));
      return body;
    });
  };
  const auto same = [](Sym t) { return t; };
  const auto next = [](Sym t) { return mod(t + 1, 32); };
  const auto upper = [](Sym t) { return t + 32; };
  CHECK(both(same, same, false) == "");
  CHECK(both(same, upper, false) == "");
  CHECK(both(same, next, true) == "");
  const std::string unsafe = both(same, next, false);
  CHECK(has(unsafe, rule));
  CHECK(has(unsafe, "thread t writes acc0[t] and thread t reads acc0["));
  CHECK(has(both(
                same, [](Sym) { return 0; }, false),
            rule));

  // In the first group loop, each thread writes only elements whose index modulo 32 is the thread's number. In the second group loop this
  // holds only if `width` is a multiple of 32; otherwise two threads may write the same element.
  const auto rows = [&](int64_t width) {
    return b.offence_of([&](Sym) {
      return ir::Body{
          b.group([&](Sym t) {
            return ir::Body{b.each("i", 4, [&](Sym i) {
              return ir::Body{b.each("j", 4, [&](Sym j) { return ir::Body{b.set(b.array, t + i * 128 + j * 32, b.zero())}; })};
            })};
          }),
          b.group([&](Sym t) {
            return ir::Body{b.each("n", 1000, [&](Sym n) { return ir::Body{b.set(b.array, t + floor_div(n, width) * width, b.zero())}; })};
          })};
    });
  };
  CHECK(rows(32) == "");
  CHECK(rows(64) == "");
  CHECK(has(rows(16), rule));
  CHECK(has(rows(48), rule));

  // A read outside of the loops over threads is made by every thread.
  const auto reads_all = [&](bool waits) {
    return b.offence_of([&](Sym) {
      ir::Body body = {b.group([&](Sym t) { return ir::Body{b.when(-t, {b.set(b.array, 0, b.zero())})}; })};
      if (waits) body.push_back(b.barrier());
      body.push_back(b.declare(b.single, b.acc(b.array, 0)));
      return body;
    });
  };
  CHECK(reads_all(true) == "");
  CHECK(has(reads_all(false), "thread t writes acc0[0] and every thread reads acc0[0]"));

  // An index that is loaded from memory may be equal for two threads.
  CHECK(has(b.offence_of_threads([&](Sym t) {
    auto* define = b.arena->statement<ir::Define>();
    define->variable = b.syms->loop("bin", 0, 64);
    define->value = b.arena->alu(Op::kCast, DType::kI64, {b.element(t)});
    define->body = {b.set(b.array, define->variable, b.zero())};
    return ir::Body{define};
  }),
            rule));
}

TEST_CASE("IR: a loop around barriers meets itself") {
  Bench b;
  const std::string rule = "between two barriers no thread writes an element of a shared accumulator";
  const auto rounds = [&](bool waits_at_end, Sym count = 4) {
    return b.offence_of([&](Sym) {
      return ir::Body{b.each("round", count, [&](Sym round) {
        ir::Body body = {b.group([&](Sym t) { return ir::Body{b.set(b.array, t, b.element(round * 32 + t))}; }), b.barrier(),
                         b.group([&](Sym t) { return ir::Body{b.store(1, round * 32 + t, b.acc(b.array, Sym(31) - t))}; })};
        if (waits_at_end) body.push_back(b.barrier());
        return body;
      })};
    });
  };
  CHECK(rounds(true) == "");
  CHECK(has(rounds(false), rule));
  // If the rounds alternated between the two halves of the array, one barrier in each round would be enough. If every round uses the same
  // half, it is not enough.
  const auto halves = [&](auto half_of) {
    return b.offence_of([&](Sym) {
      return ir::Body{b.each("round", 4, [&](Sym round) {
        const Sym half = half_of(round) * 32;
        return ir::Body{b.group([&](Sym t) { return ir::Body{b.set(b.array, half + t, b.zero())}; }), b.barrier(),
                        b.group([&](Sym t) { return ir::Body{b.store(1, t, b.acc(b.array, half + mod(t + 1, 32)))}; })};
      })};
    });
  };
  CHECK(has(halves([](Sym) { return 0; }), rule));
  // A loop that may have no iterations does not separate the statements before it from those after it, although it contains a barrier.
  const auto around = [&](Sym count) {
    return b.offence_of([&](Sym) {
      return ir::Body{b.group([&](Sym t) { return ir::Body{b.set(b.array, t, b.zero())}; }),
                      b.each("round", count, [&](Sym) { return ir::Body{b.barrier()}; }),
                      b.group([&](Sym t) { return ir::Body{b.store(1, t, b.acc(b.array, mod(t + 1, 32)))}; })};
    });
  };
  CHECK(around(1) == "");
  CHECK(has(around(b.syms->variable("n", 0, 9)), rule));
  CHECK(around(b.syms->variable("m", 1, 9)) == "");
  // A barrier in only one branch does not separate the statements before and after it.
  const Sym n = b.syms->variable("k", 0, 9);
  const auto branch = [&](bool both) {
    return b.offence_of([&](Sym) {
      return ir::Body{b.group([&](Sym t) { return ir::Body{b.set(b.array, t, b.zero())}; }),
                      b.when(n - 3, {b.barrier()}, both ? ir::Body{b.barrier()} : ir::Body{}),
                      b.group([&](Sym t) { return ir::Body{b.store(1, t, b.acc(b.array, mod(t + 1, 32)))}; })};
    });
  };
  CHECK(branch(true) == "");
  CHECK(has(branch(false), rule));
  // In a loop without a barrier, threads may be in different iterations at the same time.
  const auto free_loop = [&](int64_t step) {
    return b.offence_of([&](Sym) {
      return ir::Body{b.each("round", 2, [&](Sym round) {
        return ir::Body{b.group([&](Sym t) { return ir::Body{b.set(b.array, t + round * step, b.zero())}; })};
      })};
    });
  };
  CHECK(free_loop(32) == "");
  CHECK(has(free_loop(16), rule));
}

/// Tests kernels with random indices and no barrier: if the verifier accepts a kernel, no thread may use an element that another thread
/// writes.
TEST_CASE("IR: the rule about shared elements accepts no race") {
  std::mt19937 random(11);
  const auto draw = [&](int n) { return static_cast<int64_t>(random() % static_cast<unsigned>(n)); };
  int accepted = 0, refused = 0, too_careful = 0;
  for (int i = 0; i < 1500; ++i) {
    const int64_t threads = std::vector<int64_t>{8, 12, 16}[static_cast<size_t>(draw(3))];
    GroupBuilder b(threads);
    const int y = b.output(DType::kF32), array = b.shared(DType::kF32, 4096);
    const UOp* zero = b.arena->constant(scalar_from_double(DType::kF32, 0));
    // A use of the accumulator: the index of the element, the thread's number t and the loop variable j (less than `count`), on which the
    // index depends, and the condition (>= 0) under which the element is used.
    struct Use {
      Sym index, t, j, condition;
      int64_t count;
    };
    const auto use = [&](Sym t, Sym j, int64_t count) {
      const int64_t k = 2 + draw(4), constants[] = {0, 1, 2, 3, 4, 5, 8, threads, 2 * threads, 33};
      const auto constant = [&] { return constants[draw(10)]; };
      Sym index = draw(4) * constant();
      switch (draw(4)) {
        case 0: index += t * constant(); break;
        case 1: index += floor_div(t, k) * constant() + mod(t, k) * constant(); break;
        case 2: index += Sym(200) - t * constant(); break;
        default: index += mod(t, k) * constant() + floor_div(t, k) * constant() + 7; break;
      }
      index += j * constant();
      const Sym conditions[] = {0, 0, 0, -t, Sym(draw(6)) - t, t - draw(8), -mod(t, k), min(t - draw(4), Sym(4 + draw(4)) - t)};
      return Use{index, t, j, conditions[draw(8)], count};
    };
    std::vector<Use> uses;
    const bool is_same_form = draw(2) == 0;
    const auto statements = [&](bool writes) {
      return b.group([&](Sym t) {
        const int64_t count = 1 + draw(3);
        return ir::Body{b.each("j", count, [&](Sym j) {
          Use made = use(t, j, count);
          if (!uses.empty() && is_same_form) {
            const SymSubstitution to{{variable_of(uses[0].t), t}, {variable_of(uses[0].j), j}};
            made.index = substitute(uses[0].index, to) + draw(2) * threads;
          }
          uses.push_back(made);
          const UOp* read = b.acc(array, made.index);
          return ir::Body{b.when(made.condition, {writes ? b.set(array, made.index, zero) : static_cast<ir::Stmt*>(b.store(0, t, read))})};
        })};
      });
    };
    b.finish(b.each("block", 4, [&](Sym) { return ir::Body{b.declare(array), statements(true), statements(false)}; }), {}, {y});
    const bool is_accepted = offence(b.module).empty();

    const auto meets = [&](const Use& a, const Use& other) {
      const auto at = [](const Use& u, Sym e, int64_t t, int64_t j) {
        return substitute(e, {{variable_of(u.t), t}, {variable_of(u.j), j}}).constant();
      };
      for (int64_t t = 0; t < threads; ++t)
        for (int64_t j = 0; j < a.count; ++j) {
          if (at(a, a.condition, t, j) < 0) continue;
          for (int64_t s = 0; s < threads; ++s)
            for (int64_t l = 0; l < other.count; ++l)
              if (s != t && at(other, other.condition, s, l) >= 0 && at(a, a.index, t, j) == at(other, other.index, s, l)) return true;
        }
      return false;
    };
    const bool is_race = meets(uses[0], uses[0]) || meets(uses[0], uses[1]);
    CAPTURE(i);
    CAPTURE(to_string(uses[0].index));
    CAPTURE(to_string(uses[0].condition));
    CAPTURE(to_string(uses[1].index));
    CAPTURE(to_string(uses[1].condition));
    CHECK(!(is_accepted && is_race));
    ++(is_accepted ? accepted : refused);
    too_careful += !is_accepted && !is_race;
  }
  MESSAGE(accepted, " accepted, ", refused, " refused, of these ", too_careful, " without a race");
  CHECK(accepted > 100);
  CHECK(refused - too_careful > 100);
}

}  // namespace
