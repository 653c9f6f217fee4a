// Functions that a target computes in fewer instructions than a compiler finds in their definition: their text with the builtins that
// name those instructions. The other side of emulation.h. Same results as ops/math.h, any NaN for a NaN.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/target.h"
#include "ops/ops.h"

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

/// The form of `op` over vectors of `lanes` elements of `operand` that gives `result`, if the target has one.
std::optional<InstructionForm> instruction_form(Op op, DType operand, DType result, int lanes, const Target& target);

}  // namespace harp::render
