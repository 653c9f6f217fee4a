// One cache block of rows and columns of a contraction: the loops over blocks, over the tiles of a block, and over the members of its group
// (Contraction::group_position); the arrays that accumulate the block's sums over blocks of terms; and the stores of its results.
// contraction.cpp describes the algorithm.
#pragma once

#include <functional>
#include <string_view>

#include "lower/accumulate.h"
#include "lower/contraction_layout.h"

namespace harp::lower {

class ContractionBlock {
 public:
  ContractionBlock(KernelContext& context, const Contraction& contraction);

  KernelContext& c;
  ir::Arena& arena;
  const Contraction& contraction;
  const ContractionLayout layout;
  const Node& reduce;
  const DType dtype;  // dtype of the sums
  Accumulators accumulators;

  // --- loops over blocks, outermost first

  /// Returns the kernel's axes in the order of the loops.
  std::vector<size_t> order() const;
  /// Makes nested loops over the blocks of these axes, with the statements that `inside` makes in the innermost one. The loop along the
  /// kernel's first axis is the thread loop.
  ir::Body each_block(std::span<const size_t> axes, const std::function<ir::Body()>& inside);
  Sym first_row = 0, first_column = 0, rows_here = 1, columns_here = 1;
  Sym first_of_group = 0, group_here = 1;

  // --- loops within a block

  /// Emits a loop of `count` iterations around `statements`, which receives the loop variable. If `count` is 1 there is no loop.
  template <class Statements>
  ir::Body each(std::string_view name, Sym count, Statements statements, ir::LoopKind kind = ir::LoopKind::kSequential) {
    if (count.is_constant(1)) return statements(Sym(0));
    ir::Loop* loop = new_loop(arena, name, 0, count);
    loop->loop = kind;
    loop->body = statements(loop->variable);
    return {loop};
  }
  template <class Statements>
  ir::Body each_row_tile(Statements statements) {
    return each("rowtile", row_tiles(), statements);
  }
  template <class Statements>
  ir::Body each_column_tile(Statements statements) {
    return each("columntile", column_tiles(), statements);
  }
  /// Emits `statements` for each member of the group. While `statements` is called, the positions of rows and columns are those of that
  /// member; afterwards they are again those of the first member.
  template <class Statements>
  ir::Body each_member(Statements statements) {
    return each("member", group_here, [&](Sym member) {
      go_to_member(member);
      ir::Body body = statements(member);
      go_to_member(0);
      return body;
    });
  }
  /// Like each_member(), for statements that concern only the rows (or only the columns). If all members of the group share them, emits the
  /// statements once.
  template <class Statements>
  ir::Body each_member_with_rows(Statements statements) {
    return layout.rows_have_members ? each_member(statements) : statements(Sym(0));
  }
  template <class Statements>
  ir::Body each_member_with_columns(Statements statements) {
    return layout.columns_have_members ? each_member(statements) : statements(Sym(0));
  }
  /// Emits the statements that `statements` makes for a lane, for all lanes of a vector. The loop over the lanes is scheduled now.
  template <class Statements>
  ir::Body each_lane(Statements statements) {
    ir::Loop* lane = new_loop(arena, "lane", 0, layout.simd);
    lane->body = statements(lane->variable);
    return ir::apply_tags(arena, c.kernel, vector_columns(lane, layout.simd));
  }
  void go_to_member(Sym member);
  /// Returns the innermost batch axis: an axis each of whose indices is an independent product. Returns nothing if there is only one
  /// product.
  std::optional<size_t> product_axis() const;
  /// Moves the position along the product axis forward by `further` products. Applies to all statements that are made afterwards.
  void move_to_product(Sym further) { position_[*product_axis()] = position_[*product_axis()] + further; }

  Sym row_tiles() const { return ceil_div(rows_here, layout.tile_rows); }
  Sym column_tiles() const { return ceil_div(columns_here, layout.tile_columns); }
  /// row_of: the number, within the block, of the tile's first row. rows_from: how many rows the block has from there to its end. Likewise
  /// for columns.
  Sym row_of(Sym row_tile) const;
  Sym rows_from(Sym row_tile) const;
  Sym column_of(Sym column_tile) const;
  Sym columns_from(Sym column_tile) const;
  /// Returns the index, in the reduction's source, of the product at this row and column of the block and this index along the term axes.
  Index source_index(Sym row, Sym column, const Index& terms) const;
  Index source_index(Sym row, Sym column, Sym term) const { return source_index(row, column, unflatten(term, layout.term_shape)); }

  // --- sums in memory

  /// Adds arrays for the sums, unless tiles are stored directly from registers.
  void add_sums();
  std::span<const int> arrays_of_sums() const { return sums_; }
  /// sums_of_block: the array that receives the sums of one block of terms. sums_of_all_terms: the array that finally holds the sums over
  /// all terms (the same array if there is only one block of terms).
  int sums_of_block() const { return sums_.front(); }
  int sums_of_all_terms() const { return sums_.back(); }
  /// Emits `block_of_terms` for each block of terms, and combines the results of the blocks in the order of docs/semantics.md ("Sums").
  using BlockOfTerms = std::function<ir::Body(Sym first, Sym count)>;
  ir::Body each_block_of_terms(const BlockOfTerms& block_of_terms);
  /// Emits the statement for each sum of the block. `at` is the position of the sum in its array.
  ir::Body each_sum(const std::function<ir::Stmt*(Sym at)>& statement);
  const ir::UOp* zero() { return arena.constant(identity_of(Op::kSum, dtype)); }

  // --- the results

  /// Makes the stores of the kernel's outputs at this row and column of the block. `sum` is the sum of products there.
  ir::Body stores_of(const ir::UOp* sum, Sym row, Sym column);
  using SumAt = std::function<const ir::UOp*(Sym at)>;
  SumAt sum_in(int array) {
    return [this, array](Sym at) { return arena.acc(dtype, array, at); };
  }
  /// Stores a row of a tile, whose sums begin at `begin`.
  ir::Body store_row(const SumAt& sum_at, Sym begin, Sym row, Sym first_column, Sym columns_left);
  /// Stores the whole block row by row; each row spans all adjacent tiles.
  ir::Body store_rows(const SumAt& sum_at);

 private:
  ir::Body sums_of_level(size_t level, const std::vector<Sym>& counts, Sym begin, Sym end, const BlockOfTerms& block_of_terms);

  Index position_;         // position along the kept axes other than rows and columns
  std::vector<int> sums_;  // indexed by level: the array of its sums
};

inline void add(ir::Body& body, const ir::Body& statements) { body.insert(body.end(), statements.begin(), statements.end()); }

/// Lowers a contraction with few rows (skinny GEMM), where packing the columns' factor does not pay. (skinny_gemm.cpp)
void lower_skinny_gemm(ContractionBlock& block);

}  // namespace harp::lower
