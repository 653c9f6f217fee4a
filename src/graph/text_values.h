// Parses values of the text format that are not expressions: numbers, lists of sizes, arrays of numbers, dtypes.
#pragma once

#include <optional>

#include "graph/operations.h"
#include "graph/text_cursor.h"

namespace harp::text {

DType parse_dtype(Cursor& c);
/// If the next token is a number without sign and dtype, reads it; else returns nothing.
std::optional<Literal> accept_literal(Cursor& c);
/// True if a number with a dtype comes next, such as f32(0.5).
bool sees_typed_literal(const Cursor& c);
/// Reads a number that may have a sign and may have a dtype, or true or false. `what` says in the error what the caller expects.
Literal parse_literal(Cursor& c, std::string_view what = "a number");
/// Reads a number with a dtype, such as f32(0.5), f32(bits=0x7fc00001) or complex64(1, -2). The cursor is at the dtype.
Scalar parse_typed_literal(Cursor& c);
/// Reads a list of sizes such as [n, none, [1, 2]].
std::vector<SizeItem> parse_size_list(Cursor& c, SymTable& table);
/// Reads a list of words such as [f32, i64].
std::vector<std::string> parse_words(Cursor& c);
/// Reads numbers in nested lists of one shape.
ArrayLiteral parse_array(Cursor& c);

}  // namespace harp::text
