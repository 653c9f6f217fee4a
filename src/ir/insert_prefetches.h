// Inserts software prefetches. These rewrites expect scheduled loops, whose loads are already vectors (`lanes` > 1).
#pragma once

#include <span>

#include "ir/ir.h"

namespace harp::ir {

/// Makes a prefetch of element `index` of parameter `buffer`.
Prefetch* prefetch(Arena& arena, int buffer, Sym index);

/// Adds software prefetches to those of the loops in `loops` (also nested ones) whose step is `step`: one for each vector load. A prefetch
/// fetches what the load will read when the variable `along` of an enclosing loop is higher by `distance`. The data goes to the
/// second-level cache, or with `is_near` to the first-level cache.
void prefetch_next(Arena& arena, const Body& loops, int64_t step, const SymAtom* along, int64_t distance, bool is_near);

/// Returns prefetches for the loop `row`, which processes one row of `length` elements in each iteration; `body` is its body. For each
/// array from which each iteration reads a row of its own, one cache line of each page of a later row is prefetched, about four pages in
/// advance. The hardware prefetcher stops at page boundaries; a prefetch of one cache line of a page makes it continue in that page.
Body prefetch_row_pages(Arena& arena, const Loop* row, Sym length, const Body& body);

/// Returns prefetches for a later iteration of `loop`: they fetch the rows that `body` will gather from or scatter to a large array
/// (Param::is_large). Hardware prefetchers cannot predict such addresses, because these depend on index values.
Body prefetch_gathers(Arena& arena, std::span<const Param> params, const Loop* loop, const Body& body);

}  // namespace harp::ir
