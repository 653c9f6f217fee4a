// Writes generated functions that compute one element. All dialects can use them, because function heads, types and literals come from the
// table of the dialect. Each function here returns the name of a generated function, and defines it in the unit when it is first used. The
// comments give the parameters of the generated function in parentheses.
#pragma once

#include <string>
#include <string_view>

#include "render/kernel/unit.h"

namespace harp::render {

/// Returns the name of a function with a suffix for the dtype and, if `lanes` is more than 1, the lanes: "fma_f32", or "fma_f32x16" for 16
/// lanes.
std::string name_with_lanes(std::string_view name, DType dtype, int lanes);
/// Returns a list of `count` parameters of the given type, for example "float a, float b".
std::string parameter_list(const std::string& type, int count);
/// Replaces $a, $b and $c by the operands, and $f, $t, $u and $w by texts that depend on the dtype (render/kernel/rules.h).
std::string fill_pattern(Unit& unit, std::string_view pattern, DType dtype, std::string_view a, std::string_view b = "b",
                         std::string_view c = "c");
/// Return the unsigned and the signed integer dtype of this many bits.
DType unsigned_of(int bits);
DType signed_of(int bits);
inline int bits_of_dtype(DType dtype) { return static_cast<int>(size_of(dtype)) * 8; }

/// Returns the name of a generated function (operands) that applies the elementwise operation of this rule.
std::string scalar_elementwise_function(Unit& unit, const Rule& rule, DType dtype);
/// Returns the name of a generated function (number) that converts a float to an integer. It truncates and saturates; a NaN becomes 0.
std::string scalar_cast_function(Unit& unit, DType from, DType to);
/// Return the names of generated functions for this number of lanes: cast_name() of the one that converts values, bits_name() of the one
/// that reinterprets their bits.
std::string cast_name(DType from, DType to, int lanes);
std::string bits_name(DType from, DType to, int lanes, bool canonical);
/// Returns the name of a generated function (number) that reinterprets the bits of a number as a number of another dtype. With `canonical`,
/// every NaN becomes the positive quiet NaN.
std::string scalar_bits_function(Unit& unit, DType from, DType to, bool canonical);
/// Returns the name of a generated function (number) that negates a float, in such a way that the compiler cannot merge the negation into
/// another operation.
std::string scalar_negation_function(Unit& unit, DType dtype);
/// The comments that precede generated functions for negation and for casts. sign_bit() returns the constant with which an XOR changes the
/// sign of a float.
extern const std::string_view kNegationComment, kCastComment;
std::string_view sign_bit(DType dtype);
/// Returns the bits of the NaN that a canonical bit cast returns, as a literal.
std::string_view canonical_nan(DType dtype);
/// Returns the smallest number that is too large for the integer type, as a literal of the float type. It is a power of two, so it is
/// exact.
std::string cast_limit(DType from, DType to);

/// Returns the name of a generated function (fault record of the worker, site, element, number, least, end[, whether to check]). `number`
/// is an index. The function returns it, and records a fault if it is outside [least, end). The site is the index of the index check in the
/// program.
std::string scalar_check_function(Unit& unit, bool masked);
/// Returns the name of a generated function (fault record, site, element, number, size) that records that the index `number` is out of
/// range, unless the record already contains an earlier fault. `site` is the index of the index check in the program.
std::string report_function(Unit& unit);
/// Defines a constant array with the elements of the table.
void define_table(Unit& unit, const ir::Table& table);
/// Returns the elements of the table as literals, separated by commas.
std::string table_values(const Unit& unit, const ir::Table& table);
/// Returns the name of a generated function (integer, integer) for the arithmetic of positions. `name` says what it computes: floor_div,
/// floor_mod, min or max.
std::string index_function(Unit& unit, std::string_view name);
/// Returns the name of a generated function (parameters) that evaluates a function of the IR for one element.
std::string scalar_function(Unit& unit, const ir::Function& function);
/// Returns the names of `count` parameters of a function of the IR.
std::vector<std::string> function_parameters(size_t count);

}  // namespace harp::render
