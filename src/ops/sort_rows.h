// What the scheduler and the renderer have to agree on about rows that are sorted (render/sort.cpp).
#pragma once

#include <cstdint>

namespace harp {

/// Rows of at most so many elements are sorted side by side, a row in each lane of vectors: as many lines of 64 bytes are a part of a
/// second cache. (Of f32 rows of 300 to 16,384 take 0.10 to 0.37 of the time by radix.)
inline constexpr int64_t kMostSortedSideBySide = 4096;

}  // namespace harp
