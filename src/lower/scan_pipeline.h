// Arranges the groups (64 elements each) of a scan along rows in a software pipeline. The work on a group is divided into parts. While one
// group executes a part, the next group executes the part before it, which hides the latency between the parts of one group.
#pragma once

#include <functional>

#include "lower/accumulate.h"

namespace harp::lower {

class ScanPipeline {
 public:
  /// Callbacks that emit memory accesses. load: loads the group that begins at element `first` of the row into elements `at` … of an
  /// accumulator. store: stores the running values of that group from the same elements of the accumulator.
  struct Access {
    using Copy = std::function<void(int accumulator, Sym at, Sym first, ir::Body& body)>;
    Copy load, store;
  };

  /// `groups` is the number of groups that are pipelined before the loop repeats (a round), and `width` is the number of lanes of a vector.
  ScanPipeline(KernelContext& context, Accumulators& accumulators, const Node& scan, int64_t groups, int width);
  void declare(ir::Body& body) const;
  /// Scans elements [begin, end), as far as they fill whole rounds of groups_ groups; returns the first element that is left. `carry` and
  /// `total` are the accumulators of the running value and of the block's total; total -1: the total is not needed.
  Sym lower(Sym begin, Sym end, int carry, int total, const Access& access, ir::Body& body) const;

 private:
  using Part = std::function<void(Sym group, ir::Body& body)>;
  int add(const Node& scan, int64_t vectors);
  std::vector<Part> parts(Sym first, bool has_total, const Access& access) const;
  const ir::UOp* vector(int accumulator) const { return arena_.acc(dtype_, accumulator, 0, width_); }

  ir::Arena& arena_;
  ir::Kernel& kernel_;
  Accumulators& accumulators_;
  DType dtype_;
  int64_t groups_;
  int width_;
  // Numbers of accumulators of vectors. Every lane of carry_, group_total_ and total_ holds the same number.
  int elements_, quads_, carry_, group_total_, total_;
};

}  // namespace harp::lower
