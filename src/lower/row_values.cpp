#include "lower/row_values.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/integers.h"
#include "schedule/kernel_structure.h"

namespace harp::lower {

using namespace ir;

namespace {

// Limits for values in the registers of a GPU thread. The more registers a thread uses, the fewer threads can run at the same time; and
// values that do not fit in registers go to memory.
constexpr int64_t kMaxRegisterBytes = 256;  // maximum number of bytes of kept values in registers
// Maximum number of steps of a loop over a row. The loop must be unrolled, because registers cannot be indexed by a variable.
constexpr int64_t kMaxSteps = 16;

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
  // With double buffering (alternate_along()), adds other_row_ if the index along that axis is even. The + 1 keeps the operand of mod
  // nonnegative for the index -1, which stands for the row before the first one.
  if (alternating_) position = position + mod(index[*alternating_] + 1, 2) * other_row_;
  return tile ? position * tile->columns + index[tile->axis] - tile->start : position;
}

void RowValues::share_among(Group group) {
  group_ = group;
  Dim elements = 1;
  for (size_t axis : axes_) elements *= source_.shape[axis];
  // If the reduced axes are not adjacent, lane 0 starts again at each index of the outer reduced axes, so position_of() would assign
  // elements to the wrong threads. The schedule then keeps no values (may_use_groups), and arrays are loaded again in each pass.
  if (!elements.is_constant() || !lane_axes(*c_.plan.reduces[0]).outer.empty()) return;
  const int64_t steps = ceil_div(elements.constant(), group.threads * group.elements), own = steps * group.elements;
  // Bytes for each element of the row: of all row values; of all arrays that are kept because several passes load them; and of arrays of
  // f16 and bf16 that several passes load, which only the compiler keeps.
  size_t kept = 0, loaded = 0, halves = 0;
  for (const RowPass& pass : c_.plan.passes)
    for (const Node* node : pass.row_values) kept += size_of(node->dtype);
  loaded_ = loaded_again();
  for (const Loaded& array : loaded_) (is_half(array.node->dtype) ? halves : loaded) += size_of(array.node->dtype);
  std::erase_if(loaded_, [](const Loaded& array) { return is_half(array.node->dtype); });
  const auto fit = [&](size_t bytes) { return own > 0 && steps <= kMaxSteps && own * static_cast<int64_t>(bytes) <= kMaxRegisterBytes; };
  const size_t all = kept + loaded + halves;
  if (!fit(all)) loaded_.clear(), loaded = halves = 0;
  is_too_long_ = all > 0 && !fit(kept + loaded + halves);
  if (is_too_long_) return;
  if (kept + loaded > 0) own_elements_ = own;
  register_bytes_ = own * static_cast<int64_t>(kept + loaded + halves);
  // More registers are needed for the conditions of the last step, if the row is no multiple of the lanes, and for conversions.
  if (elements.constant() % (group.threads * group.elements) != 0 || halves > 0)
    register_bytes_ += group.elements * static_cast<int64_t>(all);
}

std::vector<RowValues::Loaded> RowValues::loaded_again() const {
  std::vector<Loaded> found;
  std::unordered_map<const Node*, size_t> passes;  // for each array, the number of passes that load it
  // elsewhere: arrays of which a pass loads elements other than the current one. kept: nodes whose values earlier passes keep.
  std::unordered_set<const Node*> elsewhere, kept;
  for (const RowPass& pass : c_.plan.passes) {
    // Nodes to visit. The flag says whether the node is used through a view, that is, at another element than the current one.
    std::vector<std::pair<const Node*, bool>> stack;
    const auto push = [&](const Node* node, bool is_moved) { stack.emplace_back(node, is_moved); };
    for (const Node* reduce : pass.reduces)
      for (const Node* operand : operands_of(*reduce)) push(operand, false);
    for (const Node* node : pass.row_values) push(node, false);
    for (const size_t store : pass.row_stores) push(c_.plan.stores[store].node, false);
    std::set<std::pair<const Node*, bool>> seen;
    while (!stack.empty()) {
      const auto [node, is_moved] = stack.back();
      stack.pop_back();
      if (!seen.emplace(node, is_moved).second || is_reduce(node->op) || kept.contains(node)) continue;
      if (!is_loaded(c_.program, c_.plan, node)) {
        for (const Node* source : node->sources) push(source, is_moved || !is_elementwise(node->op));
      } else if (is_moved || squeezed(node->shape) != squeezed(source_.shape) || is_bool(node->dtype)) {
        elsewhere.insert(node);
      } else if (++passes[node] == 1) {
        found.push_back({node, &pass});
      }
    }
    kept.insert(pass.row_values.begin(), pass.row_values.end());
  }
  std::erase_if(found, [&](const Loaded& array) { return passes[array.node] < 2 || elsewhere.contains(array.node); });
  return found;
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
  int64_t count = std::max<int64_t>(most_elements(elements, 1, c_.holds), 1) * (tile ? tile->columns : 1);
  // The code for the remainder of a row reads all lanes, so the array is padded to a multiple of kLanes; the padding has undefined values,
  // which are not used. If the length of the row is unknown, there is padding even if no remainder exists.
  count = elements.is_constant() ? ceil_div(count, kLanes) * kLanes : (count / kLanes + 1) * kLanes;
  if (alternating_) {
    other_row_ = count;
    count = 2 * other_row_;
  }
  const auto add = [&](const Node* node) {
    if (group_)
      c_.kernel.accumulators.push_back(array_of_group(node->dtype, count));
    else
      accumulators.add_row(*node, count);
    kept_.emplace_back(node, static_cast<int>(c_.kernel.accumulators.size()) - 1);
    body.push_back(declare_accumulator(c_.arena, kept_.back().second));
  };
  for (const RowPass& pass : c_.plan.passes)
    for (const Node* node : pass.row_values) add(node);
  for (const Loaded& array : loaded_) add(array.node);
}

std::vector<std::pair<const Node*, int>> RowValues::kept_by(const RowPass& pass) const {
  std::vector<std::pair<const Node*, int>> result;
  const auto is_kept = [&](const Node* node) {
    return std::ranges::find(pass.row_values, node) != pass.row_values.end() ||
           std::ranges::any_of(loaded_, [&](const Loaded& array) { return array.node == node && array.first == &pass; });
  };
  for (const auto& kept : kept_)
    if (is_kept(kept.first)) result.push_back(kept);
  return result;
}

void RowValues::keep(const RowPass& pass, const Index& index, Body& body, const UOp* mask) {
  for (const auto& [node, accumulator] : kept_by(pass)) {
    const UOp* value = c_.values.value(node, node_index(node->shape, squeezed_index(index)), mask);
    body.push_back(set_accumulator(c_.arena, accumulator, position_of(index, tile_), value));
  }
}

void RowValues::bind(const RowPass& pass) {
  for (const auto& [node, accumulator] : kept_by(pass))
    c_.values.bind(node, accumulator, [this, shape = node->shape, tile = tile_](const Index& index) {
      // The index without axes of size 1, because the shapes of the node and the source may have such axes at different positions.
      Index position;
      for (size_t axis = 0; axis < index.size(); ++axis)
        if (!shape[axis].is_constant(1)) position.push_back(index[axis]);
      return position_of(node_index(source_.shape, position), tile);
    });
}

void RowValues::release() {
  for (const auto& [node, accumulator] : kept_) c_.values.release(node);
}

}  // namespace harp::lower
