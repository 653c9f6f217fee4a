// Software prefetches. These rewrites expect scheduled loops, in which vector loads have `lanes` > 1.
#pragma once

#include <span>

#include "ir/ir.h"

namespace harp::ir {

/// Prefetch distance in pages. The hardware prefetcher stops at page boundaries; one prefetched line of each page makes it continue. (Sums
/// and maxima of 32 MB in the third cache run 1.1 times as fast; of 512 KB and 512 MB as fast as without. Prefetching every line would be
/// slower.)
inline constexpr int64_t kPagesAhead = 4;

/// Prefetches element `index` of a parameter.
Prefetch* prefetch(Arena& arena, int buffer, Sym index);

/// Adds software prefetches to the loops in `loops` whose step is `step`: each prefetches what it will load when the variable `along` is
/// higher by `distance`. The data goes to the second-level cache, or with `is_near` to the first.
void prefetch_next(Arena& arena, const Body& loops, int64_t step, const SymAtom* along, int64_t distance, bool is_near);

/// Adds software prefetches to a loop over contiguous elements: for each array it loads, one cache line of each page ahead. No prefetch if
/// rows are shorter than half a page.
Body with_page_prefetches(Arena& arena, Loop* loop, bool is_only_row);

/// Returns prefetches for arrays that are read at the position of the loop `row`: one cache line of each page, for a row kPagesAhead pages
/// ahead. `body` processes one row of `length` elements.
Body prefetch_row_pages(Arena& arena, const Loop* row, Sym length, const Body& body);

/// Returns prefetches for a later iteration of `loop`, for rows that `body` gathers from or scatters to a large array (Param::is_large):
/// hardware prefetchers do not follow indices.
Body prefetch_gathers(Arena& arena, std::span<const Param> params, const Loop* loop, const Body& body);

}  // namespace harp::ir
