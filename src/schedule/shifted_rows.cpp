#include "schedule/shifted_rows.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ops/scalar.h"
#include "opt/rewrite.h"
#include "schedule/law.h"
#include "schedule/materialise.h"
#include "schedule/node_marks.h"
#include "schedule/reshaped_axes.h"

namespace harp {
namespace {

// The largest number of rows that one expression adds. A sum of more rows stays a reduction.
constexpr int64_t kMostRows = 16;
static_assert(kMostRows <= kChainBlock, "a longer chain is a sum of blocks");
// An expression with more nodes than this counts as too large, so that a large graph is not searched.
constexpr int kMostVisits = 1024;
// Instead of a view, stored() stores the array that it is a view of. If the view is a slice, it does so only if the slice contains at least
// this share of its source.
constexpr double kLeastShare = 0.5;

/// The rows that a sum adds: the last two axes of `x` are the rows and their elements, and row t is shifted by t * by elements.
struct ShiftedRows {
  const Node* x;
  int64_t rows, by;
};

bool is_zero(const Dim& size) { return size.is_constant(0); }
bool is_unchanged_before(const Shape& a, const Shape& b, size_t axes) {
  return a.size() >= axes && b.size() >= axes && std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(axes), b.begin());
}

/// Tests whether a reshape has joined this axis of the node from several axes. An element's position is then a quotient and a remainder
/// anyway. Rows with zeros between their elements (gradients of windows with a stride and a dilation) are an example; in an expression,
/// most loads of such rows would be masked.
bool is_joined(const Node* node, size_t axis) {
  while (true) {
    if (node->op == Op::kPermute) {
      axis = static_cast<size_t>(node->as<PermuteAttributes>().axes[axis]);
    } else if (node->op == Op::kReshape) {
      const std::optional<std::vector<size_t>> axes = joined_axes(*node, axis);
      if (!axes || axes->size() != 1) return !axes || !axes->empty();
      axis = (*axes)[0];
    } else {
      return false;
    }
    node = node->sources[0];
  }
}

/// Returns the shifted rows that the node adds; nothing if it does something else, or if the number of rows is not known to be small.
///
/// With rows of `length` elements, padded to length + rows * by, the result has length + (rows - 1) * by elements. Element (t, p) of the
/// matrix that is added has the position t * (padded - by) + p = t * padded + (p - t * by) in the padded rows. If p >= t * by, this is
/// element p - t * by of row t. Otherwise it is element padded - (t * by - p) of row t - 1, which is one of the rows * by zeros at its end.
std::optional<ShiftedRows> shifted_rows(const Node& sum) {
  // A sum of 16-bit floats adds in f32 and rounds once, so additions would not give the same bits.
  if (sum.op != Op::kSum || !is_float(sum.dtype) || is_half(sum.dtype)) return std::nullopt;
  const auto& reduce = sum.as<ReduceAttributes>();
  const Node& matrix = *sum.sources[0];
  if (reduce.order != ReduceOrder::kChain || reduce.product || matrix.rank() < 2 || matrix.op != Op::kReshape) return std::nullopt;
  const auto outer = static_cast<size_t>(matrix.rank()) - 2;  // the number of axes before the rows
  if (reduce.axes != std::vector{static_cast<int>(outer)}) return std::nullopt;
  const Dim rows = matrix.shape[outer], result = matrix.shape[outer + 1];
  if (!rows.is_constant() || rows.constant() < 2 || rows.constant() > kMostRows) return std::nullopt;

  const Node& cut = *matrix.sources[0];
  if (cut.op != Op::kSlice || cut.shape.size() != outer + 1 || !is_unchanged_before(cut.shape, matrix.shape, outer)) return std::nullopt;
  const auto& slice = cut.as<SliceAttributes>();
  if (!std::ranges::all_of(slice.start, is_zero) || !std::ranges::all_of(slice.step, [](int64_t step) { return step == 1; }))
    return std::nullopt;
  const Node& flat = *cut.sources[0];
  if (flat.op != Op::kReshape || flat.shape.size() != outer + 1 || !is_unchanged_before(flat.shape, matrix.shape, outer))
    return std::nullopt;

  const Node& padded = *flat.sources[0];
  if (padded.op != Op::kPad || padded.shape.size() != outer + 2 || !is_unchanged_before(padded.shape, matrix.shape, outer + 1))
    return std::nullopt;
  const auto& pad = padded.as<PadAttributes>();
  const bool pads_last = std::ranges::all_of(pad.before, is_zero) && std::all_of(pad.after.begin(), pad.after.end() - 1, is_zero);
  const Dim by = padded.shape.back() - result;
  if (!pads_last || !by.is_constant() || by.constant() < 1 || !(pad.after.back() == rows * by)) return std::nullopt;
  if (!(pad.value == scalar_from_int(sum.dtype, 0)) || is_joined(padded.sources[0], outer + 1)) return std::nullopt;
  return ShiftedRows{padded.sources[0], rows.constant(), by.constant()};
}

/// Returns how many array elements an expression loads that computes one element of x. The expression goes down through views and
/// elementwise operations to the nearest values of other kinds; an element that two nodes use counts twice. Returns a number above `most`
/// if there are more loads, or if there are too many nodes to tell.
int64_t loads_of(const Node* x, int64_t most) {
  int64_t loads = 0;
  int visits = 0;
  std::vector<const Node*> stack = {x};
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (++visits > kMostVisits || loads > most) return most + 1;
    if (is_movement(node->op) || is_elementwise(node->op)) {
      for (auto at = node->sources.begin(); at != node->sources.end(); ++at)
        if (std::find(node->sources.begin(), at, *at) == at) stack.push_back(*at);
    } else if (node->op != Op::kConstant) {
      ++loads;
    }
  }
  return loads;
}

/// Returns the nodes whose elements a lanes-order reduction (docs/semantics.md, "Sums") adds, directly or after elementwise operations. The
/// reduction reads several axes as one sequence, in which a test of whether an element is padding would need a division. So pads that it
/// reads are stored (materialise.h). The sums of rows among these nodes are not rewritten: the stored sum takes less memory than padded
/// rows.
NodeMarks read_by_lanes(const Graph& graph, std::span<const Node* const> live) {
  NodeMarks found(graph);
  for (auto at = live.rbegin(); at != live.rend(); ++at) {
    const Node& node = **at;
    const bool is_lanes = is_reduce(node.op) && !is_arg_extreme(node.op) && node.as<ReduceAttributes>().order == ReduceOrder::kLanes;
    if (is_lanes || (found.contains(&node) && (is_elementwise(node.op) || node.op == Op::kReshape)))
      for (const Node* source : node.sources) found.insert(source);
  }
  return found;
}

/// Returns x computed from a stored array. If x is a view, the array that it is a view of is stored in its own order of axes, which is
/// usually the order in memory of the operands from which it is computed; storing the view itself would often make a transposed copy.
const Node* stored(Graph& graph, const Node* x) {
  const auto keeps_most = [](const Node& view) {
    return view.op == Op::kPermute || view.op == Op::kReshape ||
           (view.op == Op::kSlice && share_of(view.shape, view.sources[0]->shape) >= kLeastShare);
  };
  std::vector<const Node*> views;  // from x down
  for (; keeps_most(*x); x = x->sources[0]) views.push_back(x);
  const Node* result = graph.intern(Op::kContiguous, x->dtype, x->shape, {x});
  for (size_t i = views.size(); i-- > 0;)
    result = graph.intern(views[i]->op, views[i]->dtype, views[i]->shape, {result}, views[i]->attributes);
  return result;
}

/// Returns the sum of the rows as a chain of additions. `shape` is the shape of the sum. If the expression would load more elements than
/// `most_loads`, the rows are stored first, and the additions load the stored rows.
const Node* added(Graph& graph, ShiftedRows shifted, const Shape& shape, int64_t most_loads) {
  const auto& [given, rows, by] = shifted;
  const Node* x = given;
  const DType dtype = x->dtype;
  if (const int64_t loads = loads_of(x, most_loads); loads > 1 && loads * rows > most_loads) x = stored(graph, x);
  const size_t row_axis = x->shape.size() - 2;
  Shape row = x->shape, line = x->shape;
  row[row_axis] = 1;
  line.erase(line.begin() + static_cast<std::ptrdiff_t>(row_axis));
  const Scalar zero = scalar_from_int(dtype, 0);
  const Node* sum = graph.intern(Op::kConstant, dtype, {}, {}, ConstantAttributes{zero});
  for (int64_t t = 0; t < rows; ++t) {
    SliceAttributes slice{std::vector<Dim>(row.size(), Dim(0)), std::vector<int64_t>(row.size(), 1)};
    slice.start[row_axis] = t;
    PadAttributes pad{std::vector<Dim>(line.size(), Dim(0)), std::vector<Dim>(line.size(), Dim(0)), zero};
    pad.before.back() = t * by;
    pad.after.back() = (rows - 1 - t) * by;
    const Node* elements = graph.intern(Op::kSlice, dtype, row, {x}, std::move(slice));
    elements = graph.intern(Op::kReshape, dtype, line, {elements});
    elements = graph.intern(Op::kPad, dtype, shape, {elements}, std::move(pad));
    sum = graph.intern(Op::kAdd, dtype, shape, {sum, elements});
  }
  return sum;
}

}  // namespace

std::shared_ptr<Graph> add_shifted_rows(std::shared_ptr<Graph> whole, const FusionLimits& limits) {
  const Graph& graph = *whole;
  const std::vector<const Node*> live = graph.live_nodes();
  const auto has_rows = [](const Node* node) { return shifted_rows(*node).has_value(); };
  if (limits.shifted_loads == 0 || std::ranges::none_of(live, has_rows)) return whole;
  const NodeMarks in_lanes = read_by_lanes(graph, live);
  auto result = opt::without_nodes(graph);
  opt::rewrite_nodes(graph, live, *result, [&](const Node* node, const Node* copy) {
    const std::optional<ShiftedRows> shifted = in_lanes.contains(node) ? std::nullopt : shifted_rows(*copy);
    return shifted ? added(*result, *shifted, node->shape, limits.shifted_loads) : copy;
  });
  return result;
}

}  // namespace harp
