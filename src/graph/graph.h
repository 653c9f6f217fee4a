// Defines the graph: an immutable DAG of array operations. Nodes are interned (nodes with the same op, sources and attributes are one node,
// so common subexpressions are computed once) and owned by their Graph. Node has no subclasses: the op's row in ops.def and the attributes
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

/// One size: an expression over the graph's shape variables. When a program runs, the size of an array is never negative.
using Dim = Sym;
using Shape = std::vector<Dim>;
inline constexpr int kMaxRank = 16;

/// The order in which a reduction combines elements (docs/semantics.md, "Sums"). kChain: one after the other, in blocks of 256. kLanes: the
/// elements are distributed over 64 accumulators, which a tree combines. The constructor of the node chooses the order. No pass changes it,
/// because it decides the bits of the result.
enum class ReduceOrder : uint8_t { kLanes, kChain };
/// The order in which a scan combines elements (docs/semantics.md, "Scans"). kTree: by a tree in each block of 4,096 elements. kChain: one
/// after the other in each block. The constructor of the node chooses the order. No pass changes it, because it decides the bits of the
/// result.
enum class ScanOrder : uint8_t { kTree, kChain };

struct NoAttributes {
  bool operator==(const NoAttributes&) const = default;
};
struct InputAttributes {
  std::string name;  // no two inputs of a graph have the same name
  bool operator==(const InputAttributes&) const = default;
};
struct ConstantAttributes {
  Scalar value;
  bool operator==(const ConstantAttributes&) const = default;
};
struct ArrayAttributes {
  std::shared_ptr<const std::vector<std::byte>> data;  // elements in row-major order; nodes with equal bytes are one node
  bool operator==(const ArrayAttributes& other) const { return data == other.data || *data == *other.data; }
};
struct SizeAttributes {
  Dim value;
  bool operator==(const SizeAttributes&) const = default;
};
struct ReduceAttributes {
  std::vector<int> axes;  // reduced axes of the source, in the order in which they are combined; not empty
  ReduceOrder order;
  /// Set only for Sum: the source is a Mul of floats, and the sum computes acc = fma(a, b, acc) from its factors. The scheduler also sets
  /// it for sums of a Mul of integers, for which the bits are the same either way (schedule/integer_products.h).
  bool product;
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
  /// For each axis: the index of the first element taken. It is inside the axis, unless the result is empty.
  std::vector<Dim> start;
  std::vector<int64_t> step;  // one step per axis, never 0
  bool operator==(const SliceAttributes&) const = default;
};
struct PadAttributes {
  std::vector<Dim> before, after;  // one amount per axis, never negative
  Scalar value;
  bool operator==(const PadAttributes&) const = default;
};
struct UnfoldAttributes {
  /// The axis along which windows are taken. Its size becomes the number of windows; the elements of a window form a new last axis, which
  /// has the size `size`.
  int axis;
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
  // Only for a scatter: the indices are in ascending order along the axis, and all elements of a row of updates have the same index. None
  // is negative, and none exceeds the axis. Set by the scheduler (schedule/sorted_scatters.h), never in a graph of the user.
  bool is_sorted = false;
  bool operator==(const GatherAttributes&) const = default;
};

struct ElementBody;  // body.h
/// A custom function: its text, and the syntax tree that was parsed from it. A function of several results is represented by one node for
/// each of them; these nodes differ only in `result` and in their dtypes.
struct CustomAttributes {
  std::string text;
  std::vector<DType> dtypes;  // the dtypes of all results of the call
  int result;                 // the index of the result that this node represents, 0 to dtypes.size() - 1
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
  NativeFunction function;  // null: unknown, because the node was parsed from text, which contains no addresses
  void* user;               // the value of a kUser parameter
  bool returns_status;      // true: the function returns an i32, and any value except 0 is a failure; false: it returns nothing
  std::vector<NativeParameter> parameters;
  bool operator==(const NativeAttributes&) const = default;
};

/// An index check: each element of the source must be a valid index of an axis with `size` elements. The error message begins with `what`
/// and names `asker`, the array that contains or needs the index ("": the node's source). An optional check is enforced only with the
/// compile option check_indices.
struct CheckAttributes {
  Dim size;
  std::string what, asker;
  bool optional = false;
  bool operator==(const CheckAttributes&) const = default;
};

/// The attributes of all ops. Expand and Reshape have none, because the node's shape defines them; elementwise ops have none either.
using Attributes = std::variant<NoAttributes, InputAttributes, ConstantAttributes, ArrayAttributes, SizeAttributes, ReduceAttributes,
                                ScanAttributes, PermuteAttributes, SliceAttributes, PadAttributes, UnfoldAttributes, ConcatAttributes,
                                GatherAttributes, NativeAttributes, CheckAttributes, CustomAttributes, SortAttributes>;

class Graph;

struct Node {
  Op op;
  DType dtype;
  uint32_t id;  // position in the graph; sources have smaller ids than their users
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

/// True if the node is a sum of products that multiplies the factors itself: floats by fma, integers by a multiply-add.
inline bool sums_products(const Node& node) { return is_reduce(node.op) && node.as<ReduceAttributes>().product; }

/// Returns the number of elements. Throws Error{kOverflow} if it cannot fit 64 bits.
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
  kMixed,     // PyTorch's rules, which define a result for all combinations, including bool, integer and float
};

struct GraphOptions {
  bool broadcast = false;  // NumPy broadcasting of elementwise operands
  Promotion promotion = Promotion::kNone;
};

class Graph {
 public:
  explicit Graph(GraphOptions options = {}, std::string name = "graph");
  /// Makes a graph that shares the table of size expressions of another graph. Optimiser passes build their result in such a graph.
  Graph(GraphOptions options, std::string name, std::shared_ptr<SymTable> dims);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  /// Returns the node with exactly these properties, and makes it if it does not exist. The properties are not checked here; the functions
  /// of build.h check them.
  const Node* intern(Op op, DType dtype, Shape shape, std::vector<const Node*> sources, Attributes attributes = NoAttributes{});
  /// Returns this graph's node that has the op, dtype, shape, sources and attributes of `like`; null if there is none.
  const Node* find(const Node& like) const { return interned_.find(like); }

  /// Returns the inputs in order of declaration. The compiled function entry_point takes its arrays in the same order.
  std::span<const Node* const> inputs() const;
  /// Declares an input. Throws Error{kInvalidArgument} if the name is taken or empty.
  const Node* add_input(std::string_view name, DType dtype, Shape shape);
  std::span<const GraphOutput> outputs() const;
  /// Declares an output. Throws Error{kInvalidArgument} if the name is taken or empty.
  void add_output(std::string_view name, const Node* node);

  /// Removes the nodes and inputs made since the graph had `count` nodes. No output may depend on them.
  void roll_back(size_t count);

  /// Sets the name of a node for messages, printed text and drawings. A node that already has a name keeps it.
  void set_node_name(const Node* node, std::string_view name);
  std::string_view node_name(const Node* node) const;  // "" if the node has no name
  /// Describes the node for a message by its name, op and type: `"h" (add f32[n, 64])`.
  std::string describe(const Node* node) const;

  /// All nodes in id order, so that sources come before their users. Some may be unreachable from every output.
  const std::deque<Node>& nodes() const { return nodes_; }
  /// The nodes that outputs depend on. First come the inputs among them, in the order of declaration. The other nodes follow in depth-first
  /// order: each node comes after its sources, and the sources of a node are visited in order.
  std::vector<const Node*> live_nodes() const;

  SymTable& dims() const { return *dims_; }
  std::shared_ptr<SymTable> shared_dims() const { return dims_; }
  const GraphOptions& options() const { return options_; }
  const std::string& name() const { return name_; }
  void set_name(std::string_view name) { name_ = name; }

  /// Returns a copy that shares nothing with this graph. It contains all inputs, used or not, but no other dead nodes. Every compile starts
  /// with a copy, so that several threads can compile a const Graph.
  std::unique_ptr<Graph> clone() const;
  /// Like clone(), with shape variables replaced by expressions of this graph's table of size expressions. Copying may add expressions to
  /// that table, so no other thread may use this graph at the same time.
  std::unique_ptr<Graph> clone_with(const SymSubstitution& sizes) const;
  /// Returns a graph with only these outputs, the nodes they depend on, and the shape variables of those nodes. Inputs are named input0,
  /// input1 …, in order of declaration; outputs have the names in `outputs`; other nodes have no name. The new graph shares nothing with
  /// this one.
  std::unique_ptr<Graph> extract(std::span<const GraphOutput> outputs) const;
  /// Returns the inputs that these nodes depend on, in order of declaration.
  std::vector<const Node*> inputs_of(std::span<const Node* const> nodes) const;
  /// Returns a graph of the nodes in `kept`, the outputs, and all nodes that these depend on. The new graph shares this graph's table of
  /// size expressions, so the two graphs must not be used at the same time. Sets moved[id] to the new node that corresponds to the old node
  /// with this id, or to null if the node was removed.
  std::unique_ptr<Graph> compacted(std::span<const Node* const> kept, std::vector<const Node*>& moved) const;

 private:
  /// Returns, by node id, whether one of `nodes` depends on that node.
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
