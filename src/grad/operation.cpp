#include "grad/operation.h"

#include "grad/gradient.h"
#include "graph/arguments.h"

namespace harp::grad {
namespace {

constexpr Operation kTextOperations[] = {
    arguments::row("grad", {{"y"}, {"xs"}, {"grad_output", "none"}},
                   [](NodeRef y, std::vector<NodeRef> xs, std::optional<NodeRef> grad_output) {
                     return gradients(y, xs, grad_output.value_or(nullptr));
                   }),
};

}  // namespace

std::span<const Operation> text_operations() { return kTextOperations; }

}  // namespace harp::grad
