#include "graph/node_table.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "graph/graph.h"

namespace harp {
namespace {

void mix(size_t& hash, size_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 29;
}
template <class Range>
void mix_all(size_t& hash, const Range& values) {
  for (const auto& value : values) mix(hash, std::hash<std::decay_t<decltype(value)>>()(value));
  mix(hash, std::size(values));
}
void mix(size_t& hash, const Scalar& value) {
  mix(hash, static_cast<size_t>(value.dtype));
  mix(hash, value.bits[0]);
  mix(hash, value.bits[1]);
}

struct AttributesHash {
  size_t& hash;
  void operator()(const NoAttributes&) const {}
  void operator()(const InputAttributes& a) const { mix(hash, std::hash<std::string>()(a.name)); }
  void operator()(const ConstantAttributes& a) const { mix(hash, a.value); }
  void operator()(const ArrayAttributes& a) const {
    // Only the first 64 KiB of the data are hashed, which distinguishes most arrays; are_equal() compares all bytes.
    const std::string_view bytes(reinterpret_cast<const char*>(a.data->data()), std::min<size_t>(a.data->size(), 65536));
    mix(hash, std::hash<std::string_view>()(bytes));
    mix(hash, a.data->size());
  }
  void operator()(const SizeAttributes& a) const { mix(hash, a.value.hash()); }
  void operator()(const ReduceAttributes& a) const {
    mix_all(hash, a.axes);
    mix(hash, static_cast<size_t>(a.order) * 2 + a.product);
  }
  void operator()(const ScanAttributes& a) const {
    mix(hash, static_cast<size_t>(a.axis));
    mix(hash, static_cast<size_t>(a.order) * 2 + a.reverse);
  }
  void operator()(const PermuteAttributes& a) const { mix_all(hash, a.axes); }
  void operator()(const SliceAttributes& a) const {
    mix_all(hash, a.start);
    mix_all(hash, a.step);
  }
  void operator()(const PadAttributes& a) const {
    mix_all(hash, a.before);
    mix_all(hash, a.after);
    mix(hash, a.value);
  }
  void operator()(const UnfoldAttributes& a) const {
    mix(hash, static_cast<size_t>(a.axis));
    mix(hash, a.size.hash());
    mix(hash, static_cast<size_t>(a.stride));
    mix(hash, static_cast<size_t>(a.dilation));
  }
  void operator()(const ConcatAttributes& a) const { mix(hash, static_cast<size_t>(a.axis)); }
  void operator()(const GatherAttributes& a) const { mix(hash, 2 * static_cast<size_t>(a.axis) + (a.is_sorted ? 1 : 0)); }
  void operator()(const SortAttributes& a) const { mix(hash, a.descending); }
  void operator()(const CustomAttributes& a) const {
    mix(hash, std::hash<std::string>()(a.text));
    mix(hash, static_cast<size_t>(a.result));
  }
  void operator()(const NativeAttributes& a) const {
    mix(hash, std::hash<std::string>()(a.name));
    mix(hash, std::hash<NativeFunction>()(a.function));
    for (const NativeParameter& parameter : a.parameters) mix(hash, parameter.size.hash());
  }
  void operator()(const CheckAttributes& a) const {
    mix(hash, a.size.hash());
    mix(hash, std::hash<std::string>()(a.what));
  }
};

size_t hash_of(const Node& node) {
  size_t hash = static_cast<size_t>(node.op) * 64 + static_cast<size_t>(node.dtype);
  mix_all(hash, node.shape);
  for (const Node* source : node.sources) mix(hash, source->id);
  mix(hash, node.sources.size());
  std::visit(AttributesHash{hash}, node.attributes);
  return hash;
}

bool are_equal(const Node& a, const Node& b) {
  return a.op == b.op && a.dtype == b.dtype && a.sources == b.sources && a.shape == b.shape && a.attributes == b.attributes;
}

constexpr size_t kFirstSlots = 64;  // must be a power of two

}  // namespace

size_t NodeTable::slot_of(const Node& node, size_t hash) const {
  size_t at = home(hash);
  while (slots_[at].node != nullptr && !(slots_[at].hash == hash && are_equal(*slots_[at].node, node))) at = next(at);
  return at;
}

const Node* NodeTable::insert(const Node* node) {
  if (2 * size_ >= slots_.size()) grow();
  const size_t hash = hash_of(*node);
  Slot& slot = slots_[slot_of(*node, hash)];
  if (slot.node == nullptr) {
    slot = {node, hash};
    ++size_;
  }
  return slot.node;
}

const Node* NodeTable::find(const Node& node) const { return slots_.empty() ? nullptr : slots_[slot_of(node, hash_of(node))].node; }

void NodeTable::grow() {
  const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(std::max(kFirstSlots, 2 * slots_.size())));
  for (const Slot& slot : old) {
    if (slot.node == nullptr) continue;
    size_t at = home(slot.hash);
    while (slots_[at].node != nullptr) at = next(at);
    slots_[at] = slot;
  }
}

void NodeTable::erase(const Node* node) {
  size_t hole = slot_of(*node, hash_of(*node));
  if (slots_[hole].node != node) return;
  slots_[hole] = {};
  --size_;
  // The slot `hole` is now empty. A search ends at the first empty slot, so it would no longer find nodes in the slots after the hole. The
  // first of these nodes whose search begins at or before the hole therefore moves into the hole. Its old slot is then the hole, and so on.
  for (size_t at = next(hole); slots_[at].node != nullptr; at = next(at)) {
    const size_t distance = (at - home(slots_[at].hash)) & (slots_.size() - 1), from_hole = (at - hole) & (slots_.size() - 1);
    if (distance < from_hole) continue;
    slots_[hole] = std::exchange(slots_[at], {});
    hole = at;
  }
}

}  // namespace harp
