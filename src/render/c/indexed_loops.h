// Loops that access single elements by index: gathers and scatters without vectors, such as the lookups of a table and histograms.
// Compilers do not unroll them by themselves. The few instructions of an iteration then take as long as its two branches, the check of the
// index and the end of the loop, of which a CPU takes only one each cycle or two.
#pragma once

#include <string_view>

#include "ir/linearize.h"

namespace harp::render {

/// Returns the pragma in front of a loop that makes compilers unroll it; "" for other loops.
std::string_view indexed_loop_mark(const ir::Line& loop);

}  // namespace harp::render
