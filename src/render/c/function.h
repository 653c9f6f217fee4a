// Writes functions of the IR, usually math functions, as C functions of one element or of one vector. Such a C function has the parameters
// of the IR function.
#pragma once

#include <optional>
#include <string>

#include "render/c/instructions.h"
#include "render/c/vectors.h"

namespace harp::render {

std::string function_of(Unit& unit, const ir::Function& function, int lanes);
/// Returns the name of a generated function that evaluates `function`, for callers whose text calls it at dozens of places. Unless the
/// function is small, compilers are told not to inline it. (A scan by logaddexp whose groups are interleaved contains 224 calls. Without
/// inlining it compiles in 0.8 s instead of 8 s, and runs as fast.)
std::string function_at_many_places(Unit& unit, const ir::Function& function, int lanes);
/// Returns the name of a generated function that evaluates `function` for two vectors, with interleaved operations. Its parameters are
/// (arguments of the first vector, arguments of the second, pointer to the result of the first, pointer to the result of the second).
/// Returns "" if interleaving would not make it faster.
std::string function_of_two(Unit& unit, const ir::Function& function, int lanes);
/// Returns the number of bits per lane of the mask that is the result of `function`; 0 if the result is not a bool.
int mask_bits_of(const ir::Function& function);

/// Returns a function body with a preprocessor condition. The body of `form` is compiled if `form` exists and the compiler has the builtins
/// that it calls. Otherwise the body is `definition`.
std::string with_instructions(Unit& unit, const std::optional<InstructionForm>& form, const std::string& definition);

// --- NaN detection by the processor's invalid flag (invalid_flag.cpp)

/// Tests whether generated code can detect invalid float operations. If so, also defines the functions harp_clear_invalid() and
/// harp_met_invalid() in the unit.
bool detects_invalid(Unit& unit);
/// Tests whether the function is a maximum that detects NaN by the invalid flag (ir::FlaggedMaximum), and whether generated code can read
/// that flag on this target.
bool is_flagged(const RenderOptions& options, const ir::Function& function);
/// Returns the body of a function for which is_flagged() is true; nullopt for other functions.
std::optional<std::string> flagged_text(Unit& unit, const ir::Function& function, int lanes);

}  // namespace harp::render
