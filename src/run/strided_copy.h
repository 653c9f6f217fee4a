// Copies between a row-major array and memory with arbitrary strides. Both are in host memory.
#pragma once

#include "run/device_array.h"

namespace harp {

/// Copy the elements of a row-major array to strided memory (read_strided) or from it (write_strided). In the strided memory, consecutive
/// elements of axis i are strides[i] bytes apart. There is one stride for each axis; strides may be 0 or negative. The pointer to the
/// strided memory is the address of the element whose indices are all 0, and may have any alignment. If several elements of `to` have the
/// same address, that address receives the value of one of them. Throw Error{kOverflow} if the strides span more bytes than any memory has.
void read_strided(const ArrayType& type, const void* elements, std::span<const int64_t> strides, void* to);
void write_strided(const ArrayType& type, void* elements, std::span<const int64_t> strides, const void* from);

}  // namespace harp
