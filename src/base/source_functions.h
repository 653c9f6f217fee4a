// Describes the positions of functions in generated source text, whose functions may be compiled in several translation units
// (compile/split.h).
#pragma once

#include <cstddef>

namespace harp {

/// The position of one function in a source text, as offsets into the text in increasing order. Functions marked `shared` come first in the
/// text, and every function calls only shared functions. If the source is compiled in parts, each function is defined in one part. Every
/// part gets the text before the first function that is not shared, with declarations in place of the functions that it does not define.
/// The text after the last function, which calls the functions, goes into the last part. The text at `definition` begins with "static ";
/// the text from `definition` to `body` is the declaration.
struct SourceFunction {
  size_t begin;       // start of the function's text; types that its callers also need are declared between `begin` and `definition`
  size_t definition;  // start of the function's definition
  size_t body;        // position of the opening brace of the function's body
  size_t end;
  bool shared = false;
};

}  // namespace harp
