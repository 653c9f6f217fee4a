// Finds where a Fourier transform can read and write. The views between the array in memory and the transform that reads it are composed
// into one view. The views between the transform's result and the array that stores it are composed in the same way, if there is only one
// such array. If both arrays have the same axes, and vectors find contiguous data in both, the transform needs no copies. Otherwise it
// needs a copy before it, after it, or both. Imaginary parts that are all zero are not read, and the ends of rows that nothing uses are not
// stored.
#include "schedule/transform.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_set>

#include "graph/view.h"
#include "ops/transform_parts.h"
#include "opt/rewrite.h"

namespace harp {
namespace {

// At most this many columns are transformed together.
constexpr int64_t kMaxColumns = 32;
// Long columns are transformed together if kMaxTransformLanes of them take at most this many bytes. Each column is transformed as a matrix,
// and the matrices then stay in the second-level cache between the pass over their columns and the pass over their rows. If kMaxColumns
// columns take at most half of these bytes, and there are several times as many columns, kMaxColumns columns are transformed together,
// because memory is read and written faster in longer pieces.
constexpr int64_t kLongColumnsBytes = int64_t{512} << 10;

bool is_view(const Node& node) { return is_movement(node.op) && node.op != Op::kPad; }
Shape strides_of(const Shape& shape) { return View::contiguous(shape).strides; }

struct Source {
  const Node* array;
  View view;
};
/// Returns the deepest node of which `node` is a linear view. The search ends at nodes that transforms write, because those are in memory.
Source source_of(const Node* node, const std::unordered_set<const Node*>& written) {
  std::vector<const Node*> nodes = {node};
  while (is_view(*nodes.back()) && !written.contains(nodes.back())) nodes.push_back(nodes.back()->sources[0]);
  for (;; nodes.pop_back())
    if (std::optional<View> view = view_through(nodes)) return {nodes.back(), *std::move(view)};
}

bool has_passes(const Dim& length) { return length.is_constant() && has_transform_passes(length.constant()); }

bool is_zeros(const Node* node) {
  while (is_view(*node)) node = node->sources[0];
  if (node->op != Op::kConstant) return false;
  const Scalar& value = node->as<ConstantAttributes>().value;
  return value == Scalar{value.dtype, {0, 0}};  // only +0 may be left out; parts that are -0 must be read
}

/// The operands of a transform: the real and the imaginary parts. If the input is real, `im` equals `re` and is not read.
struct Sources {
  Source re, im;
  bool is_real;
};
Sources sources_of(const Node& dft, const std::unordered_set<const Node*>& written) {
  const Source re = source_of(dft.sources[0], written);
  const bool is_real = is_zeros(dft.sources[1]);
  return {re, is_real ? re : source_of(dft.sources[1], written), is_real};
}
Sources own_sources(const Node& dft) {
  const View view = View::contiguous(dft.sources[0]->shape);
  const bool is_real = is_zeros(dft.sources[1]);
  return {{dft.sources[0], view}, {dft.sources[is_real ? 0 : 1], view}, is_real};
}

/// Returns an upper bound of how many elements of each row of `n` elements the view uses, counted from the start of the row.
int64_t seen_of_rows(const View& view, int64_t n) {
  const Dim start = mod(view.offset, n);
  if (view.fill || !start.is_constant()) return n;
  int64_t last = start.constant();
  for (size_t axis = 0; axis < view.shape.size(); ++axis) {
    const Dim &size = view.shape[axis], &stride = view.strides[axis];
    if (size.is_constant(1) || mod(stride, n).is_constant(0)) continue;
    if (!size.is_constant() || !stride.is_constant() || stride.constant() < 0 || stride.constant() > n || size.constant() > n) return n;
    last += stride.constant() * std::max<int64_t>(0, size.constant() - 1);
  }
  return std::min(last + 1, n);
}

/// The array that stores a transform's result, and the positions of the result's elements in it.
struct Destination {
  const Node* to;
  std::array<Dim, 2> start;
  // The distance in memory of consecutive elements along each axis of the result, except the axis of real and imaginary parts.
  Shape steps;
  Dim kept;  // number of elements that are stored of each row, from its start; 0: all
};

/// Returns how many columns of memory a transform along columns may process together, if there are at least `count` columns. 0: it cannot
/// read columns in place, because their length is unknown, has a large prime factor, or is too large.
int64_t columns_together(Dim length, DType dtype, int64_t count, const TransformAbilities& abilities) {
  if (count < kMaxTransformLanes || !length.is_constant()) return 0;
  const int64_t n = length.constant();
  if (n < 2 || !has_small_factors(n)) return 0;
  if (transform_rows(n) == 1) return std::min(kMaxColumns, count);
  const int64_t bytes = 2 * n * static_cast<int64_t>(size_of(dtype));  // of a column
  if (!abilities.takes_long_columns || bytes * kMaxTransformLanes > kLongColumnsBytes) return 0;
  const bool takes_most = bytes * kMaxColumns * 2 <= kLongColumnsBytes && count >= 4 * kMaxColumns;
  return takes_most ? kMaxColumns : kMaxTransformLanes;
}
bool may_be_columns(const Node& dft, const TransformAbilities& abilities) {
  return columns_together(dft.shape.back(), dft.dtype, kMaxColumns, abilities) > 0;
}

/// Returns the transform that reads from `sources` and writes to `result`; nothing if vectors would not find contiguous elements in both.
std::optional<Transform> placed(const Shape& shape, const Sources& sources, const Destination& result,
                                const TransformAbilities& abilities) {
  const auto& [re, im, is_real] = sources;
  if (re.view.strides != im.view.strides || re.view.fill || im.view.fill) return std::nullopt;
  Transform t{{re.array, im.array}, {re.view.offset, im.view.offset}, result.to, result.start, {}, {}, 0, is_real, result.kept};
  const size_t last = shape.size() - 1;
  t.element = {shape[last], re.view.strides[last], result.steps[last]};
  for (size_t axis = 0; axis < last; ++axis)
    if (!shape[axis].is_constant(1)) t.rows.push_back({shape[axis], re.view.strides[axis], result.steps[axis]});
  const auto is_contiguous = [&](const TransformAxis& axis) {
    const auto is_layout = [&](Dim step, const std::array<Dim, 2>& start, bool one_array) {
      return step.is_constant(1) ||
             (step.is_constant(2) && one_array && complex_layout(step, start[0], start[1]) != ComplexLayout::kSeparate);
    };
    return is_layout(axis.from_step, t.from_start, t.from[0] == t.from[1]) && is_layout(axis.to_step, t.to_start, true);
  };
  if (!is_contiguous(t.element)) {
    const auto contiguous = std::find_if(t.rows.begin(), t.rows.end(), is_contiguous);
    if (contiguous == t.rows.end()) return std::nullopt;
    t.columns = columns_together(shape[last], re.array->dtype, range(contiguous->size).lo, abilities);
    if (t.columns == 0) return std::nullopt;
    std::rotate(contiguous, contiguous + 1, t.rows.end());
  }
  for (size_t axis = t.rows.size(); axis-- > 1;) {  // fuses axes that are contiguous with each other in the source and in the result
    TransformAxis &outer = t.rows[axis - 1], &inner = t.rows[axis];
    if (!(outer.from_step == inner.from_step * inner.size) || !(outer.to_step == inner.to_step * inner.size)) continue;
    inner.size = inner.size * outer.size;
    t.rows.erase(t.rows.begin() + static_cast<ptrdiff_t>(axis - 1));
  }
  // Short rows, which are not transformed as matrices, are transformed several at a time, one in each lane of a vector. If the rows have
  // several axes, that requires at least kMaxTransformLanes rows along the last of them.
  const Dim length = t.element.size;
  if (t.columns == 0 && t.rows.size() > 1 && has_passes(length) && transform_rows(length.constant()) == 1 &&
      range(t.rows.back().size).lo < kMaxTransformLanes)
    return std::nullopt;
  return t;
}

class Finder {
 public:
  Finder(const Graph& graph, const TransformAbilities& abilities) : graph_(graph), live_(graph.live_nodes()), abilities_(abilities) {}

  Transforms run() {
    Transforms found;
    for (const Node* node : live_)
      if (node->op == Op::kDft) written_.insert(found.emplace(node, find(*node)).first->second.to);
    return found;
  }

  /// Returns where the result of the transform is stored if its only use is to be rearranged: by a permute that moves the transformed axis
  /// back to its original position, or by an output that joins the real and the imaginary parts (joined()). Otherwise returns nothing.
  std::optional<Destination> result_of(const Node& dft) {
    if (users_.empty()) count_users();
    const std::vector<const Node*>& users = users_[dft.id];
    const Shape strides = strides_of(dft.shape);
    if (is_output(&dft)) return std::nullopt;
    if (users.size() == 1 && users[0]->op == Op::kPermute) {
      const Node& permuted = *users[0];
      const auto& axes = permuted.as<PermuteAttributes>().axes;
      const Shape to = strides_of(permuted.shape);
      Shape steps(dft.shape.size(), 0);
      for (size_t i = 0; i < axes.size(); ++i) steps[static_cast<size_t>(axes[i])] = to[i];
      return Destination{&permuted, {0, steps[0]}, Shape(steps.begin() + 1, steps.end()), kept_of(dft)};
    }
    return users.size() == 2 ? joined(dft) : std::nullopt;
  }

  bool is_output(const Node* node) const {
    return std::ranges::any_of(graph_.outputs(), [&](const GraphOutput& output) { return output.node == node; });
  }

 private:
  Transform find(const Node& dft) {
    const Shape& shape = dft.sources[0]->shape;
    const Dim count = element_count(shape);
    const View contiguous = View::contiguous(shape);
    Destination own_result{&dft, {0, count}, strides_of(shape), 0};
    const Dim length = shape.back();
    if (!has_passes(length)) {
      if (abilities_.any_length_takes_pairs && (!length.is_constant() || length.constant() > 1))
        if (std::optional<Transform> pairs = of_rows_of_pairs(dft, own_result)) return *std::move(pairs);
      const bool is_real = abilities_.any_length_takes_reals && !length.is_constant() && is_zeros(dft.sources[1]);
      return *placed(shape, {{dft.sources[0], contiguous}, {dft.sources[is_real ? 0 : 1], contiguous}, is_real}, own_result, abilities_);
    }
    const std::optional<Destination> result = result_of(dft);
    own_result.kept = kept_of(dft);
    const Sources own = own_sources(dft), sources = sources_of(dft, written_);
    if (result)
      if (auto t = placed(shape, sources, *result, abilities_)) return *t;
    if (result)
      if (auto t = placed(shape, own, *result, abilities_)) return *t;
    if (auto t = placed(shape, sources, own_result, abilities_)) return *t;
    return *placed(shape, own, own_result, abilities_);
  }

  /// For a transform for which has_passes() is false, for example because its length is unknown or has a large prime factor: returns a plan
  /// in which it reads the arrays that its sources are views of, or writes the array that its result is stored in, or both, instead of
  /// using copies. In these arrays, the numbers of a row must be next to each other, and so must the rows. Returns nothing if neither is
  /// possible.
  std::optional<Transform> of_rows_of_pairs(const Node& dft, const Destination& own_result) {
    const std::optional<Destination> result = result_of(dft);
    const Sources own = own_sources(dft), sources = sources_of(dft, written_);
    const auto at = [&](const Sources& from, const Destination& to) {
      std::optional<Transform> t = placed(dft.sources[0]->shape, from, to, abilities_);
      return t && has_adjacent_rows(*t) ? t : std::nullopt;
    };
    if (result)
      for (const Sources* from : {&sources, &own})
        if (std::optional<Transform> t = at(*from, *result)) return t;
    return at(sources, own_result);
  }

  /// Tests whether consecutive rows are adjacent in memory, in the source and in the result.
  static bool has_adjacent_rows(const Transform& t) {
    const bool stores_all = t.kept.is_constant(0);
    if (t.rows.size() > 1 || (!stores_all && !t.element.to_step.is_constant(2))) return false;
    const Dim stored = stores_all ? t.element.size : t.kept;
    return t.rows.empty() ||
           (t.rows[0].from_step == t.element.size * t.element.from_step && t.rows[0].to_step == stored * t.element.to_step);
  }

  /// Returns how many elements of each row, counted from its start, the users of the result need; 0: all of them, or has_passes() is false.
  int64_t kept_of(const Node& dft) {
    if (!has_passes(dft.shape.back())) return 0;
    const int64_t n = dft.shape.back().constant();
    int64_t kept = 0;
    std::vector<std::pair<const Node*, View>> views = {{&dft, View::contiguous(dft.shape)}};
    while (!views.empty()) {
      const auto [node, view] = std::move(views.back());
      views.pop_back();
      bool is_read = is_output(node);
      for (const Node* user : users_[node->id]) {
        std::optional<View> next = is_view(*user) ? apply(view, *user) : std::nullopt;
        if (next)
          views.emplace_back(user, *std::move(next));
        else
          is_read = true;
      }
      if (is_read) kept = std::max(kept, seen_of_rows(view, n));
    }
    return kept < n && kept >= transform_rows(n) ? kept : 0;
  }

  /// If an output is the concatenation of the real and the imaginary parts, both seen through the same views, returns that output as the
  /// destination. Otherwise returns nothing. The views may leave out the ends of rows.
  std::optional<Destination> joined(const Node& dft) {
    const Node* to = nullptr;
    for (const Node* user : users_[dft.id]) {
      for (; is_view(*user); user = users_[user->id][0])
        if (users_[user->id].size() != 1 || is_output(user)) return std::nullopt;
      if (user->op != Op::kConcat || user->sources.size() != 2 || !is_output(user) || (to != nullptr && to != user)) return std::nullopt;
      to = user;
    }
    const auto axis = static_cast<size_t>(to->as<ConcatAttributes>().axis);
    const Shape strides = strides_of(to->shape);
    Shape shape = dft.sources[0]->shape;
    const Dim count = element_count(shape);
    Destination result{to, {}, Shape(shape.size(), 0), kept_of(dft)};
    const Shape seen = strides_of(shape);
    if (!has_passes(shape.back())) result.kept = part_of_rows(source_of(to->sources[0], written_).view, shape.back());
    if (!result.kept.is_constant(0)) shape.back() = result.kept;
    for (size_t i = 0; i < 2; ++i) {
      const Source source = source_of(to->sources[i], written_);
      const View& view = source.view;
      const bool imaginary = !view.offset.is_constant(0);
      if (source.array != &dft || (imaginary && !(view.offset == count)) || !(element_count(view.shape) == element_count(shape)))
        return std::nullopt;
      result.start[imaginary] = i == 0 ? Dim(0) : to->sources[0]->shape[axis] * strides[axis];
      const std::optional<Shape> steps = steps_of(view, strides, shape, seen);
      if (!steps || (i == 1 && *steps != result.steps)) return std::nullopt;
      result.steps = *steps;
    }
    return result.start[0] == result.start[1] ? std::nullopt : std::optional(result);
  }

  /// Returns the number of adjacent elements of each row that the view of a transform's result has; 0: all.
  static Dim part_of_rows(const View& view, const Dim& length) {
    for (size_t axis = 0; axis < view.shape.size(); ++axis)
      if (view.strides[axis].is_constant(1) && !view.shape[axis].is_constant(1))
        return view.shape[axis] == length ? Dim(0) : view.shape[axis];
    return 0;
  }

  /// Computes where the elements of a transform's result are stored, given a view of the result that is stored. `strides`: the distance in
  /// memory of consecutive elements along each axis of the view. `shape`: the shape of the stored part of the result. `seen`: the row-major
  /// strides of the whole result. Returns, for each axis of the stored part, the distance in memory of consecutive elements; nothing if the
  /// view is not a permutation of the result's axes.
  static std::optional<Shape> steps_of(const View& view, const Shape& strides, const Shape& shape, const Shape& seen) {
    Shape steps(shape.size(), 0);
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis].is_constant(1)) continue;
      size_t k = 0;
      while (k < view.shape.size() && !(view.shape[k] == shape[axis] && view.strides[k] == seen[axis])) ++k;
      if (k == view.shape.size()) return std::nullopt;
      steps[axis] = strides[k];
    }
    return steps;
  }

  void count_users() {
    users_.resize(graph_.nodes().size());
    for (const Node* node : live_)
      for (const Node* source : node->sources) users_[source->id].push_back(node);
  }

  const Graph& graph_;
  std::vector<const Node*> live_;
  const TransformAbilities abilities_;
  std::vector<std::vector<const Node*>> users_;  // indexed by node id: the nodes that use the node
  std::unordered_set<const Node*> written_;      // the arrays (Transform::to) that are written by the transforms found so far
};

/// Returns a permutation of the result's axes that gives the rows the memory order of the source's rows; nothing if they are in that order
/// already.
std::optional<std::vector<int>> order_of(const View& rows) {
  std::vector<int> axes(rows.shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  for (const Dim& stride : rows.strides)
    if (!stride.is_constant()) return std::nullopt;
  std::ranges::stable_sort(axes, std::greater{}, [&](int axis) { return rows.strides[static_cast<size_t>(axis)].constant(); });
  if (std::ranges::is_sorted(axes)) return std::nullopt;
  for (int& axis : axes) ++axis;
  axes.insert(axes.begin(), 0);
  return axes;
}

}  // namespace

ComplexLayout complex_layout(Dim step, Dim real_start, Dim imaginary_start) {
  const Dim distance = imaginary_start - real_start;
  if (step.is_constant(2) && distance.is_constant(1)) return ComplexLayout::kInterleaved;
  return step.is_constant(2) && distance.is_constant(-1) ? ComplexLayout::kSwapped : ComplexLayout::kSeparate;
}

Transforms find_transforms(const Graph& graph, const TransformAbilities& abilities) { return Finder(graph, abilities).run(); }

std::shared_ptr<Graph> place_transforms(std::shared_ptr<Graph> graph, const TransformAbilities& abilities) {
  const auto live = graph->live_nodes();
  if (std::ranges::none_of(live, [](const Node* node) { return node->op == Op::kDft; })) return graph;
  auto result = opt::without_nodes(*graph);
  Finder finder(*graph, abilities);
  std::unordered_set<const Node*> written;  // nodes of the new graph that transforms write
  const auto permuted = [&](const Node* node, const std::vector<int>& axes) {
    Shape shape;
    for (const int axis : axes) shape.push_back(node->shape[static_cast<size_t>(axis)]);
    return result->intern(Op::kPermute, node->dtype, std::move(shape), {node}, PermuteAttributes{axes});
  };
  opt::rewrite_nodes(*graph, live, *result, [&](const Node* node, const Node* copy) {
    if (node->op != Op::kDft || !may_be_columns(*node, abilities) || finder.is_output(node)) return copy;
    const Sources sources = sources_of(*copy, written);
    const std::optional<Destination> wanted = finder.result_of(*node);
    const auto order = order_of(sources.re.view);
    if (!order || (wanted && placed(copy->sources[0]->shape, sources, *wanted, abilities))) return copy;
    std::vector<int> back(order->size());
    for (size_t i = 0; i < back.size(); ++i) back[static_cast<size_t>((*order)[i])] = static_cast<int>(i);
    const Node* columns = permuted(copy, *order);
    written.insert(columns);
    return permuted(columns, back);
  });
  return result;
}

}  // namespace harp
