// Reductions that leave few values of many: their blocks, which the law adds up one by one anyway, become a reduction of their own, with a
// value for each block. Threads share those, and what they have found is combined by the law's rule for block results: the same bits, in
// the same order, whoever found them.
//
// A step before fusion: what follows sees more reductions, none of which is long. Only of those that are long whatever the sizes, since it
// takes two or three kernels instead of one.
#pragma once

#include <cstdint>
#include <memory>

#include "graph/graph.h"

namespace harp {

/// Rows this long are worth several threads, and as few of them leave threads without work.
inline constexpr int64_t kLongRow = 1 << 16, kFewLongRows = 64;

/// The graph itself where nothing is split.
std::shared_ptr<Graph> split_reductions(std::shared_ptr<Graph> graph);

}  // namespace harp
