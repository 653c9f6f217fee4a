#include "run/signature.h"

#include <unordered_set>

#include "base/error.h"
#include "graph/requirements.h"

namespace harp {

namespace {

/// Tests whether the number of bytes of an array with this shape can exceed INT64_MAX.
bool may_overflow(int64_t element, const Shape& shape) {
  int64_t bytes = element;
  bool fits = true;
  for (const Dim& dim : shape) {
    const int64_t greatest = range(dim).hi;
    if (greatest <= 0) return false;  // always empty
    fits = fits && !__builtin_mul_overflow(bytes, greatest, &bytes);
  }
  return !fits;
}

/// The element size and the shape of an array. Arrays that agree in both share one check of their number of bytes (CountCheck).
struct Extent {
  int64_t element;
  const Shape& shape;
  bool operator==(const Extent& other) const { return element == other.element && shape == other.shape; }
};
struct ExtentHash {
  size_t operator()(const Extent& extent) const {
    size_t hash = static_cast<size_t>(extent.element);
    for (const Dim& dim : extent.shape) hash = hash * 0x9e3779b97f4a7c15u + dim.hash();
    return hash;
  }
};

/// If the size of this input axis has the form factor * variable + offset, records that the variable's value comes from this axis. If an
/// earlier axis already determines the variable, that axis is replaced only if the size of this axis is just the variable and the size of
/// the earlier axis is not.
void determine_from(Dim size, int input, int axis, Signature& signature) {
  if (size.is_constant()) return;
  for (size_t i = 0; i < signature.variables.size(); ++i) {
    ShapeVariable& variable = signature.variables[i];
    if (variable.input >= 0 && variable.is_bare()) continue;
    const auto linear = linear_in(size, variable_of(signature.variable_syms[i]));
    if (!linear || !linear->coefficient.is_constant() || linear->coefficient.is_constant(0) || !linear->rest.is_constant()) continue;
    const bool is_bare = linear->coefficient.is_constant(1) && linear->rest.is_constant(0);
    if (variable.input >= 0 && !is_bare) continue;
    variable.input = input, variable.axis = axis;
    variable.factor = linear->coefficient.constant(), variable.offset = linear->rest.constant();
  }
}

}  // namespace

Signature signature_of(const Graph& graph) {
  Signature signature;
  signature.name = graph.name();
  signature.sizes = graph.shared_dims();
  signature.variable_syms = graph.dims().variables();
  for (const Sym& variable : signature.variable_syms) {
    const SymRange bounds = range(variable);
    signature.variables.push_back({variable_of(variable)->name, bounds.lo, bounds.hi});
  }
  for (const Node* node : graph.inputs()) {
    const int input = static_cast<int>(signature.inputs.size());
    signature.inputs.push_back({node->as<InputAttributes>().name, node->dtype, node->shape});
    for (int axis = 0; axis < node->rank(); ++axis) determine_from(node->shape[static_cast<size_t>(axis)], input, axis, signature);
  }
  for (const GraphOutput& output : graph.outputs()) signature.outputs.push_back({output.name, output.node->dtype, output.node->shape});

  for (const Requirement& requirement : requirements(graph))
    signature.size_checks.push_back({SizeCode(requirement.nonnegative, signature.variable_syms), requirement.message});
  std::unordered_set<Extent, ExtentHash> seen, passed;
  for (const auto* arrays : {&signature.inputs, &signature.outputs})
    for (const ArraySignature& array : *arrays) passed.insert({static_cast<int64_t>(size_of(array.dtype)), array.shape});
  for (const Node* node : graph.live_nodes()) {
    const auto element = static_cast<int64_t>(size_of(node->dtype));
    if (!seen.insert({element, node->shape}).second || !may_overflow(element, node->shape)) continue;
    CountCheck& check =
        signature.count_checks.emplace_back(CountCheck{element, {}, graph.describe(node), passed.contains({element, node->shape})});
    for (const Dim& dim : node->shape) check.axes.emplace_back(dim, signature.variable_syms);
  }
  return signature;
}

bool CountCheck::holds(std::span<const int64_t> values) const {
  int64_t bytes = element;
  bool fits = true, empty = false;
  for (const SizeCode& axis : axes) {
    const int64_t size = axis.evaluate(values);
    empty = empty || size == 0;
    fits = fits && !__builtin_mul_overflow(bytes, size, &bytes);
  }
  return fits || empty;
}

std::string Signature::text() const {
  const auto print = [this](const ArraySignature& array) {
    const std::string places = join(array.in_place, " or ", [this](size_t input) { return inputs[input].name; });
    return cat(array.name, ": ", harp::name(array.dtype), to_string(array.shape), places.empty() ? "" : cat(" (in place of ", places, ")"));
  };
  std::string out = cat(name, "(", join(inputs, ", ", print), ") -> ", join(outputs, ", ", print));
  if (!variables.empty()) {
    out += " where ";
    out +=
        join(variables, ", ", [](const ShapeVariable& variable) { return cat(variable.name, " in ", variable.min, "..", variable.max); });
  }
  return out;
}

}  // namespace harp
