// Writes generated functions that use special CPU instructions by calling builtins of the compiler. They exist where a compiler needs more
// instructions for the portable definition. (emulation.h is for the opposite case, instructions that a CPU lacks.) Results equal those of
// ops/math.h, except that a NaN may have other bits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/machine.h"
#include "ir/ir.h"

namespace harp::render {

struct InstructionForm {
  // Builtins that the body calls; if the compiler lacks one of them, the portable definition is compiled instead.
  std::vector<std::string> builtins;
  // Feature macro that clang must define for these builtins; empty: clang finds the instructions without builtins.
  std::string_view clang_feature;
  std::string body;  // body of a function whose parameters are the vectors x and y
  struct Vector {
    DType dtype;
    int lanes;
  };
  std::vector<Vector> vectors;  // vector types that the body uses, in addition to the type of x and y
  // If clang's builtin has another name: that name, and the body that calls it. In this case `builtins` and `body` are only for other
  // compilers.
  std::string clang_builtin = {}, clang_body = {};
  std::string feature = {};  // a macro that every compiler must define for the builtins; empty: none
};

/// Returns a call of gcc's builtin with the operands x and y. The result of the call is x where x < y (with `greater`: x > y), else y.
/// Returns nullopt if the CPU has no such instruction.
std::optional<std::string> extreme_of_two(bool greater, DType dtype, int lanes, const Cpu& cpu);

/// Returns a body that computes a * b + c with one rounding, for vectors a, b and c. Returns nullopt if the CPU has no instruction for it.
std::optional<InstructionForm> fused_multiply_add(DType dtype, int lanes, const Cpu& cpu);

/// Returns a body that converts each element of vector x to the dtype `to`, which is larger: integers to integers, and f32 and i32 to f64.
/// Returns nullopt if the CPU has no instruction for it.
std::optional<InstructionForm> widening_instruction(DType from, DType to, int lanes, const Cpu& cpu);

/// Returns a body that permutes vector x: lane i of the result is lane from[i] of x, or lane i of vector `none` where from[i] is -1.
/// Returns nothing if the CPU has no instruction for this permutation.
std::optional<InstructionForm> moved_lanes_instruction(DType dtype, const std::vector<int>& from, const Cpu& cpu);

/// Returns the body of a function that looks up a table of sixteen elements. Its parameter is a vector `index`, of which it uses the low
/// four bits of each lane. Returns nullopt if the CPU has no permute instruction for it.
std::optional<std::string> permuted_table(const ir::Table& table, int lanes, const Cpu& cpu);

/// Returns a body that computes the function with special instructions, for vectors of `lanes` elements. Returns nullopt if the CPU has no
/// instructions for it.
std::optional<InstructionForm> instruction_form(const ir::Function& function, int lanes, const Cpu& cpu);

}  // namespace harp::render
