// Writes a graph in Graphviz's language DOT. Inputs and outputs are separate boxes, reductions are highlighted, and scalars are part of the
// labels of the nodes that use them.
#include "graph/dot.h"

#include <algorithm>

#include "base/error.h"

namespace harp {
namespace {

std::string escape(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return out;
}

struct DescribeAttributes {
  const Node& node;

  std::string operator()(const NoAttributes&) const { return {}; }
  std::string operator()(const InputAttributes&) const { return {}; }
  std::string operator()(const ConstantAttributes& a) const { return to_string(a.value); }
  std::string operator()(const ArrayAttributes& a) const { return cat(a.data->size(), " bytes"); }
  std::string operator()(const SizeAttributes& a) const { return to_string(a.value); }
  std::string operator()(const ReduceAttributes& a) const {
    return cat("axes ", join(a.axes, ", "), a.order == ReduceOrder::kChain ? " · chain" : " · lanes", a.product ? " · product" : "");
  }
  std::string operator()(const ScanAttributes& a) const {
    return cat("axis ", a.axis, a.order == ScanOrder::kChain ? " · chain" : " · tree", a.reverse ? " · reverse" : "");
  }
  std::string operator()(const PermuteAttributes& a) const { return cat("axes ", join(a.axes, ", ")); }
  std::string operator()(const SliceAttributes& a) const {
    const bool has_steps = std::any_of(a.step.begin(), a.step.end(), [](int64_t step) { return step != 1; });
    return cat("start ", to_string(a.start), has_steps ? cat(" · step [", join(a.step, ", "), "]") : "");
  }
  std::string operator()(const PadAttributes& a) const {
    return cat("before ", to_string(a.before), " · after ", to_string(a.after), " · value ", to_string(a.value));
  }
  std::string operator()(const UnfoldAttributes& a) const {
    return cat("axis ", a.axis, " · size ", to_string(a.size), " · stride ", a.stride, " · dilation ", a.dilation);
  }
  std::string operator()(const ConcatAttributes& a) const { return cat("axis ", a.axis); }
  std::string operator()(const GatherAttributes& a) const { return cat("axis ", a.axis); }
  std::string operator()(const SortAttributes& a) const { return a.descending ? "descending" : ""; }
  std::string operator()(const CustomAttributes& a) const {
    return a.dtypes.size() > 1 ? cat("result ", a.result, " of ", a.text) : a.text;
  }
  std::string operator()(const NativeAttributes& a) const { return a.name; }
  std::string operator()(const CheckAttributes& a) const { return cat("size ", to_string(a.size)); }
};

/// True if the node has no box of its own, but is written into the labels of the nodes that use it.
bool is_inline(const Node* node) { return node->op == Op::kConstant; }

std::string_view style_of(const Node& node) {
  switch (info(node.op).family) {
    case Family::kLeaf: return "shape=box, style=\"filled\", fillcolor=\"#dbe9f6\"";
    case Family::kReduce:
    case Family::kScan: return "shape=box, style=\"filled,rounded\", fillcolor=\"#fde0c5\"";
    case Family::kMovement:
    case Family::kJoin:
    case Family::kGather:
    case Family::kRoutine:
    case Family::kScatter:
    case Family::kCustom:
    case Family::kNative:
    case Family::kCopy:
    case Family::kParts: return "shape=box, style=\"filled,rounded\", fillcolor=\"#eeeeee\"";
    default: return "shape=box, style=\"filled,rounded\", fillcolor=\"#e2f0d9\"";
  }
}

}  // namespace

std::string to_dot(const Graph& graph) {
  std::vector<const Node*> nodes = graph.live_nodes();
  std::vector<const Node*> unused;
  auto by_id = [](const Node* a, const Node* b) { return a->id < b->id; };
  for (const Node* input : graph.inputs())
    if (!std::binary_search(nodes.begin(), nodes.end(), input, by_id)) unused.push_back(input);
  nodes.insert(nodes.end(), unused.begin(), unused.end());

  std::string out = cat("digraph \"", escape(graph.name()), "\" {\n  node [fontname=\"Helvetica\", fontsize=10];\n  edge [fontsize=8];\n");
  for (const Node* node : nodes) {
    if (is_inline(node)) continue;
    const std::string_view own = graph.node_name(node);
    std::string label =
        own.empty() ? std::string(name(node->op)) : cat(escape(own), node->op == Op::kInput ? "" : cat(" = ", name(node->op)));
    for (size_t i = 0; i < node->sources.size(); ++i)
      if (is_inline(node->sources[i])) label += cat("\\noperand ", i, ": ", to_string(node->sources[i]->as<ConstantAttributes>().value));
    if (const std::string attributes = std::visit(DescribeAttributes{*node}, node->attributes); !attributes.empty())
      label += cat("\\n", escape(attributes));
    label += cat("\\n", escape(type_of(*node)));
    append(out, cat("  n", node->id, " [label=\"", label, "\", ", style_of(*node), "];\n"));
  }
  for (const Node* node : nodes) {
    const bool ordered = node->sources.size() > 1 && (info(node->op).flags & kCommutes) == 0;
    for (size_t i = 0; i < node->sources.size(); ++i)
      if (!is_inline(node->sources[i]))
        append(out, cat("  n", node->sources[i]->id, " -> n", node->id, ordered ? cat(" [label=\"", i, "\"]") : "", ";\n"));
  }
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const GraphOutput& output = graph.outputs()[i];
    append(out, cat("  out", i, " [label=\"", escape(output.name), "\", shape=box, style=\"filled,bold\", fillcolor=\"#f6d5d5\"];\n"));
    if (is_inline(output.node))
      append(out, cat("  n", output.node->id, " [label=\"", escape(to_string(output.node->as<ConstantAttributes>().value)), "\"];\n"));
    append(out, cat("  n", output.node->id, " -> out", i, ";\n"));
  }
  out += "}\n";
  return out;
}

}  // namespace harp
