// Lowers a Program to the loop IR. A template is the code that lowers one kind of kernel; each has a file of its own. module.cpp assembles
// the kernels and the host code.
#pragma once

#include <span>

#include "ir/ir.h"
#include "ir/rewrite.h"
#include "lower/value.h"
#include "schedule/program.h"

namespace harp::lower {

/// Input and output of a template, that is, of the code that lowers one kind of kernel. It lowers one variant of a kernel plan to `kernel`.
struct KernelContext {
  ir::Arena& arena;
  const Program& program;
  const KernelPlan& plan;
  const Schedule& schedule;
  ir::Kernel& kernel;
  ValueBuilder values;
  std::optional<Sym> holds = std::nullopt;  // an expression that is >= 0 whenever this variant runs; nullopt: none is known
};

/// Lowers an elementwise kernel to a loop nest. (elementwise.cpp)
void lower_elementwise(KernelContext& context);
/// Lowers an elementwise kernel in which some loads are contiguous along another axis than the stores, to loops over blocks of both axes.
/// (transpose.cpp)
void lower_transpose(KernelContext& context);
/// Lowers reductions over the same axes, with the nodes before and after them (prologue and epilogue), to a loop nest that makes one or
/// several passes over the rows. (reduce.cpp)
void lower_reduce(KernelContext& context);
/// Lowers an ArgMax or ArgMin along one axis, and optionally the max or min of the same elements. (arg_extreme.cpp)
void lower_arg_extreme(KernelContext& context);
/// Lowers a sum of products to loops over tiles of rows times columns. (contraction.cpp)
void lower_contraction(KernelContext& context);
/// Lowers scans along the same axis, with the nodes before and after them (prologue and epilogue), to a loop nest. (scan.cpp)
void lower_scan(KernelContext& context);
/// Lowers a scatter to a copy of the array, and a loop nest that applies the updates to the copy. (scatter.cpp)
void lower_scatter(KernelContext& context);

/// Lowers a routine, such as a sort, to a loop over blocks of rows; one call of the routine processes the rows of a block. (routine.cpp)
void lower_routine(KernelContext& context);

/// Lowers a custom function to a loop nest that evaluates the function's body for each element. (custom.cpp)
void lower_custom(KernelContext& context);

/// Returns the call of a function of the host application. Adds the address of the function, and addresses of data that it receives, to
/// Module::natives. (native.cpp)
ir::NativeCall lower_native(const Program& program, const KernelPlan& plan, ir::Module& module);
/// Returns the argument by which the host code passes a buffer of the program to a kernel: a pointer to element number `element` of the
/// buffer.
ir::HostBuffer host_buffer(const Program& program, int buffer, Sym element = 0);

/// Returns the index of an element in a node of this shape. `position` has an entry for each axis whose size is not 1, in order; axes of
/// size 1 have index 0.
Index node_index(const Shape& shape, const Index& position);
/// Returns the statements that store some of the kernel's outputs, at this position of their iteration space. `stores` are indices into
/// KernelPlan::stores. With a mask, the statements load and store only where it is true.
ir::Body store_outputs(KernelContext& context, std::span<const size_t> stores, const Index& position, const ir::UOp* mask = nullptr);
/// Returns the statements that store every output of the kernel at this position.
ir::Body store_outputs(KernelContext& context, const Index& position, const ir::UOp* mask = nullptr);
/// Sets ir::Param::in_place of those parameters added so far that may be the same memory as a parameter that the kernel writes.
/// (elementwise.cpp)
void mark_in_place(KernelContext& context);
/// Gives an inner loop the tags that the schedule requests (partition, unswitch, vectorise) and returns the loop. `together` is the number
/// of vectors in a step (unroll-and-jam).
ir::Body inner_loop(const KernelContext& context, ir::Loop* loop, int simd_width, bool overlap, int together = 1);

/// Estimates the time that the kernel takes with this schedule, in picoseconds. (work.cpp)
Sym work_of(const Program& program, const KernelPlan& plan, const Schedule& schedule);

/// Lowers the whole program: kernels, constants, and the launches of each generation (set of kernels that do not depend on each other). The
/// loops are scalar and have tags, which ir/apply_schedule.h executes. The module uses the SymTable of the graph.
std::shared_ptr<ir::Module> lower_program(const Program& program);

}  // namespace harp::lower
