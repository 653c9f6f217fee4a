#include "lower/row_values.h"

#include <algorithm>

#include "base/integers.h"

namespace harp::lower {

using namespace ir;

namespace {

// Registers of a thread of a GPU. With more, fewer threads run at the same time, and what does not fit is in memory after all.
constexpr int64_t kMaxRegisterBytes = 256;  // of kept values
constexpr int64_t kMaxSteps = 16;           // of a loop over a row, which is unrolled

}  // namespace

RowValues::RowValues(KernelContext& context) : c_(context), source_(*context.plan.reduces[0]->sources[0]) {
  const auto& reduced = context.plan.reduces[0]->as<ReduceAttributes>().axes;
  for (size_t axis = 0; axis < source_.shape.size(); ++axis)
    if (std::find(reduced.begin(), reduced.end(), static_cast<int>(axis)) != reduced.end()) axes_.push_back(axis);
}

Index RowValues::squeezed_index(const Index& index) const {
  Index result;
  for (size_t axis = 0; axis < index.size(); ++axis)
    if (!source_.shape[axis].is_constant(1)) result.push_back(index[axis]);
  return result;
}

Sym RowValues::position_of(const Index& index, const std::optional<Tile>& tile) const {
  Sym position = 0;
  for (size_t axis : axes_) position = position * source_.shape[axis] + index[axis];
  if (are_in_registers()) {
    const int64_t lanes = group_->threads * group_->elements;
    const Sym lane = mod(position, lanes), step = floor_div(position, lanes);
    return floor_div(lane, group_->elements) * own_elements_ + step * group_->elements + mod(lane, group_->elements);
  }
  // + 1 keeps this nonnegative for the row before the first
  if (alternating_) position = position + mod(index[*alternating_] + 1, 2) * other_row_;
  return tile ? position * tile->columns + index[tile->axis] - tile->start : position;
}

void RowValues::share_among(Group group) {
  group_ = group;
  Dim elements = 1;
  size_t bytes = 0;  // of the values kept for one element
  for (size_t axis : axes_) elements *= source_.shape[axis];
  for (const RowPass& pass : c_.plan.passes)
    for (const Node* node : pass.row_values) bytes += size_of(node->dtype);
  if (bytes == 0 || !elements.is_constant()) return;
  const int64_t own = ceil_div(elements.constant(), group.threads * group.elements) * group.elements;
  const int64_t steps = own / group.elements;
  if (own > 0 && steps <= kMaxSteps && own * static_cast<int64_t>(bytes) <= kMaxRegisterBytes) own_elements_ = own;
}

ir::Accumulator RowValues::array_of_group(DType dtype, int64_t count) const {
  ir::Accumulator array{.type = {dtype, 1}, .count = count, .init = scalar_from_int(dtype, 0), .space = Space::kShared, .is_row = true};
  if (are_in_registers()) array.count = own_elements_ * group_->threads, array.space = Space::kRegister, array.spread = own_elements_;
  return array;
}

void RowValues::declare(Accumulators& accumulators, std::optional<Tile> tile, Body& body) {
  tile_ = tile;
  kept_.clear();
  Dim elements = 1;
  for (size_t axis : axes_) elements *= source_.shape[axis];
  int64_t count = std::max<int64_t>(range(elements).hi, 1) * (tile ? tile->columns : 1);
  // The remainder of a row is read as whole lanes, whatever the padding holds. Rows of unknown length need the padding even if the
  // remainder is empty.
  count = elements.is_constant() ? ceil_div(count, kLanes) * kLanes : (count / kLanes + 1) * kLanes;
  if (alternating_) {
    other_row_ = count;
    count = 2 * other_row_;
  }
  for (const RowPass& pass : c_.plan.passes)
    for (const Node* node : pass.row_values) {
      if (group_)
        c_.kernel.accumulators.push_back(array_of_group(node->dtype, count));
      else
        accumulators.add_row(*node, count);
      kept_.emplace_back(node, static_cast<int>(c_.kernel.accumulators.size()) - 1);
      body.push_back(declare_accumulator(c_.arena, kept_.back().second));
    }
}

std::vector<std::pair<const Node*, int>> RowValues::kept_by(const RowPass& pass) const {
  std::vector<std::pair<const Node*, int>> result;
  for (const auto& kept : kept_)
    if (std::find(pass.row_values.begin(), pass.row_values.end(), kept.first) != pass.row_values.end()) result.push_back(kept);
  return result;
}

void RowValues::keep(const RowPass& pass, const Index& index, Body& body) {
  for (const auto& [node, accumulator] : kept_by(pass)) {
    const UOp* value = c_.values.value(node, node_index(node->shape, squeezed_index(index)));
    body.push_back(set_accumulator(c_.arena, accumulator, position_of(index, tile_), value));
  }
}

void RowValues::bind(const RowPass& pass) {
  for (const auto& [node, accumulator] : kept_by(pass))
    c_.values.bind(node, accumulator, [this, shape = node->shape, tile = tile_](const Index& index) {
      Index position;  // the node has the same axes as the source, but different ones may have size 1
      for (size_t axis = 0; axis < index.size(); ++axis)
        if (!shape[axis].is_constant(1)) position.push_back(index[axis]);
      return position_of(node_index(source_.shape, position), tile);
    });
}

}  // namespace harp::lower
