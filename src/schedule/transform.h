// Describes where a Fourier transform reads its rows and where it writes its results. The distance between the numbers of a row, and
// between rows, may be any constant. A transform can therefore read views of arrays in memory directly, and write its results in the layout
// that their user needs: real and imaginary parts separate or interleaved, along rows or columns of memory.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "ops/transform_parts.h"

namespace harp {

/// An axis of rows, or the axis of the elements of a row: its size, and the distance between consecutive elements in the source and in the
/// destination.
struct TransformAxis {
  Dim size, from_step, to_step;
};

struct Transform {
  // The arrays in memory that contain the real and the imaginary parts; the same array if the input is real.
  std::array<const Node*, 2> from;
  std::array<Dim, 2> from_start;  // positions of the first elements in these arrays
  // The array that is written: the result of the transform, or the result of the only node that uses the transform, if that node merely
  // rearranges the elements.
  const Node* to;
  std::array<Dim, 2> to_start;      // positions of the first real and the first imaginary part in `to`
  std::vector<TransformAxis> rows;  // axes of the rows, outermost first; empty: there is one row
  TransformAxis element;
  // The number of rows along the last axis of `rows` that are transformed together, one in each lane of the vectors; that axis has at least
  // this many rows. 0: one row at a time is transformed, with vectors along the row.
  int64_t columns = 0;
  bool is_real = false;  // whether the input is real: its imaginary parts are all +0 and are not read
  Dim kept = 0;          // number of elements that are stored of each row, from its start; 0: all
};

/// Returns the layout in memory of complex numbers, given the distance `step` between consecutive numbers (in elements), and the positions
/// of the first real and the first imaginary part.
ComplexLayout complex_layout(Dim step, Dim real_start, Dim imaginary_start);

using Transforms = std::unordered_map<const Node*, Transform>;
/// What a backend's routines for Fourier transforms can do. any_length_takes_reals: the routine for row lengths that are unknown at compile
/// time needs no array of imaginary parts if they are all +0. any_length_takes_pairs: the routines for unknown lengths and for lengths with
/// a large prime factor read and write rows in which real and imaginary parts alternate, and store only as many elements of a row as its
/// user needs. takes_long_columns: several columns may be transformed together even if they are so long that each of them is transformed as
/// a matrix.
struct TransformAbilities {
  bool any_length_takes_reals = false, any_length_takes_pairs = false, takes_long_columns = false;
};
/// Returns all transforms of the graph.
Transforms find_transforms(const Graph& graph, const TransformAbilities& abilities);

/// Returns a graph in which each Fourier transform that can be computed for several columns at a time, along an axis that is not the last
/// in memory, writes its result in the memory order of its source. The transform's axis is then not moved in memory; the nodes that use the
/// result read it through a permutation of axes. A transform is unchanged if it is an output of the graph, or if it can write its result in
/// the order that the node after it needs.
std::shared_ptr<Graph> place_transforms(std::shared_ptr<Graph> graph, const TransformAbilities& abilities);

}  // namespace harp
