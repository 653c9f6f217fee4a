// Routines on a GPU: sorts and Fourier transforms. A routine is a sequence of kernels, its phases. Each phase runs on a grid of blocks of
// threads and begins when the phase before it is complete; between phases, the data is in the scratch buffer of the kernel
// plan. The kernels themselves are text (render/cuda/sort.cpp, fourier.cpp).
//
// sort, argsort     phase 0: each block sorts a tile: several short rows, or a piece of a long row
//                   phase k: each block makes one tile of the result of merging sorted pieces of kSortTile << (k - 1) elements in pairs
// dft               phase 0: the tables. Then, depending on the length n of the rows:
//   n is constant and has small factors
//                   phase 1 transforms rows that fit the shared memory of a block; longer rows are treated as matrices: phase 1 transforms
//                   the columns of each matrix, phase 2 its rows (ops/block_transforms.h). Some short rows need no tables
//   otherwise       phase 1: one block transforms the filter of a convolution; phase 2: each block transforms whole rows, one at a time
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ops/grid_routines.h"
#include "schedule/transform.h"

namespace harp {

struct RoutinePhase {
  int number;
  std::string_view name;       // for comments
  Dim blocks;                  // number of blocks that share the tiles or rows: for each position (see GridRoutine), or in total if is_once
  bool is_once = false;        // whether the phase runs once for all positions
  std::optional<Dim> guard{};  // the phase runs only if this is >= 0; none: always
  int threads = kRoutineThreads;  // of a block
};

struct GridRoutine {
  std::vector<RoutinePhase> phases;
  Dim positions = 1;  // number of positions along all row axes except the last one
  // Scratch memory, in elements of the result: first `tables`, shared by all positions, then `memory` for each position.
  Dim tables = 0, memory = 0;

  Dim scratch() const { return tables + positions * memory; }
};

/// For Sort and ArgSort.
GridRoutine grid_sort(const Node& node);
GridRoutine grid_transform(const Transform& transform, DType dtype);
/// For any routine. `transforms` has its transform, if it is one.
GridRoutine grid_routine(const Node& node, const Transforms& transforms);

}  // namespace harp
