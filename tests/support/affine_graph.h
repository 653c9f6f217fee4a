// Builds a small graph with a symbolic size through the C API, for tests that compile and run a program.
#pragma once

#include "support/capi_support.h"

namespace capi_test {

/// y = tanh(a * w + 0.5) for a of shape [n, 3] and w of shape [3].
inline Graph affine_graph(harp_context* context) {
  Graph g = make_graph(context, HARP_GRAPH_BROADCAST);
  const harp_dim a_dims[] = {harp_dim_var(g.get(), "n", 0, 4096), 3}, w_dims[] = {3};
  harp_node* a = harp_input(g.get(), "a", HARP_F32, 2, a_dims);
  harp_node* w = harp_input(g.get(), "w", HARP_F32, 1, w_dims);
  harp_node* y = harp_tanh(harp_add(harp_mul(a, w), harp_constant(g.get(), HARP_F32, 0.5)));
  CHECK(harp_output(g.get(), "y", y) == HARP_OK);
  return g;
}

}  // namespace capi_test
