// Decides whether to interleave the computation of several vectors. For this it counts the operations of the graph, the length of the
// longest dependency chain, and the values that are live at the same time.
#include "schedule/cpu/interleave.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "schedule/cpu/tuning.h"

namespace harp {
namespace {

/// Tests whether the operation takes about one instruction, which the processor can overlap with others.
bool is_simple(const Node& node) { return is_elementwise(node.op) && (info(node.op).flags & kFunction) == 0 && info(node.op).cost <= 1; }

/// Returns the node that computes the operand's elements: the operand itself or, if the operand is a view, the node that it is a view of.
const Node* value_of(const Node* operand) {
  while (is_movement(operand->op)) operand = operand->sources[0];
  return operand;
}

/// Returns the register pressure: the largest number of values that are live at the same time if the operations execute in this order.
int most_alive(const std::vector<const Node*>& operations) {
  std::unordered_map<const Node*, size_t> last_use;
  for (size_t i = 0; i < operations.size(); ++i)
    for (const Node* source : operations[i]->sources) last_use[value_of(source)] = i;
  std::vector<int> ends(operations.size());
  for (const auto& [value, at] : last_use) ends[at] += value->rank() > 0;  // values of rank 0 are constants, which do not count
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

/// Tests whether the kernel consists of so few math functions, and little else, that interleaving two vectors pays. A CPU that executes one
/// vector multiply-add per cycle overlaps enough instructions of a single vector by itself. A CPU that executes two per cycle does not, and
/// its 32 registers have room for the values of two vectors of one function.
bool is_few_functions(const Program& program, const KernelPlan& kernel, const Cpu& cpu, int width) {
  constexpr int kManyRegisters = 32;
  if (cpu.vector_multiply_adds_a_cycle == 1 || cpu.vector_registers < kManyRegisters || width == 1) return false;
  const Dim row = iteration_space(kernel).back();
  if (proven_at_most(row, kShortRowVectors * width) && !mod(row, kVectorsTogether * width).is_constant(0)) return false;
  int functions = 0, other_cost = 0;
  for (const Node* node : computed_nodes(program, kernel)) {
    if (is_movement(node->op) || node->rank() == 0) continue;
    const int cost = info(node->op).cost;
    const bool is_function = (info(node->op).flags & kFunction) != 0 && cost >= kMinOfFunction;
    if (!is_elementwise(node->op) || (is_function && !is_float(node->dtype))) return false;
    if (is_function)
      ++functions;
    else
      other_cost += cost;
  }
  return functions > 0 && functions <= kMaxFunctions && other_cost <= kMaxOtherCost;
}

}  // namespace

int interleaved_vectors(const Program& program, const KernelPlan& kernel, const Cpu& cpu, int width) {
  if (is_few_functions(program, kernel, cpu, width)) return kVectorsTogether;
  std::vector<const Node*> operations;
  std::unordered_map<const Node*, int> chains;  // for each value, the length of the longest dependency chain that ends in it
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
  // The number of operations that the processor could execute in the time that the longest dependency chain takes.
  const int hidden = longest * cpu.addition_latency * cpu.vector_additions_a_cycle;
  return count >= kOutOfOrderWindow && hidden > count && most_alive(operations) <= kMaxAlive ? kVectorsTogether : 1;
}

}  // namespace harp
