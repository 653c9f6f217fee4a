// Defines the interning table of a graph: a hash table that finds the existing node with the same op, sources and attributes as a new one.
// A compilation copies graphs of up to 100,000 nodes several times, so the table allocates no memory for single nodes (open addressing,
// linear probing).
#pragma once

#include <cstddef>
#include <vector>

namespace harp {

struct Node;

class NodeTable {
 public:
  /// Returns the node of the table that equals `node`. If there is none, inserts `node` and returns it.
  const Node* insert(const Node* node);
  /// Returns the node of the table that equals `node`; null if there is none.
  const Node* find(const Node& node) const;
  /// Removes this node, if it is in the table.
  void erase(const Node* node);

 private:
  struct Slot {
    const Node* node = nullptr;
    size_t hash = 0;
  };

  /// The slot at which the search for a hash begins.
  size_t home(size_t hash) const { return hash & (slots_.size() - 1); }
  size_t next(size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
  /// Returns the slot of the node that equals `node`, or the empty slot at which the search ended.
  size_t slot_of(const Node& node, size_t hash) const;
  void grow();

  std::vector<Slot> slots_;  // the number of slots is a power of two; at most half of the slots are used
  size_t size_ = 0;          // number of nodes
};

}  // namespace harp
