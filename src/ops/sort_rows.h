// Contains constants for sorting rows that the scheduler and the renderer (render/routines/sort.cpp) share.
#pragma once

#include <cstdint>

namespace harp {

/// Rows up to this length are sorted in parallel, one row in each vector lane. The working set is one vector for each element of a row, at
/// most 64 bytes * 4096 = 256 KiB, which fits in L2. (For rows of 300 to 16,384 f32, this takes 0.10 to 0.37 of the time of a radix sort.)
inline constexpr int64_t kMaxSortedSideBySide = 4096;

/// If only the first elements of each sorted row are used, and at most this many, a routine selects them instead of sorting whole rows. It
/// keeps one vector for each selected element, at most 64 bytes * 128 = 8 KiB, so that these vectors and those with which they are compared
/// fit in L1.
inline constexpr int64_t kMaxSelected = 128;

}  // namespace harp
