// Program -> loop IR. There is one file for each template; module.cpp assembles the kernels and the host code.
#pragma once

#include <span>

#include "ir/ir.h"
#include "ir/rewrite.h"
#include "lower/value.h"
#include "schedule/program.h"

namespace harp::lower {

/// The input and output of a template.
struct KernelContext {
  ir::Arena& arena;
  const Program& program;
  const KernelPlan& plan;
  const Schedule& schedule;
  ir::Kernel& kernel;
  ValueBuilder values;
  std::optional<Sym> holds = std::nullopt;  // a condition that is >= 0 wherever this variant runs
};

/// Loop nest of an elementwise kernel. (elementwise.cpp)
void lower_elementwise(KernelContext& context);
/// Blocks of an elementwise kernel in which some loads are contiguous along another axis than the stores. (transpose.cpp)
void lower_transpose(KernelContext& context);
/// Loop nest of reductions over the same axes, in one or several passes over the rows, with prologue and epilogue. (reduce.cpp)
void lower_reduce(KernelContext& context);
/// ArgMax and ArgMin along one axis. (arg_extreme.cpp)
void lower_arg_extreme(KernelContext& context);
/// Tiles of rows times columns for one sum of products. (contraction.cpp)
void lower_contraction(KernelContext& context);
/// Loop nest of scans along the same axis, with their prologue and epilogue. (scan.cpp)
void lower_scan(KernelContext& context);
/// A copy of the array, and the loop nest that applies the updates to it. (scatter.cpp)
void lower_scatter(KernelContext& context);

/// Blocks of rows, each processed by a routine. (routine.cpp)
void lower_routine(KernelContext& context);

/// A loop nest that evaluates a custom function's body for each element. (custom.cpp)
void lower_custom(KernelContext& context);

/// Returns the call of a function of the host application. Adds the function's address and data to the module's list. (native.cpp)
ir::NativeCall lower_native(const Program& program, const KernelPlan& plan, ir::Module& module);
/// Returns the argument that stands for a buffer of the program in the host code; it points to element number `element` of the buffer.
ir::HostBuffer host_buffer(const Program& program, int buffer, Sym element = 0);

/// Returns the index of an element of a node of this shape at the kernel's position: axes of size 1 have index 0, and the entries of
/// `position` go to the other axes in order.
Index node_index(const Shape& shape, const Index& position);
/// Returns the statements that store some of the kernel's outputs, given by their numbers in KernelPlan::stores, at this position of their
/// iteration space.
ir::Body store_outputs(KernelContext& context, std::span<const size_t> stores, const Index& position);
/// Returns the statements that store every output.
ir::Body store_outputs(KernelContext& context, const Index& position);
/// Marks those of the parameters added so far that may be the same memory as another one (ir::Param::in_place). (elementwise.cpp)
void mark_in_place(KernelContext& context);
/// Gives an inner loop the tags that the schedule asks for: partition, unswitch, vectorise. `together`: number of vectors in a step
/// (unroll-and-jam). Returns the loop.
ir::Body inner_loop(const KernelContext& context, ir::Loop* loop, int simd_width, bool overlap, int together = 1);

/// Estimates the work of the kernel, in units of about half a nanosecond, with vectors of this many lanes. (work.cpp)
Sym work_of(const Program& program, const KernelPlan& plan, int lanes);

/// Lowers the whole program: kernels, launches by generation, constants. Loops are scalar, with tags that ir/apply_schedule.h executes. The
/// module shares the graph's SymTable.
std::shared_ptr<ir::Module> lower_program(const Program& program);

}  // namespace harp::lower
