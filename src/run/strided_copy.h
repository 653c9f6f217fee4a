// Copies between an array and host memory of any layout.
#pragma once

#include "run/host_array.h"

namespace harp {

/// The array's elements to and from memory in which axis i goes `strides[i]` bytes from one element to the next (one number an axis; 0 and
/// negative ones, too) and the element with indices 0 lies at the pointer, whatever its alignment. Elements of `to` that lie on each other
/// hold one of those written there. Error{kOverflow} for strides that no memory is large enough for.
void read_strided(const HostArray& array, std::span<const int64_t> strides, void* to);
void write_strided(const HostArray& array, std::span<const int64_t> strides, const void* from);

}  // namespace harp
