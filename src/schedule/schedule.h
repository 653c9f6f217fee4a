// Schedule: how one kernel iterates over its space. It is plain data, which can be printed, parsed, compared, and set through the API. It
// never changes results: the order of every reduction is an attribute of the node (docs/semantics.md), not of the Schedule.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace harp {

/// The recipe that lowers a kernel; each is a file in src/lower. kRowwise (consecutive reductions over the same rows) is in reduce.cpp;
/// kReduce for an argmax or argmin is in arg_extreme.cpp.
/// kContraction: a sum of products by register tiles; kReduce can compute it too.
/// kTranspose: elementwise by blocks of two axes, where some loads are contiguous along the other axis.
/// kNative: no kernel; calls a function of the host application.
enum class Template : uint8_t { kElementwise, kReduce, kRowwise, kContraction, kTranspose, kScan, kScatter, kRoutine, kCustom, kNative };

enum class AxisKind : uint8_t {
  kSequential,
  kThread,       // divided among the host's threads
  kThreadGroup,  // threads of one GPU block; CPUs do not have it
  kReduce,       // an axis that is reduced, in the order of docs/semantics.md
  kScan,         // an axis along which a scan runs, in the order of docs/semantics.md
  kScatter,      // an axis along which data-dependent elements are updated, in the order of the updates
};

struct AxisSchedule {
  AxisKind kind = AxisKind::kSequential;
  int64_t tile = 0;    // elements of a block; 0: the recipe chooses, usually the whole axis if it needs no blocks
  int unroll = 1;      // interleaved unrolled iterations; in a contraction: rows, or vectors, of the register tile
  int simd_width = 1;  // lanes; more than 1 on at most one axis. On a contraction's terms: terms that each lane of its packed factors holds
                       // (narrow_products.h)
  bool pack = false;   // on a contraction's rows: pack their factor for each block; on its columns: pack their factor once for all rows; on
                       // a transpose's rows: copy blocks through scratch memory
  friend bool operator==(const AxisSchedule&, const AxisSchedule&) = default;
};

/// The schedule of a kernel, with one entry of `axes` for each axis of the kernel's iteration space in order, without axes of size 1; for
/// reductions the kept axes come first, then the reduced ones (a run of adjacent axes counts as one). A scanned axis stays at its position.
struct Schedule {
  Template recipe = Template::kElementwise;
  std::vector<AxisSchedule> axes;
  bool partition = true;      // split loops where a pad, concat or roll condition changes, so that the interior has no mask
  bool overlap = true;        // use a last vector that overlaps the previous one instead of a scalar remainder
  bool nontemporal = false;   // "nontemporal": non-temporal stores for whole cache lines; vectors then do not overlap
  bool defer_stores = false;  // "defer_stores": for rows in several passes, the last pass, which stores, runs interleaved with the
                              // next-to-last pass of the next row
  bool prefetch = false;      // "prefetch": prefetch the next rows of a sum over rows, groups of a scan, or block of a transpose
  bool nan_flag = false;      // "nan_flag": compute maxima by an instruction that drops NaN; if the invalid flag shows that there was a
                              // NaN, compute them again
  bool may_overlap() const { return overlap && !nontemporal; }
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// Returns the keyword of a recipe, for example "reduce".
std::string_view name_of(Template recipe);
/// Prints a schedule, for example "elementwise [thread, sequential simd=16] partition overlap".
std::string print(const Schedule& schedule);
/// Parses what print() writes. Throws Error{kParse}, which names the unknown word.
Schedule parse_schedule(std::string_view text);

}  // namespace harp
