// Implements the C functions of harp.h for gradients: each converts its arguments and calls a function of namespace harp::grad.
#include "grad/gradient.h"

#include "capi/building.h"

using namespace harp;
using namespace harp::capi;

harp_node* harp_stop_gradient(harp_node* x) {
  return build_from("stop_gradient", {x}, [&] { return build::stop_gradient(x->node); });
}

namespace {

/// Returns the graph in which a call of harp_grad stores its error: that of y or, if y is NULL, of any other node of the call.
harp_graph* graph_for_error(const harp_node* y, int32_t n, harp_node* const* xs, const harp_node* grad_output) {
  if (y != nullptr) return y->graph;
  if (xs != nullptr)
    for (int32_t i = 0; i < n; ++i)
      if (xs[i] != nullptr) return xs[i]->graph;
  return grad_output != nullptr ? grad_output->graph : nullptr;
}

}  // namespace

harp_status harp_grad(harp_node* y, int32_t n, harp_node* const* xs, harp_node* grad_output, harp_node** out_gradients) {
  return harp_grad_flags(y, n, xs, grad_output, 0, out_gradients);
}

harp_status harp_grad_flags(harp_node* y, int32_t n, harp_node* const* xs, harp_node* grad_output, uint32_t flags,
                            harp_node** out_gradients) {
  harp_graph* const graph = graph_for_error(y, n, xs, grad_output);
  return change_graph(graph, [&] {
    HARP_CHECK(n >= 0 && (xs != nullptr || n == 0), Code::kInvalidArgument, "grad: expected a list of nodes, got ",
               n < 0 ? cat("a list of length ", n) : std::string("NULL"));
    HARP_CHECK(out_gradients != nullptr, Code::kInvalidArgument, "grad: the array of gradients is NULL");
    HARP_CHECK((flags & ~HARP_GRAD_ZERO_WHERE_INDEPENDENT) == 0, Code::kInvalidArgument, "grad: flags is ", flags,
               "; expected 0 or HARP_GRAD_ZERO_WHERE_INDEPENDENT");
    std::vector<harp_node*> operands = {y};
    operands.insert(operands.end(), xs, xs + n);
    if (grad_output != nullptr) operands.push_back(grad_output);
    if (common_graph("grad", operands) == nullptr) return;

    const auto where_independent =
        (flags & HARP_GRAD_ZERO_WHERE_INDEPENDENT) != 0 ? grad::WhereIndependent::kZeros : grad::WhereIndependent::kError;
    std::vector<harp_node*> handles;
    for (NodeRef gradient : grad::gradients(y->node, nodes_of({xs, static_cast<size_t>(n)}), node_or_null(grad_output), where_independent))
      handles.push_back(graph->wrap(gradient));
    std::copy(handles.begin(), handles.end(), out_gradients);
  });
}

int32_t harp_depends(const harp_node* y, const harp_node* x) {
  if (y == nullptr || x == nullptr || y->graph != x->graph) return 0;
  try {
    return grad::depends(y->node, x->node) ? 1 : 0;
  } catch (const std::bad_alloc&) {
    return 1;  // If memory runs out, the answer is "yes". The caller then goes on to call harp_grad, which reports the error.
  }
}
