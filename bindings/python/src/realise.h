// Computes lazy tensors.
#pragma once

#include <span>

#include "trace.h"

namespace harp_python {

/// Gives each of these nodes a value, in one program; and, since they are computed on the way, nodes that something outside still refers
/// to. A structure that was seen before has its program; an unseen one is interpreted as long as that is cheaper than compiling.
void realise(std::span<Node* const> nodes);
/// The value of one node.
Ref<Array> value_of(Node* node);
/// realise() if the node stands for more than kMostNodes, so that no chain grows for ever.
void realise_if_long(Node* node);
/// Throws unless harp has the gradients among what the nodes depend on; remembers structures that were checked.
void check_gradients(std::span<Node* const> nodes);

/// "auto" (the default), "c" or "interp".
void set_backend(const char* name);
const char* backend();
/// The backend of functions that are traced: "c" unless it was chosen.
const char* jit_backend();
/// Programs of lazy tensors that are kept, and drops them.
size_t program_count();
void drop_programs();

}  // namespace harp_python
