#include "builder.h"

#include <algorithm>
#include <bit>

#include "errors.h"

namespace harp_python {

Recipe::Recipe(const Walk& walk) : leaves(walk.leaves), roots(walk.roots), symbolic(walk.symbolic) {
  size_t leaf = 0;
  for (const Node* node : walk.order) {
    Step step{{}, node->type, {}, {}};
    if (leaf < leaves.size() && leaves[leaf] == steps.size()) {
      ++leaf;
    } else {
      step.operation = node->operation;
      if (node->is_constant()) std::copy(node->number, node->number + 2, step.number);
      for (const Node* source : node->sources()) step.sources.push_back(source->index);
    }
    steps.push_back(std::move(step));
  }
}

Nodes Builder::build() {
  size_t leaf = 0, number = 0;
  for (size_t i = 0; i < recipe_.steps.size(); ++i) {
    const Recipe::Step& step = recipe_.steps[i];
    Nodes& out = results_[i];
    if (!step.operation) {
      if (out.empty()) out = {input(*step.type, {false, static_cast<uint32_t>(leaf)})};
      ++leaf;
    } else if (step.operation->index == kConstant) {
      const bool as_input = number < is_input_.size() && is_input_[number];
      out = {as_input ? constant_input(step, static_cast<uint32_t>(number)) : constant(step)};
      ++number;
    } else {
      build_step(step, out);
    }
  }
  Nodes roots;
  for (const uint32_t root : recipe_.roots) roots.push_back(results_[root][0]);
  return roots;
}

/// Returns the inputs on which these nodes depend, in the order in which a program that computes the nodes takes them.
std::vector<Program::Source> Builder::sources_of(const Nodes& roots) const {
  Nodes used(inputs_.size());
  int32_t count = 0;
  harp_nodes_inputs(static_cast<int32_t>(roots.size()), roots.data(), static_cast<int32_t>(used.size()), used.data(), &count, Check());
  std::vector<Program::Source> sources;
  for (const harp_node* node : std::span(used).first(static_cast<size_t>(count)))
    sources.push_back(sources_[static_cast<size_t>(std::ranges::find(inputs_, node) - inputs_.begin())]);
  return sources;
}

harp_node* Builder::checked(harp_node* node) {
  if (node == nullptr) fail(harp_graph_take_error(graph_));
  return node;
}

harp_node* Builder::constant(const Recipe::Step& step) {
  const harp_dtype dtype = step.type->dtype;
  switch (dtype) {
    case HARP_BOOL: return checked(harp_constant_bool(graph_, static_cast<int32_t>(step.number[0])));
    case HARP_U64: return checked(harp_constant_u64(graph_, dtype, step.number[0]));
    case HARP_COMPLEX64:
    case HARP_COMPLEX128:
      return checked(harp_constant_complex(graph_, dtype, std::bit_cast<double>(step.number[0]), std::bit_cast<double>(step.number[1])));
    default:
      if (dtype < HARP_F16) return checked(harp_constant_i64(graph_, dtype, static_cast<int64_t>(step.number[0])));
      return checked(harp_constant(graph_, dtype, std::bit_cast<double>(step.number[0])));
  }
}

/// Declares the input for a Python number whose value changes from call to call. The input has the widest dtype of the number's kind. The
/// program rounds it to the dtype of the constant that it replaces, so the result is the same.
harp_node* Builder::constant_input(const Recipe::Step& step, uint32_t number) {
  const harp_dtype dtype = step.type->dtype;
  const harp_dtype wide = dtype == HARP_U64 ? HARP_U64 : dtype < HARP_F16 ? HARP_I64 : dtype < HARP_COMPLEX64 ? HARP_F64 : HARP_COMPLEX128;
  return checked(harp_cast(input(*type_of(wide, 0, nullptr), {true, number}), dtype));
}

void Builder::build_step(const Recipe::Step& step, Nodes& out) {
  const Operation& operation = *step.operation;
  Nodes sources;
  for (const uint32_t source : step.sources) sources.push_back(results_[source][0]);
  switch (operation.index) {
    case kSize: out = {checked(harp_size(graph_, operation.words[0]))}; break;
    case kResult: out = {results_[step.sources[0]][static_cast<size_t>(operation.words[0])]}; break;
    case kTracer: out = {tracer(sources[0])}; break;
    case kGradient: gradient(operation, sources, out); break;
    default: build_operation(graph_, operation.index, operation.words, sources, out);
  }
}

/// A tracer is where(true, x, k), where k is its number. The optimiser reduces that to x, but while gradients are built it is a node that
/// is distinct from all others.
harp_node* Builder::tracer(harp_node* x) {
  harp_node* k = checked(harp_constant(graph_, harp_node_dtype(x), static_cast<double>(tracers_++)));
  return checked(harp_where(checked(harp_constant_bool(graph_, 1)), x, k));
}

void Builder::gradient(const Operation& operation, const Nodes& sources, Nodes& out) {
  const auto xs = static_cast<size_t>(operation.words[0]), passed = static_cast<size_t>(operation.words[1]);
  out.assign(xs, nullptr);
  harp_node* grad_output = operation.words[2] != 0 ? sources.back() : nullptr;
  if (xs != 0)
    harp_grad_flags(sources[0], static_cast<int32_t>(xs), &sources[1], grad_output, HARP_GRAD_ZERO_WHERE_INDEPENDENT, out.data());
  if (harp_error* error = harp_graph_take_error(graph_)) fail(error);
  out.push_back(sources[0]);
  for (size_t i = 0; i < passed; ++i) out.push_back(sources[1 + xs + i]);
}

harp_node* Builder::input(const Type& type, Program::Source source) {
  const std::string name = "x" + std::to_string(inputs_.size());
  inputs_.push_back(checked(harp_input(graph_, name.c_str(), type.dtype, type.rank, type.dims)));
  sources_.push_back(source);
  return inputs_.back();
}

}  // namespace harp_python
