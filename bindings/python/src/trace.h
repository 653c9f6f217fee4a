// Defines the trace: the graph behind lazy Tensors. A Node is an operation on other nodes, or a leaf: an array, a number, an argument of a
// function that harp.jit traces. Types and operations are interned, so that an operation seen before (the same attributes on the same
// dtypes and shapes) costs a look-up; a new operation is passed to harp, which infers the type of its result or reports an error.
#pragma once

#include <harp.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "counted.h"

struct _object;

namespace harp_python {

/// A dtype and sizes. Sizes are numbers, or handles of symbolic sizes of the graph in context.h. Interned: equal types are one object.
struct Type : Counted {
  uint64_t id = 0;
  harp_dtype dtype = 0;
  int32_t rank = 0;
  bool symbolic = false;
  size_t count = 0;  // count, bytes: number of elements and of bytes; 0 if a size is symbolic
  size_t bytes = 0;
  _object* shape = nullptr;  // the sizes as a Python tuple, made on first use
  int64_t dims[HARP_MAX_RANK] = {};
};
void dispose(Type* type);

/// `dims` has `rank` sizes.
Ref<Type> type_of(harp_dtype dtype, int32_t rank, const int64_t* dims);

/// An array in memory, row-major.
struct Array : Counted {
  void* data = nullptr;
  Ref<Type> type;
  _object* owner = nullptr;  // the Python object that owns the memory; nullptr: `data` was allocated by new_array()
};
void dispose(Array* array);
/// Allocates memory for an array of this type, aligned to 64 bytes.
Ref<Array> new_array(Ref<Type> type);

// Operations of the trace that are not functions of harp.h. (Those have numbers from 0, see operations.h.) "words" are their attributes.
enum Special : int32_t {
  kConstant = -1,  // a number; words: dtype. The value is in Node::number.
  kSize = -2,      // a symbolic size as an i64; words: the size
  kInput = -3,     // an argument of a traced function
  // one of the results of an operation with several results, which is the source; words: the index of the result, and the id of the
  // operation
  kResult = -4,
  kTracer = -5,    // has the values of its source, but is a separate node with respect to which gradients are computed
  kGradient = -6,  // sources: y, the xs, tensors that are passed through, grad_output; words: number of xs, number passed through, whether
                   // there is grad_output. Results: a gradient for each x, then y, then the tensors that are passed through
};

/// The attributes of an operation, each encoded in one or more 64-bit words (arguments.cpp writes them, build.cpp reads them).
using Words = std::vector<int64_t>;

/// An operation with its attributes, for sources of certain types; interned.
struct Operation : Counted {
  uint64_t id = 0;
  int32_t index = 0;  // index in the table of harp's operations, or a Special
  bool is_view = false;
  bool is_tuple = false;     // true: the Python function returns a tuple of results, even if there is only one
  bool is_symbolic = false;  // true: an attribute, or a size of a result, is symbolic
  Words words;
  std::vector<Ref<Type>> sources;
  std::vector<Ref<Type>> results;
  _object* owner = nullptr;  // a Python object to keep alive: the host function whose address is among the words
};
void dispose(Operation* operation);

struct Node : Counted {
  enum Flags : uint8_t {
    kInputs = 1,     // depends on an argument of a traced function, or on a symbolic size, so its value cannot be computed yet
    kGradients = 2,  // its value depends on a gradient
    kWeak = 4,  // is a Python number that is an argument of a traced function: it takes the dtype of the operands with which it is combined
    kTaken = 8,  // is the cast of a weak node to the dtype of the other operands
  };
  Ref<Operation> operation;  // null: a leaf with a value
  Ref<Type> type;            // null: an operation with several results
  Ref<Array> value;
  // bit d: the node depends on a tracer (a variable) of the gradient at depth d. A node with a set bit keeps its sources even if it has a
  // value.
  uint32_t levels = 0;
  // upper bound of 1 + the number of pending nodes on which this node depends; an array counts as one more node for each kBytesPerNode
  // bytes
  uint32_t size = 1;
  // epoch: the number of the last walk (walk.h) that visited the node. index: the node's position in that walk. uses: the number of its
  // uses there.
  uint32_t epoch = 0, index = 0, uses = 0;
  uint8_t flags = 0;
  uint32_t n_sources = 0;
  union {
    Node* few[3];
    Node** many;
    uint64_t number[2];  // the bits of a constant: a double, int64_t or uint64_t; complex: two doubles
  };
  Node() : few{} {}
  bool is_constant() const { return operation && operation->index == kConstant; }
  std::span<Node* const> sources() const { return {n_sources <= 3 ? few : many, n_sources}; }
};
void dispose(Node* node);  // Frees the node, and without recursion all sources that only this node used.

/// Maximum number of pending nodes on which a node may depend. If there are more, or if they keep half a GiB of arrays alive, the node is
/// computed although nothing reads it yet.
constexpr uint32_t kMostNodes = 10'000;
constexpr size_t kBytesPerNode = (size_t{512} << 20) / kMostNodes;

Ref<Node> leaf(Ref<Array> array);
Ref<Node> input(Ref<Type> type, bool weak);
/// A number of rank 0.
Ref<Node> constant(harp_dtype dtype, uint64_t low, uint64_t high = 0);
Ref<Node> size_node(harp_dim dim);
/// Returns a node for the operation applied to these nodes. `owner` is a borrowed reference; the operation and the programs that contain it
/// keep the object alive. An operation with several results gives a node without a type; result() returns the node of one of its results.
Ref<Node> apply(int32_t index, const Words& words, std::span<Node* const> sources, _object* owner = nullptr);
Ref<Node> result(Node* several, int64_t which);
/// Drops the sources of a node that has a value now.
void forget_sources(Node* node);

}  // namespace harp_python
