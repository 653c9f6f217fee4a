// Lowers matrix products, batched products and convolutions for a GPU (schedule/product_tiles.h). One block of threads executes an
// iteration of the thread loop and computes a tile of rows times columns of the result:
//
//   thread tile in 0 .. tiles:
//     declare acc0                                       # the results: 64 registers of each of 256 threads
//     declare row1, row2                                 # shared: 4 stages x 8 terms x 128 rows, and x 128 columns
//     group t: start copies of terms 0 … 7 to stage 0    # three times: also terms 8 … 15 to stage 1, and 16 … 23 to stage 2
//     for step in 0 .. terms / 8:
//       group t: wait for the copies to stage step % 4
//       barrier
//       group t in 0 .. 256:
//         start copies of terms 8*step + 24 … to stage (step + 3) % 4
//         unroll term in 0 .. 8:
//           copy 8 rows of row1 and 8 columns of row2 to registers     # accesses of 16 bytes
//           acc0[i, j] = fma(rows[i], columns[j], acc0[i, j])
//     group t: the epilogue and the stores
//
// If a factor cannot be copied asynchronously (staged_factor.h), there are two stages: a step loads the terms of the next step into
// registers, multiplies, and then writes them to the other stage.
//
// docs/semantics.md ("Sums") prescribes that the terms of each block of 256 terms are added in a chain, and the results of the blocks in a
// second chain. The sums of the second chain are in shared memory (`totals`), because the registers of a thread hold only one set of sums;
// each thread uses its own elements of `totals`. Products of at most 256 terms have no second chain.
//
// Thread t of a warp is at position (t / 8, t % 8) in a grid of 4 x 8 threads; the warps of a block form a grid, too. The rows of a thread
// are divided into pieces of 16 bytes. Each piece of a thread is followed by the corresponding pieces of the other threads, and then comes
// the next piece of the same thread. The columns are divided in the same way. The threads of a warp therefore read few different addresses
// of shared memory, and these are in different banks.
//
// On a GPU whose tensor cores multiply f64, a warp computes tiles of 8 x 8 results: the instruction mma.m8n8k4 adds four products to each
// result, in the order of the chain. A warp then has 8 * rows_of_thread adjacent rows and 4 * columns_of_thread adjacent columns. A thread
// has one row and two adjacent columns of each tile (ir::Mma). Everything else is the same.
//
// The schedule may split the terms into slices (schedule/gpu/product_slices.h). An iteration of the thread loop then computes the sums of
// one tile over one slice and stores them in the kernel's scratch buffer; sum_of_slices.h makes the kernel that adds them.
//
// staged_factor.h describes how factors are copied to shared memory.
#pragma once

#include "lower/gpu/staged_factor.h"
#include "schedule/product_tiles.h"

namespace harp::lower {

class GroupProduct {
 public:
  explicit GroupProduct(KernelContext& context);
  void run();

 private:
  /// Returns the element of a factor for a row and a column of the product. The rows' factor ignores the column, and the columns' factor
  /// ignores the row.
  const ir::UOp* element(const Node* factor, Sym row, Sym column, const Index& terms, const ir::UOp* mask);
  Index terms_at(Sym step, Sym term) const;
  int new_array(DType dtype, int64_t count, Space space);
  ir::Loop* new_group() { return ir::new_loop(arena_, "thread", 0, tile_.threads(), ir::LoopKind::kGroup); }
  ir::Body group(const std::function<ir::Body(Sym thread)>& make);

  ir::Body with_quick(ir::Body body);
  enum class Loads : uint8_t { kQuick, kMasked };  // (staged_factor.h)
  ir::Body load(Sym thread, Sym step, Loads loads);
  ir::Body stage(Sym thread, Sym step);
  /// Return statements that compute the sums over `count` steps, from step number `first` on; each step multiplies tile_.terms terms.
  /// asynchronously() fills shared memory by asynchronous copies, through_registers() by loads and stores of the threads.
  ir::Body asynchronously(Sym first, Sym count);
  ir::Body through_registers(Sym first, Sym count);
  /// Returns the part of through_registers() that executes steps first … first + count - 1. The terms of step `first` must be in shared
  /// memory already.
  ir::Body steps(Sym first, Sym count);
  /// Returns statements by which one thread starts its asynchronous copies: those of the terms of step number `step` to stage number
  /// `stage` in shared memory. Only few of the later steps are not whole, so for these a condition decides whether each copy has to compare
  /// its term with the last one.
  enum class Steps : uint8_t { kFirst, kLater };
  ir::Body start_copies(Sym thread, Sym step, Sym stage, Steps steps);
  /// Emits the multiplications of one step, whose terms are in stage number `stage` in shared memory.
  ir::Body multiply(Sym thread, Sym stage, ir::LoopKind kind);
  ir::Body multiply_by_warps(Sym thread, Sym stage, ir::LoopKind kind);
  ir::Body clear_totals(Sym thread);
  ir::Body add_to_totals();

  // --- results

  /// Returns the stores of all outputs of the kernel for this row and column of the product; `sum` is the sum of products there. If the
  /// terms are split into slices, returns the store of the sum over this slice.
  ir::Body stores_at(Sym row, Sym column, const ir::UOp* sum);
  /// Emits the stores of the results of a thread. `sum_at(row, column)` returns a result of the thread; its row and column number are
  /// counted within the thread.
  using SumAt = std::function<const ir::UOp*(Sym row, Sym column)>;
  ir::Body store_results(Sym thread, ir::LoopKind kind, const SumAt& sum_at);
  ir::Body with_wide(ir::Body body);
  ir::Body results();

  /// The rows (columns) of a thread are divided into pieces of `size` adjacent rows (columns). first_row (first_column) is the position in
  /// the tile of the first piece, and `distance` is the distance from the start of one piece of the thread to the start of its next piece.
  Sym first_row(Sym thread) const;
  Sym first_column(Sym thread) const;
  struct Pieces {
    int64_t size, distance;
  };
  Pieces pieces(int64_t of_thread, int64_t tile) const;
  Pieces row_pieces() const { return has_mma_ ? Pieces{1, 8} : pieces(tile_.rows_of_thread, tile_.rows); }
  Pieces column_pieces() const { return has_mma_ ? Pieces{2, 8} : pieces(tile_.columns_of_thread, tile_.columns); }
  Sym in_tile(Sym number, const Pieces& pieces, Sym first) const {
    return floor_div(number, pieces.size) * pieces.distance + first + mod(number, pieces.size);
  }
  /// Emits unrolled loops over the rows and columns of a thread; `make` returns the statements for one result.
  ir::Body each_result(const std::function<ir::Body(Sym row, Sym column)>& make);
  ir::Body each(std::string_view name, int64_t count, ir::LoopKind kind, const std::function<ir::Body(Sym)>& make);
  Sym sum_at(Sym thread, Sym row, Sym column) const { return thread * of_thread_ + row * tile_.columns_of_thread + column; }
  Sym total_at(Sym thread, Sym row, Sym column) const { return (row * tile_.columns_of_thread + column) * tile_.threads() + thread; }

  KernelContext& c_;
  ir::Arena& arena_;
  const Node& reduce_;
  const Product product_;
  const ProductTile tile_;
  const DType dtype_;
  const bool has_mma_;       // whether tensor cores multiply the factors
  const int64_t of_thread_;  // number of results that a thread computes
  Index batch_;              // position along the batch axes
  Sym slice_ = 0;            // index of the slice of terms, if these are split (schedule/gpu/product_slices.h)
  Sym row_tile_, column_tile_;
  // 1 if in this tile the factors may be copied asynchronously or loaded without masks, by accesses of 16 bytes; else 0 (staged_factor.h)
  Sym quick_;
  Sym wide_;  // 1 if results are stored by accesses of 16 bytes, else 0
  // An i64 that is computed at run time: the bitwise or of the distances, in elements, from the start of a cache line to each output
  // (ir::Together). The outputs are aligned for accesses of 16 bytes if it is a multiple of the number of elements of such an access.
  const ir::UOp* wide_distances_ = nullptr;
  std::vector<Sym> wide_multiples_;
  StagedFactor rows_, columns_;
  int sums_ = -1, totals_ = -1;
  bool is_async_ = false;  // whether the factors are copied asynchronously
};

}  // namespace harp::lower
