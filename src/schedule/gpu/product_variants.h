// Chooses the tiles by which thread blocks compute products on a GPU (schedule/product_tiles.h), and whether their terms are split into
// slices (product_slices.h).
#pragma once

#include <vector>

#include "schedule/product_tiles.h"

namespace harp {

/// Returns the variants of a product that a GPU computes by tiles, each with the schedule of one size of tile. A tile is smaller if large
/// tiles would be too few to occupy the GPU, or if most of a large tile would be beyond the last row or column. The terms are split into
/// slices if even the smallest tiles are too few and there are many terms, or if there are more terms than a block of threads can sum
/// (kMaxProductTerms).
std::vector<Variant> product_variants(const KernelPlan& kernel, const Product& product, const Gpu& gpu);

}  // namespace harp
