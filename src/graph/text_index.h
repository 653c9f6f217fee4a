// Indices of the text format: x[1:, none, ::2, -1], as Python and NumPy mean them.
#pragma once

#include <span>

#include "graph/build.h"

namespace harp::text {

/// One entry between the brackets.
struct IndexItem {
  enum Kind : uint8_t {
    kSlice,     // start:stop:step
    kPosition,  // one element; the axis goes
    kNewAxis,   // none
    kEllipsis,  // every axis that no other entry is for
    kArray,     // the elements that an array of integers names; its axes take the place of the axis
  } kind = kSlice;
  build::SliceSpec slice = {};
  Dim position = 0;
  const Node* array = nullptr;
};

/// x[items]. Errors begin with "index".
const Node* index(const Node* x, std::span<const IndexItem> items);

}  // namespace harp::text
