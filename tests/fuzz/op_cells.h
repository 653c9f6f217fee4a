// Lists the cells of the op matrix. A cell is an operation with one of the dtypes that it accepts; its graph has one output for each kind
// of difficult shape.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/check_case.h"
#include "graph/operations.h"

namespace harp::fuzz {

/// One operation and dtype: a graph with an output for each kind of shape that the operation accepts.
struct Cell {
  const Operation* row;
  DType dtype;
  Case test;
  std::vector<const Node*> views;  // the views in the graph, for the tests of the interpreter
  std::set<std::string_view> kinds;
};

/// Builds a cell for each operation and each dtype that it accepts. Adds to `unbuilt` the operations and dtypes for which no arguments were
/// found. Native functions are excluded, because the text format cannot contain them.
std::vector<Cell> op_cells(std::vector<std::string>& unbuilt);

}  // namespace harp::fuzz
