// Schedule: how one kernel walks its iteration space, as plain data: printed, parsed, compared, set through the API.
// It never changes results: the order of every reduction is an attribute of the node (docs/semantics.md), not of the Schedule.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace harp {

/// The recipe a kernel is lowered by: a file in src/lower (kRowwise, which is reductions that follow one another, is in reduce.cpp;
/// where what is reduced are places, kReduce is place.cpp).
/// kContraction: a sum of products by tiles of registers, which kReduce can do too.
/// kTranspose: elementwise by blocks of two axes, some of what is loaded lying along the other.
/// kNative: there is no kernel, a function of the host's is called.
enum class Template : uint8_t { kElementwise, kReduce, kRowwise, kContraction, kTranspose, kScan, kScatter, kRoutine, kCustom, kNative };

enum class AxisKind : uint8_t {
  kSequential,
  kThread,       // split over the host's threads
  kThreadGroup,  // lanes of a GPU block; not on the CPU
  kReduce,       // an axis that is summed away, in the law's order
  kScan,         // an axis along which running values are made, in the law's order
  kScatter,      // an axis along which elements are added to by data, in the order of the updates
};

struct AxisSchedule {
  AxisKind kind = AxisKind::kSequential;
  int64_t tile = 0;    // elements a block; 0: as the recipe chooses, which is the whole axis where it needs no blocks
  int unroll = 1;      // iterations written out side by side; of a contraction the rows, or vectors, of a tile of registers
  int simd_width = 1;  // lanes; more than 1 on one axis at most
  bool pack = false;   // of a contraction's rows: their factor is copied in the order it is used; of its columns: that once for all rows;
                       // of a transpose's rows: blocks are copied on their way
  friend bool operator==(const AxisSchedule&, const AxisSchedule&) = default;
};

/// Axes of the kernel's iteration space without its size-1 axes, in order; for reductions the kept axes, then the reduced ones
/// (adjacent axes of one run count as one). A scanned axis stands where it is.
struct Schedule {
  Template recipe = Template::kElementwise;
  std::vector<AxisSchedule> axes;
  bool partition = true;  // split loops where a pad, concat or roll condition changes, so that the interior has no mask
  bool overlap = true;    // a last vector that overlaps the one before instead of a scalar tail
  bool stream = false;    // what is stored goes past the caches, as far as it is whole lines of them; then no vectors overlap
  bool late = false;      // of rows in several passes: the last, which stores, goes beside the pass before it over the next row
  bool ahead = false;  // of rows that are added up, several at a time, or scanned along, or blocks that are copied: the next are asked for
  bool watch = false;  // maxima by an instruction that loses NaN: the processor tells that it met one, and then it is all done again
  bool may_overlap() const { return overlap && !stream; }
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// "reduce"
std::string_view name_of(Template recipe);
/// "elementwise [thread, sequential simd=16] partition overlap"
std::string print(const Schedule& schedule);
/// The inverse of print; Error{kParse} names the word it does not know.
Schedule parse_schedule(std::string_view text);

}  // namespace harp
