// Stores nodes, inputs, outputs and names, and copies graphs. The rules for each op are in build.cpp.
#include "graph/graph.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "base/table_limit.h"
#include "graph/check.h"

namespace harp {

Dim element_count(const Shape& shape) {
  // If an axis has size 0, the count is 0, even if the product of the other sizes does not fit 64 bits.
  if (std::any_of(shape.begin(), shape.end(), [](Dim d) { return d.is_constant(0); })) return 0;
  return product(shape);
}

std::string to_string(const Shape& shape) {
  return cat("[", join(shape, ", ", [](Dim d) { return to_string(d); }), "]");
}

std::string type_of(const Node& node) { return cat(name(node.dtype), to_string(node.shape)); }

Graph::Graph(GraphOptions options, std::string name) : Graph(options, std::move(name), std::make_shared<SymTable>()) {}
Graph::Graph(GraphOptions options, std::string name, std::shared_ptr<SymTable> dims)
    : options_(options), name_(std::move(name)), dims_(std::move(dims)) {}
Graph::~Graph() = default;

const Node* Graph::intern(Op op, DType dtype, Shape shape, std::vector<const Node*> sources, Attributes attributes) {
  HARP_CHECK(nodes_.size() < UINT32_MAX, Code::kOverflow, "a graph holds at most ", UINT32_MAX, " nodes");
  nodes_.push_back(
      Node{op, dtype, static_cast<uint32_t>(nodes_.size()), this, std::move(shape), std::move(sources), std::move(attributes)});
  const Node* node = interned_.insert(&nodes_.back());
  if (node != &nodes_.back()) nodes_.pop_back();
  check_time(*dims_);
  return node;
}

std::span<const Node* const> Graph::inputs() const { return inputs_; }
std::span<const GraphOutput> Graph::outputs() const { return outputs_; }

namespace {

void check_new_name(std::string_view kind, std::string_view name, const std::unordered_set<std::string>& taken) {
  HARP_CHECK(!name.empty(), Code::kInvalidArgument, kind, ": the name is empty");
  HARP_CHECK(!taken.contains(std::string(name)), Code::kInvalidArgument, kind, ": the graph already has an ", kind, " called \"", name,
             "\"");
}

}  // namespace

const Node* Graph::add_input(std::string_view name, DType dtype, Shape shape) {
  check_new_name("input", name, input_names_);
  const std::string what = cat("input \"", name, "\"");
  check_dtype(what, dtype);
  check_shape(what, *this, dtype, shape);
  const Node* node = intern(Op::kInput, dtype, std::move(shape), {}, InputAttributes{std::string(name)});
  inputs_.push_back(node);
  input_names_.emplace(name);
  set_node_name(node, name);
  return node;
}

void Graph::add_output(std::string_view name, const Node* node) {
  check_new_name("output", name, output_names_);
  HARP_CHECK(node != nullptr && node->graph == this, Code::kInvalidArgument, "output \"", name, "\": the node belongs to another graph");
  HARP_CHECK(node->dtype != DType::kUnknown, Code::kDType, "output \"", name, "\": the dtype of ", describe(node),
             " is not known; give the number a dtype, or cast it");
  outputs_.push_back({std::string(name), node});
  output_names_.emplace(name);
}

void Graph::set_node_name(const Node* node, std::string_view name) {
  HARP_CHECK(node != nullptr && node->graph == this, Code::kInvalidArgument, "name \"", name, "\": the node belongs to another graph");
  if (name.empty()) return;
  if (names_.size() <= node->id) names_.resize(nodes_.size());
  if (std::string& own = names_[node->id]; own.empty()) own = name;
}

std::string_view Graph::node_name(const Node* node) const {
  return node->id < names_.size() ? std::string_view(names_[node->id]) : std::string_view();
}

std::string Graph::describe(const Node* node) const {
  const std::string_view own = node_name(node);
  const auto* native = std::get_if<NativeAttributes>(&node->attributes);
  return cat(own.empty() ? cat("node ", node->id) : cat("\"", own, "\""), " (", harp::name(node->op), " ",
             native != nullptr ? cat("\"", native->name, "\" ") : std::string(), type_of(*node), ")");
}

void Graph::roll_back(size_t count) {
  while (!inputs_.empty() && inputs_.back()->id >= count) {
    input_names_.erase(inputs_.back()->as<InputAttributes>().name);
    inputs_.pop_back();
  }
  for (; nodes_.size() > count; nodes_.pop_back()) interned_.erase(&nodes_.back());
  if (names_.size() > count) names_.resize(count);
}

std::vector<bool> Graph::reached_from(std::span<const Node* const> nodes) const {
  std::vector<bool> reached(nodes_.size(), false);
  for (const Node* node : nodes) reached[node->id] = true;
  // Sources have smaller ids than their users, so a single backward pass finds every node that is reachable.
  for (size_t id = nodes_.size(); id-- > 0;)
    if (reached[id])
      for (const Node* source : nodes_[id].sources) reached[source->id] = true;
  return reached;
}

namespace {

std::vector<const Node*> nodes_of(std::span<const GraphOutput> outputs) {
  std::vector<const Node*> nodes;
  for (const GraphOutput& output : outputs) nodes.push_back(output.node);
  return nodes;
}

}  // namespace

std::vector<const Node*> Graph::live_nodes() const {
  struct Visit {
    const Node* node;
    size_t next = 0;  // position in `sources` of the source to visit next
  };
  std::vector<bool> seen(nodes_.size(), false);
  std::vector<const Node*> order;
  std::vector<Visit> stack;
  const auto begin = [&](const Node* node) {
    if (seen[node->id]) return;
    seen[node->id] = true;
    if (node->op != Op::kInput) stack.push_back({node});
  };
  for (const GraphOutput& output : outputs_) {
    begin(output.node);
    while (!stack.empty()) {
      Visit& top = stack.back();
      if (top.next < top.node->sources.size()) {
        begin(top.node->sources[top.next++]);  // may reallocate the stack, which invalidates `top`
        continue;
      }
      order.push_back(top.node);
      stack.pop_back();
    }
  }
  std::vector<const Node*> result;
  for (const Node* input : inputs_)
    if (seen[input->id]) result.push_back(input);
  result.insert(result.end(), order.begin(), order.end());
  return result;
}

std::vector<const Node*> Graph::inputs_of(std::span<const Node* const> nodes) const {
  const std::vector<bool> reached = reached_from(nodes);
  std::vector<const Node*> result;
  for (const Node* input : inputs_)
    if (reached[input->id]) result.push_back(input);
  return result;
}

namespace {

/// Calls f(dim) for every size in a node's attributes.
template <class AnyAttributes, class F>
void for_each_dim(AnyAttributes& attributes, F&& f) {
  const auto all = [&](auto& dims) {
    for (auto& dim : dims) f(dim);
  };
  if (auto* size = std::get_if<SizeAttributes>(&attributes)) f(size->value);
  if (auto* slice = std::get_if<SliceAttributes>(&attributes)) all(slice->start);
  if (auto* unfold = std::get_if<UnfoldAttributes>(&attributes)) f(unfold->size);
  if (auto* check = std::get_if<CheckAttributes>(&attributes)) f(check->size);
  if (auto* pad = std::get_if<PadAttributes>(&attributes)) all(pad->before), all(pad->after);
  if (auto* native = std::get_if<NativeAttributes>(&attributes))
    for (auto& parameter : native->parameters) f(parameter.size);
}

/// Converts expressions for a graph with another table of size expressions: replaces shape variables, and imports the result into that
/// table. Each expression is converted once.
class DimImporter {
 public:
  DimImporter(SymTable& to, const SymSubstitution& replacements) : to_(to), replacements_(replacements) {}

  Dim operator()(Dim dim) {
    if (dim.is_constant()) return dim;
    const auto [found, is_new] = done_.try_emplace(dim, 0);
    if (is_new) found->second = to_.import(replacements_.empty() ? dim : substitute(dim, replacements_));
    return found->second;
  }
  Shape operator()(const Shape& shape) {
    Shape result;
    result.reserve(shape.size());
    for (Dim d : shape) result.push_back((*this)(d));
    return result;
  }
  Attributes operator()(const Attributes& attributes) {
    Attributes result = attributes;
    for_each_dim(result, [&](Dim& dim) { dim = (*this)(dim); });
    return result;
  }

 private:
  SymTable& to_;
  const SymSubstitution& replacements_;
  std::unordered_map<Dim, Dim> done_;
};

/// Converts sizes when a graph is copied to a graph with the same table of size expressions: returns them unchanged. (DimImporter converts
/// them if the tables differ.)
struct SameDims {
  const Shape& operator()(const Shape& shape) const { return shape; }
  const Attributes& operator()(const Attributes& attributes) const { return attributes; }
};

/// Copies a node whose sources have already been copied. `copies` maps old ids to new nodes.
template <class Dims>
const Node* copy_node(const Node& node, Graph& to, Dims& dims, const std::vector<const Node*>& copies) {
  std::vector<const Node*> sources;
  sources.reserve(node.sources.size());
  for (const Node* source : node.sources) sources.push_back(copies[source->id]);
  return to.intern(node.op, node.dtype, dims(node.shape), std::move(sources), dims(node.attributes));
}

/// Returns the shape variables that occur in the wanted nodes. `wanted` is indexed by node id.
std::unordered_set<const SymAtom*> variables_in(const std::deque<Node>& nodes, const std::vector<bool>& wanted) {
  std::unordered_set<const SymAtom*> found;
  std::unordered_set<Dim> seen;
  const auto look = [&](const Dim& dim) {
    if (dim.is_constant() || !seen.insert(dim).second) return;
    for (const SymAtom* variable : variables_of(dim)) found.insert(variable);
  };
  for (const Node& node : nodes) {
    if (!wanted[node.id]) continue;
    for (const Dim& dim : node.shape) look(dim);
    for_each_dim(node.attributes, look);
  }
  return found;
}

}  // namespace

std::unique_ptr<Graph> Graph::clone() const { return clone_with({}); }

std::unique_ptr<Graph> Graph::clone_with(const SymSubstitution& sizes) const {
  auto copy = std::make_unique<Graph>(options_, name_);
  // Import shape variables first and in order: the compiled function entry_point takes their values in this order.
  for (Dim v : dims_->variables())
    if (!sizes.contains(variable_of(v))) copy->dims().import(v);
  DimImporter import(copy->dims(), sizes);

  std::vector<const Node*> copies(nodes_.size(), nullptr);
  for (const Node* input : inputs_)
    copies[input->id] = copy->add_input(input->as<InputAttributes>().name, input->dtype, import(input->shape));
  const std::vector<bool> live = reached_from(nodes_of(outputs_));
  for (const Node& node : nodes_) {
    if (!live[node.id] || node.op == Op::kInput) continue;
    const Node* made = copies[node.id] = copy_node(node, *copy, import, copies);
    copy->set_node_name(made, node_name(&node));
  }
  for (const GraphOutput& output : outputs_) copy->add_output(output.name, copies[output.node->id]);
  return copy;
}

std::unique_ptr<Graph> Graph::extract(std::span<const GraphOutput> outputs) const {
  const std::vector<bool> wanted = reached_from(nodes_of(outputs));
  auto copy = std::make_unique<Graph>(options_);
  const std::unordered_set<const SymAtom*> used = variables_in(nodes_, wanted);
  for (Dim v : dims_->variables())
    if (used.contains(variable_of(v))) copy->dims().import(v);
  const SymSubstitution none;
  DimImporter import(copy->dims(), none);

  std::vector<const Node*> copies(nodes_.size(), nullptr);
  for (const Node* input : inputs_)
    if (wanted[input->id]) copies[input->id] = copy->add_input(cat("input", copy->inputs().size()), input->dtype, import(input->shape));
  for (const Node& node : nodes_)
    if (wanted[node.id] && node.op != Op::kInput) copies[node.id] = copy_node(node, *copy, import, copies);
  for (const GraphOutput& output : outputs) copy->add_output(output.name, copies[output.node->id]);
  return copy;
}

std::unique_ptr<Graph> Graph::compacted(std::span<const Node* const> kept, std::vector<const Node*>& moved) const {
  std::vector<const Node*> roots = nodes_of(outputs_);
  roots.insert(roots.end(), kept.begin(), kept.end());
  const std::vector<bool> wanted = reached_from(roots);
  auto copy = std::make_unique<Graph>(options_, name_, dims_);
  moved.assign(nodes_.size(), nullptr);
  SameDims same;
  for (const Node& node : nodes_) {
    if (!wanted[node.id]) continue;
    const bool is_input = node.op == Op::kInput;
    moved[node.id] =
        is_input ? copy->add_input(node.as<InputAttributes>().name, node.dtype, node.shape) : copy_node(node, *copy, same, moved);
    copy->set_node_name(moved[node.id], node_name(&node));
  }
  for (const GraphOutput& output : outputs_) copy->add_output(output.name, moved[output.node->id]);
  return copy;
}

}  // namespace harp
