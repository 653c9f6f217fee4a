// The graph: an immutable DAG of array operations. Nodes are interned (nodes with the same op, sources and attributes are one node, so
// common subexpressions are computed once) and owned by their Graph. Node has no subclasses: the op's row in ops.def and the attributes
// define what a node computes. Traversals are iterative, never recursive: a chain may be 100,000 nodes long.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>
#include <vector>

#include "base/symbolic.h"
#include "graph/node_table.h"
#include "ops/ops.h"
#include "ops/scalar.h"

namespace harp {

using Dim = Sym;  // one size: an expression over the graph's shape variables; in a run the size of an array is never negative
using Shape = std::vector<Dim>;
inline constexpr int kMaxRank = 16;

/// The order in which a reduction combines elements (docs/semantics.md, "Sums"). kChain: one after the other, in blocks of 256. kLanes: the
/// elements are distributed over 64 accumulators, which a tree combines. The constructor of the node chooses the order. It decides the bits
/// of the result, so no pass changes it.
enum class ReduceOrder : uint8_t { kLanes, kChain };
/// The order in which a scan combines elements (docs/semantics.md, "Scans"). kTree: by a tree in each block of 4,096. kChain: one after the
/// other in each block. The constructor of the node chooses it; no pass changes it.
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
  std::vector<int> axes;  // axes of the source, in the order of reduction; not empty
  ReduceOrder order;
  bool product;  // Sum only: the source is a Mul of floats that is folded into acc = fma(a, b, acc). The scheduler also marks sums of a Mul
                 // of integers, which have the same bits either way (schedule/integer_products.h).
  bool operator==(const ReduceAttributes&) const = default;
};
struct ScanAttributes {
  int axis;
  ScanOrder order;
  bool reverse;  // scans from the end of the axis to its start
  bool operator==(const ScanAttributes&) const = default;
};
struct PermuteAttributes {
  std::vector<int> axes;  // result axis i is source axis axes[i]
  bool operator==(const PermuteAttributes&) const = default;
};
struct SliceAttributes {
  std::vector<Dim> start;     // per axis: the index of the first element taken; inside the axis, unless the result is empty
  std::vector<int64_t> step;  // per axis, never 0
  bool operator==(const SliceAttributes&) const = default;
};
struct PadAttributes {
  std::vector<Dim> before, after;  // per axis, never negative
  Scalar value;
  bool operator==(const PadAttributes&) const = default;
};
struct UnfoldAttributes {
  int axis;  // its size becomes the number of windows; the result has a new last axis of `size`
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

/// The attributes of a gather or a scatter.
struct GatherAttributes {
  int axis;
  bool operator==(const GatherAttributes&) const = default;
};

struct ElementBody;  // body.h
/// A custom function: its text, and the syntax tree that was parsed from it. A function of several results is a node for each of them;
/// these nodes are equal but for `result` (and their dtypes).
struct CustomAttributes {
  std::string text;
  std::vector<DType> dtypes;  // of all results
  int result;                 // the result that the node is, 0 to dtypes.size() - 1
  std::shared_ptr<const ElementBody> body;
  bool operator==(const CustomAttributes& other) const { return text == other.text && dtypes == other.dtypes && result == other.result; }
};

/// A parameter of a native function.
struct NativeParameter {
  enum Kind : uint8_t { kInput, kOutput, kSize, kNumber, kUser } kind;
  DType dtype = DType::kUnknown;  // dtype of the array's elements, of the size or of the number
  int input = -1;                 // kInput: index of the source
  Dim size = 0;                   // kSize
  Scalar number = {};             // kNumber
  bool operator==(const NativeParameter&) const = default;
};
using NativeFunction = void (*)();  // a function pointer whose type the parameters define
struct NativeAttributes {
  std::string name;
  NativeFunction function;  // null: unknown, because the node was read from a text, which contains no addresses
  void* user;               // the value of a kUser parameter
  bool returns_status;      // true: the function returns an i32, and any value except 0 is a failure; false: it returns nothing
  std::vector<NativeParameter> parameters;
  bool operator==(const NativeAttributes&) const = default;
};

/// An index check. Every index must name an element of an axis of `size`. The error message begins with `what` and names `asker`, the array
/// that contains or needs the index ("": the node's source). An optional check is enforced only with the compile option check_indices.
struct CheckAttributes {
  Dim size;
  std::string what, asker;
  bool optional = false;
  bool operator==(const CheckAttributes&) const = default;
};

/// Nodes such as Permute and Slice have attributes. Expand and Reshape have none, because the shape defines them; elementwise ops have
/// none.
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
  /// Returns the attributes, which must be of type T.
  template <class T>
  const T& as() const {
    const T* attributes_of_kind = std::get_if<T>(&attributes);
    return *attributes_of_kind;
  }
};

/// True if the node is a sum that folds the multiplication of its source: of floats into fma, of integers into a multiply-add.
inline bool sums_products(const Node& node) { return is_reduce(node.op) && node.as<ReduceAttributes>().product; }

/// The number of elements; Error{kOverflow} if it cannot fit 64 bits.
Dim element_count(const Shape& shape);
/// For example "[n, 64]".
std::string to_string(const Shape& shape);
/// For example "f32[n, 64]".
std::string type_of(const Node& node);

struct GraphOutput {
  std::string name;
  const Node* node;
};

/// The rule for operands of different dtypes (docs/semantics.md, "dtypes").
enum class Promotion : uint8_t {
  kNone,      // different dtypes are an error
  kArrayApi,  // the tables of the Array API standard; combinations that they leave undefined are an error
  kMixed,     // PyTorch's rules, which define every combination, also of bool, integers and floats
};

struct GraphOptions {
  bool broadcast = false;  // NumPy broadcasting of elementwise operands
  Promotion promotion = Promotion::kNone;
};

class Graph {
 public:
  explicit Graph(GraphOptions options = {}, std::string name = "graph");
  /// Makes a graph that shares the expressions of another graph's shapes. Optimiser passes build their result in such a graph.
  Graph(GraphOptions options, std::string name, std::shared_ptr<SymTable> dims);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  /// Returns the node with exactly these properties, and makes it if it does not exist. It checks nothing; the functions of build.h check.
  const Node* intern(Op op, DType dtype, Shape shape, std::vector<const Node*> sources, Attributes attributes = NoAttributes{});
  /// Returns this graph's node that has the op, dtype, shape, sources and attributes of `like`; null if there is none.
  const Node* find(const Node& like) const { return interned_.find(like); }

  /// The inputs in order of declaration, which is the order of entry_point's `inputs`.
  std::span<const Node* const> inputs() const;
  /// Declares an input; Error{kInvalidArgument} if the name is taken or empty.
  const Node* add_input(std::string_view name, DType dtype, Shape shape);
  std::span<const GraphOutput> outputs() const;
  /// Declares an output; Error{kInvalidArgument} if the name is taken or empty.
  void add_output(std::string_view name, const Node* node);

  /// Removes the nodes and inputs made since the graph had `count` nodes. No output may depend on them.
  void roll_back(size_t count);

  /// Sets a name for messages, text and pictures. If the node has a name already, that one stays.
  void set_node_name(const Node* node, std::string_view name);
  std::string_view node_name(const Node* node) const;  // "" if it has none
  /// Describes the node for a message by its name, op and type: `"h" (add f32[n, 64])`.
  std::string describe(const Node* node) const;

  /// All nodes, in id order (sources before users). Some may be unreachable from every output.
  const std::deque<Node>& nodes() const { return nodes_; }
  /// The live nodes. First all inputs in the order of declaration, then the other nodes that outputs depend on, in depth-first order: a
  /// node comes after its sources, and these are visited in their order.
  std::vector<const Node*> live_nodes() const;

  SymTable& dims() const { return *dims_; }
  std::shared_ptr<SymTable> shared_dims() const { return dims_; }
  const GraphOptions& options() const { return options_; }
  const std::string& name() const { return name_; }
  void set_name(std::string_view name) { name_ = name; }

  /// Returns a copy that shares nothing with this graph. It has no dead nodes, but has all inputs, used or not. Every compile starts with a
  /// copy, so that several threads can compile a const Graph.
  std::unique_ptr<Graph> clone() const;
  /// Like clone(), with shape variables replaced by expressions of this graph's table. It adds expressions to that table, so no other
  /// thread may use this graph at the same time.
  std::unique_ptr<Graph> clone_with(const SymSubstitution& sizes) const;
  /// Returns a graph with only these outputs, the nodes they depend on, and the shape variables of those nodes. Inputs are named input0,
  /// input1 …, in order of declaration; outputs have the names in `outputs`; other nodes have none. It shares nothing with this graph.
  std::unique_ptr<Graph> extract(std::span<const GraphOutput> outputs) const;
  /// Returns the inputs that these nodes depend on, in order of declaration.
  std::vector<const Node*> inputs_of(std::span<const Node* const> nodes) const;
  /// Returns a graph of the nodes in `kept`, the outputs, and all nodes that these depend on. It shares this graph's table of size
  /// expressions, so the two graphs must not be used at the same time. Sets moved[id] to the new node that corresponds to the old node with
  /// this id, or to null if the node was removed.
  std::unique_ptr<Graph> compacted(std::span<const Node* const> kept, std::vector<const Node*>& moved) const;

 private:
  /// By node id: true if one of `nodes` depends on that node.
  std::vector<bool> reached_from(std::span<const Node* const> nodes) const;

  GraphOptions options_;
  std::string name_;
  std::shared_ptr<SymTable> dims_;
  std::deque<Node> nodes_;
  NodeTable interned_;
  std::vector<const Node*> inputs_;
  std::vector<GraphOutput> outputs_;
  std::unordered_set<std::string> input_names_, output_names_;
  std::vector<std::string> names_;  // indexed by node id; it may be shorter than nodes_
};

}  // namespace harp
