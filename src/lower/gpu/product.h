// Products on a GPU: matrix products, batched ones, convolutions (schedule/product_tiles.h). An iteration of the thread loop is a block
// of threads, which computes a tile of rows times columns:
//
//   thread tile in 0 .. tiles:
//     declare acc0                                       # the results: 64 registers of each of 256 threads
//     declare row1, row2                                 # shared: 2 halves x 8 terms x 128 rows, and x 128 columns
//     group t: load and stage terms 0 … 7 to half 0
//     barrier
//     for step in 0 .. terms / 8:
//       group t in 0 .. 256:
//         load terms 8*step + 8 … into registers
//         unroll term in 0 .. 8:
//           copy 8 rows of row1 and 8 columns of row2 to registers     # accesses of 16 bytes
//           acc0[i, j] = fma(rows[i], columns[j], acc0[i, j])
//         stage the loaded elements to the other half
//       barrier
//     group t: the epilogue and the stores
//
// docs/semantics.md ("Sums") adds 256 terms in a chain, and adds the results of these blocks in a second chain. The sums of that second
// chain are in shared memory (`totals`), because registers hold only one set; each thread uses its own elements there. Products of at most
// 256 terms have none.
//
// Thread t of a warp is number (t / 8, t % 8) in a grid of 4 x 8 threads, the warps of a block form a grid, too. A thread's rows are in
// pieces of 16 bytes, which are as far apart as the pieces of all threads take room. So the threads of a warp read few different addresses
// of shared memory, and these are in different banks.
//
// On GPUs whose tensor cores multiply f64, a warp computes tiles of 8 x 8 results: mma.m8n8k4 adds four products to each of them, in the
// order of the chain. A warp then has 8 * rows_of_thread rows and 4 * columns_of_thread columns, next to each other, and a thread one row
// and two adjacent columns of each of these tiles (ir::Mma). Everything else is the same.
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
  /// Returns the element of a factor at a row and column of the product; a factor is the same in all rows, or in all columns.
  const ir::UOp* element(const Node* factor, Sym row, Sym column, const Index& terms, const ir::UOp* mask);
  Index terms_at(Sym step, Sym term) const;
  int new_array(DType dtype, int64_t count, Space space);
  ir::Loop* new_group() { return ir::new_loop(arena_, "thread", 0, tile_.threads(), ir::LoopKind::kGroup); }
  ir::Body group(const std::function<ir::Body(Sym thread)>& make);

  ir::Body with_quick(ir::Body body);
  enum class Loads : uint8_t { kQuick, kMasked };  // (staged_factor.h)
  ir::Body load(Sym thread, Sym step, Loads loads);
  ir::Body stage(Sym thread, Sym step);
  /// Steps first … first + count - 1, of tile_.terms terms each.
  ir::Body steps(Sym first, Sym count);
  ir::Body multiply(Sym thread, Sym step, ir::LoopKind kind);
  ir::Body multiply_by_warps(Sym thread, Sym step, ir::LoopKind kind);
  ir::Body add_to_totals();

  // --- results

  /// The statements that store what the kernel computes of the result at this row and column of the product.
  ir::Body stores_at(Sym row, Sym column, const ir::UOp* sum);
  /// A thread's stores. `sum_at` returns its result of this number along rows and columns.
  using SumAt = std::function<const ir::UOp*(Sym row, Sym column)>;
  ir::Body store_results(Sym thread, ir::LoopKind kind, const SumAt& sum_at);
  ir::Body with_wide(ir::Body body);
  ir::Body results();

  /// The first row (column) of a thread's piece in the tile, and the sizes of a piece and of the distance between pieces.
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
  /// Calls `make` for each result of a thread, in loops that are unrolled.
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
  const bool has_mma_;       // whether tensor cores multiply
  const int64_t of_thread_;  // results of a thread
  Index batch_;              // position along the batch axes
  Sym row_tile_, column_tile_;
  Sym quick_;                                // 1 if loads may be quick (staged_factor.h), else 0
  Sym wide_;                                 // 1 if results may be stored by accesses of 16 bytes, else 0
  const ir::UOp* wide_distances_ = nullptr;  // alignment of these accesses (ir::Together)
  std::vector<Sym> wide_multiples_;
  StagedFactor rows_, columns_;
  int sums_ = -1, totals_ = -1;
};

}  // namespace harp::lower
