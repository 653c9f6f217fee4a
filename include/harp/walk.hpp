// The order in which pending values (operations on tensors that are not computed yet) are computed, and the cache key of the program that
// computes them. Part of harp.hpp.
#ifndef HARP_WALK_HPP
#define HARP_WALK_HPP

#include <harp/trace.hpp>

namespace harp {
inline namespace HARP_CPP_NAMESPACE {
namespace detail {

/// Lists the values on which given results depend, operands before consumers. These are pending values and leaves; a leaf is a computed
/// array, or a placeholder for an argument of a function that jit traces.
class Walk {
 public:
  std::vector<Value*> order;   // all values of the walk; a leaf is at the position of its first use
  std::vector<Value*> leaves;  // the leaves; the index of a leaf in this list is its number
  std::vector<uint32_t> uses;  // for each leaf, the number of operands in the walk that are this leaf
  std::vector<uint64_t> key;
  bool symbolic = false;  // true if any size is symbolic

  static Walk& of_thread() {
    static thread_local Walk walk;
    return walk;
  }

  void go(Value* const* results, size_t count) {
    static std::atomic<uint64_t> walks{0};
    id_ = walks.fetch_add(1, std::memory_order_relaxed) + 1;
    order.clear(), leaves.clear(), uses.clear(), key.clear();
    symbolic = false;
    if (slots_.empty()) slots_.resize(64);
    for (size_t i = 0; i < count; ++i) visit(results[i]);
    for (size_t i = 0; i < count; ++i) key.push_back(uint64_t{number_of(results[i])} << 3 | kResult);
  }

  uint32_t number_of(const Value* value) {
    if (value == nullptr) return UINT32_MAX;
    return value->signature == nullptr && value->part < 0 ? slot_of(value).number : value->index;
  }

 private:
  // The low bits of a word of a key say what the word stands for. Addresses of objects have zeros in these bits.
  static constexpr uint64_t kLeaf = 1, kPart = 2, kResult = 3, kArgument = 4;
  struct Slot {
    const Value* leaf = nullptr;
    uint64_t walk = 0;
    uint32_t number = 0, leaf_number = 0;
  };
  struct Frame {
    Value* value;
    uint32_t next;
  };

  static bool is_leaf(const Value* value) { return value->signature == nullptr && value->part < 0; }

  // Other threads may use a leaf at the same time, so what a walk records about a leaf is stored in this table and not in the leaf.
  Slot& slot_of(const Value* leaf) {
    size_t at = (word_of(leaf) >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 20 & (slots_.size() - 1);
    while (slots_[at].walk == id_ && slots_[at].leaf != leaf) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }

  void visit(Value* root) {
    stack_.clear();
    enter(root);
    while (!stack_.empty()) {
      Frame& frame = stack_.back();
      if (frame.next < frame.value->count) {
        Value* operand = frame.value->operands()[frame.next++];
        if (operand != nullptr) enter(operand);
        continue;
      }
      Value* value = frame.value;
      stack_.pop_back();
      value->index = static_cast<uint32_t>(order.size());
      order.push_back(value);
      if (value->part >= 0) {
        key.push_back((uint64_t{number_of(value->operands()[0])} << 32 | static_cast<uint64_t>(value->part)) << 3 | kPart);
        continue;
      }
      symbolic = symbolic || value->signature->symbolic;
      key.push_back(word_of(value->signature));
      for (uint32_t i = 0; i < value->count; i += 2)
        key.push_back(uint64_t{number_of(value->operands()[i])} << 32 | (i + 1 < value->count ? number_of(value->operands()[i + 1]) : 0));
    }
  }

  void enter(Value* value) {
    if (!is_leaf(value)) {
      if (value->walk == id_) return;
      value->walk = id_;
      stack_.push_back({value, 0});
      return;
    }
    Slot& slot = slot_of(value);
    if (slot.walk == id_) {
      ++uses[slot.leaf_number];
      return;
    }
    slot = {value, id_, static_cast<uint32_t>(order.size()), static_cast<uint32_t>(leaves.size())};
    order.push_back(value);
    leaves.push_back(value);
    uses.push_back(1);
    symbolic = symbolic || value->type->symbolic;
    key.push_back(word_of(value->type) | kLeaf);
    if (value->argument >= 0) key.push_back(static_cast<uint64_t>(value->argument) << 3 | kArgument);
    if (2 * leaves.size() > slots_.size()) grow();
  }

  void grow() {
    const std::vector<Slot> old = std::move(slots_);
    slots_.assign(2 * old.size(), {});
    for (const Slot& slot : old)
      if (slot.walk == id_) slot_of(slot.leaf) = slot;
  }

  uint64_t id_ = 0;
  std::vector<Slot> slots_;
  std::vector<Frame> stack_;
};

}  // namespace detail
}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#endif  // HARP_WALK_HPP
