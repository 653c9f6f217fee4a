// The transpose template lowers an elementwise kernel to blocks of two axes. Along the last axis ("columns") the stores are contiguous.
// Along another axis ("rows") some loads are contiguous; these are the *crossed* loads.
//
//   for the other axes, for blocks of rows, for blocks of columns:
//     copy each crossed load for the whole block, transposed, so that it is contiguous along columns
//     for rows and columns of the block: compute from the copies, and store
//     for outputs that are just a crossed load: transpose the block from memory to memory
//
// The copies come first and the transposed outputs last, because a store may overwrite, in place, an element that another output reads. If
// the schedule says so (AxisSchedule::pack of the rows), outputs that are just a crossed load are also computed from copies, so that stores
// write consecutive cache lines; while a row of a block is stored, a part of the next block is prefetched (Schedule::prefetch).
//
// With non-temporal stores (Schedule::nontemporal) blocks of columns begin at cache lines. Without packing, the loop over blocks of columns
// is outside of the loop over blocks of rows: the loads are then a few memory streams, one for each column of the block, and the stores are
// whole cache lines.
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/text.h"
#include "lower/accumulate.h"
#include "lower/copied_values.h"
#include "lower/gpu/transpose.h"

namespace harp::lower {

using namespace ir;

namespace {

// Maximum number of crossed loads that are copied; any further crossed loads read the array directly.
constexpr size_t kMaxCopies = 8;

class TransposeLowering {
 public:
  explicit TransposeLowering(KernelContext& context)
      : c_(context), arena_(context.arena), accumulators_(context.kernel), space_(iteration_space(context.plan)) {
    columns_ = space_.size() - 1;
    rows_ = 0;
    while (c_.schedule.axes[rows_].tile == 0) ++rows_;
    order_.resize(space_.size());
    std::iota(order_.begin(), order_.end(), size_t(0));
    packs_ = c_.schedule.axes[rows_].pack;
    if (c_.schedule.nontemporal && !packs_) std::rotate(order_.begin() + 1, order_.end() - 1, order_.end());
  }

  void run() {
    position_.assign(space_.size(), Sym(0));
    size_here_ = space_;
    Body body = blocks(0);
    if (c_.schedule.axes[0].kind == AxisKind::kThread && body.size() == 1 && body[0] == outermost_) outermost_->loop = LoopKind::kThread;
    c_.kernel.body = std::move(body);
  }

 private:
  /// A load that is contiguous along the rows. It reads the position `first` + (the variable of the rows) + (the variable of the columns) *
  /// `step`.
  struct Crossed {
    const UOp* load;
    Sym first, step;
  };

  int64_t tile(size_t axis) const {
    return std::max<int64_t>(1, std::min(range(space_[axis]).hi, std::max<int64_t>(1, c_.schedule.axes[axis].tile)));
  }

  /// Returns the loops over blocks of axes order_[depth], order_[depth + 1] …, with the statements of a block inside.
  Body blocks(size_t depth) {
    if (depth == space_.size()) return block();
    const size_t axis = order_[depth];
    if (axis == columns_ && c_.schedule.nontemporal) return blocks_of_lines(depth);
    const int64_t step = axis == rows_ || axis == columns_ ? tile(axis) : 1;
    const Sym count = ceil_div(space_[axis], step);
    if (count.is_constant(1)) return blocks(depth + 1);
    Loop* loop = new_loop(arena_, cat("block", axis), 0, count);
    if (outermost_ == nullptr) outermost_ = loop;
    position_[axis] = loop->variable * step;
    size_here_[axis] = min(Sym(step), space_[axis] - position_[axis]);
    loop->body = blocks(depth + 1);
    return {loop};
  }

  /// Returns the loop over blocks of columns such that each block begins at a cache line, for every alignment of the array.
  Body blocks_of_lines(size_t depth) {
    const Store& store = *as<Store>(store_outputs(c_, Index(space_.size(), Sym(0)))[0]);
    const int64_t line = std::max<int64_t>(1, kLineBytes / static_cast<int64_t>(size_of(store.value->type.dtype)));
    auto* define = arena_.statement<Define>();
    define->value = arena_.line_offset(store.buffer, store.index);
    define->variable = arena_.syms().loop("before", 0, line);
    const int64_t step = tile(columns_);
    Loop* loop = new_loop(arena_, cat("block", columns_), 0, ceil_div(space_[columns_] + (line - 1), step));
    const Sym begin = loop->variable * step - define->variable;
    position_[columns_] = max(begin, 0);
    // The last block may be empty.
    size_here_[columns_] = max(min(begin + step, space_[columns_]) - position_[columns_], 0);
    loop->body = blocks(depth + 1);
    define->body = {loop};
    return {define};
  }

  Body block() {
    const Sym rows_here = size_here_[rows_], columns_here = size_here_[columns_];
    Loop *row = new_loop(arena_, "row", 0, rows_here), *column = new_loop(arena_, "column", 0, columns_here);
    Index position = position_;
    position[rows_] += row->variable;
    position[columns_] += column->variable;
    const Body stores = store_outputs(c_, position);
    mark_in_place(c_);

    Body copied, computed, transposed;
    for (Stmt* stored : stores) {
      auto* store = as<Store>(stored);
      const auto crossed = as_crossed(store->value, row, column);
      // A bool cannot be copied as a byte: any nonzero byte reads as true, but true must be stored as 1.
      const bool is_as_stored = crossed && !is_bool(crossed->load->type.dtype);
      if (!is_as_stored || packs_ || mask_of(crossed->load) != nullptr || !is_row_major(*store, row, column)) {
        computed.push_back(store);
        continue;
      }
      const SymSubstitution first = {{variable_of(row->variable), 0}, {variable_of(column->variable), 0}};
      Copy* s = transpose(*crossed, rows_here, columns_here);
      s->buffer = store->buffer;
      s->nontemporal = c_.schedule.nontemporal;
      s->index = substitute(store->index, first);
      s->stride = linear_in(store->index, variable_of(row->variable))->coefficient;
      transposed.push_back(s);
    }
    if (!computed.empty()) {
      column->body = from_copies(computed, row, column, copied);
      tag(column);
      row->body = prefetches_;
      row->body.push_back(column);
      // The tag `nest` allows the loops over rows and columns to be fused. A packed copy prevents the fusion, because its rows are longer
      // than those of the block, so that positions in it are not one contiguous range.
      if (prefetches_.empty()) row->tags.nest.emplace();
      copied.push_back(row);
    }
    copied.insert(copied.end(), transposed.begin(), transposed.end());
    return copied;
  }
  Body tag(Loop* loop) const { return inner_loop(c_, loop, c_.schedule.axes.back().simd_width, c_.schedule.may_overlap()); }

  std::optional<Crossed> as_crossed(const UOp* u, const Loop* row, const Loop* column) const {
    if (u->kind != UKind::kLoad) return std::nullopt;
    const auto along_rows = linear_in(u->index, variable_of(row->variable));
    if (!along_rows || !along_rows->coefficient.is_constant(1)) return std::nullopt;
    const auto along_columns = linear_in(along_rows->rest, variable_of(column->variable));
    if (!along_columns) return std::nullopt;
    const Sym step = along_columns->coefficient;
    if (step.is_constant() && std::abs(step.constant()) <= 1) return std::nullopt;
    return Crossed{u, along_columns->rest, step};
  }
  static bool is_row_major(const Store& store, const Loop* row, const Loop* column) {
    const auto along_columns = linear_in(store.index, variable_of(column->variable));
    return store.mask == nullptr && along_columns && along_columns->coefficient.is_constant(1) &&
           linear_in(store.index, variable_of(row->variable));
  }

  Copy* transpose(const Crossed& crossed, Sym rows, Sym columns) {
    auto* s = arena_.statement<Copy>();
    s->inputs = {crossed.load->buffer};
    s->from = crossed.first;
    s->from_stride = crossed.step;
    s->rows = rows;
    s->length = columns;
    return s;
  }

  /// Appends prefetches to prefetches_, which are executed for each row of the block: each row fetches a share of what the next block of
  /// columns loads, into the second-level cache.
  void prefetch_next_block(const Crossed& crossed, Sym row) {
    const int64_t line = kLineBytes / static_cast<int64_t>(size_of(crossed.load->type.dtype));
    // Maximum number of prefetches for each row, which are unrolled.
    constexpr int64_t kMaxPrefetches = 16;
    const int64_t lines = (tile(rows_) + line - 1) / line;
    const int64_t here = std::min(kMaxPrefetches, (tile(columns_) * lines + tile(rows_) - 1) / tile(rows_));
    for (int64_t i = 0; i < here; ++i) {
      const Sym number = row * here + i, column = tile(columns_) + floor_div(number, lines);
      prefetches_.push_back(prefetch(arena_, crossed.load->buffer, crossed.first + column * crossed.step + mod(number, lines) * line));
    }
  }

  /// Returns the statements with crossed loads replaced by loads from copies, and appends the statements that make the copies to `copies`.
  /// With packing, the rows of a copy are one cache line longer than those of the block, to avoid conflict misses in the first-level cache.
  Body from_copies(const Body& statements, const Loop* row, const Loop* column, Body& copies) {
    prefetches_.clear();
    Substituter with_copies(arena_, {});
    size_t count = 0;
    for (const UOp* u : uops_of(arena_, statements)) {
      const auto crossed = as_crossed(u, row, column);
      if (!crossed || count == kMaxCopies) continue;
      const DType dtype = copied_as(u->type.dtype);
      const int64_t width = tile(columns_) + (packs_ ? kLineBytes / static_cast<int64_t>(size_of(dtype)) : 0);
      const auto at = [&](Sym r, Sym c) { return r * width + c; };
      const size_t number = count++;
      if (number == copies_.size()) copies_.push_back(accumulators_.add_array(dtype, tile(rows_) * width));
      const int copy = copies_[number];
      copies.push_back(declare_accumulator(arena_, copy));
      if (mask_of(u) == nullptr) {
        Copy* s = transpose(*crossed, row->end, column->end);
        s->accumulator = copy;
        s->stride = width;
        s->as_read = packs_;
        copies.push_back(s);
        if (c_.schedule.prefetch) prefetch_next_block(*crossed, row->variable);
      } else {
        Loop *c = new_loop(arena_, "column", 0, column->end), *r = new_loop(arena_, "row", 0, row->end);
        Substituter there(arena_, {{variable_of(row->variable), r->variable}, {variable_of(column->variable), c->variable}});
        r->body = {set_accumulator(arena_, copy, at(r->variable, c->variable), same_bits(arena_, dtype, there(u)))};
        c->body = tag(r);
        copies.push_back(c);
      }
      with_copies.replace(u, same_bits(arena_, u->type.dtype, arena_.acc(dtype, copy, at(row->variable, column->variable))));
    }
    return with_copies(statements);
  }

  KernelContext& c_;
  Arena& arena_;
  Accumulators accumulators_;
  const Shape space_;
  size_t rows_, columns_;
  std::vector<size_t> order_;   // axes in the order of the loops over blocks
  Index position_, size_here_;  // for each axis: start and size of the current block
  Loop* outermost_ = nullptr;   // the outermost loop over blocks; null if there is only one block
  std::vector<int> copies_;
  Body prefetches_;  // prefetches that are executed for each row of the block
  bool packs_ = false;
};

}  // namespace

void lower_transpose(KernelContext& context) {
  if (context.program.target.gpu() != nullptr) return lower_tiled_transpose(context);
  TransposeLowering(context).run();
}

}  // namespace harp::lower
