// By what can be counted in the graph: operations, the longest chain of them, and values alive at a time.
#include "schedule/side_by_side.h"

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

/// One instruction or so, that others may overlap with.
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

/// Functions have enough to overlap in themselves where one multiplication and addition of vectors begins in each cycle. Where it is two
/// they have not, and two vectors of one fit the registers of AVX-512 (one function takes 0.90 to 0.95 of the time, two 0.84 to 0.98).
bool is_few_functions(const Program& program, const KernelPlan& kernel, const Target& target, int width) {
  constexpr int kManyRegisters = 64;                                         // bytes of the vectors of which there are 32
  constexpr int kLeastOfFunction = 12, kMostFunctions = 2, kMostBeside = 8;  // costs are in additions
  constexpr int kShortRow = 16;                                              // vectors: the last two of a row may be done twice
  if (target.one_load || target.vector_bytes != kManyRegisters || width == 1) return false;
  const Dim row = iteration_space(kernel).back();
  if (proven_at_most(row, kShortRow * width) && !mod(row, kTogether * width).is_constant(0)) return false;
  int functions = 0, beside = 0;
  for (const Node* node : computed_nodes(program, kernel)) {
    if (is_movement(node->op) || node->rank() == 0) continue;
    const int cost = info(node->op).cost;
    const bool is_function = (info(node->op).flags & kFunction) != 0 && cost >= kLeastOfFunction;
    if (!is_elementwise(node->op) || (is_function && !is_float(node->dtype))) return false;
    if (is_function)
      ++functions;
    else
      beside += cost;
  }
  return functions > 0 && functions <= kMostFunctions && beside <= kMostBeside;
}

}  // namespace

int vectors_side_by_side(const Program& program, const KernelPlan& kernel, const Target& target, int width) {
  if (is_few_functions(program, kernel, target, width)) return kTogether;
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
