// A Schedule states how one kernel iterates over its space. It is plain data, which can be printed, parsed, compared, and set through the
// API. A Schedule never changes results: the order of every reduction is an attribute of the node (docs/semantics.md), not of the Schedule.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace harp {

/// The template by which a kernel is lowered (the form of its loops), also called its recipe. Each template is a file in src/lower.
/// kReduce: reductions. (An argmax or argmin is in arg_extreme.cpp.)
/// kRowwise: several reductions over the same rows in one kernel, in reduce.cpp.
/// kContraction: a sum of products by register tiles; kReduce can compute it too.
/// kTranspose: an elementwise kernel by blocks of two axes, where some loads are contiguous along another axis than the stores.
/// kNative: no kernel; calls a function of the host application.
enum class Template : uint8_t { kElementwise, kReduce, kRowwise, kContraction, kTranspose, kScan, kScatter, kRoutine, kCustom, kNative };

enum class AxisKind : uint8_t {
  kSequential,
  kThread,       // divided among threads: those of the host or of a GPU's grid
  kThreadGroup,  // divided among the threads of a GPU block; not for CPUs
  kReduce,       // a reduced axis, in the order that docs/semantics.md prescribes
  kScan,         // the axis of a scan, in the order that docs/semantics.md prescribes
  // The axis along which the indices of a scatter select elements. Updates of the same element are applied one after the other, in their
  // order along this axis.
  kScatter,
};

struct AxisSchedule {
  AxisKind kind = AxisKind::kSequential;
  // The size of a block in elements. 0: the recipe chooses it; usually the whole axis is one block.
  int64_t tile = 0;
  // The number of iterations that are unrolled and interleaved. In a contraction: on the axis of the rows, the number of rows of the
  // register tile; on the axis of the columns, its number of vectors.
  int unroll = 1;
  // The number of vector lanes; more than 1 on at most one axis. On the axis of the terms of a contraction (the summed axis) it is instead
  // the number of terms in each lane of the packed factors (narrow_products.h). On a GPU it is the number of adjacent elements that one
  // thread computes (elements_of_thread.h).
  int simd_width = 1;
  // Whether data is first copied to scratch memory, in the order in which it is used (packed). In a contraction: on the axis of the rows,
  // the rows' factor A is packed for each block; on the axis of the columns, the columns' factor B is packed once for all rows. In a
  // transpose, on the axis of the rows: each block is packed.
  bool pack = false;
  // For a product on a GPU, on the axis of its terms: the number of terms of a slice, if the terms are split into slices
  // (gpu/product_slices.h). 0: they are not split.
  int64_t split = 0;
  // For a product on a GPU, on the axis of its terms: the number of stages, which are parts of shared memory with the terms of one step
  // each. Asynchronous copies fill the stages, if both factors can be copied in this way (lower/gpu/staged_factor.h). 0: the factors are
  // copied through registers.
  int64_t stages = 0;
  friend bool operator==(const AxisSchedule&, const AxisSchedule&) = default;
};

/// The schedule of a kernel. `axes` has one entry for each axis of the kernel's iteration space whose size is not 1, in order, and for
/// reductions one further entry for all reduced axes together. A scanned axis stays at its position.
struct Schedule {
  Template recipe = Template::kElementwise;
  std::vector<AxisSchedule> axes;
  // Split loops at the indices where the condition of a pad, concat or roll changes, so that the part of the loop inside these borders
  // needs no masks.
  bool partition = true;
  // Compute the remainder of a row by a last vector that overlaps the previous one, instead of element by element.
  bool overlap = true;
  // Store whole cache lines by non-temporal stores. Vectors then do not overlap.
  bool nontemporal = false;
  // For kernels that make several passes over rows: interleave the last pass, which stores, with the next-to-last pass of the next row.
  bool defer_stores = false;
  // Prefetch the next rows of a sum over rows, the next groups of a scan, or the next block of a transpose.
  bool prefetch = false;
  // Compute maxima by an instruction that ignores NaN. If the CPU's flag for invalid operations shows that there was a NaN, compute them
  // again.
  bool nan_flag = false;
  // For a product of a matrix with its own transpose (symmetric_product.h): compute only the blocks up to the diagonal, and store the
  // elements before the diagonal a second time, at the mirrored positions.
  bool half = false;
  bool may_overlap() const { return overlap && !nontemporal; }
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// Returns the keyword of a recipe in the text of schedules, for example "reduce".
std::string_view name_of(Template recipe);
/// Returns the keyword of a kind of axis, for example "thread_group".
std::string_view name_of(AxisKind kind);
/// Prints a schedule, for example "elementwise [thread, sequential simd=16] partition overlap".
std::string print(const Schedule& schedule);
/// Parses the text that print() writes. Throws Error{kParse}, which names the unknown word.
Schedule parse_schedule(std::string_view text);

}  // namespace harp
