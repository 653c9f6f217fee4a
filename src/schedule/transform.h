// Where a Fourier transform reads its rows and where it writes its results. A transform accepts any constant distance between the numbers
// of a row, and between rows. It therefore reads views of arrays in memory directly, and writes its results in the layout that their user
// needs: real and imaginary parts separate or interleaved, transforms along rows or columns of memory.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "ops/transform_parts.h"

namespace harp {

/// An axis of rows, or the elements of a row: its size, and the distance between consecutive elements in the source and in the destination.
struct TransformAxis {
  Dim size, from_step, to_step;
};

struct Transform {
  std::array<const Node*, 2> from;  // arrays in memory of the real and of the imaginary parts; the same array for real input
  std::array<Dim, 2> from_start;    // positions of the first elements of these arrays
  const Node* to;                   // the array that is written: the transform's own result, or its single user, which only rearranges it
  std::array<Dim, 2> to_start;      // positions of the first real and the first imaginary part
  std::vector<TransformAxis> rows;  // axes of the rows, outermost first; none: there is one row
  TransformAxis element;
  int64_t columns = 0;   // vectors run across rows, along the last axis, which has at least this many rows; 0: they run along each row
  bool is_real = false;  // imaginary parts are all +0 and are not in memory
  int64_t kept = 0;      // how many elements of each row, from the first on, are stored; 0: all
};

/// Returns the layout of complex numbers in memory, given the distance `step` of consecutive numbers and the positions of the first real
/// and the first imaginary part.
ComplexLayout complex_layout(Dim step, Dim real_start, Dim imaginary_start);

using Transforms = std::unordered_map<const Node*, Transform>;
/// Returns all transforms of the graph. `any_length_takes_reals`: the routine for unknown lengths needs no array of the imaginary parts if
/// they are all +0.
Transforms find_transforms(const Graph& graph, bool any_length_takes_reals);

/// Rewrites transforms of columns so that their results have the memory order of their sources; users see the result through a permutation.
std::shared_ptr<Graph> place_transforms(std::shared_ptr<Graph> graph);

}  // namespace harp
