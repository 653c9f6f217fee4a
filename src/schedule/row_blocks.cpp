// Cuts the large arrays of some regions of a graph into blocks of rows. A region starts at a product of matrices. It contains everything
// that is computed from the product's result row by row, until the data is small again (after another product, or a sum along each row). A
// region is cut into blocks if no node outside of it uses one of its large arrays. The arrays inside the region then have the shape
// [blocks, rows of a block, ...] instead of [batch..., rows, ...]. Arrays that enter or leave the region are reshaped. If the number of
// rows is not a multiple of the block's rows, rows of zeros are appended first; their results are not used.
#include "schedule/row_blocks.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/integers.h"
#include "ops/scalar.h"
#include "schedule/contraction.h"

namespace harp {
namespace {

int64_t count_of(std::span<const Dim> dims) {
  int64_t result = 1;
  for (const Dim& d : dims) result *= d.constant();
  return result;
}
bool are_known(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end(), [](const Dim& d) { return d.is_constant() && d.constant() > 0; });
}

Shape joined(Shape first, const Shape& rest) {
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}

/// How the leading axes [batch..., rows] of the arrays of a region (a set of nodes that are cut together) are cut into blocks of rows.
struct Cut {
  Shape leading;  // sizes of the leading axes before the cut
  int64_t block, blocks_of_rows;

  size_t row_axis() const { return leading.size() - 1; }
  int64_t rows() const { return leading.back().constant(); }
  int64_t rows_beyond() const { return block * blocks_of_rows - rows(); }
  int64_t blocks() const { return count_of(std::span(leading).first(row_axis())) * blocks_of_rows; }

  bool is_prefix_of(const Shape& shape) const {
    return shape.size() >= leading.size() && std::equal(leading.begin(), leading.end(), shape.begin());
  }
  /// Returns the number of elements of a row of an array with this (uncut) shape.
  int64_t row_size(const Shape& shape) const { return count_of(std::span(shape).subspan(leading.size())); }
  Shape cut(const Shape& shape) const { return joined({blocks(), block}, rest(shape)); }
  Shape rest(const Shape& shape) const { return Shape(shape.begin() + static_cast<ptrdiff_t>(leading.size()), shape.end()); }
};

/// Returns the number of rows of a block: a number near `wanted` for which register tiles compute few rows that are not used.
int64_t rows_of_block(int64_t rows, int64_t wanted, int64_t rows_of_tile) {
  const int64_t of_tile = std::min(rows_of_tile, wanted);
  const auto computed = [&](int64_t block) { return ceil_div(rows, block) * ceil_div(block, of_tile) * of_tile; };
  int64_t best = wanted;
  for (int64_t block = ceil_div(wanted * 5, 8); block <= 2 * wanted; ++block) {
    const bool is_nearer = computed(block) == computed(best) && std::abs(block - wanted) < std::abs(best - wanted);
    if (computed(block) < computed(best) || is_nearer) best = block;
  }
  return best;
}

class RegionFinder {
 public:
  RegionFinder(const Graph& graph, const ChainOptions& options, const FusionLimits& limits)
      : live_(graph.live_nodes()), options_(options), limits_(limits), users_(graph.nodes().size()) {
    for (const Node* node : live_)
      for (const Node* source : node->sources) users_[source->id].push_back(node);
    is_output_.resize(graph.nodes().size(), false);
    for (const GraphOutput& output : graph.outputs()) is_output_[output.node->id] = true;
  }

  /// Returns, indexed by node id, the cut of the region to which the node belongs; null if it is in no region.
  std::vector<const Cut*> find(std::vector<std::unique_ptr<Cut>>& cuts) {
    std::vector<const Cut*> found(users_.size(), nullptr);
    for (const Node* node : live_) {
      if (found[node->id] != nullptr) continue;
      std::optional<Cut> cut = cut_from(*node);
      if (!cut) continue;
      const std::vector<const Node*> region = region_from(*node, *cut);
      const auto is_taken = [&](const Node* other) { return found[other->id] != nullptr; };
      if (region.empty() || std::any_of(region.begin(), region.end(), is_taken)) continue;
      cuts.push_back(std::make_unique<Cut>(std::move(*cut)));
      for (const Node* inside : region) found[inside->id] = cuts.back().get();
    }
    return found;
  }

 private:
  /// If the node is a product of matrices with a large result, returns the cut along its rows; otherwise nothing.
  std::optional<Cut> cut_from(const Node& node) const {
    if (!sums_products(node) || !are_known(node.sources[0]->shape)) return std::nullopt;
    const std::optional<Contraction> contraction = as_contraction(node);
    if (!contraction || !contraction->rows || contraction->is_output_transposed()) return std::nullopt;
    const std::vector<int>& reduced = node.as<ReduceAttributes>().axes;
    const size_t rows = *contraction->rows;
    if (std::any_of(reduced.begin(), reduced.end(), [&](int axis) { return static_cast<size_t>(axis) < rows; })) return std::nullopt;
    Cut cut{Shape(node.shape.begin(), node.shape.begin() + static_cast<ptrdiff_t>(rows) + 1), 0, 0};
    const auto size = static_cast<int64_t>(size_of(node.dtype));
    const int64_t bytes = count_of(node.shape) * size;
    if (cut.rows() < 2 * options_.rows || bytes < limits_.large_arrays * options_.bytes) return std::nullopt;
    // The array need not be cut into blocks of rows if the first axis whose size is not 1 comes before the rows and divides the array into
    // blocks of the size that a chain needs (chain.h).
    const auto first = std::find_if(node.shape.begin(), node.shape.end(), [](const Dim& d) { return !d.is_constant(1); });
    if (static_cast<size_t>(first - node.shape.begin()) < rows &&
        are_blocks(first->constant(), bytes / first->constant(), options_.bytes, limits_))
      return std::nullopt;
    cut.block = rows_of_block(cut.rows(), options_.rows, limits_.rows_of_tile);
    cut.blocks_of_rows = ceil_div(cut.rows(), cut.block);
    if (!are_blocks(cut.blocks(), cut.block * cut.row_size(node.shape) * size, options_.bytes, limits_)) return std::nullopt;
    return cut;
  }

  /// Tests whether the node can be computed row by row: each of its rows depends only on the same row of its sources in the region.
  static bool keeps_rows(const Node& node, const Cut& cut) {
    const size_t leading = cut.leading.size();
    if (is_reduce(node.op)) {
      const std::vector<int>& axes = node.as<ReduceAttributes>().axes;
      return std::all_of(axes.begin(), axes.end(), [&](int axis) { return static_cast<size_t>(axis) >= leading; });
    }
    if (!cut.is_prefix_of(node.shape)) return false;
    if (is_elementwise(node.op) || node.op == Op::kContiguous) return true;
    if (node.op == Op::kReshape || node.op == Op::kExpand) return cut.is_prefix_of(node.sources[0]->shape);
    if (node.op != Op::kPermute) return false;
    const std::vector<int>& axes = node.as<PermuteAttributes>().axes;
    for (size_t axis = 0; axis < leading; ++axis)
      if (static_cast<size_t>(axes[axis]) != axis) return false;
    return true;
  }

  /// Returns the nodes of the region that starts at the product `root`; empty if cutting the region does not pay.
  std::vector<const Node*> region_from(const Node& root, const Cut& cut) const {
    const int64_t large_row = cut.row_size(root.shape);
    const auto is_large = [&](const Node* node) { return cut.is_prefix_of(node->shape) && cut.row_size(node->shape) >= large_row; };
    std::vector<bool> follows(users_.size(), false), is_needed(users_.size(), false);
    std::vector<const Node*> all;  // all nodes that are computed row by row from the root
    for (const Node* node : live_) {
      const auto is_inside = [&](const Node* source) { return follows[source->id]; };
      const bool is_root = node == &root || node == root.sources[0];
      if (!is_root &&
          (std::none_of(node->sources.begin(), node->sources.end(), is_inside) || !are_known(node->shape) || !keeps_rows(*node, cut)))
        continue;
      follows[node->id] = true;
      all.push_back(node);
    }
    // The region consists of the nodes with large rows, the nodes with small rows on which a node with large rows depends, and the direct
    // users of nodes with large rows.
    for (auto node = all.rbegin(); node != all.rend(); ++node) {
      const std::vector<const Node*>& users = users_[(*node)->id];
      is_needed[(*node)->id] = is_large(*node) || std::any_of(users.begin(), users.end(),
                                                              [&](const Node* user) { return follows[user->id] && is_needed[user->id]; });
    }
    std::vector<const Node*> region;
    std::vector<bool> is_in(users_.size(), false);
    int64_t read_again = 0;
    int products = 0;
    for (const Node* node : all) {
      const auto is_large_inside = [&](const Node* source) { return follows[source->id] && is_large(source); };
      if (!is_needed[node->id] && std::none_of(node->sources.begin(), node->sources.end(), is_large_inside)) continue;
      region.push_back(node);
      is_in[node->id] = true;
      if (!sums_products(*node)) continue;
      ++products;
      read_again += cut.row_size(node->sources[0]->shape);
    }
    const auto leaves = [&](const Node* node) {
      const std::vector<const Node*>& users = users_[node->id];
      return is_large(node) &&
             (is_output_[node->id] || std::any_of(users.begin(), users.end(), [&](const Node* user) { return !is_in[user->id]; }));
    };
    const bool pays = products > 1 && read_again <= limits_.max_read_again * cut.block * large_row;
    return pays && std::none_of(region.begin(), region.end(), leaves) ? region : std::vector<const Node*>();
  }

  std::vector<const Node*> live_;
  ChainOptions options_;
  const FusionLimits& limits_;
  std::vector<std::vector<const Node*>> users_;  // indexed by node id: the nodes that use it
  std::vector<bool> is_output_;
};

class Cutter {
 public:
  Cutter(const Graph& graph, std::vector<const Cut*> cut_of)
      : graph_(graph),
        cut_of_(std::move(cut_of)),
        result_(std::make_unique<Graph>(graph.options(), graph.name(), graph.shared_dims())),
        whole_(graph.nodes().size(), nullptr),
        cut_(graph.nodes().size(), nullptr) {}

  std::unique_ptr<Graph> run() {
    for (const Node* input : graph_.inputs())
      whole_[input->id] = result_->add_input(input->as<InputAttributes>().name, input->dtype, input->shape);
    for (const Node* node : graph_.live_nodes()) {
      if (node->op == Op::kInput) continue;
      if (const Cut* cut = cut_of_[node->id]) {
        cut_[node->id] = in_blocks(*node, *cut);
      } else {
        std::vector<const Node*> sources;
        for (const Node* source : node->sources) sources.push_back(sums_products(*node) ? whole_product(*source) : whole(*source));
        whole_[node->id] = result_->intern(node->op, node->dtype, node->shape, std::move(sources), node->attributes);
        result_->set_node_name(whole_[node->id], graph_.node_name(node));
      }
    }
    for (const GraphOutput& output : graph_.outputs()) result_->add_output(output.name, whole(*output.node));
    return std::move(result_);
  }

 private:
  const Node* view(Op op, Shape shape, const Node* source, Attributes attributes = NoAttributes{}) {
    if (source->shape == shape) return source;
    return result_->intern(op, source->dtype, std::move(shape), {source}, std::move(attributes));
  }

  /// Returns the node of the new graph that replaces a node of a region, with its rows cut into blocks. The node's sources in the region
  /// have been cut already.
  const Node* in_blocks(const Node& node, const Cut& cut) {
    std::vector<const Node*> sources;
    for (const Node* source : node.sources)
      sources.push_back(cut_of_[source->id] == &cut ? cut_[source->id] : cut_from_outside(*source, cut));
    Attributes attributes = node.attributes;
    const auto moved = [&](int axis) { return axis - static_cast<int>(cut.leading.size()) + 2; };
    if (is_reduce(node.op))
      for (int& axis : std::get<ReduceAttributes>(attributes).axes) axis = moved(axis);
    if (node.op == Op::kPermute) {
      std::vector<int> axes = {0, 1};
      for (size_t i = cut.leading.size(); i < node.shape.size(); ++i) axes.push_back(moved(node.as<PermuteAttributes>().axes[i]));
      attributes = PermuteAttributes{std::move(axes)};
    }
    return result_->intern(node.op, node.dtype, cut.cut(node.shape), std::move(sources), std::move(attributes));
  }

  /// Cuts a source that is outside of the region into blocks. If the source is expanded along rows or batches, its operand is cut and then
  /// expanded, so that kernels still see that it does not vary along these axes.
  const Node* cut_from_outside(const Node& node, const Cut& cut) {
    if (node.rank() == 0) return whole(node);
    const Node* source = whole(node.op == Op::kExpand ? *node.sources[0] : node);
    const size_t rows = cut.row_axis();
    const bool has_rows = source->shape[rows] == cut.leading[rows];
    if (has_rows && cut.rows_beyond() > 0) source = with_rows_beyond(source, cut);
    // The shape [batch..., blocks, rows of a block, rest]; an axis along which the source does not vary has size 1.
    const Shape rest = cut.rest(source->shape), last = has_rows ? Shape{cut.blocks_of_rows, cut.block} : Shape{1, 1};
    const Shape batch(cut.leading.begin(), cut.leading.end() - 1),
        own(source->shape.begin(), source->shape.begin() + static_cast<ptrdiff_t>(rows));
    source = view(Op::kReshape, joined(joined(own, last), rest), source);
    source = view(Op::kExpand, joined(joined(batch, {cut.blocks_of_rows, last[1]}), rest), source);
    source = view(Op::kReshape, joined({cut.blocks(), last[1]}, rest), source);
    return view(Op::kExpand, cut.cut(node.shape), source);
  }
  const Node* with_rows_beyond(const Node* source, const Cut& cut) {
    PadAttributes pad{std::vector<Dim>(source->shape.size(), 0), std::vector<Dim>(source->shape.size(), 0), Scalar{source->dtype}};
    pad.after[cut.row_axis()] = cut.rows_beyond();
    Shape shape = source->shape;
    shape[cut.row_axis()] += cut.rows_beyond();
    return result_->intern(Op::kPad, source->dtype, std::move(shape), {source}, std::move(pad));
  }

  /// Returns the product that a sum outside of the region reads. If a region contains that product, it is built again from its factors,
  /// because a sum of products must read a product, not a view of a product.
  const Node* whole_product(const Node& product) {
    if (cut_of_[product.id] == nullptr) return whole(product);
    std::vector<const Node*> factors;
    for (const Node* factor : product.sources) factors.push_back(whole(*factor));
    return result_->intern(product.op, product.dtype, product.shape, std::move(factors), product.attributes);
  }

  /// Returns the node in its original shape, without blocks.
  const Node* whole(const Node& node) {
    const Node*& found = whole_[node.id];
    if (found != nullptr) return found;
    const Cut& cut = *cut_of_[node.id];
    Shape shape = node.shape;
    shape[cut.row_axis()] += cut.rows_beyond();
    found = view(Op::kReshape, shape, cut_[node.id]);
    SliceAttributes slice{std::vector<Dim>(shape.size(), 0), std::vector<int64_t>(shape.size(), 1)};
    found = view(Op::kSlice, node.shape, found, std::move(slice));
    result_->set_node_name(found, graph_.node_name(&node));
    return found;
  }

  const Graph& graph_;
  std::vector<const Cut*> cut_of_;
  std::unique_ptr<Graph> result_;
  // Indexed by node id: the node in its original shape, and in blocks. For a node of a region, `whole_` is set when a node outside needs
  // it.
  std::vector<const Node*> whole_, cut_;
};

}  // namespace

std::shared_ptr<Graph> cut_into_row_blocks(std::shared_ptr<Graph> graph, const ChainOptions& options, const FusionLimits& limits) {
  std::vector<std::unique_ptr<Cut>> cuts;
  std::vector<const Cut*> cut_of = RegionFinder(*graph, options, limits).find(cuts);
  if (cuts.empty()) return graph;
  return Cutter(*graph, std::move(cut_of)).run();
}

}  // namespace harp
