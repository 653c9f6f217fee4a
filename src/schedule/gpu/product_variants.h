// Chooses the tiles of products on a GPU (schedule/product_tiles.h).
#pragma once

#include <vector>

#include "schedule/product_tiles.h"

namespace harp {

/// Returns the variants of a product by tiles, each with the schedule of a tile. The tile is smaller where large ones would not fill a GPU,
/// or would mostly be beyond the last row or column. Products that may have too many terms begin with the variant `otherwise`.
std::vector<Variant> product_variants(const KernelPlan& kernel, const Product& product, const Gpu& gpu, const Schedule& otherwise);

}  // namespace harp
