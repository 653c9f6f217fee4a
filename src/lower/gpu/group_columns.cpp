#include "lower/gpu/group_columns.h"

#include <algorithm>

#include "lower/gpu/batches.h"

namespace harp::lower {

using namespace ir;

GroupColumns::GroupColumns(KernelContext& context)
    : ReduceLowering(context),
      only_pass_(context.plan.passes[0]),
      before_(kept_sizes(false)),
      columns_(kept_sizes(true)),
      width_(element_count(columns_)),
      copied_(operands_to_copy()),
      tile_(arena_, width_, std::min(range(element_count(sizes(outer_))).hi, kChainBlock), bytes_of_element()) {
  pass_ = &only_pass_;
}

void GroupColumns::run() {
  const Shape space = {element_count(before_), ceil_div(width_, tile_.columns)};
  Loop* loop = new_loop(arena_, "block", 0, element_count(space), LoopKind::kThread);
  const Index at = unflatten(loop->variable, space);
  outer_index_ = unflatten(at[0], before_);
  first_column_ = at[1] * tile_.columns, columns_left_ = width_ - first_column_;

  Body& body = loop->body;
  declare_copies(body);
  std::vector<BlockLevel> levels;
  for (int l = chain_levels(only_pass_); l-- > 0;) levels.push_back(new_level(1));
  const auto rows = [&](Sym begin, Sym end, Body& into) { combine_rows(levels[0], begin, end, into); };
  chain_blocks(levels, element_count(sizes(outer_)), 1, rows, WholeBlocks(), body);
  results_.push_back({&only_pass_, levels.back(), levels.size()});
  body.push_back(store_results());
  c_.kernel.body = {loop};
}

// --- columns -----------------------------------------------------------------------------------------------------------------

Shape GroupColumns::kept_sizes(bool is_after) const {
  const auto last = static_cast<size_t>(*std::ranges::max_element(attributes_.axes));
  Shape result;
  for (const size_t axis : kept_)
    if ((axis > last) == is_after) result.push_back(size(axis));
  return result;
}

Index GroupColumns::kept_index(Sym column) const {
  Index kept = outer_index_;
  const Index inner = unflatten(first_column_ + column, columns_);
  kept.insert(kept.end(), inner.begin(), inner.end());
  return kept;
}

// --- levels: each thread has the values of its column --------------------------------------------------------------------------

ReduceLowering::BlockLevel GroupColumns::new_level(int64_t count) {
  BlockLevel level = ReduceLowering::new_level(count * tile_.threads);
  for (const int a : level.accumulators) {
    ir::Accumulator& values = c_.kernel.accumulators[static_cast<size_t>(a)];
    values.space = Space::kRegister, values.spread = count;
  }
  return level;
}

void GroupColumns::carry(const BlockLevel& from, Sym from_element, const BlockLevel& to, Sym to_element, Body& body) {
  Loop* group = tile_.new_group();
  ReduceLowering::carry(from, group->variable + from_element, to, group->variable + to_element, group->body);
  body.push_back(group);
}

// --- copies of the operands in shared memory -----------------------------------------------------------------------------------

std::vector<GroupColumns::Copied> GroupColumns::operands_to_copy() const {
  std::vector<Copied> all;
  for (const Node* reduce : only_pass_.reduces)
    for (const Node* operand : operands_of(*reduce)) {
      const DType dtype = accumulator_dtype(*reduce);
      const auto is_same = [&](const Copied& copied) { return copied.operand == operand && copied.dtype == dtype; };
      if (std::ranges::none_of(all, is_same)) all.push_back({operand, dtype});
    }
  return all;
}

int64_t GroupColumns::bytes_of_element() const {
  int64_t bytes = 0;
  for (const Copied& copied : copied_) bytes += static_cast<int64_t>(size_of(copied.dtype));
  return bytes;
}

void GroupColumns::declare_copies(Body& body) {
  for (Copied& copied : copied_) {
    copied.array = static_cast<int>(c_.kernel.accumulators.size());
    c_.kernel.accumulators.push_back({.type = {copied.dtype, 1},
                                      .count = tile_.elements(),
                                      .init = scalar_from_int(copied.dtype, 0),
                                      .space = Space::kShared,
                                      .is_row = true});
    body.push_back(declare_accumulator(arena_, copied.array));
  }
}

int GroupColumns::copy_of(const Node* operand, DType dtype) const {
  const auto is_same = [&](const Copied& copied) { return copied.operand == operand && copied.dtype == dtype; };
  return std::ranges::find_if(copied_, is_same)->array;
}

// --- rows ----------------------------------------------------------------------------------------------------------------------

void GroupColumns::combine_rows(const BlockLevel& level, Sym begin, Sym end, Body& body) {
  const Sym count = end - begin;
  if (proven_at_most(count, tile_.rows)) return combine_tile(level, begin, count, body);
  Loop* tiles = new_loop(arena_, "tile", 0, ceil_div(count, tile_.rows));
  const Sym before = tiles->variable * tile_.rows;
  combine_tile(level, begin + before, count - before, tiles->body);
  body.push_back(tiles);
}

void GroupColumns::combine_tile(const BlockLevel& level, Sym first, Sym left, Body& body) {
  tile_.for_each_element(left, columns_left_, body,
                         [&](const ColumnTile::Element& e) { return e.exists ? copy(e, first + e.row) : Body{}; });
  body.push_back(arena_.statement<Barrier>());
  Loop* group = tile_.new_group();
  const Sym thread = group->variable;
  Body rows = in_batches(arena_, 0, min(Sym(tile_.rows), left), ColumnTile::kBatch, [&](Sym row) { return combine(level, row, thread); });
  group->body = {new_if(arena_, tile_.has_column(thread, columns_left_), std::move(rows))};
  body.push_back(group);
  body.push_back(arena_.statement<Barrier>());
}

Body GroupColumns::copy(const ColumnTile::Element& element, Sym row) {
  const Index index = source_index(kept_index(element.column), row, 0);
  std::vector<int> copied;
  Body body;
  for (size_t r = 0; r < only_pass_.reduces.size(); ++r) {
    const Node& reduce = *only_pass_.reduces[r];
    const std::vector<const UOp*> values = operands(r, index);
    for (size_t i = 0; i < values.size(); ++i) {
      const int array = copy_of(operands_of(reduce)[i], accumulator_dtype(reduce));
      if (std::ranges::find(copied, array) != copied.end()) continue;
      copied.push_back(array);
      body.push_back(set_accumulator(arena_, array, element.place, values[i]));
    }
  }
  return body;
}

Body GroupColumns::combine(const BlockLevel& level, Sym row, Sym thread) const {
  Body body;
  for (size_t r = 0; r < only_pass_.reduces.size(); ++r) {
    const Node& reduce = *only_pass_.reduces[r];
    const DType dtype = accumulator_dtype(reduce);
    std::vector<const UOp*> values;
    for (const Node* operand : operands_of(reduce))
      values.push_back(arena_.acc(dtype, copy_of(operand, dtype), row * tile_.columns + thread));
    body.push_back(update_accumulator(arena_, level.accumulators[r], thread, values[0], values.size() > 1 ? values[1] : nullptr));
  }
  return body;
}

Loop* GroupColumns::store_results() {
  Loop* group = tile_.new_group();
  const Sym thread = group->variable;
  bind_results(thread);
  Body stores = store_outputs(c_, only_pass_.stores, kept_index(thread));
  group->body = {new_if(arena_, tile_.has_column(thread, columns_left_), std::move(stores))};
  return group;
}

}  // namespace harp::lower
