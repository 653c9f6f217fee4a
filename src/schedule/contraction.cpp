#include "schedule/contraction.h"

#include <algorithm>
#include <set>

#include "schedule/reshaped_axes.h"

namespace harp {
namespace {

constexpr int64_t kWidestVector = 16;  // lanes of the widest vector register of any supported machine
// Limits the exchange of rows and columns: padding to whole vectors may increase the work by at most this factor. Without the exchange
// vectors run along the columns, so room_of_vectors(columns) times the needed work is done (an unknown number of columns counts as factor
// 1). With the exchange they run along the rows, so room_of_vectors(rows) times the needed work is done.
constexpr double kMaxExchangedPadding = 1.125;
// An array of at least this many elements stays in no cache of one core.
constexpr int64_t kFarElements = int64_t{1} << 20;

}  // namespace

// This function walks from the root through pairs of a node and one of its axes, and visits each pair only once.
bool varies(const Node* root, size_t root_axis) {
  std::vector<std::pair<const Node*, size_t>> stack = {{root, root_axis}};
  std::set<std::pair<const Node*, size_t>> seen;
  while (!stack.empty()) {
    const auto [node, axis] = stack.back();
    stack.pop_back();
    if (!seen.insert({node, axis}).second || node->rank() == 0 || node->shape[axis].is_constant(1)) continue;
    if (is_elementwise(node->op)) {
      for (const Node* source : node->sources) stack.emplace_back(source, axis);
      continue;
    }
    const Node* source = node->sources.empty() ? nullptr : node->sources[0];
    switch (node->op) {
      case Op::kExpand:
        if (source->shape[axis] == node->shape[axis]) stack.emplace_back(source, axis);
        break;
      case Op::kPermute: stack.emplace_back(source, static_cast<size_t>(node->as<PermuteAttributes>().axes[axis])); break;
      case Op::kReshape: {
        const std::optional<std::vector<size_t>> joined = joined_axes(*node, axis);
        if (!joined) return true;
        for (const size_t from : *joined) stack.emplace_back(source, from);
        break;
      }
      default: return true;
    }
  }
  return false;
}

Dim term_count(const Node& reduce) {
  Dim result = 1;
  for (const int axis : reduce.as<ReduceAttributes>().axes) result *= reduce.sources[0]->shape[static_cast<size_t>(axis)];
  return result;
}

Dim row_count(const Node& reduce, const Contraction& contraction) {
  return contraction.rows ? reduce.sources[0]->shape[*contraction.rows] : Dim(1);
}

const Node* array_below_windows(const Node* factor) {
  const Node* array = nullptr;
  for (const Node* node = factor; is_movement(node->op) && node->op != Op::kPad; node = node->sources[0])
    if (node->op == Op::kUnfold) array = node->sources[0];
  return array != nullptr && !is_half(array->dtype) && !is_bool(array->dtype) ? array : nullptr;
}

namespace {

/// Returns the axes of the reduction's source that are not reduced and whose size is not 1.
std::vector<size_t> kept_axes(const Node& reduce) {
  const std::vector<int>& reduced = reduce.as<ReduceAttributes>().axes;
  const Shape& shape = reduce.sources[0]->shape;
  std::vector<size_t> kept;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (!shape[axis].is_constant(1) && std::find(reduced.begin(), reduced.end(), static_cast<int>(axis)) == reduced.end())
      kept.push_back(axis);
  return kept;
}

/// Completes the contraction: among the kept axes (those that are not reduced) other than the columns, finds the axis of the rows and the
/// group axis (Contraction::group_position). If the rows' factor A consists of windows (overlapping views of an array), only that factor
/// varies along the group axis; otherwise only the columns' factor B does.
Contraction with_columns(std::span<const size_t> kept, size_t columns, const Node* row_factor, const Node* column_factor) {
  Contraction found{.rows = std::nullopt,
                    .columns = kept[columns],
                    .row_position = std::nullopt,
                    .column_position = columns,
                    .group_position = std::nullopt,
                    .group_is_rows = array_below_windows(row_factor) != nullptr,
                    .row_factor = row_factor,
                    .column_factor = column_factor};
  for (size_t i = kept.size(); i-- > 0;) {
    if (i == columns) continue;
    const bool in_rows = varies(row_factor, kept[i]), in_columns = varies(column_factor, kept[i]);
    if (in_rows == in_columns) continue;
    if (in_rows && !found.rows)
      found.rows = kept[i], found.row_position = i;
    else if (in_rows == found.group_is_rows && !found.group_position)
      found.group_position = i;
  }
  return found;
}

/// Returns the factor by which the number of lanes grows if it is rounded up to whole vectors of kWidestVector lanes.
double room_of_vectors(int64_t lanes) {
  return static_cast<double>((lanes + kWidestVector - 1) / kWidestVector * kWidestVector) / static_cast<double>(lanes);
}

/// Tests whether rows and columns should be exchanged because the columns of a convolution are windows (overlapping views of its input). If
/// windows are the rows, the micro-kernel reads single elements of them from anywhere in the copied part of the input. If windows are the
/// columns, it reads them as whole vectors, which a short line of pixels does not fill; and strided windows need a further copy. The other
/// factor (the weights) is packed with or without the exchange, so it serves equally well as columns if it fills whole vectors.
///
/// With fewer filters, and lines that fill clearly less of a vector than these do, the columns may also be the pictures of a batch
/// (product_axes.h), unless the array is large: each element of a vector is then in a page of its own. (7 filters of 512 pictures of 192
/// channels, with lines of 6 pixels: 17 ms, instead of 102 ms if the columns are the pictures.)
bool is_better_exchanged(const Shape& shape, const Contraction& usual) {
  if (!usual.rows || array_below_windows(usual.column_factor) == nullptr) return false;
  const Dim rows = shape[*usual.rows], columns = shape[usual.columns];
  if (!rows.is_constant() || rows.constant() < 1) return false;
  const double with = room_of_vectors(rows.constant()), without = columns.is_constant() ? room_of_vectors(columns.constant()) : 1;
  if (rows.constant() >= kWidestVector) return with <= kMaxExchangedPadding * without;
  const Dim elements = element_count(array_below_windows(usual.column_factor)->shape);
  return elements.is_constant() && elements.constant() >= kFarElements && kMaxExchangedPadding * with <= without;
}

}  // namespace

std::optional<Contraction> as_contraction(const KernelPlan& kernel) {
  if (kernel.reduces.size() != 1 || kernel.passes.size() != 1) return std::nullopt;
  // A value that is stored for every term must be computed exactly once, but the tiles of a contraction visit each term several times.
  if (!kernel.passes[0].row_stores.empty()) return std::nullopt;
  return as_contraction(*kernel.reduces[0]);
}

std::optional<Contraction> as_contraction(const Node& reduce) {
  const auto& attributes = reduce.as<ReduceAttributes>();
  const std::span<const Node* const> factors = operands_of(reduce);
  if (attributes.order != ReduceOrder::kChain || !attributes.product || factors.size() != 2) return std::nullopt;
  const Shape& shape = reduce.sources[0]->shape;
  const std::vector<size_t> kept = kept_axes(reduce);
  if (kept.empty()) return std::nullopt;
  for (const size_t left : {0, 1}) {
    const Node *row_factor = factors[left], *column_factor = factors[1 - left];
    if (varies(row_factor, kept.back()) || !varies(column_factor, kept.back())) continue;
    const Contraction found = with_columns(kept, kept.size() - 1, row_factor, column_factor);
    return is_better_exchanged(shape, found) ? with_columns(kept, *found.row_position, column_factor, row_factor) : found;
  }
  return std::nullopt;
}

std::optional<Contraction> exchanged(const Node& reduce, const Contraction& usual) {
  if (!usual.rows || usual.is_output_transposed() || array_below_windows(usual.row_factor) != nullptr) return std::nullopt;
  if (usual.group_position && array_below_windows(usual.column_factor) == nullptr) return std::nullopt;
  const Contraction found = with_columns(kept_axes(reduce), *usual.row_position, usual.column_factor, usual.row_factor);
  return found.rows == usual.columns && found.group_position == usual.group_position ? std::optional(found) : std::nullopt;
}

std::optional<Contraction> as_contraction(const KernelPlan& kernel, const Schedule& schedule) {
  const std::optional<Contraction> usual = as_contraction(kernel);
  if (!usual || !usual->rows) return usual;
  const auto has_vectors = [&](size_t position) { return position < schedule.axes.size() && schedule.axes[position].simd_width > 1; };
  if (!has_vectors(*usual->row_position) || has_vectors(usual->column_position)) return usual;
  const std::optional<Contraction> other = exchanged(*kernel.reduces[0], *usual);
  return other ? other : usual;
}

}  // namespace harp
