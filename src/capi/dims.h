// Converts between Dim and harp_dim, the 64-bit sizes of the C interface. A harp_dim is a plain size or a handle of a symbolic size of one
// graph. Handles are below -2^62 and contain the graph's tag, so that a handle of another graph is recognised.
#pragma once

#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "harp.h"

namespace harp::capi {

class DimHandles {
 public:
  DimHandles();

  harp_dim encode(Dim dim);
  /// Returns the size, or the list of sizes, that the caller passed. Throws Error{kInvalidArgument} for a handle of another graph, for
  /// HARP_SLICE_NONE and for HARP_DIM_INVALID.
  Dim decode(harp_dim dim) const;
  Shape decode(int32_t rank, const harp_dim* dims) const;

 private:
  uint32_t tag_;
  std::vector<Dim> dims_;
  std::unordered_map<Dim, uint32_t> index_;
};

}  // namespace harp::capi
