// Groups of a scan along rows that are done in turn: each a part behind the one before it, since the parts of one wait for each other.
#pragma once

#include <functional>

#include "lower/accumulate.h"

namespace harp::lower {

class ScanTurns {
 public:
  /// How a group from element `first` on gets into an accumulator, from its element `at` on, and how the running values get out of it.
  struct Access {
    using Copy = std::function<void(int accumulator, Sym at, Sym first, ir::Body& body)>;
    Copy load, store;
  };

  /// So many groups of one scan, in vectors of so many lanes.
  ScanTurns(KernelContext& context, Accumulators& accumulators, const Node& scan, int64_t groups, int width);
  void declare(ir::Body& body) const;
  /// As many of the elements [begin, end) as make whole turns; gives where they end. `carry` and `total` (-1: none) are accumulators.
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
  // of vectors, but for the elements; carry and totals are the same in every lane
  int elements_, quads_, carry_, group_total_, total_;
};

}  // namespace harp::lower
