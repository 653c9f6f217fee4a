// The block of rows and columns that statements of a contraction are for: the loops over blocks, and over the tiles of one and the members
// of its group; its sums in memory, added up of blocks of terms; the stores of its results.
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
  const DType dtype;  // of the sums
  Accumulators accumulators;

  // --- loops over blocks, from the outermost on

  /// The axes of the kernel that they are along.
  std::vector<size_t> order() const;
  /// The blocks along these axes, one in the other, around what `inside` makes; those of the kernel's first axis are the threads'.
  ir::Body each_block(std::span<const size_t> axes, const std::function<ir::Body()>& inside);
  Sym first_row = 0, first_column = 0, rows_here = 1, columns_here = 1;
  Sym first_of_group = 0, group_here = 1;

  // --- loops within a block

  /// What `statements` makes for each of `count` values of a variable.
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
  /// What `statements` makes for each member of the group, which is where rows and columns are meanwhile; else they are at the first one.
  template <class Statements>
  ir::Body each_member(Statements statements) {
    return each("member", group_here, [&](Sym member) {
      go_to_member(member);
      ir::Body body = statements(member);
      go_to_member(0);
      return body;
    });
  }
  /// The same of what is done for rows, or columns: once, if members do not have their own.
  template <class Statements>
  ir::Body each_member_with_rows(Statements statements) {
    return layout.rows_have_members ? each_member(statements) : statements(Sym(0));
  }
  template <class Statements>
  ir::Body each_member_with_columns(Statements statements) {
    return layout.columns_have_members ? each_member(statements) : statements(Sym(0));
  }
  void go_to_member(Sym member);
  /// The innermost axis along which each index has a product of its own; nothing: there is one product.
  std::optional<size_t> product_axis() const;
  /// From here on everything is so many indices further along that axis.
  void move_to_product(Sym further) { position_[*product_axis()] = position_[*product_axis()] + further; }

  Sym row_tiles() const { return ceil_div(rows_here, layout.tile_rows); }
  Sym column_tiles() const { return ceil_div(columns_here, layout.tile_columns); }
  /// The first row of a tile, in the block, and how many rows there are from it on. The same of columns.
  Sym row_of(Sym row_tile) const;
  Sym rows_from(Sym row_tile) const;
  Sym column_of(Sym column_tile) const;
  Sym columns_from(Sym column_tile) const;
  /// The index of the reduction's source.
  Index source_index(Sym row, Sym column, const Index& terms) const;
  Index source_index(Sym row, Sym column, Sym term) const { return source_index(row, column, unflatten(term, layout.term_shape)); }

  // --- sums in memory

  /// Arrays for them, where a tile's do not go from the registers to where they are stored.
  void add_sums();
  std::span<const int> arrays_of_sums() const { return sums_; }
  /// The array that a block of terms is added to, or that is set to it where it is the only one; then that of all terms.
  int sums_of_block() const { return sums_.front(); }
  int sums_of_all_terms() const { return sums_.back(); }
  /// What `block_of_terms` makes for each of them, from a first term on, whose sums are added up as the law says.
  using BlockOfTerms = std::function<ir::Body(Sym first, Sym count)>;
  ir::Body each_block_of_terms(const BlockOfTerms& block_of_terms);
  /// The statement for every sum of the block, by its position.
  ir::Body each_sum(const std::function<ir::Stmt*(Sym at)>& statement);
  const ir::UOp* zero() { return arena.constant(identity_of(Op::kSum, dtype)); }
  /// Added to the +0.0 that the sum of blocks begins with: sums of products that underflow may be -0.0.
  const ir::UOp* plus_zero(const ir::UOp* sum) { return arena.apply(Op::kAdd, dtype, {sum, zero()}); }

  // --- the results

  /// Stores of what is made of `sum`, which is that of this row and column of the block.
  ir::Body stores_of(const ir::UOp* sum, Sym row, Sym column);
  using SumAt = std::function<const ir::UOp*(Sym at)>;
  SumAt sum_in(int array) {
    return [this, array](Sym at) { return arena.acc(dtype, array, at); };
  }
  /// Those of a row of a tile, whose sums are at `begin` and beyond.
  ir::Body store_row(const SumAt& sum_at, Sym begin, Sym row, Sym first_column, Sym columns_left);
  /// The block's, row after row of all tiles beside each other.
  ir::Body store_rows(const SumAt& sum_at);

 private:
  ir::Body sums_of_level(size_t level, const std::vector<Sym>& counts, Sym begin, Sym end, const BlockOfTerms& block_of_terms);

  Index position_;         // of the kept axes, but rows and columns
  std::vector<int> sums_;  // by level
};

inline void add(ir::Body& body, const ir::Body& statements) { body.insert(body.end(), statements.begin(), statements.end()); }

/// The recipe for few rows, whose columns' factor is not worth a copy. (few_rows.cpp)
void lower_few_rows(ContractionBlock& block);

}  // namespace harp::lower
