// Groups interleaved accesses (see interleaved_accesses.h). In each list of statements, accesses whose positions differ only in the
// constant term are sorted by that term and divided into windows of n adjacent elements, where n is the lane step (the distance in memory
// between the elements of adjacent lanes). The loads of a window form a group. The stores of a window form a group if there are n of them.
#include "ir/interleaved_accesses.h"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "ir/rewrite.h"

namespace harp::ir {
namespace {

/// The properties that all accesses of a group have in common.
struct Common {
  int buffer;
  Type type;
  int64_t step;
  Sym base;  // the index without its constant term
  bool operator==(const Common&) const = default;
};
struct HashCommon {
  size_t operator()(const Common& c) const { return c.base.hash() * 31 + static_cast<size_t>(c.buffer) * 64 + static_cast<size_t>(c.step); }
};

int64_t constant_of(Sym index) { return index.is_constant() ? index.constant() : index.node()->constant; }

std::optional<Common> common_of(int buffer, Type type, Sym step, Sym index, const UOp* mask, int64_t fewest) {
  if (mask != nullptr || type.lanes == 1 || !step.is_constant() || step.constant() < fewest || step.constant() > kMostParts)
    return std::nullopt;
  return Common{buffer, type, step.constant(), index - constant_of(index)};
}

/// Splits ascending offsets into windows. A window is a range of n adjacent elements whose first and last elements occur among the offsets;
/// elements in between may be missing. Calls f(first offset, offsets in the window) for each window.
template <class Visit>
void for_each_window(std::span<const int64_t> offsets, int64_t n, Visit f) {
  for (size_t begin = 0; begin < offsets.size();) {
    size_t end = begin;
    while (end < offsets.size() && offsets[end] < offsets[begin] + n) ++end;
    const bool is_covered = offsets[end - 1] == offsets[begin] + n - 1;
    if (is_covered) f(offsets[begin], offsets.subspan(begin, end - begin));
    begin = is_covered ? end : begin + 1;
  }
}

class InterleavedAccesses {
 public:
  explicit InterleavedAccesses(Arena& arena) : arena_(arena) {}

  void visit_body(Body& body) {
    mark_loads(body);
    Body result, run;
    for (Stmt* s : body) {
      if (auto* group = as<StoreGroup>(s)) {
        mark_loads(group->body);
        if (as<Store>(group->body[0]) != nullptr) group->body = in_groups(group->body).value_or(group->body);
      } else {
        for_each_body(*s, [&](Body& inside) { visit_body(inside); });
      }
      if (as<Store>(s) != nullptr) {
        run.push_back(s);
        continue;
      }
      end_run(run, result);
      result.push_back(s);
    }
    end_run(run, result);
    body = std::move(result);
  }

 private:
  using Loads = std::unordered_map<Common, std::vector<std::pair<int64_t, const UOp*>>, HashCommon>;

  void mark_loads(Body& body) {
    std::vector<Stmt*> own;  // the statements of this list that contain no nested statements; the list always executes all of them
    for (Stmt* s : body) {
      bool is_leaf = true;
      for_each_body(*s, [&](const Body&) { is_leaf = false; });
      if (is_leaf) own.push_back(s);
    }
    const std::vector<const UOp*> uops = uops_of(arena_, own);
    Loads groups;
    for (const UOp* u : uops)
      if (u->kind == UKind::kLoad && part_of(u) < 0)
        if (const auto common = common_of(u->buffer, u->type, u->lane_step, u->index, mask_of(u), kFewestParts))
          groups[*common].emplace_back(constant_of(u->index), u);
    std::unordered_map<const UOp*, int64_t> parts;
    for (auto& group : groups) {
      auto& loads = group.second;
      std::sort(loads.begin(), loads.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      std::vector<int64_t> offsets;
      for (const auto& [offset, load] : loads) offsets.push_back(offset);
      size_t at = 0;
      for_each_window(offsets, group.first.step, [&](int64_t first, std::span<const int64_t> window) {
        while (loads[at].first != first) ++at;
        for (const int64_t offset : window) parts[loads[at++].second] = offset - first;
      });
    }
    if (parts.empty()) return;
    Substituter marked(arena_, {});
    // The values are visited in a fixed order, because new nodes are created here and get their ids in this order.
    for (const UOp* u : uops) {
      if (const auto found = parts.find(u); found != parts.end()) {
        UOp part = *u;
        part.stride = 1 + found->second;
        marked.replace(u, arena_.intern(std::move(part)));
      } else {
        marked(u);
      }
    }
    for (Stmt* s : own) for_each_value(*s, [&](const UOp*& u) { u = marked(u); });
  }

  /// Appends a run of consecutive stores to the result. If some of them form groups of stores to adjacent elements, the whole run becomes
  /// one StoreGroup statement.
  void end_run(Body& run, Body& result) {
    if (std::optional<Body> grouped = in_groups(run)) {
      auto* group = arena_.statement<StoreGroup>();
      group->body = std::move(*grouped);
      result.push_back(group);
    } else {
      result.insert(result.end(), run.begin(), run.end());
    }
    run.clear();
  }

  /// Returns the stores of a run, reordered so that the stores of each group are adjacent; nullopt if no stores form a group.
  static std::optional<Body> in_groups(const Body& run) {
    std::unordered_map<Common, std::vector<std::pair<int64_t, Stmt*>>, HashCommon> groups;
    for (Stmt* s : run) {
      const auto& store = *as<Store>(s);
      if (const auto common = common_of(store.buffer, store.value->type, store.lane_step, store.index, store.mask, kFewestStores))
        groups[*common].emplace_back(constant_of(store.index), s);
    }
    // Maps the first store of each group, in the order of the run, to the stores of that group.
    std::unordered_map<const Stmt*, std::vector<Stmt*>> group_at;
    std::unordered_set<const Stmt*> is_grouped;
    for (auto& entry : groups) {
      const Common& common = entry.first;
      auto& stores = entry.second;
      std::unordered_map<const Stmt*, size_t> place;
      for (size_t i = 0; i < stores.size(); ++i) place[stores[i].second] = i;
      std::stable_sort(stores.begin(), stores.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      std::vector<int64_t> offsets;
      for (const auto& [offset, store] : stores) offsets.push_back(offset);
      size_t at = 0;
      for_each_window(offsets, common.step, [&](int64_t first, std::span<const int64_t> window) {
        while (stores[at].first != first) ++at;
        std::vector<Stmt*> group;
        for (size_t i = 0; i < window.size(); ++i) group.push_back(stores[at++].second);
        if (std::ssize(group) != common.step) return;
        is_grouped.insert(group.begin(), group.end());
        const Stmt* earliest = *std::min_element(group.begin(), group.end(), [&](auto* a, auto* b) { return place[a] < place[b]; });
        group_at[earliest] = std::move(group);
      });
    }
    if (group_at.empty()) return std::nullopt;
    Body result;
    for (Stmt* s : run) {
      if (const auto group = group_at.find(s); group != group_at.end())
        result.insert(result.end(), group->second.begin(), group->second.end());
      else if (!is_grouped.contains(s))
        result.push_back(s);
    }
    return result;
  }

  Arena& arena_;
};

}  // namespace

void group_interleaved(Arena& arena, Body& body) { InterleavedAccesses(arena).visit_body(body); }

}  // namespace harp::ir
