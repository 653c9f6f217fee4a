// Constructors of leaves, elementwise nodes, conversions, copies and joins. They infer and check dtypes and shapes, so every node that
// exists is valid. Reductions are in build_reduce.cpp, movement in build_movement.cpp.
#include "graph/build.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "graph/check.h"
#include "graph/complex.h"

namespace harp::build {

NodeRef constant(Graph& graph, Scalar value) {
  check_dtype("constant", value.dtype);
  return graph.intern(Op::kConstant, value.dtype, {}, {}, ConstantAttributes{value});
}

NodeRef bare_integer(Graph& graph, WideInt value) {
  return graph.intern(Op::kConstant, DType::kUnknown, {}, {}, ConstantAttributes{Scalar::of(DType::kUnknown, value)});
}

NodeRef constant_array(Graph& graph, DType dtype, Shape shape, std::span<const std::byte> data) {
  const std::string_view op = name(Op::kConstantArray);
  check_dtype(op, dtype);
  check_shape(op, graph, dtype, shape);
  for (Dim d : shape)
    HARP_CHECK(d.is_constant(), Code::kShape, op, ": shape ", to_string(shape), " has a symbolic size; constants have fixed sizes");
  const size_t bytes = static_cast<size_t>(element_count(shape).constant()) * size_of(dtype);
  HARP_CHECK(data.size() == bytes, Code::kShape, op, ": ", name(dtype), to_string(shape), " needs ", bytes, " bytes, got ", data.size());
  if (shape.empty()) {
    Scalar value{dtype, {0, 0}};
    std::copy(data.begin(), data.end(), reinterpret_cast<std::byte*>(value.bits));
    if (is_bool(dtype)) value.bits[0] = value.bits[0] != 0;
    return constant(graph, value);
  }
  auto copy = std::make_shared<std::vector<std::byte>>(data.begin(), data.end());
  if (is_bool(dtype))  // any nonzero byte means true
    for (std::byte& b : *copy) b = std::byte{b != std::byte{0}};
  return graph.intern(Op::kConstantArray, dtype, std::move(shape), {}, ArrayAttributes{std::move(copy)});
}

NodeRef arange(Graph& graph, Dim count) {
  const std::string_view op = name(Op::kArange);
  check_shape(op, graph, DType::kI32, {count});
  HARP_CHECK(range(count).lo <= int64_t{1} << 31, Code::kRange, op, ": ", to_string(count), " elements do not fit i32");
  return graph.intern(Op::kArange, DType::kI32, {count}, {});
}

NodeRef size(Graph& graph, Dim value) {
  if (value.is_constant()) return constant(graph, scalar_from_int(DType::kI64, value.constant()));
  check_expression(name(Op::kSize), graph, value, "the value");
  return graph.intern(Op::kSize, DType::kI64, {}, {}, SizeAttributes{value});
}

namespace {

/// In a graph that promotes dtypes, returns the float dtype to which a bool or an integer is converted for an operation on floats. With the
/// Array API's rules the float dtype must hold every value of the integer dtype: f32 holds all integers of 8 and 16 bits.
DType float_for(DType dtype, Promotion rules) {
  return rules == Promotion::kMixed || is_bool(dtype) || size_of(dtype) <= 2 ? DType::kF32 : DType::kF64;
}

bool is_float_or_complex(DType dtype) { return is_float(dtype) || is_complex(dtype); }

/// Returns the smallest dtype that holds all values of both dtypes, as in the Array API standard's tables. Both must be integers, or both
/// floats or complex. Returns nothing for u64 with a signed integer. f16 with bf16, which the standard does not have, gives f32.
std::optional<DType> promoted_in_kind(DType a, DType b) {
  const DType wider = size_of(a) >= size_of(b) ? a : b;
  if (is_float(a) && is_float(b)) return size_of(a) == size_of(b) ? DType::kF32 : wider;
  if (is_float_or_complex(a)) return real_dtype(a) == DType::kF64 || real_dtype(b) == DType::kF64 ? DType::kC128 : DType::kC64;
  if (is_signed_int(a) == is_signed_int(b)) return wider;
  const DType with_sign = is_signed_int(a) ? a : b, without = is_signed_int(a) ? b : a;
  switch (std::max(size_of(with_sign), 2 * size_of(without))) {
    case 2: return DType::kI16;
    case 4: return DType::kI32;
    case 8: return DType::kI64;
    default: return std::nullopt;
  }
}

/// Returns the dtype that two dtypes promote to, or nothing if the rules do not define one. Promotion::kArrayApi defines none for two
/// dtypes of different kinds (bool, integer, float), and none for u64 with a signed integer.
std::optional<DType> promoted(DType a, DType b, Promotion rules) {
  if (a == b) return a;
  if (rules == Promotion::kNone) return std::nullopt;
  const bool is_mixed = rules == Promotion::kMixed;
  if (is_bool(a) || is_bool(b)) return is_mixed ? std::optional(is_bool(a) ? b : a) : std::nullopt;
  if (is_int(a) != is_int(b)) return is_mixed ? std::optional(is_int(a) ? b : a) : std::nullopt;
  const auto common = promoted_in_kind(a, b);
  return !common && is_mixed ? DType::kF32 : common;
}

/// Returns the graph flag that would allow the promotion of these two dtypes, for error messages.
std::string_view promoting_flag(DType a, DType b) { return promoted(a, b, Promotion::kArrayApi) ? "promote" : "promote_mixed"; }

DType promoted_dtype(std::string_view op, Operands accepted, std::span<const NodeRef> operands) {
  const Promotion rules = operands[0]->graph->options().promotion;
  // If an operand is a float, integers and bools do not affect the result, whatever the order of the operands: i8, u64 and f16 give f16,
  // although i8 and u64 without a float would give f32.
  const bool floats_decide = rules == Promotion::kMixed && std::any_of(operands.begin(), operands.end(),
                                                                       [](NodeRef operand) { return is_float_or_complex(operand->dtype); });
  DType dtype = DType::kUnknown;
  NodeRef first = nullptr;  // the operand that determined `dtype`
  for (NodeRef operand : operands) {
    if (operand->dtype == dtype || operand->dtype == DType::kUnknown) continue;
    if (floats_decide && !is_float_or_complex(operand->dtype)) continue;
    if (dtype == DType::kUnknown) {
      first = operand;
      dtype = operand->dtype;
      continue;
    }
    const auto common = promoted(dtype, operand->dtype, rules);
    if (!common) {
      // A complex array cannot be cast to a real dtype. If this operand is complex and the others are real, the message advises to cast a
      // real one.
      const bool keeps = is_complex(operand->dtype) && !is_complex(dtype);
      fail(Code::kDType, op, ": operands have dtypes ", dtypes_of(operands), " (", labels(operands),
           rules == Promotion::kNone ? "); they must be the same" : "), which do not promote to a common one",
           ": cast one, for example cast(", label(keeps ? first : operand), ", dtype=", name(keeps ? operand->dtype : dtype),
           "), or make the graph with the ", promoting_flag(dtype, operand->dtype), " flag");
    }
    dtype = *common;
  }
  HARP_CHECK(dtype != DType::kUnknown, Code::kDType, op, ": the dtype of ", labels(operands),
             " is not known; give one of the numbers a dtype, or cast it");
  const bool takes_floats = accepted == Operands::kFloat || accepted == Operands::kField;
  if (rules != Promotion::kNone && takes_floats && !is_float_or_complex(dtype)) dtype = float_for(dtype, rules);
  return dtype;
}

Shape common_shape(std::string_view op, std::span<const NodeRef> operands) {
  const bool broadcast = operands[0]->graph->options().broadcast;
  Shape shape;
  for (NodeRef operand : operands) {
    if (operand->rank() == 0 || operand->shape == shape) continue;
    if (shape.empty()) {
      shape = operand->shape;
      continue;
    }
    if (!broadcast)
      fail(Code::kShape, op, ": operands have shapes ", shapes_of(operands), " (", labels(operands),
           "); shapes must be identical, or one operand must be a scalar (or make the graph with the broadcast flag)");
    try {
      shape = broadcast_shapes(shape, operand->shape);
    } catch (const Error& e) {
      fail(e.code, op, ": ", e.message, " (", labels(operands), ")");
    }
  }
  return shape;
}

/// Broadcasts an operand to `shape`. A scalar stays as it is, because elementwise nodes accept sources of rank 0.
NodeRef bring_to(NodeRef operand, const Shape& shape) {
  return operand->rank() == 0 || operand->shape == shape ? operand : broadcast_to(operand, shape);
}

}  // namespace

DType common_dtype(std::string_view op, Operands accepted, std::span<const NodeRef> operands) {
  check_nodes(op, operands);
  const DType dtype = promoted_dtype(op, accepted, operands);
  if (!accepts(accepted, dtype))
    fail(Code::kDType, op, ": takes ", describe(accepted), ", got ", name(dtype), " (", labels(operands), ")",
         dtype_advice(op, accepted, dtype));
  return dtype;
}

OperandType common_type(std::string_view op, Operands accepted, std::span<const NodeRef> operands) {
  const DType dtype = common_dtype(op, accepted, operands);
  return {dtype, common_shape(op, operands)};
}

NodeRef elementwise(Op op, std::span<const NodeRef> sources) {
  const OpInfo& row = info(op);
  HARP_ASSERT(row.family == Family::kElementwise, row.name, " is not elementwise");
  HARP_CHECK(static_cast<int>(sources.size()) == row.arity, Code::kInvalidArgument, row.name, ": takes ", int{row.arity}, " operands, got ",
             sources.size());
  Graph& graph = check_nodes(row.name, sources);
  const size_t conditions = op == Op::kWhere ? 1 : 0;
  if (conditions != 0)
    HARP_CHECK(is_bool(sources[0]->dtype), Code::kDType, row.name, ": the condition must be bool, got ", name(sources[0]->dtype), " (",
               label(sources[0]), "); compare it with 0 first");
  const DType dtype = common_type(row.name, row.operands, sources.subspan(conditions)).dtype;
  Shape shape = common_shape(row.name, sources);

  std::vector<NodeRef> operands;
  operands.reserve(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) operands.push_back(bring_to(i < conditions ? sources[i] : cast(sources[i], dtype), shape));
  check_shape(row.name, graph, dtype, shape);
  if (is_complex(dtype)) return complex_elementwise(op, operands);
  return graph.intern(op, row.result == Result::kBool ? DType::kBool : dtype, std::move(shape), std::move(operands));
}

NodeRef cast(NodeRef source, DType dtype) {
  Graph& graph = check_nodes("cast", std::span(&source, 1));
  check_dtype("cast", dtype);
  if (source->dtype == dtype) return source;
  if (source->dtype == DType::kUnknown) {
    const auto value = source->as<ConstantAttributes>().value.as<WideInt>();
    HARP_CHECK(int_fits(dtype, value), Code::kRange,
               "cast: ", value < 0 ? cat(static_cast<int64_t>(value)) : cat(static_cast<uint64_t>(value)), " does not fit ", name(dtype));
    return constant(graph, scalar_from_int(dtype, value));
  }
  check_shape("cast", graph, dtype, source->shape);
  if (is_complex(dtype) || is_complex(source->dtype)) return complex_cast(source, dtype);
  return graph.intern(Op::kCast, dtype, source->shape, {source});
}

NodeRef bitcast(NodeRef source, DType dtype) {
  Graph& graph = check_node("bitcast", source);
  check_dtype("bitcast", dtype);
  if (source->dtype == dtype) return source;
  HARP_CHECK(!is_complex(source->dtype) && !is_complex(dtype), Code::kDType, "bitcast: ", label(source), " is ", name(source->dtype),
             ", which cannot become ", name(dtype), "; a complex number is two floats: use view_as_real or view_as_complex");
  HARP_CHECK(size_of(source->dtype) == size_of(dtype), Code::kDType, "bitcast: ", name(source->dtype), " has ", size_of(source->dtype),
             " bytes per element, ", name(dtype), " has ", size_of(dtype), " (", label(source), "); the sizes must be equal");
  HARP_CHECK(!is_bool(dtype), Code::kDType, "bitcast: not every bit pattern of ", name(source->dtype), " is a bool (", label(source),
             "); compare with 0 instead");
  return graph.intern(Op::kBitcast, dtype, source->shape, {source});
}

NodeRef contiguous(NodeRef source) {
  Graph& graph = check_node("contiguous", source);
  if (source->op == Op::kContiguous) return source;
  return graph.intern(Op::kContiguous, source->dtype, source->shape, {source});
}

NodeRef stop_gradient(NodeRef source) {
  Graph& graph = check_node("stop_gradient", source);
  if (source->op == Op::kStopGradient) return source;
  return graph.intern(Op::kStopGradient, source->dtype, source->shape, {source});
}

NodeRef concat(std::span<const NodeRef> sources, int axis) {
  const std::string_view op = name(Op::kConcat);
  Graph& graph = check_nodes(op, sources);
  const DType dtype = promoted_dtype(op, Operands::kAny, sources);
  const int rank = sources[0]->rank();
  HARP_CHECK(rank > 0, Code::kShape, op, ": scalars cannot be concatenated (", labels(sources), "); use stack");
  const int along = normalize_axis(op, axis, rank);
  Shape shape = sources[0]->shape;
  for (NodeRef source : sources.subspan(1)) {
    bool fits = source->rank() == rank;
    for (int i = 0; fits && i < rank; ++i) fits = i == along || source->shape[i] == shape[i];
    HARP_CHECK(fits, Code::kShape, op, ": operands have shapes ", shapes_of(sources), " (", labels(sources),
               "); they must be identical except along axis ", along);
    shape[along] += source->shape[along];
  }
  if (sources.size() == 1) return sources[0];
  check_shape(op, graph, dtype, shape);
  std::vector<NodeRef> parts;
  parts.reserve(sources.size());
  for (NodeRef source : sources) parts.push_back(cast(source, dtype));
  return graph.intern(Op::kConcat, dtype, std::move(shape), std::move(parts), ConcatAttributes{along});
}

NodeRef with_sources(Graph& graph, NodeRef node, std::vector<NodeRef> sources) {
  HARP_ASSERT(&graph.dims() == &node->graph->dims(), "with_sources: ", name(node->op), " into a graph with other shape variables");
  HARP_ASSERT(sources.size() == node->sources.size(), "with_sources: ", name(node->op), " takes ", node->sources.size(), " sources");
  bool has_full_source = node->rank() == 0 || info(node->op).family != Family::kElementwise;
  for (size_t i = 0; i < sources.size(); ++i) {
    const Node &before = *node->sources[i], &after = *sources[i];
    HARP_ASSERT(after.graph == &graph && after.dtype == before.dtype, "with_sources: source ", i, " of ", name(node->op), " is ",
                type_of(after), ", was ", type_of(before));
    const bool scalar_instead = info(node->op).family == Family::kElementwise && after.rank() == 0;
    HARP_ASSERT(after.shape == before.shape || scalar_instead, "with_sources: source ", i, " of ", name(node->op), " is ", type_of(after),
                ", was ", type_of(before));
    has_full_source |= after.shape == node->shape;
  }
  HARP_ASSERT(has_full_source || sources.empty(), "with_sources: every source of ", name(node->op), " became a scalar");
  if (const auto* reduce = std::get_if<ReduceAttributes>(&node->attributes))
    HARP_ASSERT(!reduce->product || sources[0]->op == Op::kMul, "with_sources: the source of a product sum is no longer a mul");
  return graph.intern(node->op, node->dtype, node->shape, std::move(sources), node->attributes);
}

}  // namespace harp::build
