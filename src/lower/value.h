// Pull lowering: expresses the value of a node at an index by the values of its sources. Movement ops only rewrite the index. The value of
// a stored node is therefore one expression, in which every elementwise op, view, pad and concat between the store and the buffers that it
// reads is fused.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "ir/ir.h"
#include "schedule/program.h"

namespace harp::lower {

using Index = std::vector<Sym>;  // one position for each axis of the node

class ValueBuilder {
 public:
  ValueBuilder(ir::Arena& arena, const Program& program, const KernelPlan& plan, ir::Kernel& kernel);

  /// Returns the node's element at `index`. Loads happen only where `mask` is true (null: everywhere).
  const ir::UOp* value(const Node* node, const Index& index, const ir::UOp* mask = nullptr);
  /// Makes later calls of value() return `value` for this node, a reduction or scan of this kernel, as long as the kernel's loops are at
  /// the same kept index (of a reduction) or position (of a scan). Callers bind a new value when they move on.
  void bind(const Node* node, const ir::UOp* value) {
    bound_[node] = value;
    values_.clear();
  }
  /// Makes later calls of value() read the node's elements from an accumulator, at a position computed from their index.
  using PositionOf = std::function<Sym(const Index&)>;
  void bind(const Node* node, int accumulator, PositionOf position_of) {
    kept_[node] = {accumulator, std::move(position_of)};
    values_.clear();
  }

  /// Undoes bind(): later calls of value() compute or load the node again.
  void release(const Node* node) {
    kept_.erase(node);
    values_.clear();
  }

  /// Returns the number of the parameter through which the kernel accesses a buffer of the program; the parameter points to element
  /// `offset` of the buffer. Adds the parameter on first use.
  int parameter(int buffer, bool written, Sym offset = 0);
  /// Returns the position of element `index` of an array of this shape in a buffer of the program.
  Sym position_in(int buffer, Index index, const Shape& shape) const;
  /// The array that a launch passes for a parameter of the kernel.
  struct Argument {
    int buffer;
    Sym offset;  // offset of the first element that the parameter points to, in elements
  };
  const std::vector<Argument>& arguments() const { return arguments_; }

  ir::Arena& arena() { return arena_; }
  const Program& program() const { return program_; }

 private:
  struct Key {
    const Node* node;
    Index index;
    const ir::UOp* mask;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };

  const ir::UOp* build(const Node* node, const Index& index, const ir::UOp* mask);
  const ir::UOp* elementwise(const Node* node, const Index& index, const ir::UOp* mask);
  const ir::UOp* pad(const Node* node, const Index& index, const ir::UOp* mask);
  const ir::UOp* concat(const Node* node, const Index& index, const ir::UOp* mask);
  const Node* below_slices(const Node* node, Index& index) const;
  const ir::UOp* gather(const Node* node, const Index& index, const ir::UOp* mask);
  const ir::UOp* check_index(const Node* node, const Index& index, const ir::UOp* mask);
  const ir::UOp* load(const Node* node, const Index& index, const ir::UOp* mask);
  const ir::UOp* both(const ir::UOp* a, const ir::UOp* b);  // Returns the conjunction of two conditions; null stands for true.

  ir::Arena& arena_;
  const Program& program_;
  const KernelPlan& plan_;
  ir::Kernel& kernel_;
  std::unordered_map<Key, const ir::UOp*, KeyHash> values_;
  std::unordered_map<const Node*, const ir::UOp*> bound_;
  std::unordered_map<const Node*, std::pair<int, PositionOf>> kept_;
  std::vector<Argument> arguments_;
};

/// Returns the element of a custom function at `index`. Appends the loops and index checks that it needs to `statements`, and their
/// accumulators to the kernel. `statements` is null if the function is a mere expression. (custom.cpp)
const ir::UOp* custom_value(ValueBuilder& values, ir::Kernel& kernel, const Node& node, const Index& index, const ir::UOp* mask,
                            std::vector<ir::Stmt*>* statements);

/// Row-major position of `index` in an array of this shape.
Sym flatten(const Index& index, const Shape& shape);
/// The inverse of flatten(): returns the index whose row-major position is `position`.
Index unflatten(Sym position, const Shape& shape);
/// Returns the source index of the Reshape element at `index`. Axes that stay the same need no division.
Index reshape_index(const Index& index, const Shape& to, const Shape& from);

}  // namespace harp::lower
