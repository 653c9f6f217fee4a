// Copies between an array and host memory with arbitrary strides.
#pragma once

#include "run/host_array.h"

namespace harp {

/// Copies the array's elements to or from memory where consecutive elements of axis i are strides[i] bytes apart (one stride for each axis;
/// 0 and negative strides are allowed) and the pointer is the address of the element with all indices 0, with any alignment. If several
/// elements of `to` share memory, it holds one of them afterwards. Error{kOverflow} for strides that exceed any memory.
void read_strided(const HostArray& array, std::span<const int64_t> strides, void* to);
void write_strided(const HostArray& array, std::span<const int64_t> strides, const void* from);

}  // namespace harp
