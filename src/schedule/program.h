// The scheduled graph: which nodes become kernels, in which generation, over which buffers, by which Schedule.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "schedule/schedule.h"

namespace harp {

/// An array in memory: of the caller, of the program's source, or a slot of the workspace.
struct Buffer {
  enum class Kind : uint8_t { kInput, kOutput, kConstant, kWorkspace } kind;
  int index;         // number of the input, output or constant; of a workspace buffer: n of its name tmp{n}
  const Node* node;  // whose value it holds, row-major
  Dim bytes;
  Dim offset;  // kWorkspace, set by plan_memory: from the start of the workspace, a multiple of 64
  int first_generation = 0, last_generation = 0;  // kWorkspace: written in, last read in
};

/// One of several ways to run a kernel; the first whose guard holds is taken (guard >= 0, none = always).
struct Variant {
  std::optional<Sym> guard;
  Schedule schedule;
};

/// A fused group. `outputs` are stored; every other node it needs is computed on the way, down to buffers.
struct KernelPlan {
  std::vector<const Node*> outputs;  // all of the same iteration space
  std::vector<int> output_buffers;   // parallel to outputs
  std::vector<const Node*> reduces;  // reductions computed by this kernel (all over the same source shape and axes), or none
  std::vector<int> input_buffers;    // what it reads, in order of first use
  int generation = 0;
  std::vector<Variant> variants;
};

struct Program {
  std::shared_ptr<Graph> graph;  // optimised
  std::vector<Buffer> buffers;
  std::vector<KernelPlan> kernels;  // sorted by generation
  int generations = 0;
  std::unordered_map<const Node*, int> buffer_of;  // materialised nodes -> buffers
  Dim workspace_bytes;
};

/// One kernel a paragraph: outputs, reads, generation, schedule; then the memory plan.
std::string print(const Program& program);
/// Error{kInternal} if a kernel reads what no earlier generation wrote, slots in use overlap, or a schedule is not legal.
void verify(const Program& program);

}  // namespace harp
