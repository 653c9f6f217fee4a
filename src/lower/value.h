// Pull lowering: the value of a node at an index, as an expression. Movement ops only rewrite the index, so every elementwise
// op, view, pad and concat between a store and the buffers below it is fused by asking for the stored value.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "ir/ir.h"
#include "schedule/program.h"

namespace harp::lower {

using Index = std::vector<Sym>;  // one position an axis of the node

class ValueBuilder {
 public:
  ValueBuilder(ir::Arena& arena, const Program& program, const KernelPlan& plan, ir::Kernel& kernel);

  /// The node's element at `index`; loads happen only where `mask` (null: everywhere) is true.
  const ir::UOp* value(const Node* node, const Index& index, const ir::UOp* mask = nullptr);
  /// Says what a reduction or scan of this kernel is worth at the kernel's kept index or position (size-1 axes aside), from now on.
  void bind(const Node* node, const ir::UOp* value) {
    bound_[node] = value;
    values_.clear();
  }
  /// Says where the node's elements are found from now on: in an accumulator, at a position made from their index.
  using PositionOf = std::function<Sym(const Index&)>;
  void bind(const Node* node, int accumulator, PositionOf position_of) {
    kept_[node] = {accumulator, std::move(position_of)};
    values_.clear();
  }

  /// The node's elements are no longer found there.
  void release(const Node* node) {
    kept_.erase(node);
    values_.clear();
  }

  /// Number of the parameter through which the kernel reads or writes a buffer of the program, from `offset` elements on; added at
  /// first use.
  int parameter(int buffer, bool written, Sym offset = 0);
  /// Where element `index` of an array of this shape lies in a buffer of the program.
  Sym position_in(int buffer, Index index, const Shape& shape) const;
  /// What the parameters are called with.
  struct Argument {
    int buffer;
    Sym offset;  // elements
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
  const ir::UOp* both(const ir::UOp* a, const ir::UOp* b);  // conjunction; null is true

  ir::Arena& arena_;
  const Program& program_;
  const KernelPlan& plan_;
  ir::Kernel& kernel_;
  std::unordered_map<Key, const ir::UOp*, KeyHash> values_;
  std::unordered_map<const Node*, const ir::UOp*> bound_;
  std::unordered_map<const Node*, std::pair<int, PositionOf>> kept_;
  std::vector<Argument> arguments_;
};

/// The element of a custom function at `index`. Its loops and checks go to `statements`, with accumulators of the kernel; null where it is
/// an expression. (custom.cpp)
const ir::UOp* custom_value(ValueBuilder& values, ir::Kernel& kernel, const Node& node, const Index& index, const ir::UOp* mask,
                            std::vector<ir::Stmt*>* statements);

/// Row-major position of `index` in an array of this shape.
Sym flatten(const Index& index, const Shape& shape);
/// The inverse: the index whose row-major position is `position`.
Index unflatten(Sym position, const Shape& shape);
/// Where the element of a Reshape at `index` comes from; axes that stay are passed through without a division.
Index reshape_index(const Index& index, const Shape& to, const Shape& from);

}  // namespace harp::lower
