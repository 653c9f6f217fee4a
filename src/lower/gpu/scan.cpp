#include "lower/gpu/scan.h"

#include <algorithm>
#include <bit>

#include "base/text.h"
#include "lower/scan.h"
#include "schedule/gpu/grid_scan.h"

namespace harp::lower {

using namespace ir;

namespace {

constexpr int64_t kMostThreads = 256, kQuads = kScannedGroup / kQuad;
constexpr int64_t kPitch = kQuads + 1;  // distance between the quad totals of two groups in shared memory

class GroupScan : ScanLowering {
 public:
  GroupScan(KernelContext& context, const ScanPhase& phase)
      : ScanLowering(context), phase_(phase), whole_(grid_scan(context.plan)), count_(whole_.counts[phase.level]) {
    const auto most = static_cast<uint64_t>(std::clamp<int64_t>(range(count_).hi, kScannedGroup, kBlock));
    capacity_ = static_cast<int64_t>(std::bit_ceil(most));
    threads_ = std::min(kMostThreads, capacity_ / kQuad);
    groups_ = capacity_ / kScannedGroup;
  }

  void run() {
    const bool is_one_block = phase_.level + 1 == whole_.counts.size();
    const Sym blocks = is_one_block ? Sym(1) : whole_.counts[phase_.level + 1];
    Loop* loop = new_loop(arena_, "block", 0, whole_.rows * blocks, LoopKind::kThread);
    if (is_one_block) {
      row_ = loop->variable, block_ = 0;
    } else if (whole_.rows.is_constant(1)) {
      row_ = 0, block_ = loop->variable;
    } else {
      row_ = floor_div(loop->variable, blocks), block_ = loop->variable - row_ * blocks;
    }
    Shape kept_shape;
    for (const size_t axis : kept_) kept_shape.push_back(shape_[axis]);
    kept_index_ = unflatten(row_, kept_shape);
    left_ = count_ - block_ * kBlock;

    Body& body = loop->body;
    elements_ = shared(capacity_, body), quads_ = shared(groups_ * kPitch, body);
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
  DType dtype(size_t scan) const { return accumulator_dtype(*scans_[scan]); }
  const UOp* identity(size_t scan) { return arena_.constant(accumulator_identity(scans_[scan]->op, *scans_[scan])); }
  const UOp* combined(size_t scan, const UOp* a, const UOp* b) { return arena_.apply(combine_of(scans_[scan]->op), dtype(scan), {a, b}); }
  Loop* new_group() { return new_loop(arena_, "thread", 0, threads_, LoopKind::kGroup); }

  /// Declares a shared array of `count` elements for each scan. The size is at least 2, because an accumulator of one element is not an
  /// array.
  Row shared(int64_t count, Body& body) {
    Row row;
    count = std::max<int64_t>(2, count);
    for (size_t s = 0; s < scans_.size(); ++s) {
      row.push_back(array(count, Space::kShared, s));
      body.push_back(declare_accumulator(arena_, row[s]));
    }
    return row;
  }
  int array(int64_t count, Space space, size_t scan) {
    c_.kernel.accumulators.push_back(
        {.type = {dtype(scan), 1}, .count = count, .init = scalar_from_int(dtype(scan), 0), .space = space, .is_row = true});
    return static_cast<int>(c_.kernel.accumulators.size()) - 1;
  }

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

  /// Returns the position of item number `item` of this row in an array of all items of a level above 0.
  Sym above(size_t level, Sym item) const { return row_ * whole_.counts[level] + item; }
  int parameter(Dim offset, bool written) { return c_.values.parameter(c_.plan.scratch, written, offset); }

  /// Sets element `at` of the shared array elements_ to an element of the block, or to the identity if that element does not exist.
  Body load(Sym at, bool exists) {
    Body body;
    const Sym along = block_ * kBlock + at;
    for (size_t s = 0; s < scans_.size(); ++s) {
      const UOp* value = nullptr;
      if (!exists)
        value = identity(s);
      else if (phase_.level == 0)
        value = element(s, position(kept_index_, along));
      else
        value = arena_.load(dtype(s), parameter(whole_.totals(phase_.level, static_cast<int64_t>(s)), false), above(phase_.level, along));
      body.push_back(set_accumulator(arena_, elements_[s], at, value));
    }
    return body;
  }

  /// Scans each quad in place. The last element of a quad is replaced first, because no other element depends on it.
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
  static Sym place_of(Sym quad) { return floor_div(quad, kQuads) * kPitch + mod(quad, kQuads); }

  /// Scans the quad totals of each group of 64 elements: thread number g does that for group number g.
  Loop* scan_groups() {
    Loop* group = new_group();
    Body body;
    const auto each = [&](int64_t count, auto make) {
      Loop* loop = new_loop(arena_, "quad", 0, count, LoopKind::kUnroll);
      make(loop->variable, loop->body);
      body.push_back(loop);
    };
    const Sym first = group->variable * kPitch;
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
      if (!phase_.totals && level < whole_.counts.size()) {
        const int values = parameter(whole_.values(level, static_cast<int64_t>(s)), false);
        const UOp* start = arena_.load(dtype(s), values, above(level, block_ - 1));
        body.push_back(new_if(arena_, block_ - 1, {set_accumulator(arena_, carry[s], 0, start)}));
      }
      Loop* loop = new_loop(arena_, "group", 0, groups_, LoopKind::kUnroll);
      if (!phase_.totals) loop->body.push_back(set_accumulator(arena_, carries_[s], loop->variable, read(s, carry, 0)));
      loop->body.push_back(update_accumulator(arena_, carry[s], 0, read(s, totals_, loop->variable)));
      body.push_back(loop);
      if (phase_.totals) {
        auto* store = arena_.statement<Store>();
        store->buffer = parameter(whole_.totals(level, static_cast<int64_t>(s)), true);
        store->index = above(level, block_);
        store->value = read(s, carry, 0);
        body.push_back(store);
      }
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
    if (phase_.level == 0) {
      for (size_t s = 0; s < scans_.size(); ++s) c_.values.bind(scans_[s], from_accumulator(arena_, *scans_[s], values[s]));
      return store_outputs(c_, position(kept_index_, along));
    }
    Body body;
    for (size_t s = 0; s < scans_.size(); ++s) {
      auto* store = arena_.statement<Store>();
      store->buffer = parameter(whole_.values(phase_.level, static_cast<int64_t>(s)), true);
      store->index = above(phase_.level, along);
      store->value = values[s];
      body.push_back(store);
    }
    return body;
  }

  const ScanPhase& phase_;
  const GridScan whole_;
  const Sym count_;  // number of items in a row at the level of this phase
  // Maximum number of items of a block; number of threads that scan a block; number of groups of 64 items in a block.
  int64_t capacity_, threads_, groups_;
  // Number of the row; number of the block in the row; number of items of the row from the start of the block to the end.
  Sym row_, block_, left_;
  Index kept_index_;
  Row elements_, quads_, totals_, carries_;
};

}  // namespace

std::vector<ScanPhase> scan_phases(const KernelPlan& plan) {
  const GridScan scan = grid_scan(plan);
  std::vector<ScanPhase> phases;
  const auto add = [&](bool totals, size_t level, Sym several) {
    ScanPhase& phase = phases.emplace_back(ScanPhase{totals, level, cat(totals ? "totals" : "values", " of level ", level)});
    if (level == 0 && !totals) phase.name = "values";
    if (!(level == 0 && !totals) && !proven_nonnegative(several - 2)) phase.guard = several - 2;
  };
  for (size_t level = 0; level + 1 < scan.counts.size(); ++level) add(true, level, scan.counts[level + 1]);
  for (size_t level = scan.counts.size(); level-- > 0;) add(false, level, scan.counts[level]);
  return phases;
}

void lower_scan_phase(KernelContext& context, const ScanPhase& phase) { GroupScan(context, phase).run(); }

}  // namespace harp::lower
