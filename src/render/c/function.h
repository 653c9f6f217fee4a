// Functions of the IR, usually math functions, as functions of the unit for one element or a vector. The parameters are the function's.
#pragma once

#include <optional>
#include <string>

#include "render/c/instructions.h"
#include "render/c/vectors.h"

namespace harp::render {

std::string function_of(Unit& unit, const ir::Function& function, int lanes);
/// The same, for text that calls it at dozens of places: a long function is then called out of line where gcc would inline it. (A scan by
/// logaddexp with interleaved groups calls it 224 times: compiling takes 0.8 s instead of 8, and it runs no slower.)
std::string function_at_many_places(Unit& unit, const ir::Function& function, int lanes);
/// (arguments of the first vector, of the second, result pointer of the first, of the second): evaluates the function for two vectors,
/// interleaved. Empty if that would gain nothing.
std::string function_of_two(Unit& unit, const ir::Function& function, int lanes);
/// Returns the mask bits of a function with a bool result; 0: it has another.
int mask_bits_of(const ir::Function& function);

/// Returns the body `definition`, preceded by the target's instruction form, if there is one, under a preprocessor condition.
std::string with_instructions(Unit& unit, const std::optional<InstructionForm>& form, const std::string& definition);

// NaN detection by the processor's invalid flag (invalid_flag.cpp).

/// Tests whether generated code can detect invalid float operations, and then defines harp_clear_invalid() and harp_met_invalid().
bool detects_invalid(Unit& unit);
/// Tests whether this is a function of ir::FlaggedMaximum and invalid operations can be detected.
bool is_flagged(const RenderOptions& options, const ir::Function& function);
/// Returns the body of such a function; of another function, none.
std::optional<std::string> flagged_text(Unit& unit, const ir::Function& function, int lanes);

}  // namespace harp::render
