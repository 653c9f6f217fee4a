#include "schedule/product_axes.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <ranges>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/view.h"
#include "opt/rewrite.h"
#include "schedule/contraction.h"
#include "schedule/contraction_blocks.h"
#include "schedule/program.h"
#include "schedule/reshaped_axes.h"

namespace harp {
namespace {

// With at least this many rows or columns, a last tile that is only partly filled costs little.
constexpr int64_t kManyColumns = 128;
// With at least this many rows, the last tile of rows may be partly filled, and packing the columns' factor B again costs little.
constexpr int64_t kManyRows = 32;
// With at least this many rows, copying the columns' factor B costs little compared with the product.
constexpr int64_t kRowsOfStored = 16;
// For the gradient of a convolution's weights: with fewer channels than this, each element of the filters' factor is used so rarely that
// packing it again for each element of the convolution kernel would take longer than the products.
constexpr int64_t kFewChannels = 16;

/// A product and the views through which it is used. `node` is the product itself, or the last of a chain of views of it (permutes and
/// reshapes, each with a single user).
struct Use {
  const Node* node;
  // The kept axes of the product (those that are not summed), without axes of size 1, in the order of the axes of `node`.
  std::vector<size_t> order;
};

/// A product with other axes.
struct Candidate {
  const Node* product = nullptr;
  std::vector<size_t> order = {};  // the kept axes of the original product in the order of the axes of `product`
  Dim rows = 0, columns = 0;
};

std::vector<size_t> kept_axes(const Node& sum) {
  const auto& attributes = sum.as<ReduceAttributes>();
  const Shape& shape = sum.sources[0]->shape;
  std::vector<size_t> kept;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (!shape[axis].is_constant(1) && std::ranges::find(attributes.axes, static_cast<int>(axis)) == attributes.axes.end())
      kept.push_back(axis);
  return kept;
}

/// Translates an order of axes from a node's source to the node. `order` lists the axes of a product in the order of the axes of the node's
/// source. Returns these axes in the order of the node's own axes; nothing if the node does more than permute axes, or add or remove axes
/// of size 1.
std::optional<std::vector<size_t>> permuted(const Node& node, const std::vector<size_t>& order) {
  if (node.op == Op::kReshape && squeezed(node.shape) == squeezed(node.sources[0]->shape)) return order;
  if (node.op != Op::kPermute) return std::nullopt;
  const Shape& from = node.sources[0]->shape;
  // rank[axis]: the index of source axis `axis` among the source axes whose size is not 1
  std::vector<size_t> rank(from.size()), result;
  for (size_t axis = 0, next = 0; axis < from.size(); ++axis) rank[axis] = from[axis].is_constant(1) ? next : next++;
  for (const int axis : node.as<PermuteAttributes>().axes)
    if (!from[static_cast<size_t>(axis)].is_constant(1)) result.push_back(order[rank[static_cast<size_t>(axis)]]);
  return result;
}

/// Tests whether the axis of the factor runs over the elements within a window (overlapping views, Unfold ops), as the kernel axes of a
/// convolution do.
bool is_kernel_axis(const Node* factor, size_t axis) {
  for (const Node* node = factor; is_movement(node->op) && node->op != Op::kPad; node = node->sources[0]) {
    if (node->op == Op::kPermute) {
      axis = static_cast<size_t>(node->as<PermuteAttributes>().axes[axis]);
    } else if (node->op == Op::kReshape) {
      const std::optional<std::vector<size_t>> joined = joined_axes(*node, axis);
      if (!joined || joined->size() != 1) return false;
      axis = (*joined)[0];
    } else if (node->op == Op::kUnfold && axis + 1 == node->shape.size()) {
      return true;
    }
  }
  return false;
}

class ProductAxes {
 public:
  ProductAxes(const Graph& graph, Graph& result, const FusionLimits& limits)
      : result_(result), limits_(limits), users_(graph.nodes().size()), replacements_(graph.nodes().size(), nullptr) {
    for (const Node* node : graph.live_nodes())
      for (const Node* source : node->sources) users_[source->id].push_back(node);
    for (const GraphOutput& output : graph.outputs()) users_[output.node->id].push_back(nullptr);
  }

  /// Returns the node of the new graph that replaces `node` of the old graph. `copy` is the unchanged copy of `node` in the new graph.
  const Node* replace(const Node* node, const Node* copy) {
    if (const Node* known = replacements_[node->id]) return known;
    if (is_elementwise(node->op)) return merged_elementwise(copy);
    if (!sums_products(*node)) return copy;
    if (const Node* result = with_joined_kernel(*copy)) return result;
    if (const Node* result = reordered(*copy)) return result;
    const Use use = use_of(node);
    const Node* result = merged(*copy, use);
    if (result == nullptr) {
      const Node* rows = with_joined_rows(*copy);
      // A reduction along the columns of the result, as in a softmax, is one kernel with the elementwise operations around it only if all
      // of them keep their axes.
      if (rows != nullptr && is_reduced_later(node)) merged_.erase(rows);
      return rows != nullptr ? rows : copy;
    }
    replacements_[use.node->id] = result;
    return use.node == node ? result : copy;
  }

 private:
  Use use_of(const Node* sum) const {
    Use use{sum, kept_axes(*sum)};
    while (users_[use.node->id].size() == 1) {
      const Node* user = users_[use.node->id][0];
      const std::optional<std::vector<size_t>> order = user != nullptr ? permuted(*user, use.order) : std::nullopt;
      if (!order) break;
      use = {user, *order};
    }
    return use;
  }

  /// Returns the product with its last two axes merged into one, reshaped to the shape of its use; null if they cannot be merged, or if
  /// merging does not pay.
  const Node* merged(const Node& sum, const Use& use) {
    const std::vector<size_t>& order = use.order;
    if (order.size() < 3 || order.back() != kept_axes(sum).back()) return nullptr;
    if (proven_at_most(kManyColumns, sum.sources[0]->shape[order.back()])) return nullptr;
    const std::optional<Contraction> contraction = as_contraction(sum);
    if (!contraction || array_below_windows(contraction->row_factor) != nullptr ||
        array_below_windows(contraction->column_factor) != nullptr)
      return nullptr;
    const Node* result = with_axes(sum, order, 2);
    if (result == nullptr && proven_at_most(kRowsOfStored, row_count(sum, *contraction)) &&
        !proven_at_most(limits_.tile_columns, sum.sources[0]->shape[order.back()]))
      if (const Node* stored = with_stored(sum, contraction->column_factor)) result = with_axes(*stored, order, 2);
    return result != nullptr ? reshaped(result, use.node->shape) : nullptr;
  }

  /// Returns the product with one factor changed: if `factor` is a view of a slice, the slice is copied to a contiguous array. Returns null
  /// if `factor` is not a view of a slice, or if it repeats elements of the slice.
  const Node* with_stored(const Node& sum, const Node* factor) {
    std::vector<const Node*> views;  // the views from the factor down to the slice
    const Node* slice = nullptr;
    for (const Node* node = factor; is_movement(node->op) && node->op != Op::kPad; node = node->sources[0]) {
      if (slice != nullptr && node->op == Op::kExpand) return nullptr;
      if (slice == nullptr && node->op == Op::kSlice) slice = node;
      if (slice == nullptr) views.push_back(node);
    }
    if (slice == nullptr) return nullptr;
    const Node* stored = result_.intern(Op::kContiguous, slice->dtype, slice->shape, {slice});
    for (size_t i = views.size(); i-- > 0;)
      stored = result_.intern(views[i]->op, views[i]->dtype, views[i]->shape, {stored}, views[i]->attributes);
    const Node& product = *sum.sources[0];
    std::vector<const Node*> factors = product.sources;
    std::ranges::replace(factors, factor, stored);
    const Node* products = result_.intern(product.op, product.dtype, product.shape, std::move(factors));
    return result_.intern(sum.op, sum.dtype, sum.shape, {products}, sum.attributes);
  }

  /// Handles a product whose last kept axis has only a few elements, such as the result of a transposed convolution with a stride of 2,
  /// which has two interleaved sets of pixels along its last axis. Returns a node of the same shape that computes the product with
  /// other axes as rows and columns, or with several axes joined (with_joined_columns()); null if no such axes make register tiles worth
  /// it.
  const Node* reordered(const Node& sum) {
    const std::vector<size_t> kept = kept_axes(sum);
    const Shape& shape = sum.sources[0]->shape;
    if (kept.size() < 3 || !proven_less(shape[kept.back()], limits_.tile_columns)) return nullptr;
    const auto reads_windows = [](const Node* factor) { return array_below_windows(factor) != nullptr; };
    if (std::ranges::none_of(operands_of(sum), reads_windows)) return nullptr;
    const std::optional<Contraction> usual = as_contraction(sum);
    if (usual && fills_tiles(sum, *usual, limits_)) return nullptr;
    // The windows of joined columns are packed. With few rows, that takes longer than the products, so any other axes are better.
    const Candidate joined = with_joined_columns(sum, kept);
    Candidate best;
    if (joined.product != nullptr && proven_at_most(kRowsOfStored, joined.rows)) best = joined;
    if (kept.size() >= 4)
      for (const size_t rows : kept)
        for (const size_t columns : kept) {
          if (rows == columns || tile_of(shape[rows], shape[columns]) <= tile_of(best.rows, best.columns)) continue;
          std::vector<size_t> order;
          std::ranges::copy_if(kept, std::back_inserter(order), [&](size_t axis) { return axis != rows && axis != columns; });
          order.insert(order.end(), {rows, columns});
          if (const Node* product = with_axes(sum, order, 1)) best = {product, order, shape[rows], shape[columns]};
        }
    return in_order(sum, kept, best.product != nullptr ? best : joined);
  }

  /// Returns the number of results of a tile, up to a limit above which more do not matter.
  static int64_t tile_of(const Dim& rows, const Dim& columns) {
    return std::min(range(rows).hi, kManyColumns) * std::min(range(columns).hi, kManyColumns);
  }

  /// Returns the candidate in the shape of the sum, whose kept axes are `kept`; null if the candidate is none.
  const Node* in_order(const Node& sum, const std::vector<size_t>& kept, const Candidate& candidate) {
    if (candidate.product == nullptr) return nullptr;
    if (candidate.order == kept) return reshaped(candidate.product, sum.shape);
    const Shape& shape = sum.sources[0]->shape;
    const Node* result = candidate.product;
    std::vector<int> back;  // for each kept axis of the sum: its position in the new order
    Shape ordered, old;
    for (const size_t axis : candidate.order) ordered.push_back(shape[axis]);
    for (const size_t axis : kept) {
      back.push_back(static_cast<int>(std::ranges::find(candidate.order, axis) - candidate.order.begin()));
      old.push_back(shape[axis]);
    }
    if (result->shape != ordered) result = result_.intern(Op::kReshape, result->dtype, std::move(ordered), {result});
    result = result_.intern(Op::kPermute, result->dtype, std::move(old), {result}, PermuteAttributes{std::move(back)});
    return result->shape == sum.shape ? result : result_.intern(Op::kReshape, result->dtype, sum.shape, {result});
  }

  /// Handles the gradient of the weights of a convolution with few channels: joins the axes of the convolution kernel and of the channels
  /// into one axis of columns. Even if tiles would pay without that, the tiles of each element of the convolution kernel would pack the
  /// filters' factor again. Returns null for other products.
  const Node* with_joined_kernel(const Node& sum) {
    const std::vector<size_t> kept = kept_axes(sum);
    if (kept.size() < 3 || !proven_less(sum.sources[0]->shape[kept.back()], kFewChannels)) return nullptr;
    const size_t before_last = kept[kept.size() - 2];
    const auto has_kernel = [&](const Node* factor) { return factor->rank() > 0 && is_kernel_axis(factor, before_last); };
    return std::ranges::any_of(operands_of(sum), has_kernel) ? in_order(sum, kept, with_joined_columns(sum, kept)) : nullptr;
  }

  /// Handles a product none of whose axes is long enough for columns, but several of whose axes together are. In the gradient of the
  /// weights of a convolution with few channels, kernel rows, kernel columns and channels become one axis. In a convolution of small
  /// pictures, the pictures of a batch, the lines and the pixels do. Along this axis the positions of the windows are not linear, but they
  /// are computed only when the windows are packed. Returns no product if register tiles do not pay for it.
  Candidate with_joined_columns(const Node& sum, const std::vector<size_t>& kept) {
    const Node& product = *sum.sources[0];
    if (!limits_.joins_columns || product.sources.size() != 2) return {};
    for (const size_t rows : {0, 1}) {
      const Node *row_factor = product.sources[rows], *column_factor = product.sources[1 - rows];
      const auto is_column = [&](size_t axis) {
        return product.shape[axis].is_constant() && varies(column_factor, axis) && !varies(row_factor, axis);
      };
      Candidate found{nullptr, kept};
      const auto columns = std::ranges::stable_partition(found.order, [&](size_t axis) { return !is_column(axis); });
      if (columns.size() < 2 || columns.size() == kept.size() || !is_column(kept.back())) continue;
      found.product = with_axes(sum, found.order, columns.size(), false);
      if (found.product == nullptr) return {};
      found.rows = product.shape[*(columns.begin() - 1)];
      found.columns = found.product->shape.back();
      return found;
    }
    return {};
  }

  /// Handles a product whose rows are several axes, as in x[batch, step, feature] @ w[feature, unit], where each batch may have only a few
  /// rows: joins these axes, so that the tiles are filled and w is packed once. Returns null for other products, and if the positions of
  /// the rows along the joined axis are not linear, even after two axes have been exchanged.
  const Node* with_joined_rows(const Node& sum, bool may_exchange = true) {
    const Node& product = *sum.sources[0];
    const std::vector<size_t> kept = kept_axes(sum);
    if (kept.size() < 3 || product.sources.size() != 2 || sum.as<ReduceAttributes>().order != ReduceOrder::kChain) return nullptr;
    const size_t rows = varies(product.sources[0], kept.back()) ? 1 : 0;
    const Node *row_factor = product.sources[rows], *column_factor = product.sources[1 - rows];
    const auto is_row = [&](size_t axis) { return varies(row_factor, axis) && !varies(column_factor, axis); };
    size_t end = kept.size() - 1, begin = end;
    while (begin > 0 && is_row(kept[begin - 1]) && (begin == end || is_adjacent(product.shape, kept[begin - 1], kept[begin]))) --begin;
    // (A factor of rank 0, one number for all products, has no axes that could be joined.)
    if (end - begin < 2 || row_factor->rank() == 0 || column_factor->rank() == 0 || varies(row_factor, kept.back()) ||
        proven_at_most(kManyRows, product.shape[kept[end - 1]]))
      return nullptr;
    const size_t first = kept[begin], last = kept[end - 1];
    const auto joined = [&](const Shape& shape) {
      Shape result = shape;
      for (size_t axis = first + 1; axis <= last; ++axis) result[first] *= shape[axis];
      result.erase(result.begin() + static_cast<std::ptrdiff_t>(first) + 1, result.begin() + static_cast<std::ptrdiff_t>(last) + 1);
      return result;
    };
    const Shape shape = joined(product.shape);
    std::vector<const Node*> factors;
    for (const Node* factor : product.sources) factors.push_back(result_.intern(Op::kReshape, factor->dtype, shape, {factor}));
    if (!is_linear(factors[rows])) return may_exchange && end - begin == 2 ? with_exchanged_rows(sum, first, last) : nullptr;
    ReduceAttributes reduce = sum.as<ReduceAttributes>();
    // (A summed axis between the rows has size 1 and no longer exists.)
    std::erase_if(reduce.axes, [&](int axis) { return axis > static_cast<int>(first) && axis < static_cast<int>(last); });
    if (reduce.axes.empty()) return nullptr;
    for (int& axis : reduce.axes)
      if (axis > static_cast<int>(last)) axis -= static_cast<int>(last - first);
    const Node* result = in_tiles(sum, shape, std::move(factors), std::move(reduce));
    return result != nullptr ? reshaped(result, sum.shape) : nullptr;
  }

  /// Tests whether elementwise operations on this node of the old graph lead to a reduction or scan that is no product.
  bool is_reduced_later(const Node* node) const {
    constexpr size_t kMostNodes = 64;
    std::vector<const Node*> reached = {node};
    for (size_t i = 0; i < reached.size() && reached.size() < kMostNodes; ++i)
      for (const Node* user : users_[reached[i]->id]) {
        if (user == nullptr) continue;
        if ((is_reduce(user->op) && !sums_products(*user)) || is_scan(user->op)) return true;
        if (is_elementwise(user->op) && std::ranges::find(reached, user) == reached.end()) reached.push_back(user);
      }
    return false;
  }

  /// Exchanges two axes of rows, which may then be contiguous in memory, and joins them. Returns the product with the axes in the order of
  /// the sum, or null. Example: if the steps of a recurrent network are the second axis of its input, the joined product of all steps has
  /// rows (step, batch).
  const Node* with_exchanged_rows(const Node& sum, size_t first, size_t last) {
    const Node& product = *sum.sources[0];
    const std::vector<int>& summed = sum.as<ReduceAttributes>().axes;
    std::vector<int> axes, results;  // the axes of the product and of the sum, the two exchanged
    for (size_t axis = 0; axis < product.shape.size(); ++axis) {
      axes.push_back(static_cast<int>(axis == first ? last : axis == last ? first : axis));
      if (std::ranges::find(summed, static_cast<int>(axis)) == summed.end()) results.push_back(static_cast<int>(results.size()));
    }
    const auto before = [&](size_t axis) {
      return std::ranges::count_if(std::views::iota(size_t{0}, axis),
                                   [&](size_t a) { return std::ranges::find(summed, static_cast<int>(a)) == summed.end(); });
    };
    std::swap(results[static_cast<size_t>(before(first))], results[static_cast<size_t>(before(last))]);
    const auto exchanged = [&](const Node* node, const std::vector<int>& order) {
      Shape shape;
      for (const int axis : order) shape.push_back(node->shape[static_cast<size_t>(axis)]);
      return result_.intern(Op::kPermute, node->dtype, std::move(shape), {node}, PermuteAttributes{order});
    };
    std::vector<const Node*> factors;
    for (const Node* factor : product.sources) factors.push_back(exchanged(factor, axes));
    const Node* products = result_.intern(product.op, product.dtype, factors[0]->shape, factors);
    Shape shape;
    for (const int axis : results) shape.push_back(sum.shape[static_cast<size_t>(axis)]);
    const Node* joined = with_joined_rows(*result_.intern(sum.op, sum.dtype, std::move(shape), {products}, sum.attributes), false);
    return joined != nullptr ? exchanged(joined, results) : nullptr;
  }

  /// Tests whether only axes of size 1 lie between the two axes.
  static bool is_adjacent(const Shape& shape, size_t axis, size_t next) {
    return std::all_of(shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, shape.begin() + static_cast<std::ptrdiff_t>(next),
                       [](const Dim& size) { return size.is_constant(1); });
  }

  /// Returns the product with its kept axes (without those of size 1) in the order `order`, and with the last `joined` of them merged into
  /// one, if there are several. Returns null if register tiles do not pay for the new product, or if `must_be_linear` and the positions of
  /// a factor along the merged axis are not linear.
  const Node* with_axes(const Node& sum, const std::vector<size_t>& order, size_t joined, bool must_be_linear = true) {
    const Node& product = *sum.sources[0];
    const bool merges = joined > 1;
    // The number of kept axes that come before the summed axes.
    const size_t apart = order.size() - joined;
    ReduceAttributes reduce = sum.as<ReduceAttributes>();
    if (reduce.order != ReduceOrder::kChain || product.sources.size() != 2) return nullptr;
    // The permutation of the factors' axes: first those of size 1, which are dropped, then the others in the new order.
    std::vector<int> axes;
    Shape shape;
    for (size_t axis = 0; axis < product.shape.size(); ++axis)
      if (std::ranges::find(order, axis) == order.end() && std::ranges::find(reduce.axes, static_cast<int>(axis)) == reduce.axes.end())
        axes.push_back(static_cast<int>(axis));
    const auto append = [&](size_t axis) {
      axes.push_back(static_cast<int>(axis));
      shape.push_back(product.shape[axis]);
    };
    for (size_t i = 0; i < apart; ++i) append(order[i]);
    for (int& axis : reduce.axes) {
      append(static_cast<size_t>(axis));
      axis = static_cast<int>(shape.size()) - 1;
    }
    for (size_t i = apart; i < order.size(); ++i) append(order[i]);
    for (size_t i = 1; i < joined; ++i) {
      const Dim columns = shape.back();
      shape.pop_back();
      shape.back() *= columns;
    }
    std::vector<const Node*> factors;
    for (const Node* factor : product.sources) {
      if (factor->rank() > 0) {
        Shape ordered;
        for (const int axis : axes) ordered.push_back(factor->shape[static_cast<size_t>(axis)]);
        factor = result_.intern(Op::kPermute, factor->dtype, std::move(ordered), {factor}, PermuteAttributes{axes});
        if (factor->shape != shape) factor = result_.intern(Op::kReshape, factor->dtype, shape, {factor});
        if (merges && must_be_linear && !is_linear(factor)) return nullptr;
      }
      factors.push_back(factor);
    }
    return in_tiles(sum, shape, std::move(factors), std::move(reduce));
  }

  /// Returns the sum `sum` with other axes: of the products, which have this shape, of `factors`. Returns null if register tiles do not pay
  /// for it.
  const Node* in_tiles(const Node& sum, const Shape& shape, std::vector<const Node*> factors, ReduceAttributes reduce) {
    Shape kept;
    for (size_t axis = 0; axis < shape.size(); ++axis)
      if (std::ranges::find(reduce.axes, static_cast<int>(axis)) == reduce.axes.end()) kept.push_back(shape[axis]);
    const Node* products = result_.intern(sum.sources[0]->op, sum.sources[0]->dtype, shape, std::move(factors));
    const Node* result = result_.intern(sum.op, sum.dtype, std::move(kept), {products}, std::move(reduce));
    const std::optional<Contraction> plain = as_contraction(*result);
    return plain && plain->rows && fills_tiles(*result, *plain, limits_) ? result : nullptr;
  }

  /// Tests whether the factor is a view of an array, with positions that are linear in the factor's index.
  static bool is_linear(const Node* factor) {
    std::vector<const Node*> nodes = {factor};
    while (is_movement(nodes.back()->op) && nodes.back()->op != Op::kPad) nodes.push_back(nodes.back()->sources[0]);
    return view_through(nodes).has_value();
  }

  const Node* merged_elementwise(const Node* node) {
    const Node* inner = nullptr;
    for (const Node* source : node->sources)
      if (const auto found = merged_.find(source); found != merged_.end() && source->shape == node->shape) inner = found->second;
    if (inner == nullptr) return node;
    std::vector<const Node*> sources;
    for (const Node* source : node->sources) {
      const auto found = merged_.find(source);
      const bool is_merged = found != merged_.end() && found->second->shape == inner->shape;
      sources.push_back(is_merged             ? found->second
                        : source->rank() == 0 ? source
                                              : result_.intern(Op::kReshape, source->dtype, inner->shape, {source}));
    }
    return reshaped(result_.intern(node->op, node->dtype, inner->shape, std::move(sources), node->attributes), node->shape);
  }

  const Node* reshaped(const Node* node, const Shape& shape) {
    const Node* result = result_.intern(Op::kReshape, node->dtype, shape, {node});
    merged_.emplace(result, node);
    return result;
  }

  Graph& result_;
  const FusionLimits& limits_;
  // Indexed by the id of a node of the old graph: the nodes that use it; null stands for an output.
  std::vector<std::vector<const Node*>> users_;
  std::vector<const Node*> replacements_;  // indexed by the id of a node of the old graph: the node of the new graph that replaces it
  // Maps a reshape that restores the original axes to the node with merged axes that it reshapes.
  std::unordered_map<const Node*, const Node*> merged_;
};

}  // namespace

std::shared_ptr<Graph> choose_product_axes(std::shared_ptr<Graph> whole, const FusionLimits& limits) {
  const Graph& graph = *whole;
  const std::vector<const Node*> live = graph.live_nodes();
  const auto has_columns = [](const Node* node) { return sums_products(*node) && kept_axes(*node).size() >= 3; };
  if (std::ranges::none_of(live, has_columns)) return whole;
  auto result = opt::without_nodes(graph);
  ProductAxes axes(graph, *result, limits);
  opt::rewrite_nodes(graph, live, *result, [&](const Node* node, const Node* copy) { return axes.replace(node, copy); });
  return result;
}

}  // namespace harp
