#include "lower/gpu/scan_columns.h"

#include <algorithm>

#include "lower/gpu/column_tile.h"
#include "lower/gpu/group_scan.h"

namespace harp::lower {

using namespace ir;

namespace {

class ColumnScan : GroupScan {
 public:
  ColumnScan(KernelContext& context, const ScanPhase& phase)
      : GroupScan(context, phase),
        inner_(sizes_after_scanned_axis()),
        width_(element_count(inner_)),
        tile_(arena_, width_, std::min(range(count_).hi, kBlock), bytes_of_element()) {
    threads_ = tile_.threads;
    for (const size_t axis : kept_)
      if (axis < axis_) outer_.push_back(shape_[axis]);
  }

  void run() {
    const Shape space = {element_count(outer_), blocks(), ceil_div(width_, tile_.columns)};
    Loop* loop = new_loop(arena_, "block", 0, element_count(space), LoopKind::kThread);
    const Index at = unflatten(loop->variable, space);
    outer_number_ = at[0], block_ = at[1], first_column_ = at[2] * tile_.columns;
    outer_index_ = unflatten(outer_number_, outer_);
    columns_left_ = width_ - first_column_;
    const Sym first = block_ * kBlock, items = has_level_above() ? min(Sym(kBlock), items_left(block_)) : count_;

    Body& body = loop->body;
    elements_ = shared(tile_.elements(), body);
    declare_running(body);
    if (!phase_.totals && has_level_above()) body.push_back(start_from_above());
    if (proven_at_most(items, tile_.rows)) {
      scan_tile(first, items, body);
    } else {
      Loop* tiles = new_loop(arena_, "tile", 0, ceil_div(items, tile_.rows));
      const Sym before = tiles->variable * tile_.rows;
      scan_tile(first + before, items - before, tiles->body);
      body.push_back(tiles);
    }
    if (phase_.totals) body.push_back(store_totals());
    c_.kernel.body = {loop};
  }

 private:
  Shape sizes_after_scanned_axis() const {
    Shape sizes;
    for (const size_t axis : kept_)
      if (axis > axis_) sizes.push_back(shape_[axis]);
    return sizes;
  }
  /// Returns the size in bytes of one element of each scan.
  int64_t bytes_of_element() const {
    int64_t bytes = 0;
    for (size_t s = 0; s < scans_.size(); ++s) bytes += static_cast<int64_t>(size_of(dtype(s)));
    return bytes;
  }

  /// Declares the running values: one for each scan and thread. Each starts at the identity.
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
    group->body = {new_if(arena_, min(block_ - 1, tile_.has_column(thread, columns_left_)), std::move(body))};
    return group;
  }

  /// Scans the rows of a tile. The first row of the tile is item number `first` of the columns; from there on, `left` items are left in the
  /// block.
  void scan_tile(Sym first, Sym left, Body& body) {
    tile_.for_each_element(left, columns_left_, body, [&](const ColumnTile::Element& e) { return load(e, first + e.row); });
    body.push_back(arena_.statement<Barrier>());
    body.push_back(scan_columns(left));
    body.push_back(arena_.statement<Barrier>());
    if (phase_.totals) return;
    tile_.for_each_element(left, columns_left_, body,
                           [&](const ColumnTile::Element& e) { return e.exists ? store(e, first + e.row) : Body{}; });
  }

  /// Sets an element of the tile to item number `along`, or to the identity if there is no such item.
  Body load(const ColumnTile::Element& e, Sym along) {
    Body body;
    for (size_t s = 0; s < scans_.size(); ++s) {
      const UOp* value = e.exists ? item(s, kept_at(e.column), along, above(phase_.level, along, e.column)) : identity(s);
      body.push_back(set_accumulator(arena_, elements_[s], e.place, value));
    }
    return body;
  }

  /// Combines the elements of each column with its running value, one after the other. The last batch may contain identities, which change
  /// no running value.
  Loop* scan_columns(Sym left) {
    constexpr int64_t kBatch = ColumnTile::kBatch;
    Loop *group = new_group(), *batch = new_loop(arena_, "batch", 0, min(Sym(tile_.rows / kBatch), ceil_div(left, kBatch)));
    const Sym thread = group->variable;
    const auto each_row = [&](auto make) {
      Loop* row = new_loop(arena_, "row", 0, kBatch, LoopKind::kUnroll);
      make(row->variable, (batch->variable * kBatch + row->variable) * tile_.columns + thread, row->body);
      batch->body.push_back(row);
    };
    for (size_t s = 0; s < scans_.size(); ++s) {
      const int own = array(kBatch, Space::kRegister, s);
      batch->body.push_back(declare_accumulator(arena_, own));
      each_row([&](Sym row, Sym place, Body& body) { body.push_back(set_accumulator(arena_, own, row, read(s, elements_, place))); });
      each_row([&](Sym row, Sym place, Body& body) {
        body.push_back(update_accumulator(arena_, running_[s], thread, arena_.acc(dtype(s), own, row)));
        if (!phase_.totals) body.push_back(set_accumulator(arena_, elements_[s], place, read(s, running_, thread)));
      });
    }
    group->body = {new_if(arena_, tile_.has_column(thread, columns_left_), {batch})};
    return group;
  }

  /// Stores the running value of item number `along`, which is in the tile.
  Body store(const ColumnTile::Element& e, Sym along) {
    std::vector<const UOp*> values;
    for (size_t s = 0; s < scans_.size(); ++s) values.push_back(read(s, elements_, e.place));
    return store_values(values, kept_at(e.column), along, above(phase_.level, along, e.column));
  }

  Loop* store_totals() {
    Loop* group = new_group();
    const Sym thread = group->variable;
    Body body;
    for (size_t s = 0; s < scans_.size(); ++s)
      body.push_back(store_total(s, above(phase_.level + 1, block_, thread), read(s, running_, thread)));
    group->body = {new_if(arena_, tile_.has_column(thread, columns_left_), std::move(body))};
    return group;
  }

  Shape outer_;        // sizes of the axes before the scanned axis
  const Shape inner_;  // sizes of the axes after the scanned axis; their indices are the columns
  const Sym width_;    // number of columns
  const ColumnTile tile_;
  // outer_number_: flattened index along the axes before the scanned one. block_: index of the block. first_column_: first column of the
  // tile. columns_left_: number of columns from that column to the last one.
  Sym outer_number_, block_, first_column_, columns_left_;
  Index outer_index_;
  Row elements_, running_;
};

}  // namespace

void lower_column_scan(KernelContext& context, const ScanPhase& phase) { ColumnScan(context, phase).run(); }

}  // namespace harp::lower
