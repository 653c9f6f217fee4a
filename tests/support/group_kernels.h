// Contains kernels with group loops (loops whose iterations are the threads of a GPU block), built by hand for the tests of the IR and of
// the renderer.
#pragma once

#include <cmath>
#include <functional>

#include "ir/apply_schedule.h"
#include "ir/rewrite.h"
#include "support/rendered.h"

namespace harp::testing {

/// Builds a module with one kernel that contains group loops (loops over the threads of a GPU block).
struct GroupBuilder : ModuleBuilder {
  ir::Kernel kernel;
  int64_t threads = 0;

  explicit GroupBuilder(int64_t group_size) : threads(group_size) { kernel.comment = "group"; }

  int add(ir::Accumulator a) {
    kernel.accumulators.push_back(a);
    return static_cast<int>(kernel.accumulators.size()) - 1;
  }
  int shared(DType dtype, int64_t count) {
    return add({.type = {dtype, 1}, .count = count, .init = scalar_from_int(dtype, 0), .space = Space::kShared, .is_row = true});
  }
  int spread(DType dtype, int64_t each, Op combine = Op::kAdd) {
    const Scalar init = combine == Op::kMax ? scalar_from_double(dtype, -INFINITY) : scalar_from_double(dtype, 0);
    return add({.type = {dtype, 1}, .count = each * threads, .combine = combine, .init = init, .spread = each});
  }
  int own(DType dtype, int64_t count = 1) { return add({.type = {dtype, 1}, .count = count, .init = scalar_from_double(dtype, 0)}); }

  const UOp* acc(int number, Sym index) { return arena->acc(kernel.accumulators[static_cast<size_t>(number)].type.dtype, number, index); }
  const UOp* plus(const UOp* a, const UOp* b) { return arena->alu(Op::kAdd, a->type.dtype, {a, b}); }
  ir::Stmt* declare(int number, const UOp* value = nullptr) {
    auto* s = accumulator<ir::AccDeclare>(number);
    s->value = value;
    return s;
  }
  ir::Stmt* set(int number, Sym index, const UOp* value) {
    auto* s = accumulator<ir::AccSet>(number);
    s->index = index;
    s->value = value;
    return s;
  }
  ir::CopyAsync* copy_async(int number, Sym index, int buffer, Sym from, int64_t length, Sym exist) {
    auto* s = accumulator<ir::CopyAsync>(number);
    s->index = index;
    s->buffer = buffer, s->from = from;
    s->length = length, s->exist = exist;
    return s;
  }
  ir::Stmt* wait(int pending) {
    auto* s = arena->statement<ir::Wait>();
    s->pending = pending;
    return s;
  }
  ir::Stmt* fold(int number) { return accumulator<ir::AccFold>(number); }
  ir::Stmt* barrier() { return arena->statement<ir::Barrier>(); }
  /// Makes a new group loop, whose iterations are the threads of a block. `body` is called with the loop variable, which is the index of
  /// the thread.
  template <class Statements>
  ir::Loop* group(Statements body) {
    ir::Loop* loop = ir::new_loop(*arena, "t", 0, threads, ir::LoopKind::kGroup);
    loop->body = body(loop->variable);
    return loop;
  }
  template <class Statements>
  ir::Loop* each(std::string_view name, Sym count, Statements body, ir::LoopKind kind = ir::LoopKind::kSequential) {
    ir::Loop* loop = ir::new_loop(*arena, name, 0, count, kind);
    loop->body = body(loop->variable);
    return loop;
  }
  ir::Stmt* when(Sym condition, ir::Body body, ir::Body otherwise = {}) {
    return ir::new_if(*arena, condition, std::move(body), std::move(otherwise));
  }
  /// Adds the launch of the kernel, with one block for each iteration of `blocks`, and computes how much scratch memory the module needs.
  void finish(ir::Loop* blocks, const std::vector<int>& inputs, const std::vector<int>& outputs) {
    blocks->loop = ir::LoopKind::kThread;
    kernel.body = {blocks};
    launch(kernel, inputs, outputs);
    module.scratch = module.scratch_of_run = module.blocks = ir::scratch_offsets(module.kernels.back()).back();
  }
};

/// y[b] = the sum of 256 elements of x. Each of 64 threads adds 4 elements; a tree reduction then adds the 64 sums.
inline void block_sum(GroupBuilder& b, int64_t blocks) {
  const int x = b.input(DType::kF32), y = b.output(DType::kF32);
  const int sum = b.own(DType::kF32), sums = b.shared(DType::kF32, 64);
  b.finish(b.each("block", blocks,
                  [&](Sym block) {
                    ir::Body body = {b.declare(sums), b.group([&](Sym t) {
                                       const auto element = [&](Sym j) {
                                         return ir::Body{b.update(sum, 0, b.load(DType::kF32, 0, block * 256 + j * 64 + t, 1))};
                                       };
                                       return ir::Body{b.declare(sum), b.each("j", 4, element), b.set(sums, t, b.acc(sum, 0))};
                                     }),
                                     b.barrier()};
                    for (int64_t half = 32; half > 0; half /= 2) {
                      body.push_back(b.group([&](Sym t) {
                        return ir::Body{b.when(Sym(half - 1) - t, {b.set(sums, t, b.plus(b.acc(sums, t), b.acc(sums, t + half)))})};
                      }));
                      body.push_back(b.barrier());
                    }
                    body.push_back(b.group([&](Sym t) { return ir::Body{b.when(-t, {b.store(1, block, b.acc(sums, 0))})}; }));
                    return body;
                  }),
           {x}, {y});
}
inline std::vector<float> expected_block_sum(const std::vector<float>& x) {
  std::vector<float> result;
  for (size_t block = 0; block < x.size() / 256; ++block) {
    std::vector<float> sums(64, 0.0f);
    for (size_t i = 0; i < 256; ++i) sums[i % 64] += x[block * 256 + i];
    for (size_t half = 32; half > 0; half /= 2)
      for (size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
    result.push_back(sums[0]);
  }
  return result;
}

constexpr int64_t kTileRows = 96, kTileColumns = 64;
/// y = the transpose of x[96, 64], by tiles of 32 x 32. In shared memory the rows of a tile are 33 elements apart, which avoids bank
/// conflicts. The 256 threads of a block are 8 rows of 32.
inline void transposed_tiles(GroupBuilder& b) {
  const int x = b.input(DType::kI32), y = b.output(DType::kI32);
  const int tile = b.shared(DType::kI32, 32 * 33);
  b.finish(b.each("block", (kTileRows / 32) * (kTileColumns / 32),
                  [&](Sym block) {
                    const Sym row = floor_div(block, kTileColumns / 32) * 32, column = mod(block, kTileColumns / 32) * 32;
                    return ir::Body{
                        b.declare(tile), b.group([&](Sym t) {
                          return ir::Body{b.each("j", 4, [&](Sym j) {
                            const Sym i = floor_div(t, 32) + j * 8, k = mod(t, 32);
                            return ir::Body{b.set(tile, i * 33 + k, b.load(DType::kI32, 0, (row + i) * kTileColumns + column + k, 1))};
                          })};
                        }),
                        b.barrier(), b.group([&](Sym t) {
                          return ir::Body{b.each("j", 4, [&](Sym j) {
                            const Sym i = floor_div(t, 32) + j * 8, k = mod(t, 32);
                            return ir::Body{b.store(1, (column + i) * kTileRows + row + k, b.acc(tile, k * 33 + i))};
                          })};
                        })};
                  }),
           {x}, {y});
}

/// y = the running sums of each block of 128 elements of x. Each of 32 threads scans 4 elements in its registers; a scan in shared memory,
/// by doubling steps, turns the threads' totals into running totals; each thread then adds the total of all threads before it.
inline void block_scan(GroupBuilder& b, int64_t blocks) {
  const int x = b.input(DType::kI64), y = b.output(DType::kI64);
  const int running = b.add({.type = {DType::kI64, 1}, .count = 128, .init = scalar_from_int(DType::kI64, 0), .spread = 4});
  const int totals[] = {b.shared(DType::kI64, 32), b.shared(DType::kI64, 32)};
  b.finish(b.each("block", blocks,
                  [&](Sym block) {
                    ir::Body body = {
                        b.declare(running), b.declare(totals[0]), b.declare(totals[1]), b.group([&](Sym t) {
                          ir::Body scan;
                          for (int64_t j = 0; j < 4; ++j) {
                            const UOp* element = b.load(DType::kI64, 0, block * 128 + t * 4 + j, 1);
                            scan.push_back(b.set(running, t * 4 + j, j == 0 ? element : b.plus(b.acc(running, t * 4 + (j - 1)), element)));
                          }
                          scan.push_back(b.set(totals[0], t, b.acc(running, t * 4 + 3)));
                          return scan;
                        }),
                        b.barrier()};
                    int from = 0;
                    for (int64_t step = 1; step < 32; step *= 2, from = 1 - from) {
                      body.push_back(b.group([&](Sym t) {
                        const UOp* mine = b.acc(totals[from], t);
                        return ir::Body{b.when(t - step, {b.set(totals[1 - from], t, b.plus(b.acc(totals[from], t - step), mine))},
                                               {b.set(totals[1 - from], t, mine)})};
                      }));
                      body.push_back(b.barrier());
                    }
                    body.push_back(b.group([&](Sym t) {
                      ir::Body first, others;
                      for (int64_t j = 0; j < 4; ++j) {
                        const UOp* mine = b.acc(running, t * 4 + j);
                        first.push_back(b.store(1, block * 128 + t * 4 + j, mine));
                        others.push_back(b.store(1, block * 128 + t * 4 + j, b.plus(b.acc(totals[from], t - 1), mine)));
                      }
                      return ir::Body{b.when(t - 1, others, first)};
                    }));
                    return body;
                  }),
           {x}, {y});
}

constexpr int64_t kSide = 32, kTerms = 24;
/// y[32, 32] = x[32, 24] times w[24, 32]. A block of 64 threads computes a tile of 16 x 16 sums; each thread has the 4 sums of a part of
/// one column in registers. Loops that contain barriers copy 8 columns of x and 8 rows of w to shared memory at a time.
inline void tiled_matmul(GroupBuilder& b) {
  const int x = b.input(DType::kF32), w = b.input(DType::kF32), y = b.output(DType::kF32);
  const int sums = b.spread(DType::kF32, 4), left = b.shared(DType::kF32, 16 * 8), right = b.shared(DType::kF32, 8 * 16);
  b.finish(
      b.each("block", (kSide / 16) * (kSide / 16),
             [&](Sym block) {
               const Sym row = floor_div(block, kSide / 16) * 16, column = mod(block, kSide / 16) * 16;
               const auto copied = [&](Sym k, Sym t, Sym j) {
                 const Sym e = t + j * 64;
                 return ir::Body{b.set(left, e, b.load(DType::kF32, 0, (row + floor_div(e, 8)) * kTerms + k * 8 + mod(e, 8), 1)),
                                 b.set(right, e, b.load(DType::kF32, 1, (k * 8 + floor_div(e, 16)) * kSide + column + mod(e, 16), 1))};
               };
               const auto product = [&](Sym t, Sym term, Sym i) {
                 const Sym r = floor_div(t, 16) * 4 + i, c = mod(t, 16);
                 return b.update(sums, t * 4 + i, b.acc(left, r * 8 + term), b.acc(right, term * 16 + c));
               };
               return ir::Body{
                   b.declare(sums), b.declare(left), b.declare(right),
                   b.each("k", kTerms / 8,
                          [&](Sym k) {
                            return ir::Body{
                                b.group([&](Sym t) { return ir::Body{b.each("j", 2, [&](Sym j) { return copied(k, t, j); })}; }),
                                b.barrier(), b.group([&](Sym t) {
                                  return ir::Body{b.each("term", 8, [&](Sym term) {
                                    return ir::Body{b.each(
                                        "i", 4, [&](Sym i) { return ir::Body{product(t, term, i)}; }, ir::LoopKind::kUnroll)};
                                  })};
                                }),
                                b.barrier()};
                          }),
                   b.group([&](Sym t) {
                     return ir::Body{b.each("i", 4, [&](Sym i) {
                       return ir::Body{b.store(2, (row + floor_div(t, 16) * 4 + i) * kSide + column + mod(t, 16), b.acc(sums, t * 4 + i))};
                     })};
                   })};
             }),
      {x, w}, {y});
}

/// y[b, i] = x[b, i] minus the largest of the 64 elements of x[b]. Each of 16 threads takes the maximum of 4 elements. A fold statement (a
/// reduction over the threads) then combines the maxima of all threads and gives the result to each thread.
inline void minus_largest(GroupBuilder& b, int64_t blocks) {
  const int x = b.input(DType::kF32), y = b.output(DType::kF32);
  const int lanes = b.spread(DType::kF32, 4, Op::kMax), largest = b.own(DType::kF32);
  const auto element = [&](Sym block, Sym t, Sym j) { return b.load(DType::kF32, 0, block * 64 + t * 4 + j, 1); };
  b.finish(
      b.each("block", blocks,
             [&](Sym block) {
               return ir::Body{
                   b.declare(lanes), b.group([&](Sym t) {
                     return ir::Body{b.each("j", 4, [&](Sym j) { return ir::Body{b.update(lanes, t * 4 + j, element(block, t, j))}; })};
                   }),
                   b.fold(lanes), b.declare(largest, b.acc(lanes, 0)), b.group([&](Sym t) {
                     return ir::Body{b.each("j", 4, [&](Sym j) {
                       return ir::Body{b.store(1, block * 64 + t * 4 + j,
                                               b.plus(element(block, t, j), b.arena->alu(Op::kNeg, DType::kF32, {b.acc(largest, 0)})))};
                     })};
                   })};
             }),
      {x}, {y});
}

constexpr int64_t kRingSteps = 6, kRingElements = kRingSteps * 64 - 30;
/// y[b, t] = the sum of x[b, step, 63 - t] over 6 steps. The last 30 of the 6 * 64 elements of each x[b] count as 0. Shared memory has room
/// for the elements of four steps. The 64 elements of a step are copied to it asynchronously, three steps before they are used: each of the
/// first 16 of the 64 threads copies 4 elements.
inline void sums_of_copies(GroupBuilder& b, int64_t blocks) {
  const int x = b.input(DType::kF32), y = b.output(DType::kF32);
  const int sums = b.spread(DType::kF32, 1), ring = b.shared(DType::kF32, 4 * 64);
  b.finish(b.each("block", blocks,
                  [&](Sym block) {
                    const auto copy = [&](Sym t, Sym step) {
                      const Sym first = step * 64 + t * 4, exist = max(min(Sym(kRingElements) - first, 4), 0);
                      return b.when(Sym(15) - t,
                                    {b.copy_async(ring, mod(step, 4) * 64 + t * 4, 0, block * (kRingSteps * 64) + first, 4, exist)});
                    };
                    ir::Body body = {b.declare(sums), b.declare(ring)};
                    for (int64_t step = 0; step < 3; ++step) body.push_back(b.group([&](Sym t) { return ir::Body{copy(t, step)}; }));
                    body.push_back(b.each("step", kRingSteps, [&](Sym step) {
                      return ir::Body{b.group([&](Sym) { return ir::Body{b.wait(2)}; }), b.barrier(), b.group([&](Sym t) {
                                        return ir::Body{copy(t, step + 3), b.update(sums, t, b.acc(ring, mod(step, 4) * 64 + 63 - t))};
                                      })};
                    }));
                    body.push_back(b.group([&](Sym) { return ir::Body{b.wait(0)}; }));
                    body.push_back(b.group([&](Sym t) { return ir::Body{b.store(1, block * 64 + t, b.acc(sums, t))}; }));
                    return body;
                  }),
           {x}, {y});
}
inline std::vector<float> expected_sums_of_copies(const std::vector<float>& x) {
  std::vector<float> result(x.size() / kRingSteps, 0.0f);
  for (size_t i = 0; i < result.size(); ++i)
    for (size_t step = 0; step < kRingSteps; ++step)
      if (const size_t element = step * 64 + 63 - i % 64; element < kRingElements) result[i] += x[i / 64 * (kRingSteps * 64) + element];
  return result;
}

/// Makes the threads of each group loop (loop over threads) run in the opposite order.
inline void reverse_threads(GroupBuilder& b) {
  const std::function<void(ir::Body&)> reverse = [&](ir::Body& body) {
    for (ir::Stmt* s : body) {
      ir::for_each_body(*s, reverse);
      if (auto* loop = ir::as<ir::Loop>(s); loop != nullptr && loop->loop == ir::LoopKind::kGroup)
        loop->body = ir::Substituter(*b.arena, {{variable_of(loop->variable), loop->end - 1 - loop->variable}})(loop->body);
    }
  };
  reverse(b.module.kernels[0].body);
}

}  // namespace harp::testing
