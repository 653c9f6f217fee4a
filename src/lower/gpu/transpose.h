// Transposes on a GPU: an elementwise kernel in tiles of two axes: the last axis ("columns"), along which stores are contiguous, and an
// axis ("rows") along which some loads are contiguous (*crossed* loads). A group of threads makes a tile. First neighbouring threads take
// neighbouring rows and copy the elements of each crossed load to shared memory; then neighbouring threads take neighbouring columns,
// compute from the copies, and store. So both sides access whole cache lines:
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
// Columns of a tile begin an odd number of elements apart, so that no two threads of a warp access the same bank of the shared memory. A
// tile at the end of an axis tests each element.
#pragma once

#include "lower/lower.h"

namespace harp::lower {

void lower_tiled_transpose(KernelContext& context);

}  // namespace harp::lower
