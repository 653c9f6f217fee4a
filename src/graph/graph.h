// The graph: an immutable DAG of array operations. Nodes are interned (same op, sources and attributes = same node, so
// common subexpressions are one node) and owned by their Graph. Nothing here is virtual: the op's row in ops.def and
// its attributes say all there is to say. Traversals are loops, never recursion: a chain may be 100,000 nodes long.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "base/symbolic.h"
#include "ops/ops.h"
#include "ops/scalar.h"

namespace harp {

using Dim = Sym;  // one size, over the graph's shape variables; never negative where an array exists
using Shape = std::vector<Dim>;
inline constexpr int kMaxRank = 16;

/// Order of a reduction (docs/semantics.md, "Sums"): fixed by the constructor that made the node, never changed by a pass.
enum class ReduceOrder : uint8_t { kLanes, kChain };
/// Order of a scan (docs/semantics.md, "Scans"), fixed in the same way.
enum class ScanOrder : uint8_t { kTree, kChain };

struct NoAttributes {
  bool operator==(const NoAttributes&) const = default;
};
struct InputAttributes {
  std::string name;  // unique in the graph
  bool operator==(const InputAttributes&) const = default;
};
struct ConstantAttributes {
  Scalar value;
  bool operator==(const ConstantAttributes&) const = default;
};
struct ArrayAttributes {
  std::shared_ptr<const std::vector<std::byte>> data;  // row-major; interned by content
  bool operator==(const ArrayAttributes& other) const { return data == other.data || *data == *other.data; }
};
struct SizeAttributes {
  Dim value;
  bool operator==(const SizeAttributes&) const = default;
};
struct ReduceAttributes {
  std::vector<int> axes;  // of the source, in the order they are reduced; not empty
  ReduceOrder order;
  bool product;  // Sum only: the source is a Mul of floats that is folded into acc = fma(a, b, acc)
  bool operator==(const ReduceAttributes&) const = default;
};
struct ScanAttributes {
  int axis;
  ScanOrder order;
  bool reverse;  // from the end of the axis to its start
  bool operator==(const ScanAttributes&) const = default;
};
struct PermuteAttributes {
  std::vector<int> axes;  // result axis i is source axis axes[i]
  bool operator==(const PermuteAttributes&) const = default;
};
struct SliceAttributes {
  std::vector<Dim> start;     // one an axis: the first element taken, always inside the axis unless the result is empty
  std::vector<int64_t> step;  // one an axis, never 0
  bool operator==(const SliceAttributes&) const = default;
};
struct PadAttributes {
  std::vector<Dim> before, after;  // one an axis, never negative
  Scalar value;
  bool operator==(const PadAttributes&) const = default;
};
struct UnfoldAttributes {
  int axis;  // becomes the number of windows; a last axis of `size` is added
  Dim size;
  int64_t stride, dilation;  // both >= 1
  bool operator==(const UnfoldAttributes&) const = default;
};
struct SortAttributes {
  bool descending;
  bool operator==(const SortAttributes&) const = default;
};
struct ConcatAttributes {
  int axis;
  bool operator==(const ConcatAttributes&) const = default;
};

/// Of a scatter, too.
struct GatherAttributes {
  int axis;
  bool operator==(const GatherAttributes&) const = default;
};

struct ElementBody;  // body.h
/// What a custom function computes: the text, and what it was understood as.
struct CustomAttributes {
  std::string text;
  std::shared_ptr<const ElementBody> body;
  bool operator==(const CustomAttributes& other) const { return text == other.text; }
};

/// What a native function is called with, in order.
struct NativeParameter {
  enum Kind : uint8_t { kInput, kOutput, kSize, kNumber, kUser } kind;
  DType dtype = DType::kUnknown;  // of the array's elements, of the size or number
  int input = -1;                 // kInput: which source
  Dim size = 0;                   // kSize
  Scalar number = {};             // kNumber
  bool operator==(const NativeParameter&) const = default;
};
using NativeFunction = void (*)();  // of any type
struct NativeAttributes {
  std::string name;
  NativeFunction function;  // null: the node was read from a text, which carries no address
  void* user;               // what kUser stands for
  bool returns_status;      // an i32, where anything but 0 is a failure; else nothing
  std::vector<NativeParameter> parameters;
  bool operator==(const NativeAttributes&) const = default;
};

/// The axis that integers have to name elements of: how many it has, the words a message about one that does not begins with, and those
/// for whose element asks ("": the node's source). An optional check is one only where the compile option check_indices is set.
struct CheckAttributes {
  Dim size;
  std::string what, asker;
  bool optional = false;
  bool operator==(const CheckAttributes&) const = default;
};

/// Permute, Slice … carry theirs; Expand and Reshape need none (the shape says it); elementwise ops none.
using Attributes = std::variant<NoAttributes, InputAttributes, ConstantAttributes, ArrayAttributes, SizeAttributes, ReduceAttributes,
                                ScanAttributes, PermuteAttributes, SliceAttributes, PadAttributes, UnfoldAttributes, ConcatAttributes,
                                GatherAttributes, NativeAttributes, CheckAttributes, CustomAttributes, SortAttributes>;

class Graph;

struct Node {
  Op op;
  DType dtype;
  uint32_t id;  // position in the graph: sources have smaller ids
  const Graph* graph;
  Shape shape;
  std::vector<const Node*> sources;
  Attributes attributes;

  int rank() const { return static_cast<int>(shape.size()); }
  /// The attributes, which must be of this kind.
  template <class T>
  const T& as() const {
    const T* attributes_of_kind = std::get_if<T>(&attributes);
    return *attributes_of_kind;
  }
};

/// Is it a sum that folds the product it is of?
inline bool sums_products(const Node& node) { return is_reduce(node.op) && node.as<ReduceAttributes>().product; }

/// Number of elements; Error{kOverflow} if it cannot fit.
Dim element_count(const Shape& shape);
/// "[n, 64]"
std::string to_string(const Shape& shape);
/// "f32[n, 64]"
std::string type_of(const Node& node);

struct GraphOutput {
  std::string name;
  const Node* node;
};

/// What operands of different dtypes become (docs/semantics.md, "dtypes").
enum class Promotion : uint8_t {
  kNone,      // they are an error
  kArrayApi,  // the dtype of the Array API standard's tables, and an error where these leave it open
  kMixed,     // PyTorch's, which leaves nothing open: bool, integers and floats among each other, too
};

struct GraphOptions {
  bool broadcast = false;  // NumPy broadcasting of elementwise operands
  Promotion promotion = Promotion::kNone;
};

class Graph {
 public:
  explicit Graph(GraphOptions options = {}, std::string name = "graph");
  /// A graph whose shapes use the expressions of another one: what an optimiser pass builds its result in.
  Graph(GraphOptions options, std::string name, std::shared_ptr<SymTable> dims);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  /// The node with exactly these properties, made if it is new. Checks nothing: build.h's functions do.
  const Node* intern(Op op, DType dtype, Shape shape, std::vector<const Node*> sources, Attributes attributes = NoAttributes{});

  /// Inputs in order of declaration: they are `inputs[i]` of entry_point.
  std::span<const Node* const> inputs() const;
  /// Declares an input; Error{kInvalidArgument} if the name is taken or empty.
  const Node* add_input(std::string_view name, DType dtype, Shape shape);
  std::span<const GraphOutput> outputs() const;
  /// Declares an output; Error{kInvalidArgument} if the name is taken or empty.
  void add_output(std::string_view name, const Node* node);

  /// Forgets the nodes and inputs made since the graph held `count` nodes. No output may depend on them.
  void roll_back(size_t count);

  /// A name for messages, text and pictures; the first one stays.
  void set_node_name(const Node* node, std::string_view name);
  std::string_view node_name(const Node* node) const;  // "" if it has none
  /// The node in a message: `"h" (add f32[n, 64])`.
  std::string describe(const Node* node) const;

  /// Nodes ever made, in id order (sources before users); some may not be reachable from an output.
  const std::deque<Node>& nodes() const { return nodes_; }
  /// The nodes that outputs depend on, sources first, in id order.
  std::vector<const Node*> live_nodes() const;

  SymTable& dims() const { return *dims_; }
  std::shared_ptr<SymTable> shared_dims() const { return dims_; }
  const GraphOptions& options() const { return options_; }
  const std::string& name() const { return name_; }
  void set_name(std::string_view name) { name_ = name; }

  /// A copy that shares nothing with this graph, dead nodes left out; inputs stay, used or not. Every compile starts with
  /// one, so that a const Graph can be compiled by several threads.
  std::unique_ptr<Graph> clone() const;
  /// The same with sizes replaced by others of this graph's table, which gets new expressions: nobody else may be using the graph.
  std::unique_ptr<Graph> clone_with(const SymSubstitution& sizes) const;
  /// A graph of nothing but these nodes as outputs, what they depend on, and the shape variables that occurs in: inputs are called input0,
  /// input1 …, in the order of their declaration, outputs as `outputs` says. Other nodes have no names. It shares nothing with this graph.
  std::unique_ptr<Graph> extract(std::span<const GraphOutput> outputs) const;
  /// The inputs that these nodes depend on, in the order of their declaration.
  std::vector<const Node*> inputs_of(std::span<const Node* const> nodes) const;
  /// A graph with the same expressions of sizes (this one must not be used beside it), of what these nodes and the outputs depend on.
  /// `moved` gets the new node of each old one, by its id; null: it is gone.
  std::unique_ptr<Graph> compacted(std::span<const Node* const> kept, std::vector<const Node*>& moved) const;

 private:
  /// For every node, by its id: do these depend on it?
  std::vector<bool> reached_from(std::span<const Node* const> nodes) const;

  struct NodeHash {
    size_t operator()(const Node* node) const;
  };
  struct NodeEqual {
    bool operator()(const Node* a, const Node* b) const;
  };

  GraphOptions options_;
  std::string name_;
  std::shared_ptr<SymTable> dims_;
  std::deque<Node> nodes_;
  std::unordered_set<const Node*, NodeHash, NodeEqual> interned_;
  std::vector<const Node*> inputs_;
  std::vector<GraphOutput> outputs_;
  std::unordered_set<std::string> input_names_, output_names_;
  std::unordered_map<const Node*, std::string> names_;
};

}  // namespace harp
