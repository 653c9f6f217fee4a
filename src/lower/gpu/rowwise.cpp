// Implements a part of the class GroupRows (rows.h): the passes in which a group of threads processes its row, and the loop over rows.
#include "lower/gpu/batches.h"
#include "lower/gpu/rows.h"

namespace harp::lower {

using namespace ir;

void GroupRows::run() {
  const auto statements = [&](const Index& position) { return row(position); };
  c_.kernel.body = {loop_over_rows(arena_, sizes(kept_), elements_, distances_, is_wide_, statements)};
}

Body GroupRows::row(const Index& kept) {
  results_.clear();
  rows_.release();
  return lanes(kept);
}

const UOp* GroupRows::uniform(const UOp* value, Body& body) {
  const DType dtype = value->type.dtype;
  const int accumulator = accumulators_.add(dtype, 1, Op::kAdd, scalar_from_int(dtype, 0));
  body.push_back(declare_accumulator(arena_, accumulator, value));
  return arena_.acc(dtype, accumulator, 0);
}

void GroupRows::finish_pass(const RowPass& pass, const Index& kept, Body& body) {
  for (size_t r = 0; r < pass.reduces.size(); ++r)
    c_.values.bind(pass.reduces[r], from_accumulator(arena_, *pass.reduces[r], uniform(result(results_.back(), r, 0), body)));
  rows_.bind(pass);
  if (pass.stores.empty()) return;
  Loop* group = new_group();
  group->body = {new_if(arena_, -group->variable, store_outputs(c_, pass.stores, kept))};
  body.push_back(group);
}

Body GroupRows::row_loops(const Index& kept) {
  const BlockLevel nothing{};
  const Sym inner = element_count(sizes(inner_)), outer = element_count(sizes(outer_));
  Loop* group = new_group();
  const auto elements = [&](Sym at) {
    return rounds(0, inner, [&](Sym start, Sym count) {
      return round(group->variable, nothing, start, count, [&](size_t, Sym lane) { return source_index(kept, at, lane); });
    });
  };
  if (outer_.empty()) {
    group->body = elements(0);
  } else {
    Loop* loop = new_loop(arena_, next_name(), 0, outer);
    loop->body = elements(loop->variable);
    group->body = {loop};
  }
  return {group};
}

}  // namespace harp::lower
