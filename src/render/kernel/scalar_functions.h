// Generated functions that compute one element. Every dialect can use them, because function heads, types and literals come from the
// dialect's table. Each function here returns the name of a generated function, which it defines when it is first used. The comments give
// the parameters of the generated function in parentheses.
#pragma once

#include <string>
#include <string_view>

#include "render/kernel/unit.h"

namespace harp::render {

/// Returns a function name with a suffix, for example "fma_f32", or for 16 lanes "fma_f32x16".
std::string name_with_lanes(std::string_view name, DType dtype, int lanes);
/// Returns a list of `count` parameters of this type, for example "float a, float b".
std::string parameter_list(const std::string& type, int count);
/// Replaces $a $b $c by operands, and $f $t $u $w by texts that depend on the dtype (render/kernel/rules.h).
std::string fill_pattern(Unit& unit, std::string_view pattern, DType dtype, std::string_view a, std::string_view b = "b",
                         std::string_view c = "c");
/// Return the unsigned and the signed integer dtype of this many bits.
DType unsigned_of(int bits);
DType signed_of(int bits);
inline int bits_of_dtype(DType dtype) { return static_cast<int>(size_of(dtype)) * 8; }

/// Returns the name of a generated function (operands): applies the elementwise operation of this rule.
std::string scalar_elementwise_function(Unit& unit, const Rule& rule, DType dtype);
/// Returns the name of a generated function (number): converts a float to an integer. Truncates and saturates; NaN gives 0.
std::string scalar_cast_function(Unit& unit, DType from, DType to);
/// Return the names of the cast function and of the bit cast function for this number of lanes.
std::string cast_name(DType from, DType to, int lanes);
std::string bits_name(DType from, DType to, int lanes, bool canonical);
/// Returns the name of a generated function (number): casts the bits. With `canonical` every NaN becomes the positive quiet NaN.
std::string scalar_bits_function(Unit& unit, DType from, DType to, bool canonical);
/// Returns the name of a generated function (number): negates a float, such that the compiler cannot merge the negation into another
/// operation.
std::string scalar_negation_function(Unit& unit, DType dtype);
/// The comments in front of generated negation and cast functions, and the constant whose xor flips the sign.
extern const std::string_view kNegationComment, kCastComment;
std::string_view sign_bit(DType dtype);
/// Returns the bits of the NaN that a canonical bit cast gives, as a literal.
std::string_view canonical_nan(DType dtype);
/// Returns the smallest number that is too large for the integer type, as a literal of the float type; it is exact in every float type.
std::string cast_limit(DType from, DType to);

/// Returns the name of a generated function (fault record of the worker, site, element, number, least, end[, whether to check]): returns
/// the number, and records a fault if the number is outside [least, end). The site is the number of the index check in the program.
std::string scalar_check_function(Unit& unit, bool masked);
/// Returns the name of a generated function (fault record, site, element, number, size): records a fault, unless an earlier one is
/// recorded.
std::string report_function(Unit& unit);
/// Defines the constant array that holds a table.
void define_table(Unit& unit, const ir::Table& table);
/// Returns the elements of a table as literals, separated by commas.
std::string table_values(const Unit& unit, const ir::Table& table);
/// Returns the name of a generated function (integer, integer) for index arithmetic; `name` says which: floor_div, floor_mod, min or max.
std::string index_function(Unit& unit, std::string_view name);
/// Returns the name of a generated function (parameters): evaluates a function of the IR for one element.
std::string scalar_function(Unit& unit, const ir::Function& function);
/// Returns the names of the parameters of a function of the IR.
std::vector<std::string> function_parameters(size_t count);

}  // namespace harp::render
