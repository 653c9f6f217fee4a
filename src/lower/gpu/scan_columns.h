// Lowers scans along columns for a GPU (schedule/gpu/grid_scan.h), in the order "chain" of docs/semantics.md ("Scans"): one thread combines
// the elements of a column one after the other. A column is the elements at one index of the axes after the scanned axis; the columns are
// neighbours in memory. A group of threads scans up to 32 columns of a block of 4,096 rows, a tile of these rows (column_tile.h) at a time:
//
//   thread block in 0 .. rows * blocks * column tiles:
//     declare acc0, acc1                                      # shared: 128 rows x 32 columns; the running value of each thread's column
//     group t: if t < 32: set acc1[t] to the running value of the column before the block
//     for tile in 0 .. 4096 / 128:
//       group t: set acc0[256 * step + t] to load x[…]        # each thread loads 16 elements: row 8 * step + t / 32, column t % 32
//       barrier
//       group t: if t < 32:
//         for each row of the tile: set acc1[t] += acc0[32 * row + t]; set acc0[32 * row + t] to acc1[t]
//       barrier
//       group t: store y[…] = acc0[256 * step + t]            # the same elements that the thread loads
//
// A phase of totals starts from the identity, sets nothing in acc0 and stores acc1 at the end.
#pragma once

#include "lower/gpu/scan.h"

namespace harp::lower {

void lower_column_scan(KernelContext& context, const ScanPhase& phase);

}  // namespace harp::lower
