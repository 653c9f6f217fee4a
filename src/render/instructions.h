// Functions that a target computes in fewer instructions than a compiler finds in their definition: their text with the builtins that
// name those instructions. The other side of emulation.h. Same results as ops/math.h, any NaN for a NaN.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/target.h"
#include "ir/ir.h"

namespace harp::render {

struct InstructionForm {
  std::vector<std::string> builtins;  // where one is missing the definition is taken
  std::string_view clang_feature;     // macro of the feature that clang needs for them; empty: clang finds the instructions itself
  std::string body;                   // of a function of vectors x and y
  struct Vector {
    DType dtype;
    int lanes;
  };
  std::vector<Vector> vectors;  // types the body uses besides that of x and y
};

/// gcc's builtin of x and y that gives x where it is the lesser (the greater), else y.
std::optional<std::string> extreme_of_two(bool greater, DType dtype, int lanes, const Target& target);

/// The form of a helper of vectors a, b and c that gives a * b + c with one rounding.
std::optional<InstructionForm> fused_multiply_add(DType dtype, int lanes, const Target& target);

/// The form of a helper of vectors x and none that gives in lane i lane from[i] of x, or of `none` where that is -1.
std::optional<InstructionForm> moved_lanes(DType dtype, const std::vector<int>& from, const Target& target);

/// Body of a function of a vector `index` that gives the elements of a table of sixteen that its low four bits say, if the target has
/// instructions that permute them.
std::optional<std::string> permuted_table(const ir::Table& table, int lanes, const Target& target);

/// The form of a function over vectors of `lanes` elements, if the target has one.
std::optional<InstructionForm> instruction_form(const ir::Function& function, int lanes, const Target& target);

}  // namespace harp::render
