// Describes the interface of a program: the names, dtypes and symbolic shapes of its arrays, its shape variables, and the conditions on
// sizes that can be checked only in a run. It is derived from the user's graph, so it is the same for every backend.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "run/size_code.h"

namespace harp {

struct ArraySignature {
  std::string name;
  DType dtype;
  Shape shape;
  std::vector<size_t> in_place = {};  // for an output: indices, in ascending order, of the inputs in whose buffer the program can store it
};

/// A shape variable. It has the same index in Signature::variables and in the argument shape_vars of an entry point. Its value comes from
/// the first input axis whose size is just this variable, else from the first axis whose size has the form factor * variable + offset.
struct ShapeVariable {
  std::string name;
  int64_t min, max;
  int input = -1;  // index of the input that has this axis; -1: there is no such axis, and the value must be given by name
  int axis = -1;
  int64_t factor = 1, offset = 0;

  bool is_bare() const { return factor == 1 && offset == 0; }
};

/// A condition that does not hold for all values of the shape variables, so that every run must check it.
struct SizeCheck {
  SizeCode nonnegative;  // must be >= 0
  // The error message if the condition does not hold: `the size of axis 0 of "h" (slice f32[n - 3]) is negative`. If the message is empty,
  // the value of the expression does not matter, but its evaluation must not overflow.
  std::string message;

  bool holds(std::span<const int64_t> values) const { return nonnegative.evaluate(values) >= 0 || message.empty(); }
};

/// An array of the program that is too large for some values of the shape variables. (Arrays that are too large for all values, or that
/// have constant sizes, are rejected when the graph is built.)
struct CountCheck {
  int64_t element;             // bytes
  std::vector<SizeCode> axes;  // the sizes of the axes; their product times `element` must be at most INT64_MAX
  std::string what;            // description of the array for the error message: `"h" (expand f32[n, m])`
  bool is_passed = false;      // whether an input or output has this element size and shape

  bool holds(std::span<const int64_t> values) const;
};

struct Signature {
  std::string name;                 // the graph's name
  std::shared_ptr<SymTable> sizes;  // owns the expressions of the Syms below
  std::vector<Sym> variable_syms;   // parallel to `variables`
  std::vector<ShapeVariable> variables;
  std::vector<ArraySignature> inputs, outputs;
  std::vector<SizeCheck> size_checks;
  std::vector<CountCheck> count_checks;

  /// Returns the signature in the syntax of the text format: "softmax(x: f32[n, 1024]) -> y: f32[n, 1024] where n in 1..4096". For an
  /// output that the program can store in the buffer of input x the text is "y: f32[n] (in place of x)".
  std::string text() const;
};

/// Returns the signature of the graph. Adds size expressions to the graph's table, so no other thread may use the graph meanwhile.
Signature signature_of(const Graph& graph);

}  // namespace harp
