#include "lower/transposed_rows.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "lower/block_copy.h"
#include "lower/copied_values.h"
#include "schedule/kernel_structure.h"

namespace harp::lower {

using namespace ir;

namespace {

/// Returns the entries of an index for the axes whose size is not 1.
Index without_ones(const Index& index, const Shape& shape) {
  Index result;
  for (size_t axis = 0; axis < index.size(); ++axis)
    if (!shape[axis].is_constant(1)) result.push_back(index[axis]);
  return result;
}

}  // namespace

TransposedRows::TransposedRows(KernelContext& context, Accumulators& accumulators, int64_t columns, int64_t most, int simd)
    : c_(context),
      arena_(context.arena),
      accumulators_(accumulators),
      shape_((context.plan.scans.empty() ? context.plan.reduces : context.plan.scans)[0]->sources[0]->shape),
      columns_(columns),
      most_(most),
      simd_(simd) {
  const KernelPlan& plan = context.plan;
  const std::vector<int> reduced =
      plan.scans.empty() ? plan.reduces[0]->as<ReduceAttributes>().axes : std::vector<int>{plan.scans[0]->as<ScanAttributes>().axis};
  for (const RowPass& pass : plan.passes) stores_.insert(stores_.end(), pass.row_stores.begin(), pass.row_stores.end());
  for (size_t store = 0; !plan.scans.empty() && store < plan.stores.size(); ++store) stores_.push_back(store);
  for (size_t axis = 0; axis < shape_.size(); ++axis) {
    if (shape_[axis].is_constant(1)) continue;
    if (std::ranges::find(reduced, static_cast<int>(axis)) == reduced.end())
      kept_.push_back(axis);
    else
      along_ = axis;
  }
}

Index TransposedRows::source_index(Sym column, Sym element) const {
  Index index(shape_.size(), Sym(0));
  for (size_t i = 0; i + 1 < kept_.size(); ++i) index[kept_[i]] = tile_.outer[i];
  index[kept_.back()] = tile_.first + column;
  index[along_] = element;
  return index;
}

int TransposedRows::declare(const Node& node, Body& body) {
  const int array = accumulators_.add_array(kept_as(node.dtype), most_ * columns_);
  body.push_back(declare_accumulator(arena_, array));
  return array;
}

void TransposedRows::bind(const Array& array) {
  c_.values.bind(array.node, array.accumulator, [this, shape = array.node->shape](const Index& index) -> std::optional<Sym> {
    const Index at = node_index(shape_, without_ones(index, shape));
    if (!is_in_tile(at)) return std::nullopt;
    return at[along_] * columns_ + at[kept_.back()] - tile_.first;
  });
}

/// Tests whether the tile certainly has the element at this index of the source. Other rows are read, too, if x is added to roll(x, 1,
/// axis=0), for example.
bool TransposedRows::is_in_tile(const Index& at) const {
  for (size_t i = 0; i + 1 < kept_.size(); ++i)
    if (!(at[kept_[i]] == tile_.outer[i])) return false;
  const auto is_below = [](Sym position, Sym size) { return proven_nonnegative(position) && proven_less(position, size); };
  return is_below(at[kept_.back()] - tile_.first, columns_) && is_below(at[along_], shape_[along_]);
}

bool TransposedRows::is_row_value(const Node* node) const {
  const auto is_kept = [&](const RowPass& pass) { return std::ranges::find(pass.row_values, node) != pass.row_values.end(); };
  return std::ranges::any_of(c_.plan.passes, is_kept);
}

/// Returns the loaded arrays, and views of loaded arrays, whose element at the index of the reductions' source a pass uses.
std::vector<const Node*> TransposedRows::loaded_nodes() const {
  std::vector<const Node*> found, stack;
  for (const RowPass& pass : c_.plan.passes) {
    for (const Node* reduce : pass.reduces)
      for (const Node* operand : operands_of(*reduce)) stack.push_back(operand);
    stack.insert(stack.end(), pass.row_values.begin(), pass.row_values.end());
  }
  for (const Node* scan : c_.plan.scans) stack.push_back(scan->sources[0]);
  for (const size_t store : stores_) stack.push_back(c_.plan.stores[store].node);
  std::unordered_set<const Node*> seen;
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (squeezed(node->shape) != squeezed(shape_) || !seen.insert(node).second) continue;
    const Node* array = node;
    while (is_movement(array->op) && !is_loaded(c_.program, c_.plan, array)) array = array->sources[0];
    if (is_loaded(c_.program, c_.plan, array))
      found.push_back(node);
    else if (is_elementwise(node->op))
      stack.insert(stack.end(), node->sources.begin(), node->sources.end());
  }
  return found;
}

void TransposedRows::load(Tile tile, Body& body) {
  tile_ = std::move(tile);
  const Sym count = min(shape_[along_], most_);
  std::vector<Array> copies;
  for (const Node* node : loaded_nodes()) {
    Loop *element = new_loop(arena_, "element", 0, count), *column = new_loop(arena_, "column", 0, tile_.width);
    const Index index = without_ones(source_index(column->variable, element->variable), shape_);
    const UOp* value = c_.values.value(node, node_index(node->shape, index));
    const auto next = static_cast<int>(c_.kernel.accumulators.size());  // the accumulator that declare() adds
    column->body = {set_accumulator(arena_, next, element->variable * columns_ + column->variable, value)};
    Copy* copy = as_block_copy(arena_, element, column);
    if (copy == nullptr || copy->inputs.empty() || !copy->from_row_stride.is_constant(1)) continue;
    if (copy->from_stride.is_constant() && copy->from_stride.constant() <= kMaxStepOfLanes) continue;  // no copy is needed
    copies.push_back({node, declare(*node, body)});
    HARP_ASSERT(copies.back().accumulator == next, "a copy has another accumulator than its statements");
    if (const Sym whole = floor_div(tile_.width, simd_) * simd_; !proven_at_most(columns_, tile_.width)) {
      const UOp* zero = arena_.constant(scalar_from_int(kept_as(node->dtype), 0));
      Loop *row = new_loop(arena_, "element", 0, count), *lane = new_loop(arena_, "column", whole, whole + simd_);
      lane->body = {set_accumulator(arena_, next, row->variable * columns_ + lane->variable, zero)};
      row->body = vector_lanes(lane, simd_);
      body.push_back(new_if(arena_, tile_.width - whole - 1, {row}));
    }
    body.push_back(copy);
  }
  stored_.clear();
  for (const size_t store : stores_) {
    const Node* node = c_.plan.stores[store].node;
    if (!is_row_value(node) && std::ranges::find(stored_, node, &Array::node) == stored_.end())
      stored_.push_back({node, declare(*node, body)});
  }
  for (const Array& copy : copies) bind(copy);
}

void TransposedRows::keep(std::span<const size_t> stores, const Index& index, Body& body) {
  const Index at = without_ones(index, shape_);
  for (const Array& array : stored_) {
    const auto is_here = [&](size_t store) { return c_.plan.stores[store].node == array.node; };
    if (std::ranges::none_of(stores, is_here)) continue;
    const Sym position = index[along_] * columns_ + index[kept_.back()] - tile_.first;
    const UOp* value = c_.values.value(array.node, node_index(array.node->shape, at));
    body.push_back(set_accumulator(arena_, array.accumulator, position, same_bits(arena_, kept_as(array.node->dtype), value)));
  }
}

void TransposedRows::store(Body& body) {
  for (const Array& array : stored_) bind(array);
  for (const size_t store : stores_) {
    Loop *column = new_loop(arena_, "column", 0, tile_.width), *element = new_loop(arena_, "element", 0, min(shape_[along_], most_));
    const Index index = without_ones(source_index(column->variable, element->variable), shape_);
    element->body = store_outputs(c_, {&store, 1}, index);
    column->body = {element};
    // A copy keeps the bits, so that it copies a 16-bit float as the integer that its array has.
    auto* stored = as<Store>(element->body[0]);
    const UOp* value = stored->value;
    if (value->kind == UKind::kAlu && value->op == Op::kBitcast) stored->value = value->sources[0];
    if (Copy* copy = as_block_copy(arena_, column, element)) {
      body.push_back(copy);
    } else {
      stored->value = value;
      body.push_back(column);
    }
  }
  for (const Array& array : stored_) c_.values.release(array.node);
}

bool TransposedRows::load_no_columns(Arena& arena, const Body& statements, Sym column) {
  return std::ranges::none_of(uops_of(arena, statements), [&](const UOp* u) {
    return u->kind == UKind::kGather || u->kind == UKind::kCheck || (u->kind == UKind::kLoad && depends_on(u->index, variable_of(column)));
  });
}

}  // namespace harp::lower
