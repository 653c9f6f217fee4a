// Defines native operations: nodes that call a C function of the host program, with arrays in memory. A signature states the function's
// parameters and the arguments of the call, so functions of existing libraries need no wrapper:
//
//   void(i32 101, i32 111, i32 111, i32 m, i32 n, i32 k, f64 1, f64* input0, i32 k, f64* input1, i32 n, f64 0, f64* output, i32 n)
//
//   signature = ("void" | "i32") "(" [ parameter { "," parameter } ] ")"
//   parameter = dtype "*" ("input0" | "input1" | … | "output")
//             | ("i32" | "u32" | "i64" | "u64") size       a dimension expression; in it, input0[1] is the size of axis 1 of input 0
//             | ("f32" | "f64") number
//             | "void" "*" "user"
//
// The address of the function is stored only in the node. Neither printed graphs nor generated source contain it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "graph/graph.h"

namespace harp {

/// Returns the parsed signature as text, with sizes as expressions of the shape variables. The parser accepts this text.
std::string native_signature(const NativeAttributes& attributes);

/// Returns the range of values that a size parameter of this integer dtype may have. For 64-bit dtypes it is smaller than the range of the
/// dtype, so that the difference of a size and a bound cannot overflow.
SymRange native_size_range(DType dtype);

/// Throws Error{kUnsupported} if a live native operation has no known function; the message names the first one.
void check_native_functions(const Graph& graph);

/// Returns the name by which run-time messages call a native function: `native "cblas_dgemm"`.
std::string native_label(std::string_view name);
/// Returns the error message of a run in which a native function returned `status`, which is not 0.
std::string native_failure(std::string_view name, int32_t status);

namespace build {

struct NativeCall {
  std::string_view name;
  NativeFunction function = nullptr;  // null: unknown, because text contains no addresses
  void* user = nullptr;
  std::string_view signature;
  DType dtype;  // dtype of the output
  Shape shape;
};

/// Builds the call; bools are passed and returned as they are. Throws Error{kParse, kDType, kShape, kInvalidArgument, kRange}. An error in
/// the signature names its column.
const Node* native_exactly(Graph& graph, std::span<const Node* const> inputs, const NativeCall& call);
/// Builds the call and converts bools: the function gets bools that are 0 or 1, and any nonzero byte that it writes for a bool becomes 1.
const Node* native(Graph& graph, std::span<const Node* const> inputs, const NativeCall& call);

}  // namespace build
}  // namespace harp
