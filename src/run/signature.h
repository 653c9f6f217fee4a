// What a program takes and gives: names, dtypes and symbolic shapes of its arrays, its shape variables, and the conditions on sizes
// that only a run can check. Made from the graph the user built, so it is the same for every backend.
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
  std::vector<size_t> in_place = {};  // of an output: the inputs it may be the same array as, ascending
};

/// A shape variable; the position in Signature::variables is that in entry_point's shape_vars. Its value is found in the first axis of an
/// input that is the variable itself, else in the first that is factor * variable + offset.
struct ShapeVariable {
  std::string name;
  int64_t min, max;
  int input = -1;  // which input that is, or -1: the value must be given by name
  int axis = -1;
  int64_t factor = 1, offset = 0;

  bool is_bare() const { return factor == 1 && offset == 0; }
};

/// What must hold of the shape variables, where it does not for all their values.
struct SizeCheck {
  SizeCode nonnegative;  // must be >= 0
  std::string message;   // what is wrong if it is not: `the size of axis 0 of "h" (slice f32[n - 3]) is negative`; empty: it need only fit
};

/// An array of the program that may be too large for some values of the variables. (One that is too large for all of them, or has no
/// variable in its shape, was refused when the graph was built.)
struct CountCheck {
  int64_t element;             // bytes
  std::vector<SizeCode> axes;  // their product times `element` must not be more than INT64_MAX
  std::string what;            // `"h" (expand f32[n, m])`
};

struct Signature {
  std::string name;                 // of the graph
  std::shared_ptr<SymTable> sizes;  // keeps the Syms below alive
  std::vector<Sym> variable_syms;   // parallel to `variables`
  std::vector<ShapeVariable> variables;
  std::vector<ArraySignature> inputs, outputs;
  std::vector<SizeCheck> size_checks;
  std::vector<CountCheck> count_checks;

  /// In the text format's syntax: "softmax(x: f32[n, 1024]) -> y: f32[n, 1024] where n in 1..4096"; an output that may be the same array as
  /// an input: "y: f32[n] (in place of x)".
  std::string text() const;
};

/// The graph gets new expressions of sizes: it must be nobody else's.
Signature signature_of(const Graph& graph);

}  // namespace harp
