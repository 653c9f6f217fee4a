#include "lower/gpu/scan_columns.h"

#include <algorithm>
#include <bit>

#include "lower/gpu/group_scan.h"

namespace harp::lower {

using namespace ir;

namespace {

constexpr int64_t kMostColumns = 32;                        // columns of a tile: as many threads as a warp has
constexpr int64_t kFewestThreads = 64, kMostThreads = 256;  // more than a warp, because groups of at most a warp share a block
constexpr int64_t kThreadsOfColumn = 16;
constexpr int64_t kBytesOfThread = 64;  // bytes of a tile for each thread: 16 loads of f32 are in flight
// Rows that a thread reads from shared memory before it combines the first of them: the combinations wait for each other, the reads do not.
constexpr int64_t kBatch = 8;

int64_t power_of_two(int64_t at_least) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(at_least))); }

class ColumnScan : GroupScan {
 public:
  ColumnScan(KernelContext& context, const ScanPhase& phase) : GroupScan(context, phase) {
    for (const size_t axis : kept_) (axis < axis_ ? outer_ : inner_).push_back(shape_[axis]);
    width_ = element_count(inner_);
    int64_t bytes = 0;  // of one element of each scan
    for (size_t s = 0; s < scans_.size(); ++s) bytes += static_cast<int64_t>(size_of(dtype(s)));
    columns_ = power_of_two(std::clamp<int64_t>(range(width_).hi, 1, kMostColumns));
    threads_ = std::clamp(kThreadsOfColumn * columns_, kFewestThreads, kMostThreads);
    const auto elements = std::bit_floor(static_cast<uint64_t>(threads_ * kBytesOfThread / bytes));
    rows_ = std::min(static_cast<int64_t>(elements) / columns_, power_of_two(std::clamp<int64_t>(range(count_).hi, 1, kBlock)));
    rows_ = std::max({rows_, kBatch, kFewestThreads / columns_});
    threads_ = std::min(threads_, rows_ * columns_);
  }

  void run() {
    const Sym blocks = has_level_above() ? whole_.counts[phase_.level + 1] : Sym(1);
    const Shape space = {element_count(outer_), blocks, ceil_div(width_, columns_)};
    Loop* loop = new_loop(arena_, "block", 0, element_count(space), LoopKind::kThread);
    const Index at = unflatten(loop->variable, space);
    outer_number_ = at[0], block_ = at[1], first_column_ = at[2] * columns_;
    outer_index_ = unflatten(outer_number_, outer_);
    columns_left_ = width_ - first_column_;
    const Sym first = block_ * kBlock, items = has_level_above() ? min(Sym(kBlock), count_ - first) : count_;

    Body& body = loop->body;
    tile_ = shared(rows_ * columns_, body);
    declare_running(body);
    if (!phase_.totals && has_level_above()) body.push_back(start_from_above());
    if (proven_at_most(items, rows_)) {
      scan_tile(first, items, body);
    } else {
      Loop* tiles = new_loop(arena_, "tile", 0, ceil_div(items, rows_));
      scan_tile(first + tiles->variable * rows_, items - tiles->variable * rows_, tiles->body);
      body.push_back(tiles);
    }
    if (phase_.totals) body.push_back(store_totals());
    c_.kernel.body = {loop};
  }

 private:
  /// Declares the running values: one for each scan and thread, which starts at the identity.
  void declare_running(Body& body) {
    for (const Node* scan : scans_) {
      running_.push_back(static_cast<int>(c_.kernel.accumulators.size()));
      c_.kernel.accumulators.push_back({.type = {accumulator_dtype(*scan), 1},
                                        .count = threads_,
                                        .combine = combine_of(scan->op),
                                        .init = accumulator_identity(scan->op, *scan),
                                        .spread = 1});
      body.push_back(declare_accumulator(arena_, running_.back()));
    }
  }

  /// Returns an expression that is >= 0 for the threads that have a column: thread t has column t of the tile.
  Sym has_column(Sym thread) const { return min(Sym(columns_ - 1) - thread, columns_left_ - 1 - thread); }

  /// Returns the position of an item of column `column` of the tile in an array of all items of a level above 0.
  Sym above(size_t level, Sym item, Sym column) const {
    return (outer_number_ * whole_.counts[level] + item) * width_ + first_column_ + column;
  }
  Index kept_at(Sym column) const {
    Index kept = outer_index_;
    const Index inner = unflatten(first_column_ + column, inner_);
    kept.insert(kept.end(), inner.begin(), inner.end());
    return kept;
  }

  /// Sets the running value of each column to that of the last item before the block.
  Loop* start_from_above() {
    Loop* group = new_group();
    const Sym thread = group->variable;
    Body body;
    for (size_t s = 0; s < scans_.size(); ++s)
      body.push_back(set_accumulator(arena_, running_[s], thread, value_above(s, above(phase_.level + 1, block_ - 1, thread))));
    group->body = {new_if(arena_, min(block_ - 1, has_column(thread)), std::move(body))};
    return group;
  }

  /// Scans the rows of a tile. Its first row is item number `first` of the columns; `left` items are left in the block from there on.
  void scan_tile(Sym first, Sym left, Body& body) {
    for_each_element(left, body, [&](Sym place, Sym row, Sym column, bool exists) { return load(place, first + row, column, exists); });
    body.push_back(arena_.statement<Barrier>());
    body.push_back(scan_columns(left));
    body.push_back(arena_.statement<Barrier>());
    if (phase_.totals) return;
    for_each_element(left, body,
                     [&](Sym place, Sym row, Sym column, bool exists) { return exists ? store(place, first + row, column) : Body{}; });
  }

  /// Returns an expression that is >= 0 where both are.
  static Sym both(Sym rows, Sym columns) { return proven_nonnegative(columns) ? rows : min(rows, columns); }

  /// Emits make(place, row, column, true) for the elements of the tile that exist, and make(place, row, column, false) for those beyond the
  /// last row or column. `place` is the number of the element in the tile.
  template <class Make>
  void for_each_element(Sym left, Body& body, Make make) {
    const auto all = [&](bool is_whole) {
      Loop *group = new_group(), *step = new_loop(arena_, "step", 0, rows_ * columns_ / threads_, LoopKind::kUnroll);
      const Sym place = step->variable * threads_ + group->variable;
      const Sym row = step->variable * (threads_ / columns_) + floor_div(group->variable, columns_),
                column = mod(group->variable, columns_);
      const Sym exists = both(left - 1 - row, columns_left_ - 1 - column);
      step->body = make(place, row, column, true);
      if (!is_whole && !proven_nonnegative(exists))
        step->body = {new_if(arena_, exists, std::move(step->body), make(place, row, column, false))};
      group->body = {step};
      return group;
    };
    const Sym is_whole = both(left - rows_, columns_left_ - columns_);
    if (proven_nonnegative(is_whole))
      body.push_back(all(true));
    else if (proven_at_most(left, rows_ - 1) || proven_at_most(columns_left_, columns_ - 1))
      body.push_back(all(false));
    else
      body.push_back(new_if(arena_, is_whole, {all(true)}, {all(false)}));
  }

  /// Sets an element of the tile to an item, or to the identity if there is no such item.
  Body load(Sym place, Sym along, Sym column, bool exists) {
    Body body;
    for (size_t s = 0; s < scans_.size(); ++s) {
      const UOp* value = exists ? item(s, kept_at(column), along, above(phase_.level, along, column)) : identity(s);
      body.push_back(set_accumulator(arena_, tile_[s], place, value));
    }
    return body;
  }

  /// Combines the elements of each column with its running value, one after the other. The last batch may contain identities, which change
  /// no running value.
  Loop* scan_columns(Sym left) {
    Loop *group = new_group(), *batch = new_loop(arena_, "batch", 0, min(Sym(rows_ / kBatch), ceil_div(left, kBatch)));
    const Sym thread = group->variable;
    const auto each_row = [&](auto make) {
      Loop* row = new_loop(arena_, "row", 0, kBatch, LoopKind::kUnroll);
      make(row->variable, (batch->variable * kBatch + row->variable) * columns_ + thread, row->body);
      batch->body.push_back(row);
    };
    for (size_t s = 0; s < scans_.size(); ++s) {
      const int own = array(kBatch, Space::kRegister, s);
      batch->body.push_back(declare_accumulator(arena_, own));
      each_row([&](Sym row, Sym place, Body& body) { body.push_back(set_accumulator(arena_, own, row, read(s, tile_, place))); });
      each_row([&](Sym row, Sym place, Body& body) {
        body.push_back(update_accumulator(arena_, running_[s], thread, arena_.acc(dtype(s), own, row)));
        if (!phase_.totals) body.push_back(set_accumulator(arena_, tile_[s], place, read(s, running_, thread)));
      });
    }
    group->body = {new_if(arena_, has_column(thread), {batch})};
    return group;
  }

  /// Stores the running value of an item, which is in the tile.
  Body store(Sym place, Sym along, Sym column) {
    std::vector<const UOp*> values;
    for (size_t s = 0; s < scans_.size(); ++s) values.push_back(read(s, tile_, place));
    return store_values(values, kept_at(column), along, above(phase_.level, along, column));
  }

  Loop* store_totals() {
    Loop* group = new_group();
    const Sym thread = group->variable;
    Body body;
    for (size_t s = 0; s < scans_.size(); ++s)
      body.push_back(store_total(s, above(phase_.level + 1, block_, thread), read(s, running_, thread)));
    group->body = {new_if(arena_, has_column(thread), std::move(body))};
    return group;
  }

  Shape outer_, inner_;     // sizes of the axes before the scanned axis, and of those after it
  Sym width_;               // number of columns
  int64_t rows_, columns_;  // number of rows and columns of a tile
  // Number of the index of the axes before the scanned one; number of the block; first column of the tile; number of columns from there on.
  Sym outer_number_, block_, first_column_, columns_left_;
  Index outer_index_;
  Row tile_, running_;
};

}  // namespace

void lower_column_scan(KernelContext& context, const ScanPhase& phase) { ColumnScan(context, phase).run(); }

}  // namespace harp::lower
