// Functions of a unit that compute one element. Every dialect can use them: heads, types and literals are the dialect's. Each function here
// returns the name of a function of the unit, which it defines when it is first used, with the parameters in parentheses.
#pragma once

#include <string>
#include <string_view>

#include "render/kernel/unit.h"

namespace harp::render {

/// "fma_f32" or, for several lanes, "fma_f32x16".
std::string name_with_lanes(std::string_view name, DType dtype, int lanes);
/// "float a, float b"
std::string parameter_list(const std::string& type, int count);
/// Replaces $a $b $c by operands, and $f $t $u $w by facts on the dtype (render/kernel/rules.h).
std::string fill_pattern(Unit& unit, std::string_view pattern, DType dtype, std::string_view a, std::string_view b = "b",
                         std::string_view c = "c");
/// The unsigned or signed integer dtype of this many bits.
DType unsigned_of(int bits);
DType signed_of(int bits);
inline int bits_of_dtype(DType dtype) { return static_cast<int>(size_of(dtype)) * 8; }

/// (operands): one elementwise operation.
std::string scalar_elementwise_function(Unit& unit, const Rule& rule, DType dtype);
/// (number): float to integer. Truncates and saturates; NaN gives 0.
std::string scalar_cast_function(Unit& unit, DType from, DType to);
/// The names of that function and of a bit cast, for any number of lanes.
std::string cast_name(DType from, DType to, int lanes);
std::string bits_name(DType from, DType to, int lanes, bool canonical);
/// (number): a bit cast. With `canonical` every NaN becomes the positive quiet NaN.
std::string scalar_bits_function(Unit& unit, DType from, DType to, bool canonical);
/// (number): the negation of a float that the compiler cannot merge into another operation.
std::string scalar_negation_function(Unit& unit, DType dtype);
/// The comment of these functions, and the constant that flips the sign.
extern const std::string_view kNegationComment, kCastComment;
std::string_view sign_bit(DType dtype);
/// The bits of the NaN that a canonical bit cast gives.
std::string_view canonical_nan(DType dtype);
/// The least number that is too large for an integer type, as text of a float type; exact in every float type.
std::string cast_limit(DType from, DType to);

/// (fault record of the worker, site, element, number, least, end[, whether to check]): returns the number. Records a fault if it is
/// outside [least, end).
std::string scalar_check_function(Unit& unit, bool masked);
/// (fault record, site, element, number, size): records a fault, unless an earlier one is recorded.
std::string report_function(Unit& unit);
/// Defines the constant array of a table.
void define_table(Unit& unit, const ir::Table& table);
/// (integer, integer), for positions: floor_div, floor_mod, min, max.
std::string index_function(Unit& unit, std::string_view name);
/// (parameters): a function of the IR.
std::string scalar_function(Unit& unit, const ir::Function& function);
/// The names of the parameters of a function of the IR.
std::vector<std::string> function_parameters(size_t count);

}  // namespace harp::render
