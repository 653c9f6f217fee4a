// Copies a factor of a product to shared memory (product.h). The threads of a block copy the factor's elements for a few terms and for the
// rows (or columns) of the block's tile. If the factor is an expression (casts, views, padding, windows of a convolution), the copy
// evaluates it.
//
// The shared array has several stages, each with the terms of one step. While the threads compute with one stage, they fill another one. In
// each stage the lanes (rows or columns) of a term are adjacent.
//
// If the factor is an array, asynchronous copies can fill a stage; they need no registers, and the threads do not wait for them.
// start_copies() starts the copies of a thread. If several elements are adjacent both in memory and in the stage, one copy transfers 16
// bytes of them. Otherwise there is one copy for each element. Terms beyond the last one become zero; lanes beyond the last one are
// replaced by existing lanes.
//
// If asynchronous copies are not possible, there are two stages. A thread loads its elements of the next terms into registers, from which
// stage() writes them to the shared array. There are two ways to load the elements:
//   quick   No load tests whether its element exists. This requires that all terms of the step exist; lanes beyond the last one are
//           replaced by existing lanes. Elements that are adjacent in memory are loaded by one access of 16 bytes. This requires aligned
//           arrays, and rows whose length is a multiple of an access; the kernel tests that once for each tile.
//   masked  Each load tests whether its element exists. Lanes and terms beyond the last one are zero.
#pragma once

#include <functional>
#include <optional>

#include "lower/accumulate.h"

namespace harp::lower {

class StagedFactor {
 public:
  /// Returns the element of the factor at a lane of the whole matrix and a term, in the dtype of the sums; zero where the mask is false.
  /// `term` counts within step number `step`.
  using Element = std::function<const ir::UOp*(Sym lane, Sym step, Sym term, const ir::UOp* mask)>;
  struct Sizes {
    Dim lanes, terms;    // sizes of the whole matrix
    int64_t tile, step;  // tile: number of lanes of a tile; step: number of terms that are staged at a time
    int64_t threads;
    int64_t padding = 0;  // unused elements after the lanes of each term in the shared array; 0: the class chooses the number
  };
  StagedFactor(KernelContext& context, DType dtype, const Sizes& sizes, Element element);

  /// Returns the declaration of the shared array, with this number of stages. It must stand outside of the loops over the threads of a
  /// group.
  ir::Stmt* declare(int64_t stages);
  /// Tests whether asynchronous copies can fill the stages.
  bool can_copy_async(Sym tile) const;
  /// Returns statements for one thread, which start the copies of its elements of step number `step`, for tile number `tile`, to a stage.
  /// Terms of the whole product from number `end` on become zero; without `end`, all terms of the step exist.
  ir::Body start_copies(Sym thread, Sym tile, Sym step, Sym stage, std::optional<Sym> end);
  /// Return statements for one thread. new_registers() declares registers. quick() and masked() load the thread's elements of step number
  /// `step`, for tile number `tile`, into these registers.
  ir::Stmt* new_registers();
  ir::Body quick(Sym thread, Sym tile, Sym step) {
    return each_run([&](Sym run) { return quick(thread, tile, step, run); });
  }
  ir::Body masked(Sym thread, Sym tile, Sym step) {
    return each_run([&](Sym run) { return masked(thread, tile, step, run); });
  }
  /// Returns a bool that is true at run time if, in this tile, the unmasked loads by quick() and the asynchronous copies that were emitted
  /// so far are valid. Returns null if they are always valid, because each of them accesses a single element. The loads by quick() also
  /// require that all terms of the step exist.
  const ir::UOp* is_quick(Sym tile) const;
  /// shared() returns the index of the shared array. at() returns the position in it of a lane of the tile, for term number `term` in stage
  /// number `stage`. pitch() returns the distance from one term to the next.
  int shared() const { return shared_; }
  Sym at(Sym stage, Sym term, Sym lane) const { return (stage * sizes_.step + term) * pitch_ + lane; }
  int64_t pitch() const { return pitch_; }
  /// Returns statements for one thread, which write the elements that it loaded last to one stage of the shared array.
  ir::Body stage(Sym thread, Sym stage);
  /// Returns a statement that copies lanes `lane` to lane + count - 1 of the tile, for term number `term` in stage number `stage`, from the
  /// shared array to the elements of `array` that start at `index`. `array` is private to the thread.
  ir::Stmt* fragment(Sym stage, Sym term, Sym lane, int64_t count, int array, Sym index) const;

 private:
  /// Says which element a thread loads as element number `element` of its run number `run`: the lane in the tile, and the term in the step.
  /// A run consists of run_ elements that are adjacent in memory.
  struct Position {
    Sym lane, term;
  };
  Position position(Sym thread, Sym run, Sym element) const;
  void choose_runs();
  /// Returns the lane of the whole matrix that a thread loads for lane `lane` of the tile. If that lane is beyond the end of the matrix,
  /// returns a lane of the matrix's last run instead.
  Sym lane_of_matrix(Sym tile, Sym lane, Sym element) const;
  ir::Body each_run(const std::function<ir::Body(Sym run)>& make) const;
  /// Returns the number of elements that one asynchronous copy transfers: a whole run if its elements are also adjacent in the shared
  /// array, else one.
  int64_t elements_of_copy() const { return runs_along_terms_ ? 1 : run_; }
  /// Adds the requirements of a grouped access, which needs aligned arrays: `distances` to distances_, and `multiples` to multiples_.
  void require_aligned(const ir::UOp* distances, const std::vector<Sym>& multiples);
  ir::Body quick(Sym thread, Sym tile, Sym step, Sym run);
  ir::Body masked(Sym thread, Sym tile, Sym step, Sym run);

  KernelContext& c_;
  ir::Arena& arena_;
  const DType dtype_;
  const Sizes sizes_;
  const Element element_;
  int64_t elements_, run_;  // elements_: how many a thread loads in a step; run_: how many a run has, which are adjacent in memory
  bool runs_along_terms_;   // true: the elements of a run are consecutive terms; false: they are consecutive lanes
  int64_t pitch_;           // distance from one term to the next in the shared array
  int shared_, registers_ = -1;
  bool is_contiguous_;  // whether the elements of a run are adjacent in memory
  // An i64 that is computed at run time. It must be a multiple of run_ for the loads by quick() and for asynchronous copies, because these
  // access run_ adjacent elements at once (ir::Together). null: each access is of a single element.
  const ir::UOp* distances_ = nullptr;
  std::vector<const ir::UOp*> required_;  // the operands of the bitwise or that computes distances_
  std::vector<Sym> multiples_;            // sizes that must be multiples of run_ as well (ir::Together)
};

}  // namespace harp::lower
