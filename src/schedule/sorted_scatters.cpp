// scatter_add(x, i, u) becomes
//   key    = the element of the axis that each index selects: negative indices count from the end, others are clamped
//   order  = argsort(key)
//   result = scatter_add(x, take(key, order), take(u, order, axis)), marked as sorted
// The keys are the selected elements and not the indices, because different indices, such as -1 and the last one, may select the same one.
#include "schedule/sorted_scatters.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "graph/view.h"
#include "opt/rewrite.h"
#include "schedule/program.h"

namespace harp {
namespace {

/// The bytes that sorting reads and writes for each index of 4 bytes: 8 to make the key, 12 to sort tiles of 2,176 keys, 20 for each pass
/// that merges sorted pieces in pairs (two positions of 8 bytes and a key), and 16 to take the keys in their order. With eleven passes,
/// which are enough for 4 million indices, that is 256. Without sorting, each group of threads reads the 4 bytes.
constexpr int64_t kSortedBytes = 256;

/// If all elements of a row of updates have the same index, returns the vector of these indices, one for each row; else null.
const Node* row_indices(const Node& scatter) {
  const auto axis = static_cast<size_t>(scatter.as<GatherAttributes>().axis);
  std::vector<const Node*> chain = {scatter.sources[1]};
  while (is_movement(chain.back()->op) && chain.back()->op != Op::kPad) chain.push_back(chain.back()->sources[0]);
  const std::span<const Node* const> nodes = chain;
  for (size_t depth = 1; depth <= nodes.size(); ++depth) {
    const Node* vector = nodes[depth - 1];
    if (vector->rank() != 1 || vector->shape[0] != scatter.sources[1]->shape[axis]) continue;
    const std::optional<View> view = view_through(nodes.first(depth));
    if (!view || view->fill || !view->offset.is_constant(0)) return nullptr;
    for (size_t i = 0; i < view->strides.size(); ++i)
      if (!view->shape[i].is_constant(1) && !view->strides[i].is_constant(i == axis ? 1 : 0)) return nullptr;
    return vector;
  }
  return nullptr;
}

/// A gather moves the updates into the sorted order, so the updates must be stored first. Returns the bytes that are written and read for
/// each row of updates because of that; 0 if the updates would be stored anyway, or if the length of the rows is unknown.
int64_t stored_bytes(const Node& scatter) {
  const Node& updates = *scatter.sources[2];
  const Node* array = &updates;
  while (is_movement(array->op) && array->op != Op::kPad) array = array->sources[0];
  const bool has_buffer = array->op == Op::kInput || array->op == Op::kConstantArray;
  if (has_buffer || is_reduce(array->op) || is_scan(array->op) || stands_alone(*array) || array->rank() == 0) return 0;
  Shape row = updates.shape;
  row[static_cast<size_t>(scatter.as<GatherAttributes>().axis)] = 1;
  const Dim elements = element_count(row);
  return elements.is_constant() ? 2 * static_cast<int64_t>(size_of(updates.dtype)) * elements.constant() : 0;
}

bool pays(const Node& scatter, const FusionLimits& limits) {
  if (limits.sorted_updates == 0 || scatter.op != Op::kScatterAdd || !is_float(scatter.dtype)) return false;
  const Node& indices = *scatter.sources[1];
  if (indices.dtype != DType::kI32 && indices.dtype != DType::kI64) return false;
  const auto axis = static_cast<size_t>(scatter.as<GatherAttributes>().axis);
  if (range(indices.shape[axis]).hi < limits.sorted_updates) return false;
  const Shape rows(scatter.shape.begin(), scatter.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
  const int64_t groups = std::min(kScatterGroups, range(element_count(rows)).hi);
  return groups * static_cast<int64_t>(size_of(DType::kI32)) > kSortedBytes + stored_bytes(scatter);
}

/// Builds the nodes that replace one scatter_add by a scatter_add with sorted updates.
class SortedScatter {
 public:
  SortedScatter(Graph& graph, const Node& scatter, const Node& indices)
      : graph_(graph),
        scatter_(scatter),
        axis_(scatter.as<GatherAttributes>().axis),
        length_(scatter.shape[static_cast<size_t>(axis_)]),
        vector_(indices.shape),
        dtype_(indices.dtype == DType::kI32 && proven_at_most(length_, INT32_MAX) ? DType::kI32 : DType::kI64),
        key_(key(&indices)) {}

  const Node* run() {
    const Node* order = graph_.intern(Op::kArgSort, DType::kI64, vector_, {key_});
    const Node* sorted = graph_.intern(Op::kGather, dtype_, vector_, {key_, order}, GatherAttributes{0});
    const Node* updates = scatter_.sources[2];
    const Node* moved = graph_.intern(Op::kGather, updates->dtype, updates->shape, {updates, in_rows(order)}, GatherAttributes{axis_});
    return graph_.intern(scatter_.op, scatter_.dtype, scatter_.shape, {scatter_.sources[0], in_rows(sorted), moved},
                         GatherAttributes{axis_, true});
  }

 private:
  const Node* constant(int64_t value) {
    return graph_.intern(Op::kConstant, dtype_, {}, {}, ConstantAttributes{scalar_from_int(dtype_, value)});
  }
  const Node* elementwise(Op op, std::vector<const Node*> sources) {
    const bool is_scalar = std::ranges::all_of(sources, [](const Node* source) { return source->rank() == 0; });
    return graph_.intern(op, dtype_, is_scalar ? Shape() : vector_, std::move(sources));
  }
  const Node* cast(const Node* node) { return node->dtype == dtype_ ? node : graph_.intern(Op::kCast, dtype_, node->shape, {node}); }
  const Node* size(Dim value) {
    if (value.is_constant()) return constant(value.constant());
    return cast(graph_.intern(Op::kSize, DType::kI64, {}, {}, SizeAttributes{value}));
  }

  const Node* key(const Node* indices) {
    const Node *index = cast(indices), *zero = constant(0), *length = size(length_);
    const Node* is_negative = graph_.intern(Op::kLt, DType::kBool, vector_, {index, zero});
    const Node* from_begin = elementwise(Op::kWhere, {is_negative, elementwise(Op::kAdd, {index, length}), index});
    return elementwise(Op::kMin, {elementwise(Op::kMax, {from_begin, zero}), elementwise(Op::kAdd, {length, constant(-1)})});
  }

  /// Repeats the elements of a vector, one for each row of updates, along the other axes of the updates.
  const Node* in_rows(const Node* vector) {
    const Shape& shape = scatter_.sources[2]->shape;
    Shape ones(shape.size(), Dim(1));
    ones[static_cast<size_t>(axis_)] = vector_[0];
    if (ones != vector->shape) vector = graph_.intern(Op::kReshape, vector->dtype, ones, {vector});
    return ones == shape ? vector : graph_.intern(Op::kExpand, vector->dtype, shape, {vector});
  }

  Graph& graph_;
  const Node& scatter_;
  const int axis_;
  const Dim length_;
  const Shape vector_;  // the shape of a vector with an element for each row of updates
  const DType dtype_;   // of the keys
  const Node* key_;
};

}  // namespace

std::shared_ptr<Graph> sort_updates(std::shared_ptr<Graph> whole, const FusionLimits& limits) {
  const Graph& graph = *whole;
  const std::vector<const Node*> live = graph.live_nodes();
  const auto is_sorted = [&](const Node* node) { return pays(*node, limits) && row_indices(*node) != nullptr; };
  if (limits.sorted_updates == 0 || std::ranges::none_of(live, is_sorted)) return whole;
  auto result = opt::without_nodes(graph);
  opt::rewrite_nodes(graph, live, *result, [&](const Node* node, const Node* copy) {
    return is_sorted(node) ? SortedScatter(*result, *copy, *row_indices(*copy)).run() : copy;
  });
  return result;
}

}  // namespace harp
