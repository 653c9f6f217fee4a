// The cells of the op matrix: for every row of the table of operations and every dtype it takes a graph with an output for each kind of
// shape that goes wrong.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/check_case.h"
#include "graph/operations.h"

namespace harp::fuzz {

/// One row and dtype: a graph with an output for each kind of shape that the row takes.
struct Cell {
  const Operation* row;
  DType dtype;
  Case test;
  std::vector<const Node*> views;  // what the interpreter is tested on
  std::set<std::string_view> kinds;
};

/// All of them. What no arguments were found for is named in `unbuilt`. No row has native functions: no text carries them.
std::vector<Cell> op_cells(std::vector<std::string>& unbuilt);

}  // namespace harp::fuzz
