// Native operations: a C function of the host's is called, once, with arrays that lie in memory. How it is called is said by a signature,
// so that functions of other people's libraries need no wrapper:
//
//   void(i32 101, i32 111, i32 111, i32 m, i32 n, i32 k, f64 1, f64* input0, i32 k, f64* input1, i32 n, f64 0, f64* output, i32 n)
//
//   signature = ("void" | "i32") "(" [ parameter { "," parameter } ] ")"
//   parameter = dtype "*" ("input0" | "input1" | … | "output")
//             | ("i32" | "u32" | "i64" | "u64") size       a dimension expression, in which input0[1] is the size of axis 1 of input 0
//             | ("f32" | "f64") number
//             | "void" "*" "user"
//
// The function's address is in the node and in no text: not in what the printer writes, not in generated source.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "graph/graph.h"

namespace harp {

/// The signature as it was understood, sizes as expressions of the shape variables; the parser reads it back.
std::string native_signature(const NativeAttributes& attributes);

/// What a parameter of this integer dtype may be given. 64-bit ones have room left, so that no check of them overflows.
SymRange native_size_range(DType dtype);

/// Error{kUnsupported} naming the first live native operation whose function is not known.
void check_native_functions(const Graph& graph);

/// `native "cblas_dgemm"`: how messages at run time name it.
std::string native_label(std::string_view name);
/// What a run fails with where the function returned this.
std::string native_failure(std::string_view name, int32_t status);

namespace build {

struct NativeCall {
  std::string_view name;
  NativeFunction function = nullptr;  // null: not known, as in a text
  void* user = nullptr;
  std::string_view signature;
  DType dtype;  // of the output
  Shape shape;
};

/// The call as it is. Error{kParse, kDType, kShape, kInvalidArgument, kRange} with the column of the signature.
const Node* native_exactly(Graph& graph, std::span<const Node* const> inputs, const NativeCall& call);
/// The call as a host wants it: bools are 0 or 1 on the way in, and whatever the function writes is one of them on the way out.
const Node* native(Graph& graph, std::span<const Node* const> inputs, const NativeCall& call);

}  // namespace build
}  // namespace harp
