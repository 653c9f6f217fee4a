// Copies of an array's elements in other memory, such as a buffer on the stack or shared memory: as which dtype they are stored there.
#pragma once

#include "ir/ir.h"

namespace harp::lower {

/// Returns the integer or float dtype of the same size that a copy uses for elements of this dtype.
inline DType copied_as(DType dtype) { return is_bool(dtype) ? DType::kU8 : is_half(dtype) ? DType::kU16 : dtype; }
/// Returns an element of a copy as a value of `dtype`, or a value as an element of a copy, whose dtype is copied_as(dtype).
inline const ir::UOp* same_bits(ir::Arena& arena, DType dtype, const ir::UOp* value) {
  const bool half = is_half(dtype) || is_half(value->type.dtype);
  return half ? arena.alu(Op::kBitcast, dtype, {value}) : arena.cast(dtype, value);
}

}  // namespace harp::lower
