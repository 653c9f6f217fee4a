// Generated functions that use special CPU instructions, by calls of compiler builtins. They exist where a compiler needs more instructions
// for the portable definition. (emulation.h is for instructions that a CPU lacks.) Results equal those of ops/math.h, except that a NaN may
// have other bits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/machine.h"
#include "ir/ir.h"

namespace harp::render {

struct InstructionForm {
  std::vector<std::string> builtins;  // builtins that the body calls; if the compiler lacks one, the portable definition is used instead
  std::string_view clang_feature;     // feature macro that clang must define for them; empty: clang finds the instructions without builtins
  std::string body;                   // body of a function of vectors x and y
  struct Vector {
    DType dtype;
    int lanes;
  };
  std::vector<Vector> vectors;  // vector types that the body uses besides the type of x and y
  // Where clang's builtin has another name: that name, and the body with it. `builtins` and `body` are then for other compilers only.
  std::string clang_builtin = {}, clang_body = {};
  std::string feature = {};  // a macro that every compiler must define for the builtins; empty: none
};

/// Returns gcc's builtin call of x and y that gives x if x is less (with `greater`: greater), else y.
std::optional<std::string> extreme_of_two(bool greater, DType dtype, int lanes, const Cpu& cpu);

/// Returns a body that computes a * b + c for vectors a, b and c with one rounding; nothing if the CPU has no instruction for it.
std::optional<InstructionForm> fused_multiply_add(DType dtype, int lanes, const Cpu& cpu);

/// Returns a body that converts each integer of vector x to `to`, of at least four times its size; nothing if the CPU has no instruction
/// for it.
std::optional<InstructionForm> widening_instruction(DType from, DType to, int lanes, const Cpu& cpu);

/// Returns a body that permutes vector x: lane i of the result is lane from[i] of x, or lane i of vector `none` where from[i] is -1.
/// Returns nothing if the CPU has no instruction for this permutation.
std::optional<InstructionForm> moved_lanes_instruction(DType dtype, const std::vector<int>& from, const Cpu& cpu);

/// Returns the body of a function of a vector `index` that looks up a table of sixteen elements by the low four bits of each lane; nothing
/// if the CPU has no permute instruction for it.
std::optional<std::string> permuted_table(const ir::Table& table, int lanes, const Cpu& cpu);

/// Returns a body with instructions for a function over vectors of `lanes` elements; nothing if the CPU has none for it.
std::optional<InstructionForm> instruction_form(const ir::Function& function, int lanes, const Cpu& cpu);

}  // namespace harp::render
