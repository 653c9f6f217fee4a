// Computes lazy tensors.
#pragma once

#include <span>

#include "trace.h"

namespace harp_python {

/// Computes the values of these nodes in one program, together with the values of those nodes that they depend on and that other objects
/// refer to. If a program exists for the structure of the computation, it is used again. A new structure is interpreted as long as that is
/// cheaper than compiling.
void realise(std::span<Node* const> nodes);
/// Returns the value of one node, computed if necessary.
Ref<Array> value_of(Node* node);
/// Calls realise() if the node's `size` (trace.h) exceeds kMostNodes, so that no chain of pending nodes grows without limit.
void realise_if_long(Node* node);
/// Throws unless all gradients among the dependencies of the nodes exist. Remembers which structures of computations it has checked.
void check_gradients(std::span<Node* const> nodes);

/// Sets the backend: "auto" (the default), "c" or "interp".
void set_backend(const char* name);
const char* backend();
/// Returns the backend of traced functions: "c", unless another one was chosen.
const char* jit_backend();
/// program_count() returns the number of programs kept for the computation of lazy tensors; drop_programs() drops these programs.
size_t program_count();
void drop_programs();

}  // namespace harp_python
