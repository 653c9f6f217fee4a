// Conversions for copies of array elements in other memory, such as an array on the stack or in shared memory. Such a copy stores bools and
// 16-bit floats as integers.
#pragma once

#include "ir/ir.h"

namespace harp::lower {

/// Returns the dtype with which a copy stores elements of this dtype: u8 for bool, u16 for 16-bit floats, else the same dtype.
inline DType copied_as(DType dtype) { return is_bool(dtype) ? DType::kU8 : is_half(dtype) ? DType::kU16 : dtype; }
/// Returns the dtype with which an array that ValueBuilder::bind() reads stores elements: as copied_as(), but bools as bools.
inline DType kept_as(DType dtype) { return is_half(dtype) ? DType::kU16 : dtype; }
/// Converts an element of a copy, which has dtype copied_as(d), to a value of dtype d; or, in the other direction, a value of dtype d to an
/// element of a copy. `dtype` is the dtype of the result.
inline const ir::UOp* same_bits(ir::Arena& arena, DType dtype, const ir::UOp* value) {
  if (value->type.dtype == dtype) return value;
  const bool half = is_half(dtype) || is_half(value->type.dtype);
  return half ? arena.alu(Op::kBitcast, dtype, {value}) : arena.cast(dtype, value);
}

}  // namespace harp::lower
