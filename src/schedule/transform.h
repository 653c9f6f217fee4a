// Where a Fourier transform finds its rows and where it leaves the transformed ones. The numbers of a row and the rows of an array lie at
// equal distances, so a transform takes them from where they are, as views of what is in memory, and puts its results where they are
// wanted: parts or pairs of an array of complex numbers, rows or columns.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "ops/transform_parts.h"

namespace harp {

/// Of an axis along which rows lie, or of the elements of a row: elements from one to the next where they are read and where they are
/// written.
struct TransformAxis {
  Dim size, from_step, to_step;
};

struct Transform {
  std::array<const Node*, 2> from;  // arrays in memory: of real parts, of imaginary ones; of reals the same
  std::array<Dim, 2> from_start;    // their first elements there
  const Node* to;                   // the array that is written: the transform's own, or what is made of it
  std::array<Dim, 2> to_start;      // the first real part and the first imaginary one there
  std::vector<TransformAxis> rows;  // outermost first; none: one row
  TransformAxis element;
  int64_t columns = 0;   // vectors go from row to row, along the last axis, which has at least so many; 0: they go along each row
  bool is_real = false;  // imaginary parts are +0 and lie nowhere
  int64_t kept = 0;      // elements of each row that are stored, the first ones; 0: all
};

/// Of numbers `step` apart that begin with these parts.
PartsLie how_parts_lie(Dim step, Dim real_start, Dim imaginary_start);

using Transforms = std::unordered_map<const Node*, Transform>;
/// All transforms of the graph.
Transforms find_transforms(const Graph& graph);

/// The graph with transforms of columns whose results lie as what they are taken from does: such a transform's result is seen through a
/// permutation.
std::shared_ptr<Graph> place_transforms(std::shared_ptr<Graph> graph);

}  // namespace harp
