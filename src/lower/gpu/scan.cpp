#include "lower/gpu/scan.h"

#include <algorithm>
#include <bit>

#include "base/text.h"
#include "lower/gpu/group_scan.h"
#include "lower/gpu/scan_columns.h"

namespace harp::lower {

using namespace ir;

namespace {

constexpr int64_t kMostThreads = 256, kQuads = kScannedGroup / kQuad;
// distance, in shared memory, between the totals of the quads (4 elements) of one group and those of the next
constexpr int64_t kQuadPitch = kQuads + 1;

class RowScan : GroupScan {
 public:
  RowScan(KernelContext& context, const ScanPhase& phase) : GroupScan(context, phase) {
    const auto most = static_cast<uint64_t>(std::clamp<int64_t>(range(count_).hi, kScannedGroup, kBlock));
    capacity_ = static_cast<int64_t>(std::bit_ceil(most));
    threads_ = std::min(kMostThreads, capacity_ / kQuad);
    groups_ = capacity_ / kScannedGroup;
  }

  void run() {
    Loop* loop = new_loop(arena_, "block", 0, whole_.rows * blocks(), LoopKind::kThread);
    if (!has_level_above()) {
      row_ = loop->variable, block_ = 0;
    } else if (whole_.rows.is_constant(1)) {
      row_ = 0, block_ = loop->variable;
    } else {
      row_ = floor_div(loop->variable, blocks()), block_ = loop->variable - row_ * blocks();
    }
    Shape kept_shape;
    for (const size_t axis : kept_) kept_shape.push_back(shape_[axis]);
    kept_index_ = unflatten(row_, kept_shape);
    left_ = items_left(block_);

    Body& body = loop->body;
    elements_ = shared(capacity_, body), quads_ = shared(groups_ * kQuadPitch, body);
    totals_ = shared(groups_, body);
    if (!phase_.totals) carries_ = shared(groups_, body);
    for_each_element(body, [&](Sym element, bool exists) { return load(element, exists); });
    body.push_back(arena_.statement<Barrier>());
    body.push_back(scan_quads());
    body.push_back(arena_.statement<Barrier>());
    body.push_back(scan_groups());
    body.push_back(arena_.statement<Barrier>());
    body.push_back(scan_totals());
    if (!phase_.totals) {
      body.push_back(arena_.statement<Barrier>());
      for_each_element(body, [&](Sym element, bool exists) { return exists ? store(element) : Body{}; });
    }
    c_.kernel.body = {loop};
  }

 private:
  const UOp* combined(size_t scan, const UOp* a, const UOp* b) { return arena_.apply(combine_of(scans_[scan]->op), dtype(scan), {a, b}); }

  /// Emits make(element, true) for the elements of the block that exist, and make(element, false) for elements beyond the end of the row.
  template <class Make>
  void for_each_element(Body& body, Make make) {
    const auto all = [&](bool is_whole) {
      Loop *group = new_group(), *step = new_loop(arena_, "step", 0, capacity_ / threads_, LoopKind::kUnroll);
      const Sym element = step->variable * threads_ + group->variable;
      step->body = is_whole ? make(element, true) : Body{new_if(arena_, left_ - 1 - element, make(element, true), make(element, false))};
      group->body = {step};
      return Body{group};
    };
    if (proven_nonnegative(left_ - capacity_))
      body.push_back(all(true)[0]);
    else if (proven_at_most(left_, capacity_ - 1))
      body.push_back(all(false)[0]);
    else
      body.push_back(new_if(arena_, left_ - capacity_, all(true), all(false)));
  }

  /// Returns the position of item `item` of this row in the array that holds the items of level `level` of all rows, one row after the
  /// other. Level 0 has no such array; for it the result is not used.
  Sym above(size_t level, Sym item) const { return row_ * whole_.counts[level] + item; }

  /// Sets element `at` of the shared array elements_ to an element of the block, or to the identity if that element does not exist.
  Body load(Sym at, bool exists) {
    Body body;
    const Sym along = block_ * kBlock + at;
    for (size_t s = 0; s < scans_.size(); ++s) {
      const UOp* value = exists ? item(s, kept_index_, along, above(phase_.level, along)) : identity(s);
      body.push_back(set_accumulator(arena_, elements_[s], at, value));
    }
    return body;
  }

  /// Scans each quad (4 adjacent elements) in place. The last element of a quad is replaced first, because no other element depends on it.
  Loop* scan_quads() {
    Loop *group = new_group(), *step = new_loop(arena_, "step", 0, capacity_ / kQuad / threads_, LoopKind::kUnroll);
    const Sym quad = step->variable * threads_ + group->variable;
    for (size_t s = 0; s < scans_.size(); ++s) {
      const auto x = [&](int64_t i) { return read(s, elements_, quad * kQuad + i); };
      const auto set = [&](int64_t i, const UOp* value) {
        step->body.push_back(set_accumulator(arena_, elements_[s], quad * kQuad + i, value));
      };
      set(3, combined(s, combined(s, x(0), x(1)), combined(s, x(2), x(3))));
      set(2, combined(s, x(0), combined(s, x(1), x(2))));
      set(1, combined(s, x(0), x(1)));
      step->body.push_back(set_accumulator(arena_, quads_[s], place_of(quad), x(3)));
    }
    group->body = {step};
    return group;
  }
  static Sym place_of(Sym quad) { return floor_div(quad, kQuads) * kQuadPitch + mod(quad, kQuads); }

  /// Scans the totals of the quads in each group of 64 elements: thread number g does that for group number g.
  Loop* scan_groups() {
    Loop* group = new_group();
    Body body;
    const auto each = [&](int64_t count, auto make) {
      Loop* loop = new_loop(arena_, "quad", 0, count, LoopKind::kUnroll);
      make(loop->variable, loop->body);
      body.push_back(loop);
    };
    const Sym first = group->variable * kQuadPitch;
    for (size_t s = 0; s < scans_.size(); ++s) {
      const int own = array(kQuads, Space::kRegister, s);
      const auto total = [&](Sym i) { return arena_.acc(dtype(s), own, i); };
      body.push_back(declare_accumulator(arena_, own));
      each(kQuads, [&](Sym i, Body& into) { into.push_back(set_accumulator(arena_, own, i, read(s, quads_, first + i))); });
      for (int64_t distance = 1; distance < kQuads; distance *= 2)
        each(kQuads - distance, [&](Sym i, Body& into) {
          const Sym at = Sym(kQuads - 1) - i;
          into.push_back(set_accumulator(arena_, own, at, combined(s, total(at - distance), total(at))));
        });
      if (!phase_.totals) {
        body.push_back(set_accumulator(arena_, quads_[s], first, identity(s)));
        each(kQuads - 1, [&](Sym i, Body& into) { into.push_back(set_accumulator(arena_, quads_[s], first + i + 1, total(i))); });
      }
      body.push_back(set_accumulator(arena_, totals_[s], group->variable, total(kQuads - 1)));
    }
    group->body = {new_if(arena_, Sym(groups_ - 1) - group->variable, std::move(body))};
    return group;
  }

  /// Scans the totals of all groups of the block: a single thread combines them one after the other.
  Loop* scan_totals() {
    Loop* group = new_group();
    Body body;
    const Row carry = accumulators_.add(scans_, 1);
    for (size_t s = 0; s < scans_.size(); ++s) {
      body.push_back(declare_accumulator(arena_, carry[s]));
      const size_t level = phase_.level + 1;
      if (!phase_.totals && has_level_above()) {
        const UOp* start = value_above(s, above(level, block_ - 1));
        body.push_back(new_if(arena_, block_ - 1, {set_accumulator(arena_, carry[s], 0, start)}));
      }
      Loop* loop = new_loop(arena_, "group", 0, groups_, LoopKind::kUnroll);
      if (!phase_.totals) loop->body.push_back(set_accumulator(arena_, carries_[s], loop->variable, read(s, carry, 0)));
      loop->body.push_back(update_accumulator(arena_, carry[s], 0, read(s, totals_, loop->variable)));
      body.push_back(loop);
      if (phase_.totals) body.push_back(store_total(s, above(level, block_), read(s, carry, 0)));
    }
    group->body = {new_if(arena_, -group->variable, std::move(body))};
    return group;
  }

  /// Stores the running value of element number `at` of the block.
  Body store(Sym at) {
    const Sym along = block_ * kBlock + at;
    std::vector<const UOp*> values;
    for (size_t s = 0; s < scans_.size(); ++s) {
      const UOp* before = combined(s, read(s, carries_, floor_div(at, kScannedGroup)), read(s, quads_, place_of(floor_div(at, kQuad))));
      values.push_back(combined(s, read(s, elements_, at), before));
    }
    return store_values(values, kept_index_, along, above(phase_.level, along));
  }

  int64_t capacity_, groups_;  // capacity_: maximum number of items of a block; groups_: number of groups of 64 items in a block
  // row_: index of the row. block_: index of the block in the row. left_: number of items from the start of the block to the end of the
  // row.
  Sym row_, block_, left_;
  Index kept_index_;
  Row elements_, quads_, totals_, carries_;
};

}  // namespace

std::vector<ScanPhase> scan_phases(const KernelPlan& plan) {
  const GridScan scan = grid_scan(plan);
  std::vector<ScanPhase> phases;
  const auto add = [&](bool totals, size_t level, Sym items) {
    ScanPhase& phase = phases.emplace_back(ScanPhase{totals, level, cat(totals ? "totals" : "values", " of level ", level)});
    if (level == 0 && !totals) phase.name = "values";
    if (!(level == 0 && !totals) && !proven_positive(items)) phase.guard = items - 1;
  };
  for (size_t level = 0; level + 1 < scan.counts.size(); ++level) add(true, level, scan.counts[level + 1]);
  for (size_t level = scan.counts.size(); level-- > 0;) add(false, level, scan.counts[level]);
  return phases;
}

void lower_scan_phase(KernelContext& context, const ScanPhase& phase) {
  const bool is_tree = context.plan.scans[0]->as<ScanAttributes>().order == ScanOrder::kTree;
  is_tree ? RowScan(context, phase).run() : lower_column_scan(context, phase);
}

}  // namespace harp::lower
