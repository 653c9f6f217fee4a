// Scans in tree order (docs/semantics.md, "Scans") along rows of a few elements, whose number is unknown at compile time. A row would leave
// most of a group of 64 elements empty, so vectors run across the rows here; the rows are the columns of a tile:
//
//   for tiles of rows:
//     copy the arrays that the scans read, transposed (transposed_rows.h), and collect the elements of the scans
//     for quads (four elements): scan the quad of every row, and combine it with the totals of the quads before it
//     compute the outputs from the running values, and copy them, transposed
//
// The elements that a last quad lacks are the identity.
#include <algorithm>

#include "lower/scan.h"
#include "lower/transposed_rows.h"

namespace harp::lower {

using namespace ir;

namespace {

/// Replaces the values by their running values, as docs/semantics.md does for a quad and for the totals of quads.
void hillis_steele(std::span<const UOp*> values, auto combined) {
  for (size_t step = 1; step < values.size(); step *= 2)
    for (size_t i = values.size(); i-- > step;) values[i] = combined(values[i - step], values[i]);
}

class ShortScan : ScanLowering {
 public:
  ShortScan(KernelContext& context, int64_t most)
      : ScanLowering(context),
        quads_((most + kQuad - 1) / kQuad),
        columns_(columns_of(context)),
        rows_(context, accumulators_, columns_, most, simd_width_) {}

  /// Returns a loop over tiles of the rows at index `outer` of all kept axes except the last one.
  Loop* lower(const Index& outer) {
    outer_ = outer;
    const Dim all = shape_[kept_.back()];
    Loop* tiles = new_loop(arena_, "tile", 0, ceil_div(all, columns_));
    first_ = tiles->variable * columns_;
    width_ = min(Sym(columns_), all - first_);
    Body& body = tiles->body;
    rows_.load({outer, first_, width_}, body);
    for (size_t s = 0; s < scans_.size(); ++s) {
      elements_.push_back(array(accumulator_dtype(*scans_[s]), quads_ * kQuad * columns_, body));
      if (quads_ > 1) totals_.push_back(array(accumulator_dtype(*scans_[s]), (quads_ - 1) * columns_, body));
    }
    collect(body);
    for (int64_t quad = 0; quad < quads_; ++quad) {
      Body here;
      each_column([&](Sym column, Body& each) { scan(quad, column, each); }, here);
      body.push_back(new_if(arena_, counts_[0] - (quad * kQuad + 1), std::move(here)));
    }
    std::vector<size_t> stores(c_.plan.stores.size());
    for (size_t i = 0; i < stores.size(); ++i) stores[i] = i;
    each_element(
        [&](Sym element, Sym column, Body& each) {
          for (size_t s = 0; s < scans_.size(); ++s)
            c_.values.bind(scans_[s], from_accumulator(arena_, *scans_[s], at(s, elements_, element * columns_ + column)));
          rows_.keep(stores, index(element, column), each);
        },
        0, counts_[0], body);
    rows_.store(body);
    return tiles;
  }

 private:
  /// Returns the number of rows of a tile, whole vectors of every dtype.
  static int64_t columns_of(const KernelContext& c) {
    constexpr int64_t kTileBytes = 256, kMostColumns = 64;  // bytes of one element of every row
    size_t bytes = 1;
    for (const Node* scan : c.plan.scans) bytes = std::max(bytes, size_of(accumulator_dtype(*scan)));
    int64_t lanes = 1;
    for (const AxisSchedule& axis : c.schedule.axes) lanes = std::max<int64_t>(lanes, axis.simd_width);
    return std::max(lanes, std::min(kMostColumns, kTileBytes / static_cast<int64_t>(bytes)));
  }

  int array(DType dtype, int64_t count, Body& body) {
    const int number = accumulators_.add_array(dtype, count);
    body.push_back(declare_accumulator(arena_, number));
    return number;
  }
  const UOp* at(size_t scan, const Row& arrays, Sym index) { return arena_.acc(accumulator_dtype(*scans_[scan]), arrays[scan], index); }
  Index here(Sym element, Sym column) const {
    Index kept = outer_;
    kept.push_back(first_ + column);
    return position(kept, element);
  }
  Index index(Sym element, Sym column) const { return node_index(shape_, here(element, column)); }

  /// Appends a loop over the columns of the tile, in vectors. If the statements load nothing that differs from column to column, the loop
  /// also runs for the columns that a last vector lacks.
  template <class Fill>
  void each_column(Fill fill, Body& body) {
    Loop* columns = new_loop(arena_, "column", 0, ceil_div(width_, simd_width_) * simd_width_);
    fill(columns->variable, columns->body);
    if (!TransposedRows::load_no_columns(arena_, columns->body, columns->variable)) {
      columns = new_loop(arena_, "column", 0, width_);
      fill(columns->variable, columns->body);
    }
    for (Stmt* s : vector_loop(columns, simd_width_)) body.push_back(s);
  }
  template <class Fill>
  void each_element(Fill fill, Sym begin, Sym end, Body& body) {
    Loop* element = new_loop(arena_, "element", begin, end);
    each_column([&](Sym column, Body& each) { fill(element->variable, column, each); }, element->body);
    body.push_back(element);
  }

  /// Sets the elements of the scans, and those that the last quad lacks.
  void collect(Body& body) {
    each_element(
        [&](Sym e, Sym column, Body& each) {
          for (size_t s = 0; s < scans_.size(); ++s)
            each.push_back(set_accumulator(arena_, elements_[s], e * columns_ + column, element(s, here(e, column))));
        },
        0, counts_[0], body);
    each_element(
        [&](Sym e, Sym column, Body& each) {
          for (size_t s = 0; s < scans_.size(); ++s) {
            const Scalar identity = accumulator_identity(scans_[s]->op, *scans_[s]);
            each.push_back(set_accumulator(arena_, elements_[s], e * columns_ + column, arena_.constant(identity)));
          }
        },
        counts_[0], ceil_div(counts_[0], kQuad) * kQuad, body);
  }

  /// Replaces the elements of a quad by their running values.
  void scan(int64_t quad, Sym column, Body& body) {
    for (size_t s = 0; s < scans_.size(); ++s) {
      const DType dtype = accumulator_dtype(*scans_[s]);
      const Op combine = combine_of(scans_[s]->op);
      const auto combined = [&](const UOp* a, const UOp* b) { return arena_.apply(combine, dtype, {a, b}); };
      std::vector<const UOp*> values, totals;
      for (int64_t i = 0; i < kQuad; ++i) values.push_back(at(s, elements_, (quad * kQuad + i) * columns_ + column));
      hillis_steele(values, combined);
      if (quad + 1 < quads_) body.push_back(set_accumulator(arena_, totals_[s], quad * columns_ + column, values.back()));
      for (int64_t before = 0; before < quad; ++before) totals.push_back(at(s, totals_, before * columns_ + column));
      hillis_steele(totals, combined);
      // The sum of elements that are -0 begins with +0, and logaddexp turns -0 into +0 likewise.
      const bool adds_zero = is_float(dtype) && (combine == Op::kAdd || combine == Op::kLogAddExp);
      // The last element comes first, because each value depends on the elements before it.
      for (int64_t i = kQuad; i-- > 0;) {
        const UOp* value = values[static_cast<size_t>(i)];
        if (quad > 0) value = combined(value, totals.back());
        if (adds_zero) value = arena_.apply(Op::kAdd, dtype, {value, arena_.constant(identity_of(Op::kSum, dtype))});
        body.push_back(set_accumulator(arena_, elements_[s], (quad * kQuad + i) * columns_ + column, value));
      }
    }
  }

  int64_t quads_, columns_;
  TransposedRows rows_;
  Index outer_;
  Sym first_, width_;
  Row elements_, totals_;  // arrays of the tile, one for each scan: the elements, then their running values; and the totals of the quads
};

}  // namespace

Loop* lower_short_scan(KernelContext& context, const Index& outer, int64_t most) { return ShortScan(context, most).lower(outer); }

}  // namespace harp::lower
