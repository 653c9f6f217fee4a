// Plans products on a GPU whose terms are split into slices. If a product has few results and many terms, the tiles of results
// (product_tiles.h) are too few to occupy a GPU. Therefore the terms of each tile are split, too, and the product takes two kernels:
//
//   1  A block of threads computes the sums of one tile over one slice of the terms, and stores them in a scratch buffer of the workspace
//      (KernelPlan::scratch). The buffer has the sums of all results over the first slice, then those over the second slice, and so on.
//   2  A thread adds the sums of one result over all slices (lower/gpu/sum_of_slices.h), computes the nodes that are fused with the
//      product, and stores their values.
//
// docs/semantics.md ("Sums") prescribes that blocks of 256 terms are added, and that the sums of these blocks are added in blocks of 256
// again. A slice is one block of 256 terms (kChainBlock) or 256 such blocks (kMaxProductTerms terms). The second kernel adds the remaining
// levels of blocks, so the results have the same bits as without slices. Slices of kMaxProductTerms terms are for products that have more
// terms than a block of threads can sum, and too many results for a buffer of smaller slices.
#pragma once

#include "schedule/product_tiles.h"

namespace harp {

/// Tests whether this schedule splits the terms of a product into slices.
bool splits_terms(const Schedule& schedule);
/// Returns the number of slices of `split` terms.
Dim slice_count(const Product& product, int64_t split);
/// Adds a scratch buffer to each kernel with a variant that splits the terms of its product. The buffer is empty for sizes for which the
/// kernel runs another variant. Call it after expand() and before plan_memory().
void add_slice_buffers(Program& program);

}  // namespace harp
