// The scheduled graph: which nodes become kernels, in which generation, over which buffers, by which Schedule.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "graph/index_fault.h"
#include "schedule/law.h"
#include "schedule/schedule.h"
#include "schedule/transform.h"

namespace harp {

/// An array in memory: of the caller, of the program's source, or a slot of the workspace.
struct Buffer {
  enum class Kind : uint8_t { kInput, kOutput, kConstant, kWorkspace } kind;
  int index;         // number of the input, output or constant; of a workspace buffer: n of its name tmp{n}
  const Node* node;  // whose value it holds, row-major
  Dim bytes;
  Dim offset;                                     // kWorkspace, set by plan_memory: from the start of the workspace, a multiple of 64
  int first_generation = 0, last_generation = 0;  // kWorkspace: written in, last read in
  // kWorkspace, of a chain (chain.cpp): of its first axis there is one index only, the block that a worker is at, in memory of each
  // worker's own, where `offset` counts from.
  bool by_block = false;
};
/// What one index of a buffer's first axis, whose size is known, takes.
Dim block_bytes(const Buffer& buffer);

/// One of several ways to run a kernel; the first whose guard holds is taken (guard >= 0, none = always). One that is `apart` has no guard
/// and is not taken where something is stored in the place of what is read.
struct Variant {
  std::optional<Sym> guard;
  Schedule schedule;
  bool apart = false;
};

/// One array a kernel writes: the value of `node` at each index goes to index + offset of the buffer, whose array has `shape`.
/// Sources of a concat are stored this way, each into its part.
struct StorePlan {
  const Node* node;
  int buffer;
  Shape shape;
  std::vector<Dim> offset;  // empty: no offset
};

/// One walk of a kernel with reductions over its rows (all indices of the reduced axes at one index of the kept ones). First each element
/// of the row is computed, stored and reduced; then the reductions are done, and what is made of them is stored. A pass may use the results
/// of those before it. Stores are named by their place in KernelPlan::stores.
struct RowPass {
  std::vector<const Node*> reduces;
  std::vector<size_t> row_stores;       // of elements of the row
  std::vector<const Node*> row_values;  // elements of the row that are kept in the worker's scratch memory for later passes
  std::vector<size_t> stores;           // of what has one value a row
};

/// By chain, rows that lie side by side are gone through together, as columns; where values of rows are kept, by this many.
inline constexpr int64_t kKeptColumns = 256;

/// A fused group: `stores` are written; every other node it needs is computed on the way, down to buffers.
struct KernelPlan {
  std::vector<StorePlan> stores;     // all over the same space, size-1 axes aside, or (row_stores) over that of the reductions' source
  std::vector<const Node*> reduces;  // reductions this kernel computes, all over the same axes of the same shape; or none
  std::vector<const Node*> scans;    // scans it computes, all along the same axis of the same shape; or none
  std::vector<RowPass> passes;       // with reductions: at least one (rowwise.cpp)
  const Node* alone = nullptr;       // what stands alone (below) and is its only store, complete only when the kernel is done; or none
  int spare = -1;                    // of a routine: its own memory in the workspace, if it has any (routine.h)
  std::vector<int> reads;            // buffers, in order of first use
  int generation = 0;
  int64_t blocks = 0;  // of a chain (chain.cpp): with the others of its generation, in turn for each of so many indices of its first axis
  std::vector<Variant> variants;
};

/// A buffer that is, or may be, the memory of another: the kernel that writes `written` reads `read` last, element by element where it
/// stores (in_place.h).
struct InPlace {
  int written, read;  // buffers
  friend bool operator==(const InPlace&, const InPlace&) = default;
  friend bool operator<(const InPlace& a, const InPlace& b) { return a.written != b.written ? a.written < b.written : a.read < b.read; }
};

struct Program {
  std::shared_ptr<Graph> graph;  // optimised
  std::vector<Buffer> buffers;
  std::vector<KernelPlan> kernels;  // sorted by generation
  int generations = 0;
  std::unordered_map<const Node*, int> buffer_of;  // stored nodes -> where other kernels read them
  std::vector<CheckSite> sites;                    // that kernels check indices at
  Transforms transforms;                           // where the graph's Fourier transforms read and write
  Dim workspace_bytes;
  Dim block_bytes = 0;  // that each worker has for the buffers by block; a multiple of 64
  // set by plan_memory: workspace buffers that took the place of another, and all pairs of an output and an input that the caller may
  // let be the same array
  std::vector<InPlace> in_place;
};

/// Does the node have a kernel of its own? Routines, scatters, native calls, and custom functions with loops or indices that are checked.
bool stands_alone(const Node& node);

/// The axes a kernel iterates over: those of a store's node or a scan, or the kept ones of a reduction, size-1 axes left out.
Shape iteration_space(const KernelPlan& kernel);
/// `shape` without its statically-1 axes.
Shape squeezed(const Shape& shape);
/// The axis of iteration_space() that scans go along; -1: there is none, or its size is 1.
int scan_axis(const KernelPlan& kernel);
/// The axis of iteration_space() that the scatter goes along; -1: there is none, or its size is 1.
int scatter_axis(const KernelPlan& kernel);
/// Is what it reduces where extremes stand, perhaps beside the extremes? All are of one source then (place.cpp).
bool finds_places(const KernelPlan& kernel);
/// Does a pass keep values of its rows for later ones?
bool keeps_rows(const KernelPlan& kernel);
/// Which axes of squeezed(reduce.sources[0]->shape) a reduction reduces.
std::vector<bool> reduced_axes(const Node& reduce);
/// Does the law cut what is scanned into blocks? Not where operations are exact: their order cannot be seen, and one block holds
/// everything.
bool scans_blocks(const KernelPlan& kernel);
/// "cumsum of [n, 300] axis 1 tree"
std::string describe_scan(const Node& scan);
/// "scatter_add of [m, 64] to [1000, 64] axis 0"
std::string describe_scatter(const Node& scatter);

/// What a node is computed from: its sources; for a sum of a product the two factors, since the product itself is never rounded.
std::span<const Node* const> operands_of(const Node& node);
/// Is the node's value loaded (true) or computed in this kernel?
bool is_loaded(const Program& program, const KernelPlan& kernel, const Node* node);
/// Is every element of the node computed, whatever of it is used? Then its store stays, even if nothing reads it.
bool looks_at_all(const Node& node);
/// The nodes a kernel computes, sources first; its reductions among them.
std::vector<const Node*> computed_nodes(const Program& program, const KernelPlan& kernel);

/// One kernel a paragraph: outputs, reads, generation, schedule; then the memory plan.
std::string print(const Program& program);
/// Error{kInternal} if a kernel reads what no earlier generation wrote, or slots in use overlap. (Whether schedules are legal is seen where
/// they are chosen.)
void verify(const Program& program);

}  // namespace harp
