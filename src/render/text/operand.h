// Defines the text of an expression with its precedence, which decides whether the expression needs brackets as an operand.
#pragma once

#include <string>

#include "base/text.h"

namespace harp::render {

/// Operator precedences of C and of the languages derived from it. An operator with a higher number binds tighter.
enum Precedence : int {
  kConditional = 2,
  kLogicalOr = 3,
  kLogicalAnd = 4,
  kOr = 5,
  kXor = 6,
  kAnd = 7,
  kEquality = 8,
  kRelational = 9,
  kShift = 10,
  kSum = 11,
  kProduct = 12,
  kUnary = 14,
  kPrimary = 16
};

struct Text {
  std::string text;
  int precedence = kPrimary;  // precedence of the text's outermost operator
  int mask_bits = 0;          // for a vector of bools, the number of bits per lane of its mask; otherwise 0
};

/// Returns the text, in brackets if its precedence is below `precedence`.
inline std::string bracket(const Text& text, int precedence) {
  return text.precedence >= precedence ? text.text : cat("(", text.text, ")");
}

}  // namespace harp::render
