// Makes the expression of one element of a node, recursively from expressions of elements of its sources. Ops that only move elements, such
// as reshape and permute, change only the index. The value of a stored node is therefore one expression, into which all elementwise ops,
// views, pads and concats between the loaded buffers and the store are fused.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/ir.h"
#include "schedule/program.h"

namespace harp::lower {

using Index = std::vector<Sym>;  // one entry for each axis of the node

class ValueBuilder {
 public:
  ValueBuilder(ir::Arena& arena, const Program& program, const KernelPlan& plan, ir::Kernel& kernel);

  /// Returns the element of the node at `index`. If there is a mask, the expression loads from memory only where the mask is true, and its
  /// value is unspecified elsewhere.
  const ir::UOp* value(const Node* node, const Index& index, const ir::UOp* mask = nullptr);
  /// Makes later calls of value() return `value` for this node (a reduction, scan or custom function of this kernel), whatever the index
  /// is. The caller must bind another value before it makes code for another position of the kernel's loops.
  void bind(const Node* node, const ir::UOp* value) {
    bound_[node] = value;
    values_.clear();
  }
  /// Makes later calls of value() read the elements of this node from an accumulator. position_of(index) returns the element of the
  /// accumulator, or nothing if the accumulator may not have it; the node is then computed or loaded as without bind().
  using PositionOf = std::function<std::optional<Sym>(const Index&)>;
  void bind(const Node* node, int accumulator, PositionOf position_of) {
    kept_[node] = {accumulator, std::move(position_of)};
    values_.clear();
  }

  /// Undoes bind() of an accumulator: later calls of value() compute or load the node again.
  void release(const Node* node) {
    kept_.erase(node);
    values_.clear();
  }

  /// Returns the index of the parameter by which the kernel accesses `buffer`, a buffer of the program; the parameter points to element
  /// `offset` of the buffer. Adds the parameter on the first call.
  int parameter(int buffer, bool written, Sym offset = 0);
  /// Returns the position in `buffer`, a buffer of the program, of element `index` of an array of this shape.
  Sym position_in(int buffer, Index index, const Shape& shape) const;
  /// The memory that a launch passes for a parameter of the kernel: a buffer of the program, from element `offset` on.
  struct Argument {
    int buffer;
    Sym offset;  // in elements from the start of the buffer
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
  const ir::UOp* both(const ir::UOp* a, const ir::UOp* b);  // Returns the conjunction of two masks; a null mask stands for true.

  ir::Arena& arena_;
  const Program& program_;
  const KernelPlan& plan_;
  ir::Kernel& kernel_;
  std::unordered_map<Key, const ir::UOp*, KeyHash> values_;
  std::unordered_map<const Node*, const ir::UOp*> bound_;
  std::unordered_map<const Node*, std::pair<int, PositionOf>> kept_;
  std::vector<Argument> arguments_;
};

/// Returns the element of a custom function at `index`. Appends the loops and index checks that are needed to compute the element to
/// `statements`, and adds their accumulators to the kernel. `statements` may be null if the function needs neither loops nor checks.
/// (custom.cpp)
const ir::UOp* custom_value(ValueBuilder& values, ir::Kernel& kernel, const Node& node, const Index& index, const ir::UOp* mask,
                            std::vector<ir::Stmt*>* statements);

/// Returns the row-major position of `index` in an array of this shape.
Sym flatten(const Index& index, const Shape& shape);
/// The inverse of flatten(): returns the index whose row-major position is `position`.
Index unflatten(Sym position, const Shape& shape);
/// For a Reshape from shape `from` to shape `to`: returns the index in the source of the element at `index` of the result. Axes that stay
/// the same need no division.
Index reshape_index(const Index& index, const Shape& to, const Shape& from);

}  // namespace harp::lower
