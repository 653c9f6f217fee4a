// C spellings of element types and constants: scalar types, vector types, and literals that read back to the same bits.
#pragma once

#include <string>

#include "ops/scalar.h"

namespace harp::render {

/// "float", "int32_t"; bool is _Bool as a value and uint8_t in memory.
std::string_view value_type(DType dtype);
std::string_view memory_type(DType dtype);
/// "f32x16": the element type of the IR (u8 for bool in memory) and the number of lanes.
std::string vector_type(DType dtype, int lanes);
/// "i32x16": the type of a mask, which stands for a vector of bools: signed integers of some width, 0 or -1 a lane.
std::string mask_type(int bits, int lanes);
int bits_of_dtype(DType dtype);
/// "+": the operator that combines two elements. Valid only for operations that are not functions.
std::string_view operator_of(Op combine);
/// "0, 1, 2, 3"
std::string lane_numbers(int first, int count, int step = 1);
/// The unsigned or signed integer dtype of this many bits.
DType unsigned_of(int bits);
DType signed_of(int bits);

/// The value as C text; `negative`: the text starts with a minus sign.
struct Literal {
  std::string text;
  bool negative = false;
};
Literal literal(const Scalar& value);

}  // namespace harp::render
