// Parses the subscripts of an einsum, such as "ij,jk->ik", to labels of axes. The grammar is numpy.einsum's, including "...".
#pragma once

#include "graph/contract.h"

namespace harp::build {

struct EinsumSpec {
  std::vector<Labels> operands;  // for each operand, one label per axis; a label that occurs twice means a diagonal
  Labels result;
};

/// Parses the subscripts. Throws Error{kInvalidArgument} if the text violates the grammar, Error{kShape} if it does not fit the arrays.
EinsumSpec parse_einsum_spec(std::string_view spec, std::span<const NodeRef> operands);

/// Describes a label for an error message: "index 'i'", or "axis -1 of the ellipsis", counted from the ellipsis's end.
std::string describe_label(int label);

}  // namespace harp::build
