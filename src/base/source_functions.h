// Where the functions of a source lie that may be compiled apart from the others.
#pragma once

#include <cstddef>

namespace harp {

/// Offsets into a source, in order. What stands before the first such function that is not `shared` is for all of them; what stands after
/// the last one calls them. They call no others than those that are shared, which stand in what is for all. From `definition` on the text
/// begins with "static ", as far as `body` it is the function's declaration.
struct SourceFunction {
  size_t begin;       // of the types its callers need too
  size_t definition;  // of the function itself
  size_t body;        // its opening brace
  size_t end;
  bool shared = false;
};

}  // namespace harp
