// Declares the table of harp's operations, generated from harp.h: how the arguments of each are read, and how its C function is called.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <harp.h>

namespace harp_python {

class Reader;
using Nodes = std::vector<harp_node*>;

struct Row {
  std::string_view name;  // in Python
  const char* kinds;      // a letter for each argument, see arguments.cpp
  const char* parameters;  // the names of the parameters, separated by spaces
  bool is_tuple;          // true: the result is a tuple, whose length follows from the arguments
  void (*build)(Reader&, Nodes& out);
};

const Row& row(int32_t index);
int32_t row_count();
/// Tests whether the operation calls a function of the host program (harp.native).
bool is_native(int32_t index);
/// Tests whether the operation computes next to nothing: it moves, casts or repeats elements, or reads none. Programs do not store
/// such a result for later use, unless many operations lead to it, because it is cheaper to compute the result again.
bool is_view(int32_t index);

}  // namespace harp_python
