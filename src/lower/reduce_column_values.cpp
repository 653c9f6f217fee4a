// Column values of reductions in chain order: values that are computed from the results of the passes so far, one for each column, and that
// later passes use for each element, for example 1 / sqrt(variance). If the results of all columns are in registers, the compiler computes
// such a value once. The results of more columns are in memory, and the value would be computed again for each element, so it is kept in an
// array here.
#include <algorithm>
#include <unordered_set>

#include "lower/reduce_lowering.h"

namespace harp::lower {

using namespace ir;

namespace {

// The least cost of what is kept, that of a division in the units of ops.def. What costs less is computed again as fast as it is loaded.
constexpr int64_t kLeastCost = 5;

}  // namespace

bool ReduceLowering::is_column_value(const Node* value) const {
  const auto is_complete = [&](const Node* reduce) {
    return std::ranges::any_of(
        results_, [&](const Results& done) { return std::ranges::find(done.pass->reduces, reduce) != done.pass->reduces.end(); });
  };
  if (!is_float(value->dtype) || is_half(value->dtype) || squeezed(value->shape) != squeezed(first_.shape)) return false;
  int64_t cost = 0;
  bool has_result = false;
  std::unordered_set<const Node*> seen;
  std::vector<const Node*> stack = {value};
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (!seen.insert(node).second || is_loaded(c_.program, c_.plan, node)) continue;
    if (is_reduce(node->op)) {
      if (!is_complete(node)) return false;
      has_result = true;
      continue;
    }
    cost += info(node->op).cost;
    stack.insert(stack.end(), node->sources.begin(), node->sources.end());
  }
  return has_result && cost >= kLeastCost;
}

void ReduceLowering::keep_column_values(const Tile& tile, Body& body) {
  const bool is_last = pass_ + 1 == c_.plan.passes.data() + c_.plan.passes.size();
  if (is_last || c_.program.target.gpu() != nullptr || kept_.empty() || in_registers(columns_read(tile), simd_width_)) return;
  const Dim elements = element_count(first_.sources[0]->shape);
  for (const Node* expanded : computed_nodes(c_.program, c_.plan)) {
    if (expanded->op != Op::kExpand || element_count(expanded->shape) != elements) continue;
    const Node* value = expanded->sources[0];
    while (is_movement(value->op)) value = value->sources[0];
    if (std::ranges::find(column_values_, value) != column_values_.end() || !is_column_value(value)) continue;
    column_values_.push_back(value);
    const int kept = accumulators_.add_array(value->dtype, tile.capacity);
    body.push_back(declare_accumulator(arena_, kept));
    Loop* columns = new_loop(arena_, "column", 0, tile.width);
    bind_results(columns->variable);
    // The axes of the value are those that the reductions keep, and axes of size 1.
    const Index kept_index = kept_at(tile, columns->variable);
    Index index(value->shape.size(), Sym(0));
    size_t next = 0, last = 0;
    for (size_t axis = 0; axis < index.size(); ++axis)
      if (!value->shape[axis].is_constant(1)) index[last = axis] = kept_index[next++];
    columns->body = {set_accumulator(arena_, kept, columns->variable, c_.values.value(value, index))};
    for (Stmt* s : columns_of_results(columns)) body.push_back(s);
    c_.values.bind(value, kept, [last, start = tile.start](const Index& at) { return at[last] - start; });
  }
}

void ReduceLowering::release_column_values() {
  for (const Node* value : column_values_) c_.values.release(value);
  column_values_.clear();
}

}  // namespace harp::lower
