// The arena of nodes and its interning table, inputs, outputs, names, and copies. No rule about ops is here: see build.cpp.
#include "graph/graph.h"

#include <algorithm>

#include "base/error.h"
#include "base/table_limit.h"
#include "graph/check.h"

namespace harp {
namespace {

void mix(size_t& hash, size_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 29;
}
template <class Range>
void mix_all(size_t& hash, const Range& values) {
  for (const auto& value : values) mix(hash, std::hash<std::decay_t<decltype(value)>>()(value));
  mix(hash, std::size(values));
}
void mix(size_t& hash, const Scalar& value) {
  mix(hash, static_cast<size_t>(value.dtype));
  mix(hash, value.bits[0]);
  mix(hash, value.bits[1]);
}

struct AttributesHash {
  size_t& hash;
  void operator()(const NoAttributes&) const {}
  void operator()(const InputAttributes& a) const { mix(hash, std::hash<std::string>()(a.name)); }
  void operator()(const ConstantAttributes& a) const { mix(hash, a.value); }
  void operator()(const ArrayAttributes& a) const {
    // A prefix is enough to tell most arrays apart; equality looks at every byte.
    const std::string_view bytes(reinterpret_cast<const char*>(a.data->data()), std::min<size_t>(a.data->size(), 65536));
    mix(hash, std::hash<std::string_view>()(bytes));
    mix(hash, a.data->size());
  }
  void operator()(const SizeAttributes& a) const { mix(hash, a.value.hash()); }
  void operator()(const ReduceAttributes& a) const {
    mix_all(hash, a.axes);
    mix(hash, static_cast<size_t>(a.order) * 2 + a.product);
  }
  void operator()(const ScanAttributes& a) const {
    mix(hash, static_cast<size_t>(a.axis));
    mix(hash, static_cast<size_t>(a.order) * 2 + a.reverse);
  }
  void operator()(const PermuteAttributes& a) const { mix_all(hash, a.axes); }
  void operator()(const SliceAttributes& a) const {
    mix_all(hash, a.start);
    mix_all(hash, a.step);
  }
  void operator()(const PadAttributes& a) const {
    mix_all(hash, a.before);
    mix_all(hash, a.after);
    mix(hash, a.value);
  }
  void operator()(const UnfoldAttributes& a) const {
    mix(hash, static_cast<size_t>(a.axis));
    mix(hash, a.size.hash());
    mix(hash, static_cast<size_t>(a.stride));
    mix(hash, static_cast<size_t>(a.dilation));
  }
  void operator()(const ConcatAttributes& a) const { mix(hash, static_cast<size_t>(a.axis)); }
  void operator()(const GatherAttributes& a) const { mix(hash, static_cast<size_t>(a.axis)); }
  void operator()(const SortAttributes& a) const { mix(hash, a.descending); }
  void operator()(const CustomAttributes& a) const { mix(hash, std::hash<std::string>()(a.text)); }
  void operator()(const NativeAttributes& a) const {
    mix(hash, std::hash<std::string>()(a.name));
    mix(hash, std::hash<NativeFunction>()(a.function));
    for (const NativeParameter& parameter : a.parameters) mix(hash, parameter.size.hash());
  }
  void operator()(const CheckAttributes& a) const {
    mix(hash, a.size.hash());
    mix(hash, std::hash<std::string>()(a.what));
  }
};

}  // namespace

Dim element_count(const Shape& shape) {
  // A zero-length axis makes the count 0 whatever the others are, even where their product would not fit.
  if (std::any_of(shape.begin(), shape.end(), [](Dim d) { return d.is_constant(0); })) return 0;
  return product(shape);
}

std::string to_string(const Shape& shape) {
  return cat("[", join(shape, ", ", [](Dim d) { return to_string(d); }), "]");
}

std::string type_of(const Node& node) { return cat(name(node.dtype), to_string(node.shape)); }

size_t Graph::NodeHash::operator()(const Node* node) const {
  size_t hash = static_cast<size_t>(node->op) * 64 + static_cast<size_t>(node->dtype);
  mix_all(hash, node->shape);
  for (const Node* source : node->sources) mix(hash, source->id);
  mix(hash, node->sources.size());
  std::visit(AttributesHash{hash}, node->attributes);
  return hash;
}

bool Graph::NodeEqual::operator()(const Node* a, const Node* b) const {
  return a->op == b->op && a->dtype == b->dtype && a->sources == b->sources && a->shape == b->shape && a->attributes == b->attributes;
}

Graph::Graph(GraphOptions options, std::string name) : Graph(options, std::move(name), std::make_shared<SymTable>()) {}
Graph::Graph(GraphOptions options, std::string name, std::shared_ptr<SymTable> dims)
    : options_(options), name_(std::move(name)), dims_(std::move(dims)) {}
Graph::~Graph() = default;

const Node* Graph::intern(Op op, DType dtype, Shape shape, std::vector<const Node*> sources, Attributes attributes) {
  HARP_CHECK(nodes_.size() < UINT32_MAX, Code::kOverflow, "a graph holds at most ", UINT32_MAX, " nodes");
  nodes_.push_back(
      Node{op, dtype, static_cast<uint32_t>(nodes_.size()), this, std::move(shape), std::move(sources), std::move(attributes)});
  const auto [found, is_new] = interned_.insert(&nodes_.back());
  if (!is_new) nodes_.pop_back();
  check_time(*dims_);
  return *found;
}

std::span<const Node* const> Graph::inputs() const { return inputs_; }
std::span<const GraphOutput> Graph::outputs() const { return outputs_; }

namespace {

void check_new_name(std::string_view kind, std::string_view name, const std::unordered_set<std::string>& taken) {
  HARP_CHECK(!name.empty(), Code::kInvalidArgument, kind, ": the name is empty");
  HARP_CHECK(!taken.contains(std::string(name)), Code::kInvalidArgument, kind, ": the graph has an ", kind, " called \"", name,
             "\" already");
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
             " is not known; give the number one, or cast it");
  outputs_.push_back({std::string(name), node});
  output_names_.emplace(name);
}

void Graph::set_node_name(const Node* node, std::string_view name) {
  HARP_CHECK(node != nullptr && node->graph == this, Code::kInvalidArgument, "name \"", name, "\": the node belongs to another graph");
  if (!name.empty()) names_.try_emplace(node, name);
}

std::string_view Graph::node_name(const Node* node) const {
  const auto found = names_.find(node);
  return found == names_.end() ? std::string_view() : std::string_view(found->second);
}

std::string Graph::describe(const Node* node) const {
  const std::string_view own = node_name(node);
  const auto* native = std::get_if<NativeAttributes>(&node->attributes);
  return cat(own.empty() ? cat("node ", node->id) : cat("\"", own, "\""), " (", harp::name(node->op), " ",
             native != nullptr ? cat("\"", native->name, "\" ") : std::string(), type_of(*node), ")");
}

std::vector<const Node*> Graph::live_nodes() const {
  std::vector<bool> live(nodes_.size(), false);
  for (const GraphOutput& output : outputs_) live[output.node->id] = true;
  std::vector<const Node*> result;
  // Sources have smaller ids, so one walk backwards reaches everything.
  for (size_t id = nodes_.size(); id-- > 0;) {
    if (!live[id]) continue;
    const Node& node = nodes_[id];
    result.push_back(&node);
    for (const Node* source : node.sources) live[source->id] = true;
  }
  std::reverse(result.begin(), result.end());
  return result;
}

namespace {

/// Copies expressions into another table, each once, after replacing variables in them.
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
    if (auto* size = std::get_if<SizeAttributes>(&result)) size->value = (*this)(size->value);
    if (auto* slice = std::get_if<SliceAttributes>(&result)) slice->start = (*this)(slice->start);
    if (auto* unfold = std::get_if<UnfoldAttributes>(&result)) unfold->size = (*this)(unfold->size);
    if (auto* check = std::get_if<CheckAttributes>(&result)) check->size = (*this)(check->size);
    if (auto* pad = std::get_if<PadAttributes>(&result)) pad->before = (*this)(pad->before), pad->after = (*this)(pad->after);
    if (auto* native = std::get_if<NativeAttributes>(&result))
      for (NativeParameter& parameter : native->parameters) parameter.size = (*this)(parameter.size);
    return result;
  }

 private:
  SymTable& to_;
  const SymSubstitution& replacements_;
  std::unordered_map<Dim, Dim> done_;
};

}  // namespace

std::unique_ptr<Graph> Graph::clone() const { return clone_with({}); }

std::unique_ptr<Graph> Graph::clone_with(const SymSubstitution& sizes) const {
  auto copy = std::make_unique<Graph>(options_, name_);
  // Shape variables first and in order: their order is the order of entry_point's shape_vars.
  for (Dim v : dims_->variables())
    if (!sizes.contains(variable_of(v))) copy->dims().import(v);
  DimImporter import(copy->dims(), sizes);

  std::vector<const Node*> map(nodes_.size(), nullptr);
  for (const Node* input : inputs_) map[input->id] = copy->add_input(input->as<InputAttributes>().name, input->dtype, import(input->shape));
  for (const Node* node : live_nodes()) {
    if (node->op == Op::kInput) continue;
    std::vector<const Node*> sources;
    sources.reserve(node->sources.size());
    for (const Node* source : node->sources) sources.push_back(map[source->id]);
    const Node* made = copy->intern(node->op, node->dtype, import(node->shape), std::move(sources), import(node->attributes));
    map[node->id] = made;
    copy->set_node_name(made, node_name(node));
  }
  for (const GraphOutput& output : outputs_) copy->add_output(output.name, map[output.node->id]);
  return copy;
}

}  // namespace harp
