// Chooses the tiles by which thread blocks compute products on a GPU (schedule/product_tiles.h).
#pragma once

#include <vector>

#include "schedule/product_tiles.h"

namespace harp {

/// Returns the variants of a product that a GPU computes by tiles, each with the schedule of one size of tile. A tile is smaller if large
/// tiles would be too few to occupy the GPU, or if most of a large tile would be beyond the last row or column. If the product may have too
/// many terms for tiles (kMaxProductTerms), the first variant has the schedule `otherwise` for that case.
std::vector<Variant> product_variants(const KernelPlan& kernel, const Product& product, const Gpu& gpu, const Schedule& otherwise);

}  // namespace harp
