// Positions of functions in a generated source file that may be compiled in separate translation units.
#pragma once

#include <cstddef>

namespace harp {

/// One function of a source, by offsets into the text, in increasing order. If the source is compiled in parts, the text before the first
/// function that is not `shared` goes into every part. The text after the last function calls the functions. A function calls only shared
/// functions, which are in the text that goes into every part. The text at `definition` begins with "static "; the text from `definition`
/// to `body` is the function's declaration.
struct SourceFunction {
  size_t begin;       // start of the function's text, with the types that its callers need too
  size_t definition;  // start of the function definition itself
  size_t body;        // its opening brace
  size_t end;
  bool shared = false;
};

}  // namespace harp
