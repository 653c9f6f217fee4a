#include "schedule/cpu/tuning.h"

#include "schedule/fusion_limits.h"

namespace harp {

FusionLimits fusion_limits(const Cpu& cpu) {
  return {
      .unrolled_divisor = 4,
      .kept_bytes = cpu.caches.second / 2,
      .keeps_short_rows = true,
      .vector_bytes = cpu.vector_bytes,
      // Assumed, not measured: a further kernel takes a few tens of nanoseconds, and an element that is computed outside of vectors takes a
      // few nanoseconds.
      .few_columns_elements = 512,
      .long_row = 1 << 16,
      .few_long_rows = 64,
      .many_threads = false,
      .first_axis = 8,
      .grid_routines = false,
      .grouped_scans = false,
      .tile_rows = 4,
      .tile_columns = 8,
      .tile_terms = 16,
      .few_terms = kFewestTerms,
      .few_terms_rows = kRowsOfFewTerms,
      // A convolution with 3 x 3 kernels of a picture of 227 x 227 pixels does 13 GFLOP/s with 100 channels and 3 filters if it adds one
      // row of products after the other, and 33 GFLOP/s with 192 channels and 4 filters if it uses register tiles.
      .window_rows = 2,
      .joins_columns = true,
      .integer_products = true,
      .finishes_products = true,
      .sorted_updates = 0,  // on a CPU, one thread applies all updates of a row, in their order
      // An expression for the gradient of windows of 3 x 3 elements loads 9 elements. One for windows of 5 x 5 elements would load 25 and
      // take 0.2 s to compile, one for 7 x 7 elements 0.5 s. With more than 24 loads, materialise.cpp would also no longer count the
      // readings of a value exactly (kMaxReadings).
      .shifted_loads = 24,
      .min_blocks = 4,
      .max_block_bytes = cpu.caches.third / 8,
      .max_blocks_of_smallest = 64,
      .rows_of_tile = 8,
      .max_read_again = 4,
      // Cutting a matrix that fits the last-level cache into blocks of rows gains nothing. Measured speed-up by cutting, with a cache of 32
      // MB: 0.96 to 1.01 for matrices of 9 to 17 MB, 2.6 for one of 33 MB.
      .large_arrays = 4,
  };
}

}  // namespace harp
