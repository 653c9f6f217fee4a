// Native operations call a C function of the host once, with arrays in memory. A signature says how to call it, so functions of existing
// libraries need no wrapper:
//
//   void(i32 101, i32 111, i32 111, i32 m, i32 n, i32 k, f64 1, f64* input0, i32 k, f64* input1, i32 n, f64 0, f64* output, i32 n)
//
//   signature = ("void" | "i32") "(" [ parameter { "," parameter } ] ")"
//   parameter = dtype "*" ("input0" | "input1" | … | "output")
//             | ("i32" | "u32" | "i64" | "u64") size       a dimension expression; in it, input0[1] is the size of axis 1 of input 0
//             | ("f32" | "f64") number
//             | "void" "*" "user"
//
// Only the node holds the function's address. Neither printed graphs nor generated source contain it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "graph/graph.h"

namespace harp {

/// Returns the parsed signature as text, with sizes as expressions of the shape variables. The parser reads it back.
std::string native_signature(const NativeAttributes& attributes);

/// The values that a size parameter of this integer dtype may have. For 64-bit dtypes the range is smaller than that of the dtype, so that
/// comparisons of a size with its bounds cannot overflow.
SymRange native_size_range(DType dtype);

/// Error{kUnsupported} names the first live native operation whose function is unknown.
void check_native_functions(const Graph& graph);

/// How messages at run time name a native function: `native "cblas_dgemm"`.
std::string native_label(std::string_view name);
/// The message of a run whose native function returned `status`.
std::string native_failure(std::string_view name, int32_t status);

namespace build {

struct NativeCall {
  std::string_view name;
  NativeFunction function = nullptr;  // null: unknown, as in a text
  void* user = nullptr;
  std::string_view signature;
  DType dtype;  // dtype of the output
  Shape shape;
};

/// Builds the call without conversions of bool operands and results (see native()). Throws Error{kParse, kDType, kShape, kInvalidArgument,
/// kRange} with the column in the signature.
const Node* native_exactly(Graph& graph, std::span<const Node* const> inputs, const NativeCall& call);
/// Builds the call for a host. The function gets bools that are 0 or 1, and the bools that it writes are converted to 0 or 1.
const Node* native(Graph& graph, std::span<const Node* const> inputs, const NativeCall& call);

}  // namespace build
}  // namespace harp
