// Compares two kernels by walking through both at the same time, from their stores to their loads. Shapes and attributes are compared by
// identity: a graph interns its size expressions, so equal expressions are the same object.
#include "lower/equal_kernels.h"

#include <algorithm>

namespace harp::lower {

namespace {

class Comparison {
 public:
  Comparison(const Program& program, const KernelPlan& a, const KernelPlan& b) : program_(program), a_(a), b_(b) {}

  bool are_equal() {
    if (a_.alone != nullptr || b_.alone != nullptr || a_.blocks != b_.blocks) return false;
    return same_variants() && all(a_.stores, b_.stores, [&](const StorePlan& a, const StorePlan& b) { return same_store(a, b); }) &&
           same_nodes(a_.reduces, b_.reduces) && same_nodes(a_.scans, b_.scans) &&
           all(a_.passes, b_.passes, [&](const RowPass& a, const RowPass& b) { return same_pass(a, b); }) && computes_the_same() &&
           a_.reads.size() == b_.reads.size() && in_place_alike() && same_scratch();
  }
  std::unordered_map<int, int> take_buffers() { return std::move(buffers_); }

 private:
  template <class List, class Same>
  static bool all(const List& a, const List& b, Same same) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
  }

  bool same_variants() const {
    return all(a_.variants, b_.variants, [](const Variant& a, const Variant& b) {
      return a.guard == b.guard && a.schedule == b.schedule && a.only_without_aliasing == b.only_without_aliasing;
    });
  }
  bool same_store(const StorePlan& a, const StorePlan& b) {
    return a.shape == b.shape && a.offset == b.offset && same_buffer(a.buffer, b.buffer) && same_node(a.node, b.node);
  }
  bool same_pass(const RowPass& a, const RowPass& b) {
    return a.row_stores == b.row_stores && a.stores == b.stores && same_nodes(a.reduces, b.reduces) &&
           same_nodes(a.row_values, b.row_values) && same_nodes(a.short_row_values, b.short_row_values);
  }
  bool same_nodes(const std::vector<const Node*>& a, const std::vector<const Node*>& b) {
    return all(a, b, [&](const Node* x, const Node* y) { return same_node(x, y); });
  }

  /// Tests whether buffer `a` of the first kernel may correspond to buffer `b` of the second one, and records this. If `a` already has a
  /// counterpart, it must be `b`. The caller checks that both kernels have equally many buffers, so the mapping is one to one; that is
  /// necessary, because a kernel may rely on two parameters being the same array.
  bool same_buffer(int a, int b) {
    const Buffer &x = program_.buffers[static_cast<size_t>(a)], &y = program_.buffers[static_cast<size_t>(b)];
    if (x.space != y.space || (x.space == Space::kScratch && !(x.offset == y.offset)) || x.node->dtype != y.node->dtype) return false;
    return buffers_.emplace(a, b).first->second == b;
  }

  bool same_scratch() {
    if (a_.scratch < 0 || b_.scratch < 0) return a_.scratch == b_.scratch;
    return same_buffer(a_.scratch, b_.scratch);
  }

  /// Compares the op, dtype and shape of two nodes, and records that they correspond. computes_the_same() later compares their attributes
  /// and sources.
  bool same_node(const Node* a, const Node* b) {
    const auto [known, is_new] = nodes_.emplace(a, b);
    if (!is_new) return known->second == b;
    left_.emplace_back(a, b);
    return a->op == b->op && a->dtype == b->dtype && a->shape == b->shape;
  }
  bool computes_the_same() {
    while (!left_.empty()) {
      const auto [a, b] = left_.back();
      left_.pop_back();
      const bool is_loaded = harp::is_loaded(program_, a_, a);
      if (is_loaded != harp::is_loaded(program_, b_, b)) return false;
      if (is_loaded) {
        if (!same_buffer(program_.buffer_of.at(a), program_.buffer_of.at(b))) return false;
        continue;
      }
      if (a->op == Op::kCheckIndex || is_custom(a->op) || !(a->attributes == b->attributes) || !same_nodes(a->sources, b->sources))
        return false;
    }
    return true;
  }

  bool may_be_in_place(int written, int read) const {
    return std::binary_search(program_.in_place.begin(), program_.in_place.end(), InPlace{written, read});
  }
  bool in_place_alike() const {
    // Two kernels are equal only if the same pairs of a read and a written buffer may be the same memory. Each pair is looked up
    // separately: the list program_.in_place is sorted by the indices of buffers, which differ between the kernels.
    for (const int read : a_.reads) {
      const auto other = buffers_.find(read);
      if (other == buffers_.end()) return false;
      for (const StorePlan& store : a_.stores)
        if (may_be_in_place(store.buffer, read) != may_be_in_place(buffers_.at(store.buffer), other->second)) return false;
    }
    return true;
  }

  const Program& program_;
  const KernelPlan &a_, &b_;
  std::unordered_map<int, int> buffers_;
  std::unordered_map<const Node*, const Node*> nodes_;
  std::vector<std::pair<const Node*, const Node*>> left_;
};

}  // namespace

size_t hash_of(const KernelPlan& plan) {
  size_t hash = plan.stores.size();
  const auto add = [&hash](size_t value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15u; };
  for (const StorePlan& store : plan.stores) {
    add(static_cast<size_t>(store.node->op));
    for (const Dim& dim : store.shape) add(dim.hash());
    for (const Dim& dim : store.offset) add(dim.hash());
  }
  for (const Node* reduce : plan.reduces)
    for (const Dim& dim : reduce->sources[0]->shape) add(dim.hash());
  return hash;
}

std::optional<std::unordered_map<int, int>> renamed_buffers(const Program& program, const KernelPlan& from, const KernelPlan& to) {
  Comparison comparison(program, from, to);
  if (!comparison.are_equal()) return std::nullopt;
  return comparison.take_buffers();
}

}  // namespace harp::lower
