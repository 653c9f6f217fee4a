// Kernels that transform tiles of rows of a known length (ops/block_transforms.h).
#pragma once

#include <string>

#include "ops/block_transforms.h"
#include "render/cuda/fourier_functions.h"

namespace harp::render {

/// What a tile is: whole rows; columns of a row as a matrix; rows of that matrix.
enum class TileKind { kRows, kColumns, kRowsOfMatrix };

/// The order in which neighbouring threads access short rows in memory: number by number of a row, or row by row at one place, because
/// neighbouring rows are neighbours in memory.
struct TileOrder {
  bool loads_across = false, stores_across = false;
};

/// Defines the function that computes the tables, and returns its name. Its arguments: the tables, the block and the number of blocks.
std::string block_tables(TransformFunctions& functions, const BlockTransform& transform);

/// Defines the function that transforms a tile, and returns its name. Its arguments:
///   kRows          rows, where they are, where the results are stored, how many of each row (0: all), tables, tile
///   kColumns       where the rows are, tables, matrices, tile
///   kRowsOfMatrix  where the results are stored, how many of each row, tables, matrices, tile
/// Where numbers are: the addresses of the real and the imaginary parts, and the distances of rows and of the numbers of a row.
std::string tile_transform(TransformFunctions& functions, const BlockTransform& transform, TileKind kind, TileOrder order = {});

}  // namespace harp::render
