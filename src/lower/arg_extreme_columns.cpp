// ArgMax and ArgMin in chain order (docs/semantics.md, "Other reductions"): the columns, which are adjacent in memory, are reduced
// independently of each other. Short rows are reduced in the same way: a tile of them is copied, transposed, and they become columns.
#include <algorithm>

#include "base/integers.h"
#include "lower/arg_extreme_lowering.h"
#include "lower/block_copy.h"
#include "lower/copied_values.h"

namespace harp::lower {

using namespace ir;

Body ArgExtremeLowering::tiles() {
  constexpr int64_t kColumns = 1024;  // maximum number of columns whose results stay in the L1 cache
  std::vector<Loop*> nest;
  Index outer;
  for (size_t i = 0; i + 1 < kept_.size(); ++i) {
    nest.push_back(new_loop(arena_, cat("oidx", i), 0, source_.shape[kept_[i]]));
    outer.push_back(nest.back()->variable);
  }
  const Sym width = source_.shape[kept_.back()];
  const int64_t wanted = c_.schedule.axes[kept_.size() - 1].tile, most = std::max<int64_t>(range(width).hi, 1);
  const int64_t tile = wanted > 0 ? wanted : kColumns;
  const int64_t capacity = ceil_div(std::min(most, tile), lanes_) * lanes_;
  const auto computed = [&](Sym exist) { return copies_tiles() ? Sym(capacity) : exist; };
  if (most <= tile) return nested(nest, columns({outer, 0, width, capacity, computed(width)}));
  nest.push_back(new_loop(arena_, "tile", 0, ceil_div(width, tile)));
  const Sym start = nest.back()->variable * tile, exist = min(Sym(tile), width - start);
  return nested(nest, columns({outer, start, exist, capacity, computed(exist)}));
}

bool ArgExtremeLowering::copies_tiles() const {
  return c_.program.target.gpu() == nullptr && c_.plan.reduces[0]->as<ReduceAttributes>().order == ReduceOrder::kLanes && !kept_.empty() &&
         c_.schedule.axes[kept_.size() - 1].simd_width > 1;
}

Body ArgExtremeLowering::copy_of(const Columns& tile) {
  const int64_t elements = count_.constant() * tile.capacity;
  const DType dtype = copied_as(source_.dtype);
  if (copy_ < 0) copy_ = accumulators_.add_array(dtype, elements);
  Body body = {declare_accumulator(arena_, copy_)};
  const auto value = [&](Sym column, Sym at) { return c_.values.value(&source_, index_in_source(tile.position(column), at)); };
  Loop *row = new_loop(arena_, next_name(), 0, count_), *column = new_loop(arena_, "column", 0, tile.width);
  const auto copied = [&](const UOp* x) {
    column->body = {set_accumulator(arena_, copy_, row->variable * tile.capacity + column->variable, x)};
    row->body = {column};
    return as_block_copy(arena_, row, column);
  };
  Copy* copy = copied(value(column->variable, row->variable));
  if (copy == nullptr || !copy->from_row_stride.is_constant(1)) {
    // The elements are computed, or are not adjacent in memory.
    if (values_ < 0) values_ = accumulators_.add_array(dtype, elements);
    body.push_back(declare_accumulator(arena_, values_));
    Loop *outer = new_loop(arena_, "column", 0, tile.width), *inner = new_loop(arena_, next_name(), 0, count_);
    const UOp* x = same_bits(arena_, dtype, value(outer->variable, inner->variable));
    inner->body = {set_accumulator(arena_, values_, outer->variable * count_ + inner->variable, x)};
    outer->body = inner_loop(c_, inner, static_cast<int>(lanes_), true);
    body.push_back(outer);
    copy = copied(arena_.acc(dtype, values_, column->variable * count_ + row->variable));
  }
  body.push_back(copy);
  if (proven_at_most(tile.computed, tile.width)) return body;
  Loop *rows = new_loop(arena_, next_name(), 0, count_), *beyond = new_loop(arena_, "beyond", tile.width, tile.computed);
  beyond->body = {set_accumulator(arena_, copy_, rows->variable * tile.capacity + beyond->variable, number(dtype, 0))};
  rows->body = {beyond};
  body.push_back(new_if(arena_, tile.computed - tile.width - 1, {rows}));
  return body;
}

const UOp* ArgExtremeLowering::element_of_column(const Columns& tile, Sym column, Sym at) {
  if (copy_ < 0) return element(tile.position(column), at);
  const UOp* x = arena_.acc(copied_as(source_.dtype), copy_, at * tile.capacity + column);
  return to_accumulator(arena_, source_, same_bits(arena_, source_.dtype, x));
}

int ArgExtremeLowering::set_columns(const Columns& tile, int accumulator, Body& body) {
  constexpr int64_t kVectorsSetAtOnce = 4;
  if (accumulator < 0 || c_.program.target.gpu() != nullptr || tile.computed.is_constant()) return accumulator;
  if (tile.capacity < kLanes || tile.capacity <= kVectorsSetAtOnce * lanes_) return accumulator;
  Accumulator& columns = c_.kernel.accumulators[static_cast<size_t>(accumulator)];
  columns.is_row = true;
  Loop* column = new_loop(arena_, "column", 0, ceil_div(tile.computed, lanes_) * lanes_);
  column->body = {set_accumulator(arena_, accumulator, column->variable, arena_.constant(columns.init))};
  add(vector_loop(column, static_cast<int>(lanes_)), body);
  return accumulator;
}

Body ArgExtremeLowering::columns(const Columns& tile) {
  Body body;
  if (copies_tiles()) body = copy_of(tile);
  sum_ = set_columns(tile, new_sum(tile.capacity, body), body);
  if (proven_at_most(count_, kPiece)) {
    add(rows_of_piece(tile, 0, count_), body);
  } else {
    const int best = set_columns(tile, new_best(tile.capacity, body), body),
              index = set_columns(tile, new_numbers(DType::kI64, tile.capacity, body), body);
    Loop* pieces = new_loop(arena_, "piece", 0, ceil_div(count_, kPiece));
    const Sym first = pieces->variable * kPiece;
    pieces->body = rows_of_piece(tile, first, min(first + kPiece, count_));
    each_column(tile, wide_lanes(), pieces->body, [&](Sym column, Body& into) {
      const UOp *before = acc(best, column), *x = acc(best_, column);
      const UOp* here = plus(arena_.cast(DType::kI64, acc(index_, column)), arena_.index(first));
      into.push_back(set_accumulator(arena_, index, column, choose(is_better(before, x), here, acc(index, column))));
      into.push_back(set_accumulator(arena_, best, column, better_of(before, x)));
    });
    body.push_back(pieces);
    best_ = best, index_ = index;
  }
  if (has_nan()) add(columns_with_nan(tile), body);
  Columns stored = tile;
  stored.computed = tile.width;
  each_column(stored, wide_lanes(), body, [&](Sym column, Body& into) {
    store(tile.position(column), arena_.cast(DType::kI64, acc(index_, column)), acc(best_, column), into);
  });
  return body;
}

Body ArgExtremeLowering::rows_of_piece(const Columns& tile, Sym begin, Sym end) {
  Body body;
  best_ = set_columns(tile, new_best(tile.capacity, body), body);
  index_ = set_columns(tile, new_numbers(DType::kI32, tile.capacity, body), body);
  const auto rows = [&](Sym from, Sym to, int64_t together) {
    if (proven_at_most(to, from)) return;
    Loop* row = new_loop(arena_, next_name(), from, to);
    row->step = together;
    const auto visit = [&](Sym column, Body& into) {
      const UOp *best = acc(best_, column), *index = acc(index_, column), *sum = nullptr;
      for (int64_t i = 0; i < together; ++i) {
        const UOp* x = element_of_column(tile, column, row->variable + i);
        index = choose(is_better(best, x), number(DType::kI32, row->variable + i - begin), index);
        best = better_of(best, x);
        sum = sum == nullptr ? x : plus(sum, x);
      }
      into.push_back(set_accumulator(arena_, index_, column, index));
      into.push_back(set_accumulator(arena_, best_, column, best));
      if (has_nan()) into.push_back(update_accumulator(arena_, sum_, column, sum));
    };
    each_column(tile, lanes_, row->body, visit, c_.schedule.axes[kept_.size() - 1].unroll);
    body.push_back(row);
  };
  const int64_t together = std::max(1, c_.schedule.axes.back().unroll);
  const Sym full = begin + floor_div(end - begin, together) * together;
  rows(begin, full, together);
  rows(full, end, 1);
  return body;
}

const UOp* ArgExtremeLowering::sum_of_columns(const Columns& tile, Body& body) {
  if (tile.capacity == 1) return acc(sum_, 0);
  // Numbers of two accumulators of running sums, which become NaN if some column contains a NaN: `all` is for the columns that form whole
  // vectors, `rest` for the remaining columns.
  const int all = new_sum(lanes_, body), rest = new_sum(1, body);
  const Sym whole = floor_div(tile.computed, lanes_);
  if (!whole.is_constant(0)) {
    Loop* vectors = new_loop(arena_, "vector", 0, whole);
    each_lane(lanes_, vectors->body, [&](Sym lane, Body& into) {
      into.push_back(update_accumulator(arena_, all, lane, acc(sum_, vectors->variable * lanes_ + lane)));
    });
    body.push_back(vectors);
  }
  if (!mod(tile.computed, lanes_).is_constant(0)) {
    Loop* single = new_loop(arena_, "column", whole * lanes_, tile.computed);
    single->body = {update_accumulator(arena_, rest, 0, acc(sum_, single->variable))};
    body.push_back(single);
  }
  body.push_back(folded(all));
  return plus(acc(all, 0), acc(rest, 0));
}

Body ArgExtremeLowering::columns_with_nan(const Columns& tile) {
  Body body, again;
  const UOp* sum = sum_of_columns(tile, body);
  const int nan = set_columns(tile, new_indices(DType::kI64, tile.capacity, again), again);
  Loop* row = new_loop(arena_, next_name(), 0, count_);
  each_column(tile, wide_lanes(), row->body, [&](Sym column, Body& into) {
    const UOp* x = element_of_column(tile, column, row->variable);
    into.push_back(update_accumulator(arena_, nan, column, choose(is_nan(x), arena_.index(row->variable), no_index(DType::kI64))));
  });
  again.push_back(row);
  each_column(tile, wide_lanes(), again, [&](Sym column, Body& into) { replace_by_nan(acc(nan, column), best_, index_, column, into); });
  body.push_back(if_nan(sum, std::move(again)));
  return body;
}

}  // namespace harp::lower
