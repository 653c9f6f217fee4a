// A factor of a product in shared memory (product.h). The threads of a block copy the factor's elements for a few terms and the rows (or
// columns) of the block's tile. That evaluates the expression in front of the factor: casts, views, padding, the windows of a convolution.
//
// The array has two halves. While threads compute with one half, they fill the other: they load the elements for the next terms into
// registers, and then stage() writes them to shared memory. In each half the lanes (rows or columns) of a term are adjacent.
//
// There are two ways in which a thread loads its elements:
//   quick   Reads nothing beyond the last term, and repeats the last lanes instead of reading beyond them, so that no element has a
//   condition.
//           Elements that are adjacent in memory are one access of 16 bytes. That needs arrays that are aligned, and rows whose length is a
//           multiple of an access, which the kernel tests once for each tile.
//   masked  Tests each element. Lanes and terms beyond the last one are zero.
#pragma once

#include <functional>

#include "lower/accumulate.h"

namespace harp::lower {

class StagedFactor {
 public:
  /// Returns the element of the factor at a lane of the whole matrix and a term, in the dtype of the sums; zero where the mask is false.
  /// Terms are numbered by steps: term `term` of step `step`.
  using Element = std::function<const ir::UOp*(Sym lane, Sym step, Sym term, const ir::UOp* mask)>;
  struct Sizes {
    Dim lanes, terms;    // of the whole matrix
    int64_t tile, step;  // lanes of a tile; terms that are staged at a time
    int64_t threads;
    int64_t padding = 0;  // elements between the terms in the array; 0: the class chooses
  };
  StagedFactor(KernelContext& context, DType dtype, const Sizes& sizes, Element element);

  /// The statement that declares the shared array, outside of group loops.
  ir::Stmt* declare() const { return declare_accumulator(arena_, shared_); }
  /// Statements of one thread that load its elements of a step, for tile number `tile`. They set registers that new_registers() declares.
  ir::Stmt* new_registers();
  ir::Body quick(Sym thread, Sym tile, Sym step) {
    return each_run([&](Sym run) { return quick(thread, tile, step, run); });
  }
  ir::Body masked(Sym thread, Sym tile, Sym step) {
    return each_run([&](Sym run) { return masked(thread, tile, step, run); });
  }
  /// Returns a bool: whether the quick loads made so far are allowed in this tile. Null: they always are, because they access single
  /// elements. Besides, the terms must exist.
  const ir::UOp* is_quick(Sym tile) const;
  /// The array, the position of a lane of the tile there, of term number `term` in a half, and the elements from term to term.
  int shared() const { return shared_; }
  Sym at(Sym half, Sym term, Sym lane) const { return (half * sizes_.step + term) * pitch_ + lane; }
  int64_t pitch() const { return pitch_; }
  /// Statements of the same thread: write the elements loaded last to a half of the array.
  ir::Body stage(Sym thread, Sym half);
  /// Copies `count` lanes from lane `lane` of the tile, of term number `term` in a half, to an array of the thread, from `index` on.
  ir::Stmt* fragment(Sym half, Sym term, Sym lane, int64_t count, int array, Sym index) const;

 private:
  /// Element number `element` of run number `run` of a thread: its lane in the tile, and its term in the step.
  struct Position {
    Sym lane, term;
  };
  Position position(Sym thread, Sym run, Sym element) const;
  void choose_runs();
  /// The lane of the whole matrix that a thread loads for this lane of the tile: beyond the last run, the one in the last run.
  Sym lane_of_matrix(Sym tile, Sym lane, Sym element) const;
  ir::Body each_run(const std::function<ir::Body(Sym run)>& make) const;
  ir::Body quick(Sym thread, Sym tile, Sym step, Sym run);
  ir::Body masked(Sym thread, Sym tile, Sym step, Sym run);

  KernelContext& c_;
  ir::Arena& arena_;
  const DType dtype_;
  const Sizes sizes_;
  const Element element_;
  int64_t elements_, run_;  // elements of a thread; those of them that are adjacent in memory
  bool runs_along_terms_;   // otherwise runs are along lanes
  int64_t pitch_;           // elements from term to term in the array
  int shared_, registers_ = -1;
  const ir::UOp* distances_ = nullptr;  // what has to be a multiple of a run (ir::Together)
  std::vector<Sym> multiples_;
};

}  // namespace harp::lower
