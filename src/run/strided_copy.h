// Copies between a row-major array in the host's memory and host memory with arbitrary strides.
#pragma once

#include "run/device_array.h"

namespace harp {

/// Copies the elements of a row-major array to or from memory where consecutive elements of axis i are strides[i] bytes apart (one stride
/// for each axis; 0 and negative strides are allowed) and the pointer is the address of the element with all indices 0, with any alignment.
/// If several elements of `to` share memory, it holds one of them afterwards. Error{kOverflow} for strides that exceed any memory.
void read_strided(const ArrayType& type, const void* elements, std::span<const int64_t> strides, void* to);
void write_strided(const ArrayType& type, void* elements, std::span<const int64_t> strides, const void* from);

}  // namespace harp
