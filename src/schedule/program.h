// The scheduled graph: the kernels and their nodes, generations, buffers, and Schedules.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/machine.h"
#include "base/space.h"
#include "graph/graph.h"
#include "graph/index_fault.h"
#include "schedule/law.h"
#include "schedule/schedule.h"
#include "schedule/transform.h"

namespace harp {

/// An array in memory: owned by the caller, constant in the program's source, or a temporary, which one kernel writes and later ones read.
struct Buffer {
  enum class Kind : uint8_t { kInput, kOutput, kConstant, kTemporary } kind;
  int index;         // number of the input, output or constant; for a temporary: n in its name tmp{n}
  const Node* node;  // the node whose value it holds, row-major
  Dim bytes;
  Dim offset;                                     // for a temporary, set by plan_memory: bytes from the start of its space
  int first_generation = 0, last_generation = 0;  // for a temporary: generations of the first write and of the last read
  // Where a temporary is: in the workspace, or in a chain (chain.cpp) in kScratch, the worker's own memory. There it holds only one index
  // of its first axis, the worker's current block.
  Space space = Space::kWorkspace;
};
/// Returns the size in bytes of one block of a buffer: its elements at one index of the first axis, whose size is constant.
Dim block_bytes(const Buffer& buffer);

/// One of several ways to run a kernel. The first variant whose guard is >= 0 is used (no guard: always). A variant with
/// `only_without_aliasing` has no guard and is used only if no output aliases an input.
struct Variant {
  std::optional<Sym> guard;
  Schedule schedule;
  bool only_without_aliasing = false;
};

/// One array that a kernel writes: the element of `node` at each index goes to index + offset of an array of shape `shape` in the buffer.
/// The sources of a concat are stored in this way, each into its part of the array.
struct StorePlan {
  const Node* node;
  int buffer;
  Shape shape;
  std::vector<Dim> offset;  // where the stored part begins, along each axis; empty: 0 along every axis
};

/// One pass of a kernel with reductions over its rows (a row: all indices of the reduced axes at one index of the kept axes). First each
/// element of the row is computed, stored and reduced. Then the reductions are complete, and values derived from them are stored. A pass
/// may use the results of earlier passes. Stores are given as indices into KernelPlan::stores.
struct RowPass {
  std::vector<const Node*> reduces;
  std::vector<size_t> row_stores;       // stores of elements of the row
  std::vector<const Node*> row_values;  // elements of the row that are kept in the worker's scratch memory for later passes
  std::vector<size_t> stores;           // stores of values with one element for each row
};

/// In chain order a kernel processes adjacent rows together, as columns. This is the number of rows if the kernel keeps values of rows for
/// later passes.
inline constexpr int64_t kKeptColumns = 256;

/// A group of fused nodes: the kernel writes `stores`, and computes every node that they need, down to the buffers that it reads.
struct KernelPlan {
  std::vector<StorePlan> stores;     // the arrays it writes. Their shapes (ignoring axes of size 1) are the iteration space, or, for
                                     // RowPass::row_stores, the shape of the reductions' source
  std::vector<const Node*> reduces;  // reductions that this kernel computes, all over the same axes of the same shape; or none
  std::vector<const Node*> scans;    // scans that it computes, all along the same axis of the same shape; or none
  std::vector<RowPass> passes;       // the passes over the rows; at least one if there are reductions (rowwise.cpp)
  /// The kernel's only node, if stands_alone() holds for it; its result is complete only when the kernel ends. Else null. If it is a result
  /// of a custom function, the kernel also computes the other results of the call, and stores those that are used.
  const Node* alone = nullptr;
  int scratch = -1;        // for a routine: its scratch buffer in the workspace; -1: none (routine.h)
  std::vector<int> reads;  // numbers of the buffers that it reads, in order of first use
  int generation = 0;
  int64_t blocks = 0;  // in a chain (chain.cpp): size of the first axis, that is, number of blocks; for each block one worker runs all
                       // kernels of the generation; 0: no chain
  std::vector<Variant> variants;
};

/// A buffer that is, or may be, the same memory as another. The kernel that writes `written` is the last one to read `read`, and reads each
/// element only where it stores the same element (in_place.h).
struct InPlace {
  int written, read;  // numbers of buffers
  friend bool operator==(const InPlace&, const InPlace&) = default;
  friend bool operator<(const InPlace& a, const InPlace& b) { return a.written != b.written ? a.written < b.written : a.read < b.read; }
};

struct Program {
  std::shared_ptr<Graph> graph;  // the optimised graph
  std::vector<Buffer> buffers;
  std::vector<KernelPlan> kernels;  // sorted by generation
  int generations = 0;
  std::unordered_map<const Node*, int> buffer_of;  // stored nodes -> the buffer from which other kernels read them
  std::vector<CheckSite> sites;                    // sites at which kernels check indices
  Transforms transforms;                           // inputs and outputs of the graph's Fourier transforms
  Dim workspace_bytes;
  Dim block_bytes = 0;  // each worker's memory for block buffers, in bytes; a multiple of 64
  // set by plan_memory: the workspace buffers that overwrite another one, and all pairs of an output and an input that the caller may alias
  std::vector<InPlace> in_place;
  Machine target;  // the machine that the schedules are for
};

/// Tests whether the node needs its own kernel: routines, scatters, native calls, and custom functions with loops or checked indices (one
/// kernel for all results of a call).
bool stands_alone(const Node& node);

/// Returns the axes that a kernel iterates over: those of a store's node or of a scan, or the kept axes of a reduction, without axes of
/// size 1.
Shape iteration_space(const KernelPlan& kernel);
/// Returns `shape` without its axes of constant size 1.
Shape squeezed(const Shape& shape);
/// Returns the axis of iteration_space() that scans run along; -1 if there is none or its size is 1.
int scan_axis(const KernelPlan& kernel);
/// Returns the axis of iteration_space() that the scatter runs along; -1 if there is none or its size is 1.
int scatter_axis(const KernelPlan& kernel);
/// Tests whether the kernel computes an arg-extreme (argmax, argmin), perhaps with the extreme itself. All reductions of such a kernel have
/// the same source (arg_extreme.cpp).
bool has_arg_extreme(const KernelPlan& kernel);
/// Tests whether a pass keeps values of its rows for later passes.
bool keeps_rows(const KernelPlan& kernel);
/// Returns which axes of squeezed(reduce.sources[0]->shape) a reduction reduces.
std::vector<bool> reduced_axes(const Node& reduce);
/// Tests whether docs/semantics.md ("Scans") divides the scanned sequence into blocks. False for exact operations: their order has no
/// effect on the bits, so one block holds the whole sequence.
bool scans_blocks(const KernelPlan& kernel);
/// Describes a scan, for example "cumsum of [n, 300] axis 1 tree".
std::string describe_scan(const Node& scan);
/// Describes a scatter, for example "scatter_add of [m, 64] to [1000, 64] axis 0".
std::string describe_scatter(const Node& scatter);

/// Returns the operands of a node: its sources, or for a sum of a product the two factors, because the product itself is never rounded.
std::span<const Node* const> operands_of(const Node& node);
/// Tests whether this kernel loads the node's value from a buffer; if not, it computes the value.
bool is_loaded(const Program& program, const KernelPlan& kernel, const Node* node);
/// Tests whether every element of the node must be computed even if it is unused, because computing it checks an index. Its store then
/// stays, even without readers.
bool checks_every_element(const Node& node);
/// Returns the nodes that a kernel computes, including its reductions, sources first.
std::vector<const Node*> computed_nodes(const Program& program, const KernelPlan& kernel);

/// Prints the program: one paragraph for each kernel with its outputs, reads, generation and schedule; then the memory plan.
std::string print(const Program& program);
/// Throws Error{kInternal} if a kernel reads a buffer that no earlier generation wrote, or if two workspace buffers that are in use at the
/// same time overlap. (Legality of schedules is checked where they are chosen.)
void verify(const Program& program);

}  // namespace harp
