// Where the functions of a source lie that may be compiled apart from the others.
#pragma once

#include <cstddef>

namespace harp {

/// Offsets into a source. What stands before the first such function is for all of them; what stands after the last one calls them; they
/// do not call each other. From `definition` on the text begins with "static ", as far as `body` it is the function's declaration.
struct SourceFunction {
  size_t begin;       // of the types its callers need too
  size_t definition;  // of the function itself
  size_t body;        // its opening brace
  size_t end;
};

}  // namespace harp
