// Indices of the text format, x[1:, none, ::2, -1], with the meaning they have in Python and NumPy.
#pragma once

#include <span>

#include "graph/build.h"

namespace harp::text {

/// One entry between the brackets.
struct IndexItem {
  enum Kind : uint8_t {
    kSlice,     // start:stop:step
    kPosition,  // one element; removes the axis
    kNewAxis,   // none: adds an axis of size 1
    kEllipsis,  // all axes that have no other entry
    kArray,     // the elements selected by an array of integers, whose axes replace the axis
  } kind = kSlice;
  build::SliceSpec slice = {};
  Dim position = 0;
  const Node* array = nullptr;
};

/// x[items]. Errors begin with "index".
const Node* index(const Node* x, std::span<const IndexItem> items);

}  // namespace harp::text
