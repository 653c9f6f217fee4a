// Parses indices of the text format, such as x[1:, none, ::2, -1]. Their meaning is that of Python and NumPy.
#pragma once

#include <span>

#include "graph/build.h"

namespace harp::text {

/// One entry of the list between the brackets of an index.
struct IndexItem {
  enum Kind : uint8_t {
    kSlice,     // start:stop:step
    kPosition,  // a single element; the axis is removed
    kNewAxis,   // `none`, which adds an axis of size 1
    kEllipsis,  // `...`, which stands for all axes that have no other entry
    kArray,     // an array of integers; its axes replace the indexed axis
  } kind = kSlice;
  build::SliceSpec slice = {};
  Dim position = 0;
  const Node* array = nullptr;
};

/// Returns x[items]. Errors begin with "index".
const Node* index(const Node* x, std::span<const IndexItem> items);

}  // namespace harp::text
