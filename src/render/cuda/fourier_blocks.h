// Writes kernels that transform tiles of rows of a known length (ops/block_transforms.h).
#pragma once

#include <string>

#include "ops/block_transforms.h"
#include "render/cuda/fourier_functions.h"

namespace harp::render {

/// The lines that a tile contains: whole rows; columns of one row that is treated as a matrix; or rows of that matrix.
enum class TileKind { kRows, kColumns, kRowsOfMatrix };

/// The order in which adjacent threads access short rows in memory. By default adjacent threads access adjacent elements of a row. With
/// loads_across (or stores_across) they load (or store) the same element of adjacent rows, which is faster if those are adjacent in memory.
struct TileOrder {
  bool loads_across = false, stores_across = false;
};

/// Defines the function that computes the tables, and returns its name. Its parameters are the address of the tables, the index of the
/// block, and the number of blocks.
std::string block_tables(TransformFunctions& functions, const BlockTransform& transform);

/// Defines the function that transforms a tile, and returns its name. The parameters of the function are:
///   kRows          number of rows, input, output, number of elements of each row to store (0: all), tables, index of the tile
///   kColumns       input, tables, matrices, index of the tile
///   kRowsOfMatrix  output, number of elements of each row to store (0: all), tables, matrices, index of the tile
/// Here input and output are four parameters each: the addresses of the real and of the imaginary parts, the distance between rows, and the
/// distance between the elements of a row. The matrices are the intermediate results in global memory.
std::string tile_transform(TransformFunctions& functions, const BlockTransform& transform, TileKind kind, TileOrder order = {});

}  // namespace harp::render
