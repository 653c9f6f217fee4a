#include "opt/split_complex.h"

#include <cstring>

#include "base/error.h"

namespace harp::opt {
namespace {

/// The new nodes that replace one node of the old graph: one node for a real node, or two (real and imaginary part) for a complex node.
struct Split {
  const Node* parts[2] = {nullptr, nullptr};  // a real node uses only parts[0]
};

class Splitter {
 public:
  explicit Splitter(const Graph& graph)
      : old_(graph), new_(std::make_unique<Graph>(graph.options(), graph.name(), graph.shared_dims())), splits_(graph.nodes().size()) {}

  std::unique_ptr<Graph> run() {
    for (const Node* input : old_.inputs()) splits_[input->id] = split_input(input);
    for (const Node* node : old_.live_nodes()) {
      if (node->op == Op::kInput) continue;
      splits_[node->id] = split(node);
      if (!is_complex(node->dtype)) new_->set_node_name(splits_[node->id].parts[0], old_.node_name(node));
    }
    for (const GraphOutput& output : old_.outputs()) new_->add_output(output.name, joined(output.node));
    return std::move(new_);
  }

 private:
  Split split_input(const Node* input) {
    const std::string& name = input->as<InputAttributes>().name;
    if (!is_complex(input->dtype)) return {{new_->add_input(name, input->dtype, input->shape), nullptr}};
    const DType dtype = real_dtype(input->dtype);
    return split_floats(new_->add_input(name, dtype, doubled(input->shape)), input->shape);
  }

  /// Returns the shape of a float array that has the same memory layout as a complex array of `shape`.
  static Shape doubled(const Shape& shape) {
    Shape floats = shape.empty() ? Shape{1} : shape;
    floats.back() = floats.back() * Dim(2);
    return floats;
  }

  /// `floats` contains alternating real and imaginary parts of a complex array of `shape`. Returns these as two arrays.
  Split split_floats(const Node* floats, const Shape& shape) {
    Split result;
    for (int part = 0; part < 2; ++part) {
      SliceAttributes every_second{std::vector<Dim>(floats->shape.size(), Dim(0)), std::vector<int64_t>(floats->shape.size(), 1)};
      every_second.start.back() = part;
      every_second.step.back() = 2;
      Shape half = shape.empty() ? Shape{1} : shape;
      const Node* slice = new_->intern(Op::kSlice, floats->dtype, std::move(half), {floats}, std::move(every_second));
      result.parts[part] = shaped(slice, shape);
    }
    return result;
  }

  /// Splits the result of a call of a native function. The function itself still gets each complex array as one array of floats, in the
  /// memory layout of the complex array.
  Split split_native(const Node* node) {
    std::vector<const Node*> sources;
    for (const Node* source : node->sources) sources.push_back(joined(source));
    if (!is_complex(node->dtype))
      return {{new_->intern(node->op, node->dtype, node->shape, std::move(sources), node->attributes), nullptr}};
    const Node* floats = new_->intern(node->op, real_dtype(node->dtype), doubled(node->shape), std::move(sources), node->attributes);
    return split_floats(floats, node->shape);
  }

  const Node* shaped(const Node* x, const Shape& shape) { return x->shape == shape ? x : new_->intern(Op::kReshape, x->dtype, shape, {x}); }

  Split split(const Node* node) {
    switch (node->op) {
      case Op::kReal: return {{source(node, 0, 0), nullptr}};
      case Op::kImag: return {{source(node, 0, 1), nullptr}};
      case Op::kComplex: return {{source(node, 0, 0), source(node, 1, 0)}};
      case Op::kNative: return split_native(node);
      case Op::kStopGradient: return splits_[node->sources[0]->id];
      default: break;
    }
    if (!is_complex(node->dtype)) return {{with_part(*node, 0), nullptr}};
    const Node* re = with_part(*node, 0);
    return {{re, with_part(*node, 1)}};
  }

  /// Returns the node for one part of a source. A source of a real dtype, such as an array of indices, is the same for both parts.
  const Node* source(const Node* node, size_t index, int part) const {
    const Node* source = node->sources[index];
    return splits_[source->id].parts[is_complex(source->dtype) ? part : 0];
  }

  /// Returns the node that computes one part of `node` (0: real, 1: imaginary) from the same part of each source.
  const Node* with_part(const Node& node, int part) {
    std::vector<const Node*> sources;
    sources.reserve(node.sources.size());
    for (size_t i = 0; i < node.sources.size(); ++i) sources.push_back(source(&node, i, part));
    Attributes attributes = node.attributes;
    if (is_complex(node.dtype)) {
      if (auto* constant = std::get_if<ConstantAttributes>(&attributes)) constant->value = part_of(constant->value, part);
      if (auto* pad = std::get_if<PadAttributes>(&attributes)) pad->value = part_of(pad->value, part);
      if (auto* array = std::get_if<ArrayAttributes>(&attributes)) array->data = every_second(*array->data, real_dtype(node.dtype), part);
    }
    return new_->intern(node.op, real_dtype(node.dtype), node.shape, std::move(sources), std::move(attributes));
  }

  static std::shared_ptr<const std::vector<std::byte>> every_second(const std::vector<std::byte>& data, DType dtype, int part) {
    const size_t size = size_of(dtype);
    auto half = std::make_shared<std::vector<std::byte>>(data.size() / 2);
    for (size_t i = 0; i < half->size(); i += size)
      std::memcpy(half->data() + i, data.data() + 2 * i + static_cast<size_t>(part) * size, size);
    return half;
  }

  /// Returns the two parts of a complex node interleaved along a new last axis; for a real node, returns its only part. If the rank is
  /// kMaxRank, the axes are merged first to make room for the new axis; this does not change the memory layout.
  const Node* joined(const Node* node) {
    const Split& split = splits_[node->id];
    if (!is_complex(node->dtype)) return split.parts[0];
    Shape column = node->rank() < kMaxRank ? node->shape : Shape{element_count(node->shape)};
    column.push_back(1);
    Shape both = column;
    both.back() = 2;
    const Node* re = shaped(split.parts[0], column);
    std::vector<const Node*> columns = {re, shaped(split.parts[1], column)};
    const int axis = static_cast<int>(column.size()) - 1;
    return new_->intern(Op::kConcat, re->dtype, std::move(both), std::move(columns), ConcatAttributes{axis});
  }

  const Graph& old_;
  std::unique_ptr<Graph> new_;
  std::vector<Split> splits_;  // splits_[id]: the new nodes that replace the old graph's node with this id
};

}  // namespace

std::unique_ptr<Graph> split_complex(const Graph& graph) { return Splitter(graph).run(); }

}  // namespace harp::opt
