// Plans routines on a GPU: sorts and Fourier transforms. A routine is a sequence of kernels, its phases. Each phase runs on a grid of
// blocks of threads and begins when the phase before it is complete; between phases, the data is in the scratch buffer of the kernel
// plan. The kernels themselves are text (render/cuda/sort.cpp, fourier.cpp).
//
// sort, argsort     phase 0: each block sorts a tile, that is, several short rows or a piece of a long row
//                   phase k: sorted pieces of kSortTile << (k - 1) elements are merged in pairs; each block computes one tile of the result
// dft               phase 0: computes the tables. The other phases depend on the length n of the rows:
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
  std::string_view name;  // shown in comments of the generated code
  // The number of thread blocks that share the tiles or rows of a phase: their total number if is_once, otherwise the number for each of
  // GridRoutine::positions (the indices of all row axes but the last one).
  Dim blocks;
  bool is_once = false;           // true: the phase runs once; false: it runs once for each of GridRoutine::positions
  std::optional<Dim> guard{};     // the phase runs only if this is >= 0; none: always
  int threads = kRoutineThreads;  // number of threads of a block
};

struct GridRoutine {
  std::vector<RoutinePhase> phases;
  Dim positions = 1;  // number of indices of all row axes but the last one
  // The sizes of the parts of the scratch memory, in elements of the result: `tables` elements that all positions share, and then `memory`
  // elements for each position.
  Dim tables = 0, memory = 0;

  Dim scratch() const { return tables + positions * memory; }
};

/// Returns the phases of a Sort or ArgSort.
GridRoutine grid_sort(const Node& node);
GridRoutine grid_transform(const Transform& transform, DType dtype);
/// Returns the phases of any routine. If the node is a Fourier transform, `transforms` contains it.
GridRoutine grid_routine(const Node& node, const Transforms& transforms);

}  // namespace harp
