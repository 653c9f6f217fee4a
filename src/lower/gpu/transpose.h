// Lowers an elementwise kernel that transposes, for a GPU, to tiles of two axes. Along the last axis ("columns") the stores are contiguous.
// Along another axis ("rows") some loads are contiguous; these are the *crossed* loads. A group of threads computes a tile in two steps.
// First, neighbouring threads take neighbouring rows and copy the elements of each crossed load to shared memory. Then neighbouring threads
// take neighbouring columns, compute the results from the copies, and store them. In both steps the threads access whole cache lines:
//
//   thread tile in 0 .. tiles:
//     declare acc0                                          # shared: 32 columns of 32 rows, which begin 33 elements apart
//     group t in 0 .. 256:
//       unroll step in 0 .. 4:
//         set acc0[33 * (t / 32 + 8 * step) + t % 32] to load x[column + t / 32 + 8 * step, row + t % 32]
//     barrier
//     group t in 0 .. 256:
//       unroll step in 0 .. 4:
//         store y[row + t / 32 + 8 * step, column + t % 32] = acc0[33 * (t % 32) + t / 32 + 8 * step]
//
// In shared memory the columns of a tile begin an odd number of elements apart, so that no two threads of a warp access the same bank. In a
// partial tile at the end of an axis, each access tests whether its element exists.
#pragma once

#include "lower/lower.h"

namespace harp::lower {

void lower_tiled_transpose(KernelContext& context);

}  // namespace harp::lower
