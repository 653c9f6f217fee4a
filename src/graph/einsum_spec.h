// The subscripts of an einsum, "ij,jk->ik", as labels of axes. The grammar is numpy.einsum's, including "...".
#pragma once

#include "graph/contract.h"

namespace harp::build {

struct EinsumSpec {
  std::vector<Labels> operands;  // one label per axis; a label may occur several times (a diagonal)
  Labels result;
};

/// Parses the subscripts. Error{kInvalidArgument} if the text violates the grammar, Error{kShape} if it does not fit the arrays.
EinsumSpec parse_einsum_spec(std::string_view spec, std::span<const NodeRef> operands);

/// Names a label in a message: "index 'i'", or "axis 2 of \"...\"" counted from the end.
std::string describe_label(int label);

}  // namespace harp::build
