// Contains declarations that are derived from the op table (ops.def): the enumeration of ops, and for each op its names, dtypes and flags.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ops/dtype.h"

namespace harp {

enum class Op : uint8_t {
#define HARP_OP(id, name, family, arity, operands, result, cost, flags) k##id,
#include "ops/ops.def"
#undef HARP_OP
};

enum class Family : uint8_t {
  kLeaf,
  kElementwise,
  kConvert,
  kReduce,
  kScan,
  kMovement,
  kJoin,
  kGather,
  kScatter,
  kRoutine,
  kCustom,
  kNative,
  kCopy,
  kParts
};
enum class Operands : uint8_t { kAny, kNumber, kReal, kFloat, kField, kPart, kComplex, kInt, kBoolInt, kOrdered };
enum class Result : uint8_t { kSame, kBool, kStated };
enum OpFlags : uint8_t { kCommutes = 1, kFunction = 2 };

struct OpInfo {
  std::string_view id;    // "Add": the name in the IR and in generated comments
  std::string_view name;  // "add": the name in the text format and the C API
  Family family;
  int8_t arity;
  Operands operands;
  Result result;
  uint8_t cost;
  uint8_t flags;
};

inline constexpr OpInfo kOps[] = {
#define HARP_OP(id, name, family, arity, operands, result, cost, flags) \
  {#id, name, Family::k##family, arity, Operands::k##operands, Result::k##result, cost, flags},
#include "ops/ops.def"
#undef HARP_OP
};
inline constexpr int kOpCount = sizeof kOps / sizeof *kOps;

constexpr const OpInfo& info(Op op) { return kOps[static_cast<int>(op)]; }
constexpr std::string_view name(Op op) { return info(op).name; }
constexpr bool is_elementwise(Op op) { return info(op).family == Family::kElementwise || info(op).family == Family::kConvert; }
constexpr bool is_reduce(Op op) { return info(op).family == Family::kReduce; }
/// True for ops whose result is the index of an element, not its value.
constexpr bool is_arg_extreme(Op op) { return op == Op::kArgMax || op == Op::kArgMin; }
constexpr bool is_scan(Op op) { return info(op).family == Family::kScan; }
constexpr bool is_scatter(Op op) { return info(op).family == Family::kScatter; }
constexpr bool is_routine(Op op) { return info(op).family == Family::kRoutine; }
constexpr bool is_custom(Op op) { return info(op).family == Family::kCustom; }
constexpr bool is_native(Op op) { return info(op).family == Family::kNative; }
constexpr bool is_movement(Op op) { return info(op).family == Family::kMovement; }

constexpr bool accepts(Operands operands, DType dtype) {
  switch (operands) {
    case Operands::kAny: return dtype != DType::kUnknown;
    case Operands::kNumber: return is_int(dtype) || is_float(dtype) || is_complex(dtype);
    case Operands::kReal: return is_int(dtype) || is_float(dtype);
    case Operands::kFloat: return is_float(dtype);
    case Operands::kField: return is_float(dtype) || is_complex(dtype);
    case Operands::kPart: return is_float(dtype) && !is_half(dtype);
    case Operands::kComplex: return is_complex(dtype);
    case Operands::kInt: return is_int(dtype);
    case Operands::kBoolInt: return is_bool(dtype) || is_int(dtype);
    case Operands::kOrdered: return is_bool(dtype) || is_int(dtype) || is_float(dtype);
  }
  return false;
}
/// True if this source of `op` is an operand, that is, one of the sources that must have the same dtype. The condition of a Where, the
/// indices of a gather or scatter, and the sources of a Custom or Native op are not operands.
constexpr bool is_operand(Op op, size_t source) {
  if (op == Op::kNative || op == Op::kCustom) return false;
  if (op == Op::kWhere) return source != 0;
  const bool has_indices = info(op).family == Family::kGather || info(op).family == Family::kScatter;
  return !has_indices || source != 1;
}
/// True if an operand of `op` may have this dtype.
constexpr bool accepts(Op op, DType dtype) { return accepts(info(op).operands, dtype); }

/// True if a node of `op` may have operands of this dtype. Nodes that compute never have complex operands, because the constructors of such
/// nodes build nodes on the real and imaginary parts instead (graph/complex.h).
constexpr bool has_nodes_of(Op op, DType dtype) {
  const Family family = info(op).family;
  const bool computes = family == Family::kElementwise || family == Family::kConvert || family == Family::kReduce ||
                        family == Family::kScan || family == Family::kScatter;
  return accepts(op, dtype) && !(computes && is_complex(dtype));
}

/// The dtype in which `op` computes for operands of `dtype`: narrow dtypes are widened. The op Where only copies elements, so it needs no
/// widening.
constexpr DType works_in(Op op, DType dtype) { return op == Op::kWhere ? dtype : info(dtype).computes_in; }

/// The dtypes that an op accepts, in words for error messages: "a float dtype".
constexpr std::string_view describe(Operands operands) {
  switch (operands) {
    case Operands::kAny: return "any dtype";
    case Operands::kNumber: return "an integer, float or complex dtype";
    case Operands::kReal: return "an integer or float dtype";
    case Operands::kFloat: return "a float dtype";
    case Operands::kField: return "a float or complex dtype";
    case Operands::kPart: return "f32 or f64";
    case Operands::kComplex: return "a complex dtype";
    case Operands::kInt: return "an integer dtype";
    case Operands::kBoolInt: return "bool or an integer dtype";
    case Operands::kOrdered: return "bool, an integer or a float dtype";
  }
  return "";
}

constexpr std::optional<Op> op_from_name(std::string_view name) {
  for (int i = 0; i < kOpCount; ++i)
    if (kOps[i].name == name) return static_cast<Op>(i);
  return std::nullopt;
}

/// An op `of` of the family Reduce, Scan or Scatter, and the elementwise op `by` with which it combines two elements (Add for Sum) or
/// compares them (Max for ArgMax). A plain Scatter has no such op, because the update replaces the element.
struct Combination {
  Op of, by;
};
// clang-format off: one entry a line, so that a new entry changes no other line
inline constexpr Combination kCombinations[] = {
    {Op::kSum, Op::kAdd},
    {Op::kProd, Op::kMul},
    {Op::kReduceMax, Op::kMax},
    {Op::kReduceMin, Op::kMin},
    {Op::kArgMax, Op::kMax},
    {Op::kArgMin, Op::kMin},
    {Op::kCumSum, Op::kAdd},
    {Op::kCumProd, Op::kMul},
    {Op::kCumMax, Op::kMax},
    {Op::kCumMin, Op::kMin},
    {Op::kLogCumSumExp, Op::kLogAddExp},
    {Op::kScatterAdd, Op::kAdd},
    {Op::kScatterMul, Op::kMul},
    {Op::kScatterMax, Op::kMax},
    {Op::kScatterMin, Op::kMin},
};
// clang-format on

constexpr std::optional<Op> combination(Op op) {
  for (const Combination& rule : kCombinations)
    if (rule.of == op) return rule.by;
  return std::nullopt;
}
consteval bool every_op_that_combines_has_a_combination() {
  for (int i = 0; i < kOpCount; ++i) {
    const Op op = static_cast<Op>(i);
    const bool combines = is_reduce(op) || is_scan(op) || (is_scatter(op) && op != Op::kScatter);
    if (combines != combination(op).has_value()) return false;
  }
  return true;
}
static_assert(every_op_that_combines_has_a_combination(), "a reduction, scan or scatter of ops.def is missing in kCombinations");

/// Returns the elementwise op by which `op` combines elements. `op` must be in kCombinations, as every reduction and scan is.
constexpr Op combine_of(Op op) { return combination(op).value(); }

/// True if a reduction or scan gives the same bits for every order of evaluation. (If several elements are NaN, the result may be any of
/// them.)
constexpr bool is_free_of_order(Op op, DType dtype) {
  return op == Op::kReduceMax || op == Op::kReduceMin || op == Op::kCumMax || op == Op::kCumMin || is_arg_extreme(op) ||
         (!is_float(dtype) && !is_complex(dtype));
}

}  // namespace harp
