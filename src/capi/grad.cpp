// Gradients: reads the arguments and calls grad::gradients.
#include "grad/gradient.h"

#include "capi/building.h"

using namespace harp;
using namespace harp::capi;

harp_node* harp_stop_gradient(harp_node* x) {
  return build_from("stop_gradient", {x}, [&] { return build::stop_gradient(x->node); });
}

harp_status harp_grad(harp_node* y, int32_t n, harp_node* const* xs, harp_node* grad_output, harp_node** out_gradients) {
  if (y == nullptr) return HARP_ERROR_INVALID_ARGUMENT;
  return change_graph(y->graph, [&] {
    HARP_CHECK(n >= 0 && (xs != nullptr || n == 0), Code::kInvalidArgument, "grad: a list of ", n, " nodes that is NULL");
    HARP_CHECK(out_gradients != nullptr, Code::kInvalidArgument, "grad: the array of gradients is NULL");
    std::vector<harp_node*> operands = {y};
    operands.insert(operands.end(), xs, xs + n);
    if (grad_output != nullptr) operands.push_back(grad_output);
    if (common_graph("grad", operands) == nullptr) return;

    std::vector<NodeRef> nodes;
    for (int32_t i = 0; i < n; ++i) nodes.push_back(xs[i]->node);
    std::vector<harp_node*> handles;
    for (NodeRef gradient : grad::gradients(y->node, nodes, grad_output != nullptr ? grad_output->node : nullptr))
      handles.push_back(y->graph->wrap(gradient));
    std::copy(handles.begin(), handles.end(), out_gradients);
  });
}
