// The values of the text format that are no expressions: numbers, lists of sizes, arrays of numbers, dtypes.
#pragma once

#include <optional>

#include "graph/operations.h"
#include "graph/text_cursor.h"

namespace harp::text {

DType parse_dtype(Cursor& c);
/// A number without sign or dtype, if the next token is one.
std::optional<Literal> accept_literal(Cursor& c);
/// Does a number with its dtype come, f32(0.5)?
bool sees_typed_literal(const Cursor& c);
/// A number with sign, with or without dtype.
Literal parse_literal(Cursor& c);
/// f32(0.5), f32(bits=0x7fc00001), complex64(1, -2): the next token is the dtype.
Scalar parse_typed_literal(Cursor& c);
/// [n, none, [1, 2]]
std::vector<SizeItem> parse_size_list(Cursor& c, SymTable& table);
/// Numbers in nested lists of one shape.
ArrayLiteral parse_array(Cursor& c);

}  // namespace harp::text
