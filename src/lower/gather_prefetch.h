// Software prefetches for gather and scatter: hardware prefetchers do not follow indices.
#pragma once

#include "lower/lower.h"

namespace harp::lower {

/// Returns prefetches for a later iteration of `loop`, for rows that `body` gathers from or scatters to an array larger than the caches.
ir::Body prefetch_gathers(KernelContext& context, const ir::Loop* loop, const ir::Body& body);

}  // namespace harp::lower
