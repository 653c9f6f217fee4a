// Lowers scans (the scan template): makes the loops over the kept axes (those that are not scanned), and the code that the two orders of
// scans, tree and chain, share.
#include "lower/scan.h"

#include <algorithm>

#include "base/text.h"

namespace harp::lower {

using namespace ir;

ScanLowering::ScanLowering(KernelContext& context)
    : c_(context),
      arena_(context.arena),
      scans_(context.plan.scans),
      shape_(scans_[0]->shape),
      attributes_(scans_[0]->as<ScanAttributes>()),
      axis_(static_cast<size_t>(attributes_.axis)),
      counts_{shape_[axis_]},
      accumulators_(context.kernel) {
  for (size_t axis = 0; axis < shape_.size(); ++axis)
    if (axis != axis_ && !shape_[axis].is_constant(1)) kept_.push_back(axis);
  for (const AxisSchedule& a : c_.schedule.axes) {
    simd_width_ = std::max(simd_width_, a.simd_width);
    if (a.kind == AxisKind::kScan)
      rows_together_ = std::max(1, a.unroll);
    else
      scheduled_tile_ = a.tile;
  }
  Sym others = 1;
  for (const size_t axis : kept_) others = others * shape_[axis];
  const int levels = scans_blocks(c_.plan) ? levels_needed(counts_[0], kBlock, others, c_.holds) : 1;
  while (static_cast<int>(counts_.size()) < levels) counts_.push_back(ceil_div(counts_.back(), kBlock));
}

Index ScanLowering::position(const Index& kept, Sym along) const {
  Index position;
  size_t next = 0;
  for (size_t axis = 0; axis < shape_.size(); ++axis) {
    if (shape_[axis].is_constant(1)) continue;
    position.push_back(axis != axis_ ? kept[next++] : attributes_.reverse ? counts_[0] - 1 - along : along);
  }
  return position;
}
const UOp* ScanLowering::element(size_t scan, const Index& position, const UOp* mask) {
  const Node* source = scans_[scan]->sources[0];
  const UOp* read = c_.values.value(source, node_index(source->shape, position), mask);
  const UOp* value = to_accumulator(arena_, *scans_[scan], read);
  const Scalar identity = accumulator_identity(scans_[scan]->op, *scans_[scan]);
  if (mask == nullptr || (is_read(read) && identity == scalar_from_int(identity.dtype, 0))) return value;  // a masked read is 0
  return arena_.apply(Op::kWhere, value->type.dtype, {mask, value, arena_.constant(identity)});
}
const UOp* ScanLowering::read(size_t scan, const Row& row, Sym index) {
  return arena_.acc(accumulator_dtype(*scans_[scan]), row[scan], index);
}

void ScanLowering::declare(const Row& row, Body& body) {
  for (int a : row) body.push_back(declare_accumulator(arena_, a));
}
void ScanLowering::set(const Row& to, Sym to_index, const Row& from, Sym from_index, Body& body) {
  for (size_t s = 0; s < to.size(); ++s) body.push_back(set_accumulator(arena_, to[s], to_index, read(s, from, from_index)));
}
void ScanLowering::update(const Row& to, const Row& from, Sym index, Body& body) {
  for (size_t s = 0; s < to.size(); ++s) body.push_back(update_accumulator(arena_, to[s], index, read(s, from, index)));
}
Body ScanLowering::stores_of(const Row& results, Sym index, const Index& position, const UOp* mask) {
  for (size_t s = 0; s < scans_.size(); ++s) c_.values.bind(scans_[s], from_accumulator(arena_, *scans_[s], read(s, results, index)));
  return store_outputs(c_, position, mask);
}

std::string ScanLowering::next_name() { return cat("ridx", names_++); }

namespace {

/// If the schedule of a scan along rows has vectors across the rows, returns the largest number of elements of a row for which this variant
/// runs. Returns 0 for other schedules, and if there may be too many elements.
int64_t most_of_short_row(const KernelContext& c) {
  if (!has_row_lanes(c.plan, c.schedule)) return 0;
  const int64_t most = most_elements(iteration_space(c.plan)[static_cast<size_t>(scan_axis(c.plan))], 1, c.holds);
  return most <= kMaxShortAxis ? most : 0;
}

}  // namespace

void lower_scan(KernelContext& context) {
  const Node& scan = *context.plan.scans[0];
  const auto& attributes = scan.as<ScanAttributes>();
  const bool is_tree = attributes.order == ScanOrder::kTree;
  std::vector<Dim> kept;
  for (size_t axis = 0; axis < scan.shape.size(); ++axis)
    if (axis != static_cast<size_t>(attributes.axis) && !scan.shape[axis].is_constant(1)) kept.push_back(scan.shape[axis]);
  const bool is_gpu = context.program.target.gpu() != nullptr;
  std::vector<Loop*> nest;
  Index index;
  const int64_t short_most = most_of_short_row(context);
  if (short_most == 1) return lower_elementwise(context);
  if (is_gpu && !kept.empty()) {  // each thread scans one row or column
    nest.push_back(new_loop(context.arena, "oidx", 0, element_count(kept)));
    index = unflatten(nest[0]->variable, kept);
  } else {
    // In chain order, the indices of the last axis that is not scanned are the columns; lower_chain_scan() makes the loop over them.
    // Short rows are the columns of tiles, too.
    if ((!is_tree || short_most > 0) && !kept.empty()) kept.pop_back();
    for (size_t i = 0; i < kept.size(); ++i) {
      nest.push_back(new_loop(context.arena, cat("oidx", i), 0, kept[i]));
      index.push_back(nest.back()->variable);
    }
  }
  Scanned scanned;
  if (short_most > 0)
    scanned.tiles = lower_short_scan(context, index, short_most), scanned.body = {scanned.tiles};
  else
    scanned = is_tree ? lower_tree_scan(context, index) : lower_chain_scan(context, index);
  Loop* outermost = nest.empty() ? scanned.tiles : nest[0];
  Body body = std::move(scanned.body);
  for (size_t i = nest.size(); i-- > 0;) {
    nest[i]->body = std::move(body);
    body = {nest[i]};
  }
  const std::vector<AxisSchedule>& axes = context.schedule.axes;
  const bool has_threads = std::any_of(axes.begin(), axes.end(), [](const AxisSchedule& a) { return a.kind == AxisKind::kThread; });
  if (has_threads && outermost != nullptr) outermost->loop = LoopKind::kThread;
  context.kernel.body = std::move(body);
}

}  // namespace harp::lower
