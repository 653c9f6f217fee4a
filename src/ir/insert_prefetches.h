// Inserts software prefetches. These rewrites expect scheduled loops, whose loads are already vectors (`lanes` > 1).
#pragma once

#include <span>

#include "ir/ir.h"

namespace harp::ir {

/// Prefetch distance in pages. The hardware prefetcher stops at page boundaries; a software prefetch of one cache line of each page makes
/// it continue in that page. (With these prefetches, sums and maxima of 32 MB in the third-level cache run 1.1 times as fast as without;
/// for 512 KB and 512 MB the speed is the same. Prefetching every line would be slower.)
inline constexpr int64_t kPagesAhead = 4;

/// Makes a prefetch of element `index` of parameter `buffer`.
Prefetch* prefetch(Arena& arena, int buffer, Sym index);

/// Adds software prefetches to those of the loops in `loops` (also nested ones) whose step is `step`: one for each vector load. A prefetch
/// fetches what the load will read when the variable `along` of an enclosing loop is higher by `distance`. The data goes to the
/// second-level cache, or with `is_near` to the first-level cache.
void prefetch_next(Arena& arena, const Body& loops, int64_t step, const SymAtom* along, int64_t distance, bool is_near);

/// Adds software prefetches to a loop over contiguous elements and returns the new statements: for each array that the loop reads, one
/// cache line of each page is prefetched kPagesAhead pages in advance. Returns the loop unchanged if it reads less than half a page of each
/// array. `is_only_row`: the kernel reads only one row, so arrays at a constant address are prefetched, too.
Body with_page_prefetches(Arena& arena, Loop* loop, bool is_only_row);

/// Returns prefetches for the loop `row`, which processes one row of `length` elements in each iteration; `body` is its body. For each
/// array from which each iteration reads a row of its own, one cache line of each page of a later row is prefetched, about kPagesAhead
/// pages in advance.
Body prefetch_row_pages(Arena& arena, const Loop* row, Sym length, const Body& body);

/// Returns prefetches for a later iteration of `loop`: they fetch the rows that `body` will gather from or scatter to a large array
/// (Param::is_large). Hardware prefetchers cannot predict such addresses, because these depend on index values.
Body prefetch_gathers(Arena& arena, std::span<const Param> params, const Loop* loop, const Body& body);

}  // namespace harp::ir
