// What memory is asked for ahead of its use because indices say where it is: no prefetcher follows those.
#pragma once

#include "lower/lower.h"

namespace harp::lower {

/// For what `body` reads or adds to where elements of arrays say, in an array that caches do not hold: the places of a later iteration of
/// `loop`, which it is done in, are asked for.
ir::Body asked_for_places(KernelContext& context, const ir::Loop* loop, const ir::Body& body);

}  // namespace harp::lower
