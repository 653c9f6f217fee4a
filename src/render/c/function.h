// Writes functions of the IR, usually math functions, as C functions of one element or of one vector. Such a C function has the parameters
// of the IR function.
#pragma once

#include <optional>
#include <string>

#include "render/c/instructions.h"
#include "render/c/vectors.h"

namespace harp::render {

std::string function_of(Unit& unit, const ir::Function& function, int lanes);
/// Like function_of(), for text that calls the function at dozens of places: a long function is then never inlined. (A scan by logaddexp
/// with interleaved groups calls it 224 times: compiling takes 0.8 s instead of 8, and it runs no slower.)
std::string function_at_many_places(Unit& unit, const ir::Function& function, int lanes);
/// Returns the name of a generated function (arguments of the first vector, of the second, pointer to the result of the first, of the
/// second) that evaluates `function` for two vectors, interleaved. Empty if interleaving would gain nothing.
std::string function_of_two(Unit& unit, const ir::Function& function, int lanes);
/// Returns the width, in bits a lane, of the mask that a function with a bool result returns; 0 if the result is not a bool.
int mask_bits_of(const ir::Function& function);

/// Returns a function body with a preprocessor condition: `form` if it exists and the compiler has its builtins, else `definition`.
std::string with_instructions(Unit& unit, const std::optional<InstructionForm>& form, const std::string& definition);

// NaN detection by the processor's invalid flag (invalid_flag.cpp).

/// Tests whether generated code can detect invalid float operations, and then defines harp_clear_invalid() and harp_met_invalid().
bool detects_invalid(Unit& unit);
/// Tests whether the function is a maximum that detects NaN by the invalid flag (ir::FlaggedMaximum), and generated code can read that
/// flag.
bool is_flagged(const RenderOptions& options, const ir::Function& function);
/// Returns the body of a function for which is_flagged() holds; nothing for other functions.
std::optional<std::string> flagged_text(Unit& unit, const ir::Function& function, int lanes);

}  // namespace harp::render
