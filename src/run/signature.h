// The interface of a program: names, dtypes and symbolic shapes of its arrays, its shape variables, and the conditions on sizes that only a
// run can check. It is derived from the user's graph, so it is the same for every backend.
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
  std::vector<size_t> in_place = {};  // for an output: inputs that may be the same array, ascending
};

/// A shape variable. Its position in Signature::variables is its position in entry_point's shape_vars. Its value comes from the first input
/// axis that is the variable alone, else from the first axis of the form factor * variable + offset.
struct ShapeVariable {
  std::string name;
  int64_t min, max;
  int input = -1;  // the input with that axis, or -1: the value must be given by name
  int axis = -1;
  int64_t factor = 1, offset = 0;

  bool is_bare() const { return factor == 1 && offset == 0; }
};

/// A condition that some values of the shape variables violate; every run checks it.
struct SizeCheck {
  SizeCode nonnegative;  // must be >= 0
  // The error message if the condition fails: `the size of axis 0 of "h" (slice f32[n - 3]) is negative`. If empty, the expression only
  // must not overflow.
  std::string message;
};

/// An array of the program that may be too large for some values of the variables. (Arrays that are too large for all values, or that have
/// constant sizes, are rejected when the graph is built.)
struct CountCheck {
  int64_t element;             // bytes
  std::vector<SizeCode> axes;  // their product times `element` must be at most INT64_MAX
  std::string what;            // `"h" (expand f32[n, m])`
};

struct Signature {
  std::string name;                 // name of the graph
  std::shared_ptr<SymTable> sizes;  // keeps the Syms below alive
  std::vector<Sym> variable_syms;   // parallel to `variables`
  std::vector<ShapeVariable> variables;
  std::vector<ArraySignature> inputs, outputs;
  std::vector<SizeCheck> size_checks;
  std::vector<CountCheck> count_checks;

  /// Prints the signature in the syntax of the text format: "softmax(x: f32[n, 1024]) -> y: f32[n, 1024] where n in 1..4096". An output
  /// that may be the same array as an input is printed as "y: f32[n] (in place of x)".
  std::string text() const;
};

/// Adds size expressions to the graph's table, so no other thread may use the graph.
Signature signature_of(const Graph& graph);

}  // namespace harp
