#include "lower/gpu/sum_of_slices.h"

#include <vector>

#include "ir/rewrite.h"
#include "lower/accumulate.h"
#include "schedule/gpu/product_slices.h"

namespace harp::lower {

using namespace ir;

namespace {

// The number of slices of a batch, whose sums a thread loads at the same time. The last batch may have fewer slices, so the loop over a
// batch tests whether each slice exists. A separate loop for the last batch would need no tests, but compilers for sm_100 and sm_120 would
// unroll it. If the number of results is known only at run time, these compilers compute the address of each load in advance, and a thread
// does not have enough registers for all these addresses.
constexpr int64_t kTogether = 8;

class SumOfSlices {
 public:
  explicit SumOfSlices(KernelContext& context)
      : c_(context),
        arena_(context.arena),
        reduce_(*context.plan.reduces[0]),
        dtype_(accumulator_dtype(reduce_)),
        space_(iteration_space(context.plan)) {
    counts_ = {slice_count(*as_product(c_.plan), c_.schedule.axes.back().split)};
    // sums of integers are the same in every order
    const int levels = is_int(dtype_) ? 1 : levels_needed(counts_[0], kChainBlock);
    Accumulators accumulators(c_.kernel);
    for (int level = 0; level < levels; ++level) {
      if (level > 0) counts_.push_back(ceil_div(counts_.back(), kChainBlock));
      sums_.push_back(accumulators.add(dtype_, 1, Op::kAdd, identity_of(Op::kSum, dtype_)));
    }
  }

  void run() {
    Loop* results = new_loop(arena_, "result", 0, element_count(space_), LoopKind::kThread);
    result_ = results->variable;
    results->body = blocks(sums_.size() - 1, 0, counts_.back());
    c_.values.bind(&reduce_, from_accumulator(arena_, reduce_, arena_.acc(dtype_, sums_.back(), 0)));
    for (Stmt* s : store_outputs(c_, c_.plan.passes[0].stores, unflatten(result_, space_))) results->body.push_back(s);
    c_.kernel.body = {results};
  }

 private:
  /// Returns statements that set the accumulator of this level to the sum of results begin … end - 1 of the level below. For level 0, these
  /// results are the sums of the slices.
  Body blocks(size_t level, Sym begin, Sym end) {
    Body body = {declare_accumulator(arena_, sums_[level])};
    if (level == 0) {
      Loop* batch = new_loop(arena_, "batch", 0, ceil_div(end - begin, kTogether));
      Loop* step = new_loop(arena_, "step", 0, kTogether, LoopKind::kUnroll);
      const Sym slice = begin + batch->variable * kTogether + step->variable;
      const UOp* sum = arena_.load(dtype_, c_.values.parameter(c_.plan.scratch, false), slice * element_count(space_) + result_);
      step->body = {new_if(arena_, end - slice - 1, {update_accumulator(arena_, sums_[0], 0, sum)})};
      batch->body = {step};
      body.push_back(batch);
      return body;
    }
    Loop* block = new_loop(arena_, "block", begin, end);
    const Sym first = block->variable * kChainBlock;
    block->body = blocks(level - 1, first, min(first + kChainBlock, counts_[level - 1]));
    block->body.push_back(update_accumulator(arena_, sums_[level], 0, arena_.acc(dtype_, sums_[level - 1], 0)));
    body.push_back(block);
    return body;
  }

  KernelContext& c_;
  Arena& arena_;
  const Node& reduce_;
  const DType dtype_;
  const Shape space_;        // the shape of the results
  std::vector<Sym> counts_;  // for each level: the number of results of the level below
  std::vector<int> sums_;    // for each level: its accumulator
  Sym result_ = 0;           // flattened index of the result that the thread computes
};

}  // namespace

Stmt* store_in_slice(KernelContext& c, Sym slice, const Index& position, const UOp* sum) {
  const Shape space = iteration_space(c.plan);
  auto* store = c.arena.statement<Store>();
  store->buffer = c.values.parameter(c.plan.scratch, true);
  store->index = slice * element_count(space) + flatten(position, space);
  store->value = sum;
  return store;
}

void lower_sum_of_slices(KernelContext& context) { SumOfSlices(context).run(); }

}  // namespace harp::lower
