// Writes element types and constants in C: scalar types, vector types, and literals that a C compiler reads back as the same bits.
#pragma once

#include <string>
#include <string_view>

#include "render/kernel/dialect.h"
#include "render/kernel/scalar_functions.h"

namespace harp::render {

/// Return the C type of an element as a value and in memory, for example "float" or "int32_t". A bool is _Bool as a value, and uint8_t in
/// memory.
std::string_view value_type(DType dtype);
std::string_view memory_type(DType dtype);
/// Returns the name of a vector type, for example "f32x16": the dtype (u8 for a bool in memory) and the number of lanes.
std::string vector_name(DType dtype, int lanes);
/// Returns the name of the type of a mask with this many bits per lane, for example "i32x16".
std::string mask_name(int bits, int lanes);

/// Returns a C literal for the value.
Literal c_literal(const Scalar& value);

}  // namespace harp::render
