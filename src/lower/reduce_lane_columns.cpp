// Lanes-order reductions (docs/semantics.md, "Sums") of rows whose elements are far apart in memory, while the elements at the same
// position of neighbouring rows are adjacent, such as the sum over the last axis of transpose(x) * v. Vectors along a row would be
// assembled from single elements. So vectors run across the rows here; the rows are then the columns of a tile, as in reduce_columns.cpp:
//
//   for tiles of columns:
//     for blocks of 4,096 elements of a row:
//       for each element number i: combine element i of every column of the tile into lane i mod 64 of that column
//       fold the lanes of all columns, by halving
//
// The 64 lanes of a column are `capacity` accumulators apart, and the columns of one lane are adjacent. If a row is known to be short, only
// as many lanes exist as the row has elements, and only one if any order of the elements gives the same bits. Combining a lane with the
// initial value of another one changes no bit of the result (docs/semantics.md, "Short known axes"), so lanes without elements are not
// folded.
//
// The same code is used for rows of a few elements whose number is unknown at compile time, also by kernels with several passes: folding 64
// lanes for each such row would take longer. Tiles of such rows are copied, transposed (transposed_rows.h).
// If the number of elements of a row is known and not large, most of this would be loads and stores of the lanes. Groups of lanes are then
// combined and folded in registers (schedule/lane_groups.h), and only one value of each group is an accumulator:
//
//   for each group g of lanes g, g + groups, g + 2 groups, …:
//     for each vector of columns: combine the elements of these lanes, and fold the lanes
//   fold the values of the groups
#include <algorithm>
#include <bit>

#include "lower/reduce_lowering.h"
#include "schedule/lane_groups.h"

namespace harp::lower {

using namespace ir;

bool ReduceLowering::has_lane_columns() const {
  return c_.program.target.gpu() == nullptr && attributes_.order == ReduceOrder::kLanes && !kept_.empty() &&
         c_.schedule.axes[kept_.size() - 1].simd_width > 1;
}

Body ReduceLowering::lane_columns_pass(const Tile& tile) {
  const Sym count = element_count(sizes(inner_));
  if (has_lane_groups(c_.plan)) return lane_groups_pass(tile, count.constant());
  const int64_t most = is_free_of_order(*pass_) ? 1 : most_elements(count, 1, c_.holds);  // all elements of a row may share one lane
  const LaneColumns columns{.lanes = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::clamp<int64_t>(most, 1, kLanes)))),
                            .set = tile.capacity % simd_width_ == 0 ? ceil_div(tile.width, simd_width_) * simd_width_ : tile.width};
  std::vector<BlockLevel> levels;
  for (int level = levels_of(*pass_, count, kLaneBlock, 1, c_.holds); level-- > 0;) {
    levels.push_back(new_level(std::max(kLanes, columns.lanes * tile.capacity)));
    // The arrays need no initial value, because statements set every lane that gets an element.
    for (const int a : levels.back().accumulators) c_.kernel.accumulators[static_cast<size_t>(a)].is_row = true;
  }
  std::vector<Sym> counts = {count};
  while (counts.size() < levels.size()) counts.push_back(ceil_div(counts.back(), kLaneBlock));
  Body body;
  lane_column_blocks(tile, columns, levels, counts, levels.size() - 1, 0, counts.back(), body);
  results_.push_back({pass_, levels.back(), levels.size()});
  return body;
}

// The elements of group g are g, g + groups, g + 2 groups, …: the first one of each lane of the group, then the second one of each, and so
// on. The elements that are combined with the initial value of a lane replace it, so that, as in lower/unrolled.cpp, +0.0 is added to a sum
// at the end. (result() adds it to a sum of products.)
Body ReduceLowering::lane_groups_pass(const Tile& tile, int64_t count) {
  const auto lanes = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::min(count, kLanes))));
  const int64_t of_group = std::min(lanes, kLanesOfGroup), groups = lanes / of_group;
  const BlockLevel level = new_level(std::max(kLanes, groups * tile.capacity));
  for (const int a : level.accumulators) c_.kernel.accumulators[static_cast<size_t>(a)].is_row = true;
  Body body;
  declare(level, body);
  const auto folded = [&](size_t r, const std::vector<const UOp*>& values, bool is_last) {
    const Node& reduce = *pass_->reduces[r];
    const DType dtype = accumulator_dtype(reduce);
    const Op combine = combine_of(reduce.op);
    const UOp* result = halved(arena_, values, combine, dtype);
    if (!is_last || combine != Op::kAdd || !is_float(dtype) || reduce.as<ReduceAttributes>().product) return result;
    return arena_.apply(Op::kAdd, dtype, {result, arena_.constant(identity_of(Op::kSum, dtype))});
  };
  const auto lanes_of_group = [&](size_t r, Sym group, int64_t elements, Sym column, const UOp* mask) {
    const DType dtype = accumulator_dtype(*pass_->reduces[r]);
    std::vector<const UOp*> values;
    for (int64_t i = 0; i < elements; ++i) {
      const std::vector<const UOp*> combined = operands(r, source_index(kept_at(tile, column), 0, group + groups * i), mask);
      const auto lane = static_cast<size_t>(i % of_group);
      if (lane == values.size())
        values.push_back(combined.size() > 1 ? arena_.apply(Op::kMul, dtype, combined) : combined[0]);
      else
        values[lane] = combined.size() > 1 ? sum_of_product(arena_, combined[0], combined[1], values[lane])
                                           : arena_.apply(combine_of(pass_->reduces[r]->op), dtype, {values[lane], combined[0]});
    }
    return values;
  };
  const auto add_groups = [&](int64_t begin, int64_t end, int64_t elements) {
    if (begin == end) return;
    Loop* group = new_loop(arena_, "group", begin, end);
    group->body = each_column(tile, 1, [&](Sym column, const UOp* mask, Body& to) {
      for (size_t r = 0; r < pass_->reduces.size(); ++r)
        to.push_back(set_accumulator(arena_, level.accumulators[r], group->variable * tile.capacity + column,
                                     folded(r, lanes_of_group(r, group->variable, elements, column, mask), groups == 1)));
    });
    body.push_back(group);
  };
  add_groups(0, count % groups, count / groups + 1);
  add_groups(count % groups, groups, count / groups);
  if (groups > 1) {
    Loop* columns = new_loop(arena_, "column", 0, tile.width);
    for (size_t r = 0; r < pass_->reduces.size(); ++r) {
      std::vector<const UOp*> values;
      for (int64_t g = 0; g < groups; ++g)
        values.push_back(arena_.acc(accumulator_dtype(*pass_->reduces[r]), level.accumulators[r], tile.capacity * g + columns->variable));
      columns->body.push_back(set_accumulator(arena_, level.accumulators[r], columns->variable, folded(r, values, true)));
    }
    for (Stmt* s : vector_loop(columns, simd_width_)) body.push_back(s);
  }
  results_.push_back({pass_, level, 1});
  return body;
}

void ReduceLowering::lane_column_blocks(const Tile& tile, const LaneColumns& columns, const std::vector<BlockLevel>& levels,
                                        const std::vector<Sym>& counts, size_t level, Sym begin, Sym end, Body& body) {
  const auto add = [](const Body& statements, Body& to) { to.insert(to.end(), statements.begin(), statements.end()); };
  const auto each_column = [&](auto statements, Body& to) {
    Loop* column = new_loop(arena_, "column", 0, columns.set);
    statements(column->variable, column->body);
    add(vector_loop(column, simd_width_), to);
  };
  const auto each_lane = [&](Sym lanes, auto statements) {
    if (proven_at_most(lanes, 0)) return;
    if (lanes.is_constant(1)) return each_column([&](Sym column, Body& to) { statements(column, to); }, body);
    Loop* lane = new_loop(arena_, "lane", 0, lanes);
    each_column([&](Sym column, Body& to) { statements(lane->variable * tile.capacity + column, to); }, lane->body);
    body.push_back(lane);
  };
  const Sym used = min(Sym(columns.lanes), end - begin);
  declare(levels[level], body);
  each_lane(max(Sym(1), used), [&](Sym element, Body& to) {  // Lane 0 is set even if there are no elements.
    for (const int a : levels[level].accumulators)
      to.push_back(set_accumulator(arena_, a, element, arena_.constant(c_.kernel.accumulators[static_cast<size_t>(a)].init)));
  });
  if (level == 0) {
    lane_column_elements(tile, columns, levels[0], begin, end, body);
  } else {
    Loop* blocks = new_loop(arena_, cat("block", level), begin, end);
    const Sym first = blocks->variable * kLaneBlock, lane = mod(blocks->variable - begin, columns.lanes);
    lane_column_blocks(tile, columns, levels, counts, level - 1, first, min(first + kLaneBlock, counts[level - 1]), blocks->body);
    each_column([&](Sym column, Body& to) { carry(levels[level - 1], column, levels[level], lane * tile.capacity + column, to); },
                blocks->body);
    body.push_back(blocks);
  }
  for (int64_t half = columns.lanes / 2; half > 0; half /= 2)
    each_lane(max(Sym(0), min(used, Sym(2 * half)) - half),
              [&](Sym element, Body& to) { carry(levels[level], element + half * tile.capacity, levels[level], element, to); });
}

void ReduceLowering::lane_column_elements(const Tile& tile, const LaneColumns& columns, const BlockLevel& level, Sym begin, Sym end,
                                          Body& body) {
  const auto add_rows_of_lanes = [&](Sym from, Sym until, int64_t together) {
    if (proven_at_most(until, from)) return;
    Loop* step = new_loop(arena_, next_name(), from, until);
    step->step = columns.lanes * together;
    Loop* lane = new_loop(arena_, next_name(), 0, columns.lanes);
    lane->body =
        rows(tile, level, step->variable + lane->variable, static_cast<int>(together), columns.lanes, lane->variable * tile.capacity);
    step->body = {lane};
    body.push_back(step);
  };
  // Elements that belong to the same lane are `lanes` apart. Several of them are combined with one load and store of the accumulators.
  const int64_t together = std::max(1, c_.schedule.axes.back().unroll), of_step = columns.lanes * together;
  const Sym full = begin + floor_div(end - begin, of_step) * of_step;
  if (columns.lanes == kLanes) add_rows_of_lanes(begin, full, together);
  const Sym rest = columns.lanes == kLanes ? full : begin;
  if (proven_at_most(end, rest)) return;
  Loop* row = new_loop(arena_, next_name(), rest, end);
  row->body = rows(tile, level, row->variable, 1, 1, mod(row->variable - begin, columns.lanes) * tile.capacity);
  body.push_back(row);
}

}  // namespace harp::lower
