// The cells of the op matrix: for every operation of the table and every dtype it accepts, a graph with one output for each kind of
// difficult shape.
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
  std::vector<const Node*> views;  // the interpreter's tests use these
  std::set<std::string_view> kinds;
};

/// All cells. `unbuilt` names those for which no arguments were found. Native functions are excluded, because text cannot contain them.
std::vector<Cell> op_cells(std::vector<std::string>& unbuilt);

}  // namespace harp::fuzz
