#include "capi/graph_key.h"

#include <cstring>
#include <tuple>
#include <unordered_map>

#include "graph/native.h"

namespace harp::capi {

namespace {

/// Serializes a graph to bytes. The length of every list precedes its elements, so different graphs never give the same bytes. A node is
/// represented by its position among the live nodes, and a constant array by its digest. A symbolic size is represented by its position
/// among the distinct sizes; its text follows at its first occurrence.
class KeyWriter {
 public:
  void add(uint64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void add(std::string_view text) {
    add(text.size());
    bytes_.append(text);
  }
  void add(Dim dim) {
    if (dim.is_constant()) {
      add(0);
      add(static_cast<uint64_t>(dim.constant()));
      return;
    }
    const auto [at, is_new] = dims_.try_emplace(dim, dims_.size() + 1);
    add(at->second);
    if (is_new) add(to_string(dim));
  }
  void add(const Shape& shape) {
    add(shape.size());
    for (const Dim& dim : shape) add(dim);
  }
  template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, uint64_t>) void add(T value) {
    add(static_cast<uint64_t>(static_cast<int64_t>(value)));
  }
  template <class T>
  void add_all(const std::vector<T>& values) {
    add(values.size());
    for (const T& value : values) add(value);
  }

  void operator()(const NoAttributes&) {}
  void operator()(const InputAttributes& attributes) { add(attributes.name); }
  void operator()(const ConstantAttributes& attributes) { add_scalar(attributes.value); }
  void operator()(const ArrayAttributes& attributes) {
    add(attributes.data->size());
    const Digest digest = digest_of(*attributes.data);
    add(digest.high);
    add(digest.low);
  }
  void operator()(const SizeAttributes& attributes) { add(attributes.value); }
  void operator()(const ReduceAttributes& attributes) {
    add_all(attributes.axes);
    add(static_cast<int>(attributes.order));
    add(attributes.product);
  }
  void operator()(const ScanAttributes& attributes) {
    add(attributes.axis);
    add(static_cast<int>(attributes.order));
    add(attributes.reverse);
  }
  void operator()(const PermuteAttributes& attributes) { add_all(attributes.axes); }
  void operator()(const SliceAttributes& attributes) {
    add(attributes.start);
    add_all(attributes.step);
  }
  void operator()(const PadAttributes& attributes) {
    add(attributes.before);
    add(attributes.after);
    add_scalar(attributes.value);
  }
  void operator()(const UnfoldAttributes& attributes) {
    add(attributes.axis);
    add(attributes.size);
    add(attributes.stride);
    add(attributes.dilation);
  }
  void operator()(const ConcatAttributes& attributes) { add(attributes.axis); }
  void operator()(const GatherAttributes& attributes) { add(attributes.axis); }
  void operator()(const SortAttributes& attributes) { add(attributes.descending); }
  void operator()(const CustomAttributes& attributes) {
    add(std::string_view(attributes.text));
    add(attributes.dtypes.size());
    for (const DType dtype : attributes.dtypes) add(static_cast<int>(dtype));
    add(attributes.result);
  }
  void operator()(const NativeAttributes& attributes) {
    has_address_ = true;
    add(std::string_view(attributes.name));
    add(std::string_view(native_signature(attributes)));
    for (const NativeParameter& parameter : attributes.parameters) {
      add(parameter.size);
      add_scalar(parameter.number);
    }
    add(reinterpret_cast<uintptr_t>(attributes.function));
    add(reinterpret_cast<uintptr_t>(attributes.user));
  }
  void operator()(const CheckAttributes& attributes) {
    add(attributes.size);
    add(std::string_view(attributes.what));
    add(std::string_view(attributes.asker));
    add(attributes.optional);
  }

  /// True if the graph has no key, because it calls a native function. Such a function is identified only by its address, which differs
  /// between processes.
  bool is_open() const { return has_address_; }
  Digest digest() const { return digest_of(bytes_); }

 private:
  void add_scalar(const Scalar& scalar) {
    add(static_cast<int>(scalar.dtype));
    add(scalar.bits[0]);
    add(scalar.bits[1]);
  }

  std::string bytes_;
  std::unordered_map<Dim, uint64_t> dims_;
  bool has_address_ = false;
};

void add_settings(KeyWriter& key, const CompileSettings& settings) {
  key.add(settings.backend->name);
  key.add(settings.pipeline.target.name);
  // Machines with the same target name may still differ in some numbers: GPUs in the number of multiprocessors, and CPUs in the measured
  // sizes and speeds. Add all these numbers, because it is not known before scheduling which of them the schedules depend on.
  if (const Gpu* gpu = settings.pipeline.target.gpu(); gpu != nullptr)
    key.add(gpu->processors);
  else
    std::apply([&](const auto&... numbers) { (key.add(numbers), ...); }, measured_numbers(settings.pipeline.target.cpu()));
  key.add(settings.pipeline.plain_text);
  key.add(settings.pipeline.simd_width);
  key.add(settings.pipeline.check_indices);
  key.add(std::string_view(settings.pipeline.schedule_override));
  key.add(settings.pipeline.share_ns);
  key.add(settings.pipeline.chains.bytes);
  key.add(settings.pipeline.chains.rows);
  key.add(settings.uses_tuning);
  key.add(settings.pipeline.disabled_rules.size());
  for (const std::string& rule : settings.pipeline.disabled_rules) key.add(std::string_view(rule));
  key.add(std::string_view(settings.compiler));
  key.add(settings.flags.size());
  for (const std::string& flag : settings.flags) key.add(std::string_view(flag));
  key.add(settings.specialize.size());
  for (const auto& [name, value] : settings.specialize) {
    key.add(std::string_view(name));
    key.add(value);
  }
}

/// Adds everything in the graph that the compiled program depends on.
void add_graph(KeyWriter& key, const Graph& graph) {
  key.add(std::string_view(graph.name()));
  const std::vector<Sym> variables = graph.dims().variables();
  key.add(variables.size());
  for (const Sym& variable : variables) {
    key.add(variable);  // adds the variable's name
    key.add(range(variable).lo);
    key.add(range(variable).hi);
  }
  std::unordered_map<const Node*, uint64_t> positions;
  const auto add_node = [&](const Node* node) {
    if (!positions.try_emplace(node, positions.size()).second) return;
    key.add(static_cast<int>(node->op));
    key.add(static_cast<int>(node->dtype));
    key.add(node->shape);
    key.add(node->sources.size());
    for (const Node* source : node->sources) key.add(positions.at(source));
    std::visit(key, node->attributes);
    key.add(graph.node_name(node));  // The node's name appears in error messages and in comments of the generated source.
  };
  key.add(graph.inputs().size());
  for (const Node* input : graph.inputs()) add_node(input);
  for (const Node* node : graph.live_nodes()) add_node(node);
  for (const GraphOutput& output : graph.outputs()) {
    key.add(std::string_view(output.name));
    key.add(positions.at(output.node));
  }
}

}  // namespace

std::optional<Digest> compile_key(const Graph& graph, const CompileSettings& settings) {
  KeyWriter key;
  add_settings(key, settings);
  add_graph(key, graph);
  return key.is_open() ? std::nullopt : std::optional(key.digest());
}

Digest structure_digest(const Graph& graph) {
  KeyWriter key;
  add_graph(key, graph);
  return key.digest();
}

}  // namespace harp::capi
