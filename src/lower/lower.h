// Program -> loop IR. One file a template; module.cpp puts the kernels and the host half together.
#pragma once

#include <span>

#include "ir/ir.h"
#include "ir/rewrite.h"
#include "lower/value.h"
#include "schedule/program.h"

namespace harp::lower {

/// The prefetcher stops where a page ends and has to be told of the next ones: a line of each, so many pages ahead, is enough. (Sums and
/// maxima of 32 MB in the third cache 1.1 times as fast, of 512 KB and 512 MB as fast as without; with every line they would be slower.)
inline constexpr int64_t kPagesAhead = 4;

/// What a template works on.
struct KernelContext {
  ir::Arena& arena;
  const Program& program;
  const KernelPlan& plan;
  const Schedule& schedule;
  ir::Kernel& kernel;
  ValueBuilder values;
  std::optional<Sym> holds = std::nullopt;  // what is >= 0 wherever this variant runs
  std::optional<Sym> guard = std::nullopt;  // set by the template: the kernel may run only where this is >= 0
};

/// Loop nest of an elementwise kernel. (elementwise.cpp)
void lower_elementwise(KernelContext& context);
/// Blocks of an elementwise kernel some of whose loads lie along another axis than its stores. (transpose.cpp)
void lower_transpose(KernelContext& context);
/// Loop nest of reductions over the same axes, in one pass over the rows or several, with what comes before and after. (reduce.cpp)
void lower_reduce(KernelContext& context);
/// Where the extremes along one axis stand. (place.cpp)
void lower_place(KernelContext& context);
/// Tiles of rows times columns, for one sum of products. (contraction.cpp)
void lower_contraction(KernelContext& context);
/// Loop nest of scans along the same axis, with their prologue and epilogue. (scan.cpp)
void lower_scan(KernelContext& context);
/// A copy of the array, and the loop nest that adds the updates to it. (scatter.cpp)
void lower_scatter(KernelContext& context);

/// Blocks of rows, each given to a routine. (routine.cpp)
void lower_routine(KernelContext& context);

/// A loop nest that does a custom function's body for each element. (custom.cpp)
void lower_custom(KernelContext& context);

/// The call of a function of the host's, whose addresses are added to the module's. (native.cpp)
ir::NativeCall lower_native(const Program& program, const KernelPlan& plan, ir::Module& module);
/// A buffer of the program from `element` on, as the host half names it. (module.cpp)
ir::HostBuffer host_buffer(const Program& program, int buffer, Sym element = 0);

/// The index of a node of this shape at the kernel's position: size-1 axes are 0, the others take `position` in order.
Index node_index(const Shape& shape, const Index& position);
/// Stores these outputs of the kernel, by number, at this position of the space they are over.
ir::Body store_outputs(KernelContext& context, std::span<const size_t> stores, const Index& position);
/// Stores every output.
ir::Body store_outputs(KernelContext& context, const Index& position);
/// Says of the parameters there are which may be the same memory. (elementwise.cpp)
void mark_in_place(KernelContext& context);
/// The inner loop after partition, unswitch and vectorise, as the schedule says; `together`: so many vectors in a step.
ir::Body finish_inner_loop(KernelContext& context, ir::Loop* loop, int simd_width, bool overlap, int together = 1);

/// Steps of about half a nanosecond that the kernel takes with vectors of so many lanes. (work.cpp)
Sym work_of(const Program& program, const KernelPlan& plan, int lanes);

/// The whole program: kernels, launches by generation, constants. The module shares the graph's SymTable.
std::shared_ptr<ir::Module> lower_program(const Program& program);

}  // namespace harp::lower
