// Loops that compilers must not unroll. Where a thread needs an unrolled loop, the text has a pragma that asks for it (LoopKind::kUnroll).
// But compilers also unroll other loops if they can see that a loop has few iterations; for sm_100 and sm_120 they unroll even loops with
// long bodies. That gains nothing and takes long: NVRTC 13 needed 7 s to compile the golden text cross_entropy for sm_120, in which a block
// processes at most 16 groups of rows, and 0.24 s for sm_80.
#pragma once

#include <span>
#include <string_view>

#include "ir/linearize.h"

namespace harp::render {

struct Scope;

/// Returns the pragma in front of a loop that keeps compilers from unrolling it; "" if they may unroll the loop, or must.
std::string_view unrolling_mark(const Scope& scope, const ir::Line& loop, std::span<const ir::Line> rest);

}  // namespace harp::render
