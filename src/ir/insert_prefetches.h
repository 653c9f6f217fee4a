// Software prefetches. These rewrites expect scheduled loops, in which vector loads have `lanes` > 1.
#pragma once

#include <span>

#include "ir/ir.h"

namespace harp::ir {

/// Prefetch distance in pages. The hardware prefetcher stops at page boundaries; one prefetched line of each page makes it continue. (Sums
/// and maxima of 32 MB in the third cache run 1.1 times as fast; of 512 KB and 512 MB as fast as without. Prefetching every line would be
/// slower.)
inline constexpr int64_t kPagesAhead = 4;

/// Makes a prefetch of element `index` of a parameter.
Prefetch* prefetch(Arena& arena, int buffer, Sym index);

/// Adds software prefetches to those loops of `loops` whose step is `step`. Each prefetch fetches what the loop will load when the variable
/// `along` of an enclosing loop is higher by `distance`. The data goes to the second-level cache, or with `is_near` to the first-level
/// cache.
void prefetch_next(Arena& arena, const Body& loops, int64_t step, const SymAtom* along, int64_t distance, bool is_near);

/// Adds software prefetches to a loop over contiguous elements: for each array that the loop reads, it prefetches one cache line of each
/// later page, kPagesAhead pages in advance. Leaves the loop unchanged if rows are shorter than half a page.
Body with_page_prefetches(Arena& arena, Loop* loop, bool is_only_row);

/// `body` processes one row of `length` elements in each iteration of the loop `row`. For each array of which it reads one row an
/// iteration, returns prefetches of one cache line of each page of a later row, about kPagesAhead pages in advance.
Body prefetch_row_pages(Arena& arena, const Loop* row, Sym length, const Body& body);

/// Returns prefetches for a later iteration of `loop`, for rows that `body` gathers from or scatters to a large array (Param::is_large):
/// hardware prefetchers do not follow indices.
Body prefetch_gathers(Arena& arena, std::span<const Param> params, const Loop* loop, const Body& body);

}  // namespace harp::ir
