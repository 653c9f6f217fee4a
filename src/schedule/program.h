// Defines a scheduled graph: kernels with their nodes and schedules, generations (sets of kernels that do not depend on each other), and
// buffers.
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

/// An array in memory: an input or output, which the caller owns; a constant in the program's source; or a temporary, which kernels write
/// and later kernels read.
struct Buffer {
  enum class Kind : uint8_t { kInput, kOutput, kConstant, kTemporary } kind;
  // The index of the input, output or constant. For a temporary, this is the n of its name tmp{n}.
  int index;
  const Node* node;  // the node whose value is stored here, in row-major order
  Dim bytes;
  // The position of a temporary in bytes from the start of its memory (`space`), set by plan_memory.
  Dim offset;
  // For a temporary: the first generation of kernels that writes it, and the last one that reads it.
  int first_generation = 0, last_generation = 0;
  // Where a temporary is: in the workspace, or, if only the kernels of a chain (chain.cpp) use it, in kScratch, the worker's own memory. In
  // kScratch it consists of only one block, the elements at one index of its first axis.
  Space space = Space::kWorkspace;
};
/// Returns the size in bytes of one block of a buffer: its elements at one index of the first axis, whose size is constant.
Dim block_bytes(const Buffer& buffer);

/// One of several ways to run a kernel. Generated code uses the first variant whose guard is >= 0 at run time, or that has no guard. A
/// variant with `only_without_aliasing` has no guard and is used only if no output aliases an input.
struct Variant {
  std::optional<Sym> guard;
  Schedule schedule;
  bool only_without_aliasing = false;
};

/// One array that a kernel writes: the element of `node` at index i is stored at index i + offset of an array of shape `shape` in the
/// buffer. In this way each source of a concat is stored into its part of the result.
struct StorePlan {
  const Node* node;
  int buffer;
  Shape shape;
  std::vector<Dim> offset;  // index at which the stored part begins; empty: 0 along every axis
};

/// One pass over the rows of a kernel with reductions. A row consists of the elements at all indices of the reduced axes and one index of
/// the other (kept) axes. A pass first computes, stores and reduces each element of the row. When the reductions are complete, it stores
/// values that are derived from them. It may use the results of earlier passes. Stores are given as indices into KernelPlan::stores.
struct RowPass {
  std::vector<const Node*> reduces;
  std::vector<size_t> row_stores;  // indices in KernelPlan::stores of the stores that run for each element of the row
  // Values of the elements of the row that are kept in the worker's scratch memory for later passes.
  std::vector<const Node*> row_values;
  // Further values that are kept by variants for rows of at most kLaneBlock elements. Other variants compute them again in
  // each pass, because a longer row may not fit.
  std::vector<const Node*> short_row_values;
  std::vector<size_t> stores;  // indices in KernelPlan::stores of the stores that run once for each row
};

/// In a chain-order reduction (docs/semantics.md, "Sums"), a kernel processes several adjacent rows together, as the columns of a tile.
/// This is the number of rows in a tile if values of the rows are kept for later passes.
inline constexpr int64_t kKeptColumns = 256;

/// A kernel: a set of fused nodes. It writes `stores`, and computes every node that they need, down to the buffers that it reads.
struct KernelPlan {
  // The arrays that the kernel writes. Their shapes (ignoring axes of size 1) are the iteration space, or, for RowPass::row_stores, the
  // shape of the reductions' source.
  std::vector<StorePlan> stores;
  std::vector<const Node*> reduces;  // reductions that this kernel computes, all over the same axes of the same shape; or none
  std::vector<const Node*> scans;    // scans that the kernel computes, all along the same axis of the same shape; or none
  std::vector<RowPass> passes;       // the passes over the rows; at least one if there are reductions (rowwise.cpp)
  /// The kernel's only node, if stands_alone() holds for it; its result is complete only when the kernel ends. Else null. If it is a result
  /// of a custom function, the kernel also computes the other results of the call, and stores those that are used.
  const Node* alone = nullptr;
  // The index in Program::buffers of the scratch buffer in the workspace that a routine uses, or a scan or product on a GPU; -1: none
  // (routine.h, gpu/grid_scan.h, gpu/product_slices.h).
  int scratch = -1;
  std::vector<int> reads;  // indices of the buffers that the kernel reads, in order of first use
  int generation = 0;
  // The number of blocks of a kernel in a chain (chain.cpp), which is the size of the first axis; for each block, one worker runs all
  // kernels of the generation. 0: the kernel is in no chain.
  int64_t blocks = 0;
  std::vector<Variant> variants;
};

/// Two buffers that are the same memory, or may be. The kernel that writes `written` is the last one to read `read`, and it reads each
/// element only where it stores the same element (in_place.h).
struct InPlace {
  int written, read;  // numbers of buffers
  friend bool operator==(const InPlace&, const InPlace&) = default;
  friend bool operator<(const InPlace& a, const InPlace& b) { return a.written != b.written ? a.written < b.written : a.read < b.read; }
};

struct Program {
  std::shared_ptr<Graph> graph;  // the optimised graph
  std::vector<Buffer> buffers;
  std::vector<KernelPlan> kernels;  // sorted by KernelPlan::generation, so a kernel comes after all kernels whose results it reads
  int generations = 0;
  std::unordered_map<const Node*, int> buffer_of;  // maps a stored node to the index of the buffer from which other kernels read it
  std::vector<CheckSite> sites;                    // the places in the graph where indices are checked at run time
  Transforms transforms;                           // for each Fourier transform of the graph: where it reads and writes
  Dim workspace_bytes;
  Dim block_bytes = 0;  // size in bytes of each worker's memory for block buffers; a multiple of 64
  // The workspace buffers that overwrite another one, and all pairs of an output and an input that the caller may alias; set by
  // plan_memory.
  std::vector<InPlace> in_place;
  Machine target;  // the machine for which the schedules were chosen
};

/// Returns the condition (>= 0) under which variant number `v` runs: its own guard holds, and the guard of no earlier variant does;
/// nullopt: it always runs. Earlier variants that run only without aliasing are ignored.
std::optional<Sym> launch_guard(const KernelPlan& plan, size_t v);
/// Adds a scratch buffer of `elements` elements of `dtype` to the program and to the kernel (KernelPlan::scratch). The kernel must have
/// reductions or scans.
void add_scratch(Program& program, KernelPlan& kernel, DType dtype, Dim elements);

/// Tests whether the node needs its own kernel: routines, scatters, native calls, and custom functions with loops or checked indices (one
/// kernel for all results of a call).
bool stands_alone(const Node& node);

/// Returns the sizes of the axes over which a kernel iterates, without axes of size 1: those of a stored node, of a scan, or of the result
/// of a reduction.
Shape iteration_space(const KernelPlan& kernel);
/// Returns `shape` without its axes of constant size 1.
Shape squeezed(const Shape& shape);
/// Returns the axis of iteration_space() along which the kernel scans; -1 if it does not scan, or if that axis has size 1.
int scan_axis(const KernelPlan& kernel);
/// Returns the axis of iteration_space() along which the kernel scatters; -1 if it does not scatter, or if that axis has size 1.
int scatter_axis(const KernelPlan& kernel);
/// Tests whether the kernel computes an argmax or argmin, perhaps together with the max or min itself. All reductions of such a kernel have
/// the same source (arg_extreme.cpp).
bool has_arg_extreme(const KernelPlan& kernel);
/// Tests whether a pass of the kernel keeps values of its rows for later passes.
bool keeps_rows(const KernelPlan& kernel);
/// Returns, for each axis of the reduction's source without axes of size 1, whether it is reduced.
std::vector<bool> reduced_axes(const Node& reduce);
/// Tests whether the kernel must divide the scanned sequence into the blocks that docs/semantics.md ("Scans") prescribes. False for exact
/// operations: the order of evaluation does not affect their bits, so the whole sequence may be one block.
bool scans_blocks(const KernelPlan& kernel);
/// Describes a scan, for example "cumsum of [n, 300] axis 1 tree".
std::string describe_scan(const Node& scan);
/// Describes a scatter, for example "scatter_add of [m, 64] to [1000, 64] axis 0".
std::string describe_scatter(const Node& scatter);

/// Returns the operands of a node. These are its sources, except for a sum of products: its operands are the two factors, because the sum
/// multiplies them itself, without rounding the product.
std::span<const Node* const> operands_of(const Node& node);
/// Tests whether this kernel loads the node's value from a buffer. If not, the kernel computes the value.
bool is_loaded(const Program& program, const KernelPlan& kernel, const Node* node);
/// Tests whether every element of the node must be computed, even if nothing uses it, because computing it checks an index. The store of
/// such a node is kept even if no kernel reads it.
bool checks_every_element(const Node& node);
/// Returns the nodes that a kernel computes, including its reductions and scans, sorted with sources first.
std::vector<const Node*> computed_nodes(const Program& program, const KernelPlan& kernel);

/// Prints the program: one paragraph for each kernel with its outputs, reads, generation and schedule; then the memory plan.
std::string print(const Program& program);
/// Throws Error{kInternal} if a kernel reads a buffer that no earlier kernel wrote, or if two buffers share memory while both are in use.
/// (Whether schedules are legal is checked where they are chosen.)
void verify(const Program& program);

}  // namespace harp
