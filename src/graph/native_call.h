// Calls a native function through libffi, because its signature is known only at run time. The interpreter and the launch plans of the CUDA
// backend call native functions this way; generated C calls them directly.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "ops/scalar.h"

namespace harp {

/// An argument of a native function.
struct NativeArgument {
  std::optional<DType> dtype;  // the dtype of a number; nullopt: the argument is a pointer
  Scalar value;                // the number, or the address as a u64
};
NativeArgument native_pointer(const void* address);

/// Calls the function. `name` is its name in messages. Throws Error{kNative} if the function returns a status other than 0.
void call_native(std::string_view name, NativeFunction function, bool returns_status, std::vector<NativeArgument> arguments);

}  // namespace harp
