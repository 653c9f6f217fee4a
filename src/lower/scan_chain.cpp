// Lowers scans in chain order (docs/semantics.md, "Scans"). The indices of the last axis that is not scanned are the columns. The running
// values (carries) and totals of a tile of columns are contiguous (in the L1 cache, or in registers) and are the vector axis. The rows of
// elements are read one after the other, several in each step.
#include <algorithm>

#include "base/text.h"
#include "lower/scan.h"

namespace harp::lower {

using namespace ir;

namespace {

// Maximum number of vectors of columns whose running values are in registers. The scan needs no other registers, because the elements that
// it adds are memory operands.
constexpr int64_t kMaxRunning = 16;
// If the accumulators of a tile are at most this many vectors, all of them are initialised, even if only some are in use: that takes only a
// few instructions.
constexpr int64_t kVectorsSetAtOnce = 4;

class ChainScan : ScanLowering {
 public:
  explicit ChainScan(KernelContext& context) : ScanLowering(context) {}

  Scanned lower(const Index& kept) {
    if (kept_.empty()) return {columns(kept, 0, 1, 1)};
    const Index outer_kept(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(kept_.size() - 1));
    if (kept.size() == kept_.size()) return {columns(outer_kept, kept.back(), 1, 1)};
    const Dim all = shape_[kept_.back()];
    const int64_t most = std::max<int64_t>(range(all).hi, 1), tile = scheduled_tile_ > 0 ? scheduled_tile_ : kLanes;
    if (most <= tile) return {columns(outer_kept, 0, all, (most + simd_width_ - 1) / simd_width_ * simd_width_)};
    Loop* tiles = all.is_constant() && in_registers(tile, simd_width_, kMaxRunning) ? register_tiles(outer_kept, all.constant(), tile)
                                                                                    : memory_tiles(outer_kept, all, tile);
    return {{tiles}, tiles};
  }

 private:
  Loop* memory_tiles(const Index& outer_kept, Dim all, int64_t tile) {
    Loop* tiles = new_loop(arena_, "tile", 0, ceil_div(all, tile));
    const Sym start = tiles->variable * tile;
    tiles->body = columns(outer_kept, start, min(Sym(tile), all - start), tile);
    return tiles;
  }

  /// Returns a loop over tiles of whole vectors, whose running values stay in registers. The last tile is rounded up to whole vectors and
  /// ends at the last column. It may overlap the tile before it; then the same thread scans some columns twice.
  Loop* register_tiles(const Index& outer_kept, int64_t all, int64_t tile) {
    const int64_t count = all / tile, rest = (all % tile + simd_width_ - 1) / simd_width_ * simd_width_;
    Loop* tiles = new_loop(arena_, "tile", 0, count);
    tiles->body = columns(outer_kept, tiles->variable * tile, tile, tile);
    if (rest > 0) {
      Body last = columns(outer_kept, all - rest, rest, rest);
      tiles->body.push_back(new_if(arena_, tiles->variable - (count - 1), std::move(last)));
    }
    return tiles;
  }

  /// Scans columns [start, start + width), which are indices of the last axis that is not scanned.
  Body columns(const Index& outer_kept, Sym start, Sym width, int64_t capacity) {
    const auto kept_at = [&](Sym column) {
      Index kept = outer_kept;
      if (!kept_.empty()) kept.push_back(start + column);
      return kept;
    };
    if (finds_running_values(width)) return rows_from_stored(width, kept_at);
    levels_.clear();
    sets_columns_in_use_ = c_.program.target.gpu() == nullptr && !width.is_constant() && capacity >= kLanes &&
                           capacity > kVectorsSetAtOnce * simd_width_ && capacity % simd_width_ == 0;
    for (size_t l = 0; l < counts_.size(); ++l) {
      const bool is_last = l + 1 == counts_.size();
      BlockLevel level;
      level.carries = add(capacity);
      if (!is_last) level.totals = add(capacity);
      // the last level has only one block, so its running values after the last item are its carries
      if (l > 0) level.starts = is_last ? level.carries : add(capacity);
      levels_.push_back(std::move(level));
    }
    Body body;
    for (const BlockLevel& level : levels_) {
      const bool is_last = &level == &levels_.back();
      if (is_last)
        declare_columns(level.carries, width, body);
      else
        declare(level.carries, body);  // each block sets them before it uses them
      if (!is_last && !level.starts.empty()) declare_columns(level.starts, width, body);
    }
    chain_level(counts_.size() - 1, 0, counts_.back(), width, kept_at, body);
    return body;
  }

  /// Adds accumulators for the columns of a tile.
  Row add(int64_t capacity) {
    Row row = accumulators_.add(scans_, capacity);
    for (const int a : row) c_.kernel.accumulators[static_cast<size_t>(a)].is_row = sets_columns_in_use_;
    return row;
  }

  /// Declares accumulators that begin with the identity. A tile has space for many columns, but if their number is unknown at compile time,
  /// there may be only a few, and setting all accumulators would take longer than the scan. In that case a loop sets those of the columns
  /// in use, rounded up to whole vectors.
  void declare_columns(const Row& row, Sym width, Body& body) {
    declare(row, body);
    if (!sets_columns_in_use_) return;
    Loop* column = new_loop(arena_, "column", 0, ceil_div(width, simd_width_) * simd_width_);
    for (const int a : row)
      column->body.push_back(
          set_accumulator(arena_, a, column->variable, arena_.constant(c_.kernel.accumulators[static_cast<size_t>(a)].init)));
    for (Stmt* s : vector_loop(column, simd_width_)) body.push_back(s);
  }

  /// Tests whether the running values are read back from the output instead of being kept in an array. That requires a single block, and
  /// that the stored values are the running values themselves.
  bool finds_running_values(Sym width) const {
    const std::vector<StorePlan>& stores = c_.plan.stores;
    return counts_.size() == 1 && scans_.size() == 1 && stores.size() == 1 && stores[0].node == scans_[0] &&
           accumulator_dtype(*scans_[0]) == scans_[0]->dtype && !c_.schedule.nontemporal && rows_together_ == 1 &&
           !in_registers(width, simd_width_, kMaxRunning);
  }

  /// Scans all rows; each row is computed from the stored results of the previous row. If rows are contiguous in memory, they are processed
  /// as one long line of elements, which has a single remainder instead of one for each row.
  template <class KeptAt>
  Body rows_from_stored(Sym width, KeptAt kept_at) {
    const Node& scan = *scans_[0];
    const auto store_row = [&](const UOp* before, const Index& kept, Sym along, Body& body) {
      const Index here = position(kept, along);
      c_.values.bind(&scan, arena_.apply(combine_of(scan.op), scan.dtype, {before, element(0, here)}));
      for (Stmt* stored : store_outputs(c_, here)) body.push_back(stored);
    };
    Body first;
    const UOp* identity = arena_.constant(identity_of(scan.op, scan.dtype));
    in_columns(width, first, [&](Sym column, Body& each) { store_row(identity, kept_at(column), 0, each); });
    const auto store_next = [&](Sym column, Sym along, Body& each) {
      const Store& before = *as<Store>(store_outputs(c_, position(kept_at(column), along - 1))[0]);
      store_row(arena_.load(scan.dtype, before.buffer, before.index), kept_at(column), along, each);
    };
    Body body = proven_positive(counts_[0]) ? std::move(first) : Body{new_if(arena_, counts_[0] - 1, std::move(first))};
    // Returns a loop over elements [begin, end) of the line, which consists of all rows after the first one.
    const auto line = [&](Sym begin, Sym end) {
      Loop* loop = new_loop(arena_, next_name(), 0, end - begin);
      const Sym place = loop->variable + begin;
      store_next(mod(place, width), floor_div(place, width) + 1, loop->body);
      return loop;
    };
    // The first store of this loop is at the start of a cache line if the array begins at one. A store that crosses cache lines costs more
    // than a load that does.
    const int64_t elements = kLineBytes / static_cast<int64_t>(size_of(scan.dtype));
    const Sym front = mod(Sym(0) - width, elements);
    Loop* rest = line(front, (counts_[0] - 1) * width);
    if (proven_at_most(simd_width_, width) && proven_at_most(front, width) && is_line(*rest)) {
      // Both parts of the line must be processed by loops, because a vector may depend on what the previous vector stored. In straight-line
      // code the linearizer would move all loads before the first store (ir/linearize.cpp).
      Body lines = vector_loop(line(0, front), simd_width_);
      for (Stmt* s : vector_loop(rest, simd_width_)) lines.push_back(s);
      body.push_back(new_if(arena_, counts_[0] - 2, std::move(lines)));
      return body;
    }
    Loop* rows = new_loop(arena_, next_name(), 1, counts_[0]);
    in_columns(width, rows->body, [&](Sym column, Body& each) { store_next(column, rows->variable, each); });
    body.push_back(rows);
    return body;
  }
  /// Tests whether all statements of the loop are stores of contiguous elements, whose values are computed from contiguous loads.
  bool is_line(const Loop& loop) const {
    const auto follows = [&](Sym index) {
      const auto place = linear_in(index, variable_of(loop.variable));
      return place && place->coefficient.is_constant(1);
    };
    const auto is_contiguous_value = [&](const UOp* u) {
      return u->kind == UKind::kLoad ? u->sources.empty() && follows(u->index) : u->kind == UKind::kAlu || u->kind == UKind::kConst;
    };
    const std::vector<const UOp*> values = uops_of(arena_, loop.body);
    const auto is_contiguous_store = [&](const Stmt* s) { return as<Store>(s)->mask == nullptr && follows(as<Store>(s)->index); };
    return std::all_of(loop.body.begin(), loop.body.end(), is_contiguous_store) &&
           std::all_of(values.begin(), values.end(), is_contiguous_value);
  }

  template <class KeptAt>
  void chain_level(size_t level, Sym begin, Sym end, Sym width, KeptAt kept_at, Body& body) {
    if (level == 0) return elements(begin, end, false, width, kept_at, body);
    const BlockLevel &mine = levels_[level], &below = levels_[level - 1];
    Loop* blocks = new_loop(arena_, cat("block", level), begin, end);
    const Sym block = blocks->variable;
    in_columns(width, blocks->body, [&](Sym column, Body& each) { set(below.carries, column, mine.starts, column, each); });
    const auto count_in = [&](const Row& totals, Body& into) {
      in_columns(width, into, [&](Sym column, Body& each) {
        update(mine.carries, totals, column, each);
        update(mine.totals, totals, column, each);
        if (mine.starts != mine.carries) set(mine.starts, column, mine.carries, column, each);
      });
    };
    if (level > 1) {
      declare_columns(below.totals, width, blocks->body);
      chain_level(level - 1, block * kBlock, block_end(block, level - 1), width, kept_at, blocks->body);
      count_in(below.totals, blocks->body);
    } else {
      // A scan that also computes the totals of a block runs at two thirds of the speed of one that does not. So the totals are not
      // computed for the first block, where they equal the carries, and for the last block, where they are not used.
      If* choice = new_if(arena_, min(block - 1, counts_[1] - 2 - block), {});
      declare_columns(below.totals, width, choice->body);
      elements(block * kBlock, block_end(block, 0), true, width, kept_at, choice->body);
      count_in(below.totals, choice->body);
      elements(block * kBlock, block_end(block, 0), false, width, kept_at, choice->otherwise);
      count_in(below.carries, choice->otherwise);
      const bool has_middle = range(counts_[1]).hi > 2;
      for (Stmt* s : has_middle ? Body{choice} : choice->otherwise) blocks->body.push_back(s);
    }
    body.push_back(blocks);
  }

  /// Scans elements [begin, end) of every column of the tile.
  template <class KeptAt>
  void elements(Sym begin, Sym end, bool with_totals, Sym width, KeptAt kept_at, Body& body) {
    const int together = in_registers(width, simd_width_, kMaxRunning) ? 1 : rows_together_;
    const Sym full = begin + floor_div(end - begin, together) * together;
    const auto rows = [&](Sym from, Sym to, int n) {
      if (proven_at_most(to, from)) return;
      Loop* loop = new_loop(arena_, next_name(), from, to);
      loop->step = n;
      in_columns(width, loop->body, [&](Sym column, Body& each) {
        for (int i = 0; i < n; ++i) row(kept_at(column), loop->variable + i, column, with_totals, each);
      });
      body.push_back(loop);
    };
    if (together > 1) rows(begin, full, together);
    rows(together > 1 ? full : begin, end, 1);
  }

  /// Scans element number `along` of one column.
  void row(const Index& kept, Sym along, Sym column, bool with_totals, Body& body) {
    const Index here = position(kept, along);
    for (size_t s = 0; s < scans_.size(); ++s) {
      const UOp* value = element(s, here);
      body.push_back(update_accumulator(arena_, levels_[0].carries[s], column, value));
      if (with_totals) body.push_back(update_accumulator(arena_, levels_[0].totals[s], column, value));
    }
    for (Stmt* stored : stores_of(levels_[0].carries, column, here)) body.push_back(stored);
  }

  template <class Fill>
  void in_columns(Sym width, Body& body, Fill fill) {
    Loop* columns = new_loop(arena_, "column", 0, width);
    fill(columns->variable, columns->body);
    for (Stmt* s : vector_columns(columns, simd_width_, 1, kMaxRunning)) body.push_back(s);
  }

  bool sets_columns_in_use_ = false;  // whether loops set the initial values of accumulators (declare_columns())
};

}  // namespace

Scanned lower_chain_scan(KernelContext& context, const Index& kept) { return ChainScan(context).lower(kept); }

}  // namespace harp::lower
