// The trace: what a lazy Tensor is made of. A Node is an operation on other nodes, or a leaf: an array, a number, an argument of a function
// that harp.jit traces. Types and operations are interned, so that an operation seen before (the same attributes on the same dtypes and
// shapes) costs a look-up; one that was not is given to harp, which says its result's type or what is wrong with it.
#pragma once

#include <harp.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "counted.h"

struct _object;

namespace harp_python {

/// A dtype and sizes. Sizes are numbers, or handles of symbolic sizes of the graph in symbols.h. Interned: equal types are one object.
struct Type : Counted {
  uint64_t id = 0;
  harp_dtype dtype = 0;
  int32_t rank = 0;
  bool symbolic = false;
  size_t count = 0;  // elements, and bytes; 0 if symbolic
  size_t bytes = 0;
  _object* shape = nullptr;  // Python's tuple, made when it is first asked for
  int64_t dims[HARP_MAX_RANK] = {};
};
void dispose(Type* type);

/// `dims` has `rank` sizes.
Ref<Type> type_of(harp_dtype dtype, int32_t rank, const int64_t* dims);

/// An array in memory, row-major.
struct Array : Counted {
  void* data = nullptr;
  Ref<Type> type;
  _object* owner = nullptr;  // whose memory it is; nullptr: its own
};
void dispose(Array* array);
/// New memory for an array of this type, aligned to 64 bytes.
Ref<Array> new_array(Ref<Type> type);

// Operations of the trace that are no functions of harp.h; those have the numbers from 0 on.
enum Special : int32_t {
  kConstant = -1,  // a number; words: dtype. The value is the node's.
  kSize = -2,      // a symbolic size as an i64; words: the size
  kInput = -3,     // an argument of a traced function
  kResult = -4,    // one of several results; words: which
  kTracer = -5,    // the same values, as something of its own that gradients are taken of
  kGradient = -6,  // sources: y, xs, then what else is passed on, then grad_output; words: xs, passed on, is there a grad_output.
                   // Results: a gradient for each x, then y, then what is passed on
};

using Words = std::vector<int64_t>;

/// What is done, with which attributes, to what types: interned.
struct Operation : Counted {
  uint64_t id = 0;
  int32_t index = 0;  // in the table of harp's operations, or Special
  bool is_view = false;
  bool is_tuple = false;  // several results, though they may be one
  bool is_symbolic = false;  // a symbolic size is among its attributes, or of a result
  Words words;
  std::vector<Ref<Type>> sources;
  std::vector<Ref<Type>> results;
  _object* owner = nullptr;  // keeps a function of the host's, whose address is among the words
};
void dispose(Operation* operation);

struct Node : Counted {
  enum Flags : uint8_t {
    kInputs = 1,     // depends on an argument of a traced function, or on a symbolic size: has no value yet
    kGradients = 2,  // a gradient is among what it depends on
    kWeak = 4,       // a Python number as an argument: takes the dtype of what it meets
  };
  Ref<Operation> operation;  // none: a leaf with a value
  Ref<Type> type;            // none: an operation with several results
  Ref<Array> value;
  uint32_t levels = 0;  // bit d: depends on a tracer of the gradient at depth d, so that what it was made of stays
  uint32_t size = 1;    // nodes below it, or more; an array counts its bytes, too
  uint32_t epoch = 0, index = 0, uses = 0;  // of the walk that saw it last
  uint8_t flags = 0;
  uint32_t n_sources = 0;
  union {
    Node* few[3];
    Node** many;
    uint64_t number[2];  // of a constant: its bits, as double, int64_t or uint64_t; complex: two doubles
  };
  Node() : few{} {}
  bool is_constant() const { return operation && operation->index == kConstant; }
  std::span<Node* const> sources() const { return {n_sources <= 3 ? few : many, n_sources}; }
};
void dispose(Node* node);  // does not recurse, however long the chain

/// Half a GiB of arrays, or this many nodes, are computed even if nobody asks for the result.
constexpr uint32_t kMostNodes = 10'000;
constexpr size_t kBytesPerNode = (size_t{512} << 20) / kMostNodes;

Ref<Node> leaf(Ref<Array> array);
Ref<Node> input(Ref<Type> type, bool weak);
/// A number of rank 0.
Ref<Node> constant(harp_dtype dtype, uint64_t low, uint64_t high = 0);
Ref<Node> size_node(harp_dim dim);
/// The operation on these nodes; `owner`, borrowed, is kept as long as the operation and programs of it are. Several results: a node without a
/// type, see result().
Ref<Node> apply(int32_t index, const Words& words, std::span<Node* const> sources, _object* owner = nullptr);
Ref<Node> result(Node* several, int64_t which);
/// Drops what the node was made of: it has a value now.
void forget_sources(Node* node);

}  // namespace harp_python
