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
};

/// A shape variable; the position in Signature::variables is that in entry_point's shape_vars.
struct ShapeVariable {
  std::string name;
  int64_t min, max;
  int input = -1;  // the first input with an axis that is just this variable, or -1: its value must be given by name
  int axis = -1;
};

/// A condition on the sizes of one array inside the program, where it does not hold for every value of the variables.
struct SizeCheck {
  std::vector<SizeCode> axes;  // none may be negative, and their product times element_size must fit 63 bits
  int64_t element_size;
  std::string what;  // for messages: `"h" (slice f32[n - 3])`
};

struct Signature {
  std::string name;                 // of the graph
  std::shared_ptr<SymTable> sizes;  // keeps the Syms below alive
  std::vector<Sym> variable_syms;   // parallel to `variables`
  std::vector<ShapeVariable> variables;
  std::vector<ArraySignature> inputs, outputs;
  std::vector<SizeCheck> checks;

  /// In the text format's syntax: "softmax(x: f32[n, 1024]) -> y: f32[n, 1024] where n in 1..4096".
  std::string text() const;
};

Signature signature_of(const Graph& graph);

}  // namespace harp
