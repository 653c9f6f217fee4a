// The subscripts of an einsum, "ij,jk->ik", as labels of axes: the grammar of numpy.einsum, "..." included.
#pragma once

#include "graph/contract.h"

namespace harp::build {

struct EinsumSpec {
  std::vector<Labels> operands;  // one label an axis; a label may be there several times (a diagonal)
  Labels result;
};

/// Error{kInvalidArgument} for a text that is no spec, Error{kShape} where it does not fit the arrays.
EinsumSpec parse_einsum_spec(std::string_view spec, std::span<const NodeRef> operands);

/// "index 'i'", or "axis 2 of \"...\"" counted from the end.
std::string describe_label(int label);

}  // namespace harp::build
