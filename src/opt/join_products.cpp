#include "opt/join_products.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/visits.h"
#include "graph/repeated.h"
#include "opt/rewrite.h"

namespace harp::opt {
namespace {

/// Products with at least this many rows are not joined: their arithmetic takes longer than reading the other array.
constexpr int64_t kManyRows = 16;
/// The largest number of movement nodes between a slice and the product.
constexpr int kMostViews = 4;

/// A sum of products whose one factor is made by `views` (in order from the product to the slice) from a slice of an array. The slice has
/// one element along `axis`, at `start`.
struct SlicedProduct {
  const Node* sum;
  size_t factor;  // the number of the slice's factor: 0 or 1
  std::vector<const Node*> views;
  const Node* slice;
  size_t axis;
  int64_t start;

  const Node* array() const { return slice->sources[0]; }
  const Node* product() const { return sum->sources[0]; }
  const Node* other() const { return product()->sources[1 - factor]; }
};

/// Returns the axis along which the slice takes one of several elements, at a constant position.
std::optional<size_t> axis_of_one(const Node& slice) {
  const auto& start = slice.as<SliceAttributes>().start;
  for (size_t axis = 0; axis < start.size(); ++axis)
    if (slice.shape[axis].is_constant(1) && !slice.sources[0]->shape[axis].is_constant(1) && start[axis].is_constant()) return axis;
  return std::nullopt;
}

/// Tests whether the product certainly has many rows: elements of the result that multiply the same elements of the other factor.
bool has_many_rows(const Node& sum, const Node* other) {
  const std::vector<int>& summed = sum.as<ReduceAttributes>().axes;
  int64_t rows = 1;
  for (int axis = 0; axis < other->rank(); ++axis)
    if (std::ranges::find(summed, axis) == summed.end() && build::is_repeated_along(other, axis))
      rows *= std::clamp<int64_t>(range(other->shape[static_cast<size_t>(axis)]).lo, 1, kManyRows);
  return rows >= kManyRows;
}

std::optional<SlicedProduct> sliced_product(const Node* sum) {
  if (sum->op != Op::kSum || !sums_products(*sum) || sum->as<ReduceAttributes>().order != ReduceOrder::kChain) return std::nullopt;
  const Node* product = sum->sources[0];
  const auto is_array = [&](const Node* factor) { return factor->shape == product->shape; };  // not one number
  if (product->rank() == kMaxRank || !std::ranges::all_of(product->sources, is_array)) return std::nullopt;
  for (size_t factor = 0; factor < 2; ++factor) {
    SlicedProduct found{sum, factor, {}, product->sources[factor], 0, 0};
    const auto is_view = [](const Node* node) { return node->op == Op::kExpand || node->op == Op::kReshape || node->op == Op::kPermute; };
    for (; is_view(found.slice) && found.views.size() < kMostViews; found.slice = found.slice->sources[0])
      found.views.push_back(found.slice);
    // each view gets one more axis
    const auto has_all_axes = [](const Node* node) { return node->rank() == kMaxRank; };
    if (found.slice->op != Op::kSlice || has_all_axes(found.slice) || std::ranges::any_of(found.views, has_all_axes) ||
        has_many_rows(*sum, found.other()))
      continue;
    const std::optional<size_t> axis = axis_of_one(*found.slice);
    if (!axis) continue;
    found.axis = *axis;
    found.start = found.slice->as<SliceAttributes>().start[*axis].constant();
    return found;
  }
  return std::nullopt;
}

/// Tests whether the products differ only in where their slices begin along the axis.
bool are_alike(const SlicedProduct& a, const SlicedProduct& b) {
  const auto are_same = [](const Node* x, const Node* y) {
    return x->op == y->op && x->shape == y->shape && x->attributes == y->attributes;
  };
  if (a.factor != b.factor || a.axis != b.axis || a.array() != b.array() || a.other() != b.other() || !are_same(a.sum, b.sum) ||
      !(a.slice->shape == b.slice->shape) || !std::ranges::equal(a.views, b.views, are_same))
    return false;
  const auto &x = a.slice->as<SliceAttributes>(), &y = b.slice->as<SliceAttributes>();
  for (size_t axis = 0; axis < x.start.size(); ++axis)
    if (axis != a.axis && (!(x.start[axis] == y.start[axis]) || x.step[axis] != y.step[axis])) return false;
  return true;
}

Shape with_first(int64_t size, const Shape& shape) {
  Shape result = {Dim(size)};
  result.insert(result.end(), shape.begin(), shape.end());
  return result;
}

/// Products that are alike, in the order of their slices, which follow each other without gaps.
class JoinedProducts {
 public:
  explicit JoinedProducts(std::vector<SlicedProduct> members) : members_(std::move(members)) {}

  /// Returns the sum of the member, taken from the joined product. `copy` is the member's sum in the new graph.
  const Node* part(Graph& graph, const Node* sum, const Node* copy) {
    if (joined_ == nullptr) joined_ = joined(graph, copy);
    const auto member = std::ranges::find(members_, sum, &SlicedProduct::sum);
    SliceAttributes slice{std::vector<Dim>(joined_->shape.size(), Dim(0)), std::vector<int64_t>(joined_->shape.size(), 1)};
    slice.start[0] = Dim(member - members_.begin());
    const Node* taken = graph.intern(Op::kSlice, sum->dtype, with_first(1, sum->shape), {joined_}, std::move(slice));
    return graph.intern(Op::kReshape, sum->dtype, sum->shape, {taken});
  }

 private:
  /// Returns the product of all members, with a new first axis, for the member whose sum in the new graph is `copy`.
  const Node* joined(Graph& graph, const Node* copy) const {
    const SlicedProduct& of = members_[0];
    const auto count = static_cast<int64_t>(members_.size());
    const Node *product = copy->sources[0], *slice = product->sources[of.factor];
    std::vector<const Node*> views;
    for (size_t i = 0; i < of.views.size(); ++i, slice = slice->sources[0]) views.push_back(slice);
    std::vector<const Node*> factors = {nullptr, nullptr};
    factors[of.factor] = sliced(graph, slice->sources[0]);
    for (; !views.empty(); views.pop_back()) factors[of.factor] = above(graph, views.back(), factors[of.factor]);
    const Node* other = product->sources[1 - of.factor];
    const Node* once = graph.intern(Op::kReshape, other->dtype, with_first(1, other->shape), {other});
    factors[1 - of.factor] = graph.intern(Op::kExpand, other->dtype, with_first(count, other->shape), {once});
    product = graph.intern(Op::kMul, product->dtype, with_first(count, product->shape), std::move(factors));
    auto reduce = copy->as<ReduceAttributes>();
    for (int& axis : reduce.axes) ++axis;
    return graph.intern(Op::kSum, copy->dtype, with_first(count, copy->shape), {product}, std::move(reduce));
  }

  /// Returns the slices of all members as one array, whose first axis is the number of the member.
  const Node* sliced(Graph& graph, const Node* array) const {
    const SlicedProduct& of = members_[0];
    SliceAttributes slice = of.slice->as<SliceAttributes>();
    Shape shape = of.slice->shape;
    slice.step[of.axis] = 1;
    shape[of.axis] = static_cast<int64_t>(members_.size());
    const Node* taken = graph.intern(Op::kSlice, array->dtype, shape, {array}, std::move(slice));
    PermuteAttributes first{{static_cast<int>(of.axis)}};
    Shape permuted = {shape[of.axis]};
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (axis == of.axis) continue;
      first.axes.push_back(static_cast<int>(axis));
      permuted.push_back(shape[axis]);
    }
    if (of.axis != 0) taken = graph.intern(Op::kPermute, array->dtype, std::move(permuted), {taken}, std::move(first));
    return graph.intern(Op::kReshape, array->dtype, with_first(static_cast<int64_t>(members_.size()), of.slice->shape), {taken});
  }

  /// Returns the movement node `view` over `source`, which has one more axis, the first one.
  const Node* above(Graph& graph, const Node* view, const Node* source) const {
    auto attributes = view->attributes;
    if (view->op == Op::kPermute) {
      PermuteAttributes permute{{0}};
      for (const int axis : view->as<PermuteAttributes>().axes) permute.axes.push_back(axis + 1);
      attributes = std::move(permute);
    }
    return graph.intern(view->op, view->dtype, with_first(static_cast<int64_t>(members_.size()), view->shape), {source},
                        std::move(attributes));
  }

  std::vector<SlicedProduct> members_;
  const Node* joined_ = nullptr;  // a node of the new graph
};

/// Returns the groups of products that are joined.
std::vector<std::vector<SlicedProduct>> groups_of(std::span<const Node* const> live) {
  // Products with the same array and the same other factor, as lists of products that are alike.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<std::vector<SlicedProduct>>> found;
  for (const Node* node : live) {
    const std::optional<SlicedProduct> product = sliced_product(node);
    if (!product) continue;
    auto& lists = found[{product->array()->id, product->other()->id}];
    const auto list = std::ranges::find_if(lists, [&](const auto& of) { return are_alike(of[0], *product); });
    if (list == lists.end())
      lists.push_back({*product});
    else
      list->push_back(*product);
  }
  std::vector<std::vector<SlicedProduct>> groups;
  for (auto& [arrays, lists] : found)
    for (auto& list : lists) {
      std::ranges::sort(list, {}, &SlicedProduct::start);
      const auto is_next = [](const SlicedProduct& a, const SlicedProduct& b) { return b.start == a.start + 1; };
      if (list.size() > 1 && std::ranges::adjacent_find(list, std::not_fn(is_next)) == list.end()) groups.push_back(std::move(list));
    }
  return groups;
}

}  // namespace

bool may_join_products(const Node& node) { return sliced_product(&node).has_value(); }

std::unique_ptr<Graph> join_products(const Graph& graph) {
  auto result = without_nodes(graph);
  const std::vector<const Node*> live = graph.live_nodes();
  count_visits(graph.dims(), graph.nodes().size());
  std::vector<JoinedProducts> joined;
  std::unordered_map<const Node*, size_t> group_of;  // the sum of a member: the number of its group
  for (const std::vector<SlicedProduct>& members : groups_of(live)) {
    for (const SlicedProduct& member : members) group_of.emplace(member.sum, joined.size());
    joined.emplace_back(members);
  }
  rewrite_nodes(graph, live, *result, [&](const Node* node, const Node* copy) {
    const auto found = group_of.find(node);
    return found == group_of.end() ? copy : joined[found->second].part(*result, node, copy);
  });
  return result;
}

}  // namespace harp::opt
