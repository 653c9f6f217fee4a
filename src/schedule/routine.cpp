#include "schedule/routine.h"

#include "base/error.h"
#include "base/machine.h"
#include "ops/sort_rows.h"
#include "ops/transform_parts.h"

namespace harp {
namespace {

constexpr int64_t kMaxBlocks = 16;
// The largest size, in bytes, of scratch memory that each worker has as its own. Larger scratch memory is in the workspace.
constexpr int64_t kMaxWorkerScratchBytes = int64_t{1} << 20;

/// Returns the smallest number of rows in a block of a Fourier transform. Short rows, and rows that are columns of memory, are transformed
/// several at a time; a block then has at least two or four times as many rows as are transformed together. If the length of the rows is
/// unknown, a block has at least 16 rows, and as many short rows as are transformed together. If each block computes its own tables, which
/// costs as much as a few rows, a block has at least 8 rows.
Dim least_transform_rows(const Transform& t) {
  if (t.columns > 0) return 2 * t.columns;  // twice t.columns: blocks differ by at most one row, so each has at least t.columns rows
  if (!t.element.size.is_constant()) return max(16, floor_div(kTransformTile, max(t.element.size, 1)));
  // short rows are transformed several at a time, a long row alone, as a matrix
  const int64_t n = t.element.size.constant();
  const bool are_interleaved = transform_rows(has_small_factors(n) ? n : convolution_length(n)) == 1;
  return are_interleaved ? 4 * kMaxTransformLanes : keeps_transform_tables(n) ? 1 : 8;
}

/// Returns the number of elements rounded up to that of whole vectors of kMaxTransformLanes.
constexpr int64_t whole_vectors(int64_t n) { return (n + kMaxTransformLanes - 1) / kMaxTransformLanes * kMaxTransformLanes; }

/// Returns an upper bound for the scratch memory of a transform of any length, in elements. Let M < 4 n be the length of the convolution
/// that computes the transform. Then a row takes tables of 2 n + 5 M elements, four rows of M, and the memory of the transform of M. The
/// latter is 2 M (its tiles never overlap, because M is 2^i or 3 times that) plus the tiles, which exceed M by no more than the minimum
/// matrix size. Short rows, which are not treated as matrices, have at most 3120 elements (a factor of 16 and two factors below 16). Rows
/// with a short convolution (M <= 192) are convolved together, which takes 8 M elements for each of kMaxTransformLanes; for M = 192 this is
/// the last term below. If the input is real, a row of zeros stands for its imaginary parts. If real and imaginary parts alternate in
/// memory, they are separated first: those of one long row, or of the short rows that are transformed together. The latter are at most
/// kMaxTransformLanes rows, or have at most kTransformTile elements, 8 times of which are less than the last term. The zeros and the
/// separated parts are padded to whole vectors.
Dim transform_memory(Dim n) {
  if (n.is_constant() && n.constant() > 1) {
    const int64_t size = n.constant(), m = has_small_factors(size) ? size : convolution_length(size);
    const int64_t memory = transform_spare(size) + (keeps_transform_tables(size) ? 0 : transform_tables(size));
    if (has_transform_passes(size)) return memory;
    const int64_t together = transform_rows(m) == 1 ? kMaxTransformLanes : 1;
    return memory + whole_vectors(size) + 2 * whole_vectors(together * size);
  }
  return 73 * n + 8 * kMaxTransformLanes * min(n, 3120) + 6 * kMaxTransformLanes * 256 + 3 * kMaxTransformLanes;
}

}  // namespace

int64_t kept_of_sort(const Node& node) {
  if (node.op != Op::kSort && node.op != Op::kArgSort) return 0;
  return node.shape.back() == node.sources[0]->shape.back() ? 0 : node.shape.back().constant();
}

Dim routine_blocks(const Node& node) {
  const Shape& shape = node.sources[0]->shape;
  const Dim rows = element_count(Shape(shape.begin(), shape.end() - 1)), one_by_one = min(rows, kMaxBlocks);
  const bool selects = kept_of_sort(node) > 0;
  if (node.op != Op::kSort && !selects) return one_by_one;
  // Short rows are sorted together, one in each lane of a vector. A block with fewer rows than lanes would sort them one by one. If the
  // rows do not fill the last vector of a block, some rows are sorted twice. Very short rows take so little time that a block has several
  // vectors of them, and the rows that are sorted twice are then a small part of the work.
  constexpr int64_t kVeryShort = 128, kVectors = 4;
  const Dim n = shape.back();
  // number of lanes of the longest vectors
  const int64_t lanes = kLineBytes / static_cast<int64_t>(size_of(node.sources[0]->dtype));
  const int64_t least = n.is_constant() && n.constant() <= kVeryShort ? kVectors * lanes : lanes;
  const Dim together = max(1, min(floor_div(rows, least), kMaxBlocks));
  // A selection reads long rows in parts, so it can process rows of any length together.
  return select(selects ? rows - lanes : min(kMaxSortedSideBySide - n, rows - lanes), together, one_by_one);
}

Dim transform_blocks(const Transform& t) {
  if (t.rows.empty()) return 1;
  if (t.rows.size() == 1) return min(ceil_div(t.rows[0].size, least_transform_rows(t)), kMaxBlocks);
  Dim others = 1;
  for (size_t axis = 0; axis + 1 < t.rows.size(); ++axis) others = others * t.rows[axis].size;
  return min(others, kMaxBlocks);
}

bool uses_worker_scratch(const Node& node, const Transforms& transforms) {
  const Dim elements = routine_scratch(node, transforms);
  // a worker's scratch memory is an array of accumulators, which cannot have 16-bit floats or bools as elements
  const bool has_accumulators = node.op == Op::kDft || (node.op == Op::kSort && !is_half(node.dtype) && !is_bool(node.dtype));
  return has_accumulators && elements.is_constant() &&
         elements.constant() * static_cast<int64_t>(size_of(node.dtype)) <= kMaxWorkerScratchBytes;
}

Dim routine_scratch(const Node& node, const Transforms& transforms) {
  const Dim length = node.shape.back();
  switch (node.op) {
    case Op::kArgSort: return length;
    // Sorting a long row takes memory for a copy of the row. Short rows are sorted together, each in one vector lane, which takes as many
    // cache lines as a row has elements.
    case Op::kSort: {
      const int64_t line = kLineBytes / static_cast<int64_t>(size_of(node.dtype));
      return max(ceil_div(length, line), min(length, kMaxSortedSideBySide)) * line;
    }
    case Op::kDft: {
      const auto transform = transforms.find(&node);
      const int64_t columns = transform == transforms.end() ? 0 : transform->second.columns;
      const bool are_long = columns > 0 && transform_rows(length.constant()) > 1;
      return are_long ? Dim(transform_columns_spare(length.constant(), columns)) : transform_memory(length);
    }
    default: fail(Code::kInternal, name(node.op), " is not a routine");
  }
}

}  // namespace harp
