// By what can be counted in the graph: operations, the longest chain of them, and values alive at a time.
#include "schedule/interleave.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace harp {
namespace {

constexpr int kLookAhead = 256;  // instructions
constexpr int kLatency = 4;      // cycles until the result of an addition or product can be used
constexpr int kEachCycle = 2;    // of them begin in one
constexpr int kMostAlive = 24;   // values of a vector: twice 19 do not fit 32 registers either, but the first cache hides it
constexpr int kTogether = 2;

/// One instruction or so, that others may overlap with: functions have enough to overlap in themselves.
bool is_simple(const Node& node) { return is_elementwise(node.op) && (info(node.op).flags & kFunction) == 0 && info(node.op).cost <= 1; }

/// The value an operand is, wherever in it the element lies.
const Node* value_of(const Node* operand) {
  while (is_movement(operand->op)) operand = operand->sources[0];
  return operand;
}

/// Most values alive at a time when these are computed in this order.
int most_alive(const std::vector<const Node*>& operations) {
  std::unordered_map<const Node*, size_t> last_use;
  for (size_t i = 0; i < operations.size(); ++i)
    for (const Node* source : operations[i]->sources) last_use[value_of(source)] = i;
  std::vector<int> ends(operations.size());
  for (const auto& [value, at] : last_use) ends[at] += value->rank() > 0;  // numbers are among the constants
  std::unordered_set<const Node*> begun;
  int alive = 0, most = 0;
  for (size_t i = 0; i < operations.size(); ++i) {
    for (const Node* source : operations[i]->sources) {
      const Node* value = value_of(source);
      alive += value->rank() > 0 && begun.insert(value).second;
    }
    alive += begun.insert(operations[i]).second;
    most = std::max(most, alive);
    alive -= ends[i];
  }
  return most;
}

}  // namespace

int vectors_side_by_side(const Program& program, const KernelPlan& kernel) {
  std::vector<const Node*> operations;
  std::unordered_map<const Node*, int> chains;  // the longest that ends in a value
  int longest = 0;
  for (const Node* node : computed_nodes(program, kernel)) {
    if (is_movement(node->op) || node->rank() == 0) continue;
    if (!is_simple(*node)) return 1;
    int before = 0;
    for (const Node* source : node->sources)
      if (const auto found = chains.find(value_of(source)); found != chains.end()) before = std::max(before, found->second);
    chains[node] = before + 1;
    longest = std::max(longest, before + 1);
    operations.push_back(node);
  }
  const int count = static_cast<int>(operations.size());
  return count >= kLookAhead && longest * kLatency * kEachCycle > count && most_alive(operations) <= kMostAlive ? kTogether : 1;
}

}  // namespace harp
