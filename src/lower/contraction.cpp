// The contraction template lowers products C = A·B,
//
//     C[row, column] = sum over terms of A[row, term] * B[term, column],
//
// in chain order (docs/semantics.md, "Sums"). A is the rows' factor, which does not depend on the column; B is the columns' factor, which
// does not depend on the row. There are M rows, N columns and K terms; each of the three may be several axes of the graph. Blocking follows
// BLIS: register tiles of MR x NR sums (tile_rows, tile_columns), cache blocks of MC x NC (block_rows, block_columns), and KC = 256 terms
// at a time. KC is fixed by docs/semantics.md, because it affects the bits: each block of 256 terms is one chain from +0.0, and its result
// is added to the sum of the earlier blocks. The other sizes do not affect the bits.
//
// A convolution is also a contraction:
//
//   conv2d    y[filter, oy, ox] = sum over c, u, v of w[filter, c, u, v] * x[c, oy + u, ox + v]
//
// Its columns are the filters, B is w, the terms are (c, u, v), and the rows are the ox of one image line. A is x seen through overlapping
// *windows*. The lines oy form a *group*: each *member* of the group has its own rows for the same B. (In an einsum the members may have
// their own columns instead.) The results are contiguous in memory along the rows ox, not along the columns: the output is *transposed*.
//
//   for blocks of rows, for blocks of columns, whose sums stay in the second-level cache:
//     for blocks of 256 terms:
//       pack the rows' factor tile by tile, in the order of use (where packing is faster)
//       for tiles of columns (a few vectors):
//         pack the columns' factor: 256 terms of a tile, which stay in the first-level cache (small factors are read in place)
//         for tiles of rows: micro-kernel: accumulate all terms in registers, then add the tile to the block's sums
//     the epilogue and the stores
//
// If there are many rows, the loop over blocks of columns is outermost, and the columns' factor is packed inside it, once for all rows: the
// packed copy is *shared*.
//
// If there are at most 256 terms, there is only one block of terms. The sums of a tile then go from the registers through the epilogue to
// the output, without an array for the sums of the block. With an unknown number of terms, each tile tests that.
//
// If the factors are integers of 16 or 8 bits that are added in i32, packing can put two or four terms into each lane
// (AxisSchedule::simd_width of the terms); the micro-kernel then adds two or four products at a time.
//
// If a factor is an expression, packing also computes it. The windows of a convolution may have padding, which packing also evaluates, only
// once for a block if windows overlap. Usually the columns are the filters, whereas the output is contiguous along the pixels; the sums of
// a block are then transposed before they are stored.
//
// If C has few columns and many rows, vectors along the columns would be mostly empty. The rows and columns can then be exchanged
// (exchanged() in schedule/contraction.h): a row of a register tile is a column of C, and its vectors lie along the rows of C. This output
// is transposed, too.
//
// If a matrix is multiplied by its own transpose, C is symmetric, and only about half of it is computed (Schedule::half). Block number b of
// rows, which begins at row b * MC, computes columns 0 … (b + 1) * MC - 1, whose last MC columns are a square on the diagonal. The sums in
// front of the square (columns 0 … b * MC - 1) are stored twice: at C[row, column], and mirrored at C[column, row], which no other block of
// rows computes. So the worker that has a sum stores both elements of C, and computes the epilogue at both positions. MC is a multiple of
// NR, so all these columns are whole tiles. For the mirrored stores the sums are transposed like those of a transposed output.
//
// The number of rows (or columns) need not be a multiple of the tile. If there are enough for a whole tile, and storing an element twice is
// harmless, the last tile overlaps the previous one. Otherwise the last tile has rows (or columns) beyond the end: a packed tile contains
// zeros there, a tile that is read in place repeats the last row, and the results are not stored.
//
// The loops of the micro-kernel are scheduled here, before those of the rest of the kernel (ir::apply_tags): each vector of a tile is a
// loop over lanes that must be unrolled now, because the number of operations of the unrolled epilogue decides whether a tile is stored
// directly from registers or through memory.
//
// contraction_layout.h defines the memory layout, contraction_block.h the loops, contraction_factors.h the packing, next_product.h the
// prefetches. Contractions with few rows (skinny GEMM) are lowered differently, in skinny_gemm.cpp.
#include <algorithm>

#include "base/error.h"
#include "lower/block_copy.h"
#include "lower/gpu/product.h"
#include "lower/next_product.h"

namespace harp::lower {

using namespace ir;

namespace {

// Number of rows at which packing the columns' factor takes a tenth of the time of the multiply-adds that use it.
constexpr int64_t kMinRowsOfCopy = 200;
// An epilogue is unrolled, and stores a tile directly from registers, only if it has at most this many operations for each vector of the
// tile.
constexpr int64_t kMaxUnrolledOperations = 8;
// Number of tiles along an axis of which computing half a tile too much is not worth the additional code.
constexpr int64_t kManyTiles = 4;

class TileRecipe {
 public:
  explicit TileRecipe(ContractionBlock& block)
      : block_(block), layout_(block.layout), arena_(block.arena), factors_(block), next_product_(block, factors_) {}

  void run() {
    const std::vector<size_t> order = block_.order();
    const auto block = [&] { return statements_of_block(); };
    Kernel& kernel = block_.c.kernel;
    if (!layout_.shares_columns) {
      kernel.body = block_.each_block(order, block);
      return;
    }
    // The columns' factor is packed inside the loops over blocks of columns and over the batch axes along which it varies, but outside of
    // the loop over blocks of rows. If the output is transposed, such a batch axis may come after the columns.
    const auto after_last = std::find_if(order.rbegin(), order.rend(), [&](size_t axis) { return block_.is_packed_along(axis); }).base();
    const auto until = static_cast<size_t>(after_last - order.begin());
    const std::span<const size_t> outer = std::span(order).first(until), inner = std::span(order).subspan(until);
    kernel.body = block_.each_block(outer, [&] {
      Body body = factors_.share_columns();
      add(body, block_.each_block(inner, block));
      return body;
    });
    // If the rows are divided among workers, each worker packs its own copy of the columns' factor. The share of a worker must therefore
    // have enough rows to amortise the packing. An iteration has one block of rows, or two (each_pair_of_row_blocks()).
    const int64_t rows_at_once = layout_.computes_half ? 2 * layout_.block_rows : layout_.block_rows;
    if (block_.contraction.row_position == 0) kernel.least = (kMinRowsOfCopy + rows_at_once - 1) / rows_at_once;
  }

 private:
  /// The position of a tile in its block: the member of the group (for a convolution, the line of the image), and the index of the tile
  /// along the rows and along the columns.
  struct Tile {
    Sym member, row_tile, column_tile;
  };

  Body statements_of_block() { return layout_.computes_half ? half_of_block() : whole_block(); }
  /// Returns the statements for one cache block if only the blocks up to the diagonal of the result are computed (Schedule::half). They
  /// compute those columns of the block that do not come after the square on the diagonal; if there are none, they do nothing.
  Body half_of_block() {
    // `left` is the number of columns from the first one of the block to the end of the square on the diagonal: a multiple of tile_columns.
    // The statements run only if `left` is positive; then max() does not change the value. It only tells the range analysis that the value
    // is at least tile_columns.
    const Sym left = block_.first_row + layout_.block_rows - block_.first_column, columns = block_.columns_here;
    block_.columns_here = min(columns, max(left, layout_.tile_columns));
    Body body = whole_block();
    add(body, with_new_arrays([&] { return store_transposed(block_.sums_of_all_terms(), true); }));
    block_.columns_here = columns;
    return proven_positive(left) ? body : Body{new_if(arena_, left - 1, std::move(body))};
  }
  Body whole_block() {
    Body body = prepare_block();
    add(body,
        with_new_arrays([&] { return block_.each_block_of_terms([&](Sym first, Sym count) { return block_of_terms(first, count); }); }));
    if (layout_.is_output_transposed)
      add(body, with_new_arrays([&] { return store_transposed(block_.sums_of_all_terms(), false); }));
    else if (!layout_.stores_tiles())
      add(body, block_.unless_one_block(block_.store_rows(block_.sum_in(block_.sums_of_all_terms()))));
    return body;
  }
  /// Prepares scratch memory before the first product: copies the elements that the windows of a convolution read, and reserves arrays for
  /// packed tiles and sums. The order of the calls matters: whether a factor is packed depends on whether its windows are copied, and the
  /// prefetches depend on both.
  Body prepare_block() {
    Body body = factors_.copy_windows();
    if (!layout_.shares_columns) factors_.reserve_packed_columns();
    factors_.reserve_packed_rows();
    next_product_.begin_block();
    block_.add_sums();
    declare(block_.arrays_of_sums(), body);
    declare(factors_.arrays_of_packed_tiles(), body);
    return body;
  }

  /// Returns the statements that `make` returns, preceded by the declarations of the arrays that `make` requested with new_array().
  template <class Make>
  Body with_new_arrays(Make make) {
    new_arrays_.clear();
    const Body statements = make();
    Body body;
    declare(new_arrays_, body);
    add(body, statements);
    return body;
  }
  int new_array(int64_t size) {
    new_arrays_.push_back(block_.accumulators.add_array(block_.dtype, size));
    return new_arrays_.back();
  }
  void declare(std::span<const int> arrays, Body& body) {
    for (const int array : arrays) body.push_back(declare_accumulator(arena_, array));
  }

  Body block_of_terms(Sym first, Sym count) {
    Body body = factors_.pack_rows(first, count);
    add(body, block_.each_member_with_columns([&](Sym columns_member) {
      return block_.each_column_tile([&](Sym column_tile) {
        Body tiles = factors_.pack_columns(columns_member, column_tile, first, count);
        add(tiles, block_.each_member_with_rows([&](Sym rows_member) {
          return block_.each_row_tile([&](Sym row_tile) {
            return tile_of_sums(first, count, {columns_member + rows_member, row_tile, column_tile});
          });
        }));
        return tiles;
      });
    }));
    return body;
  }

  // --- micro-kernel: a tile in registers -----------------------------------------------------------------------------------

  /// Emits the sums of a tile for one block of terms. A tile that lacks many rows or columns (more than half of them) is computed as half a
  /// tile: few rows times few columns would otherwise take as long as a whole tile.
  Body tile_of_sums(Sym first, Sym count, const Tile& tile) {
    part_of_tile_ = -1;
    const int64_t rows = layout_.tile_rows, vectors = layout_.vectors_of_tile();
    const Sym left = block_.rows_from(tile.row_tile), columns_left = block_.columns_from(tile.column_tile);
    return by_size(layout_.rows, left, rows, 1, [&](int64_t used_rows) {
      return by_size(layout_.columns, columns_left, vectors, layout_.simd, [&](int64_t used_vectors) {
        return part_of_sums(first, count, tile, {used_rows, used_vectors});
      });
    });
  }
  /// Returns part(all), or, if at most half of the tile exists along an axis, part(half). The tile has `all` pieces along the axis (rows,
  /// or vectors of columns) with `size` indices each, of which `left` exist. `count` is the size of the axis; if that is known to be many
  /// tiles, half of the last one does not matter.
  template <class PartOf>
  Body by_size(Dim count, Sym left, int64_t all, int64_t size, PartOf part) {
    const int64_t half = (all + 1) / 2;
    const Sym beyond_half = left - (half * size + 1);
    if (half == all || proven_nonnegative(beyond_half) || proven_at_most(kManyTiles * all * size, count)) return part(all);
    if (proven_nonnegative(Sym(-1) - beyond_half)) return part(half);
    return {new_if(arena_, beyond_half, part(all), part(half))};
  }
  /// The rows, and vectors of columns, of a tile that are computed.
  struct Part {
    int64_t rows, vectors;
  };
  Body part_of_sums(Sym first, Sym count, const Tile& tile, const Part& part) {
    if (registers_.empty())
      for (int64_t i = 0; i < layout_.tile_rows * layout_.vectors_of_tile(); ++i)
        registers_.push_back(block_.accumulators.add({&block_.c.plan.reduces[0], 1}, layout_.simd)[0]);
    Body body;
    for (int64_t row = 0; row < part.rows; ++row)
      for (int64_t vector = 0; vector < part.vectors; ++vector) body.push_back(declare_accumulator(arena_, register_of(row, vector)));
    if (factors_.have_first_sums())
      add(body, each_vector(part, [&](int64_t row, int64_t vector, Sym lane) {
            const UOp* start = factors_.first_sum(tile.member, tile.column_tile, vector * layout_.simd + lane, first);
            return Body{set_accumulator(arena_, register_of(row, vector), lane, start)};
          }));
    add(body, each_term(first, count, tile, [&](const ContractionFactors::Term& term) {
          return each_vector(part, [&](int64_t row, int64_t vector, Sym lane) {
            const UOp* a = factors_.row(tile.member, tile.row_tile, row, term);
            const UOp* b = factors_.column(tile.member, tile.column_tile, vector * layout_.simd + lane, term);
            return Body{factors_.add_products(register_of(row, vector), lane, a, b)};
          });
        }));
    if (layout_.stores_tiles()) {
      add(body, store_tile(tile, part));
      return body;
    }
    const int sums = block_.sums_of_block();
    const Sym begin = layout_.tile_at(tile.member, tile.row_tile, tile.column_tile);
    Body to_sums = each_vector(part, [&](int64_t row, int64_t vector, Sym lane) {
      const UOp* sum = arena_.acc(block_.dtype, register_of(row, vector), lane);
      const Sym at = begin + layout_.in_tile(row, vector * layout_.simd + lane);
      return Body{layout_.has_one_block_of_terms ? set_accumulator(arena_, sums, at, end_of_products(arena_, sum))
                                                 : update_accumulator(arena_, sums, at, sum)};
    });
    if (layout_.may_have_one_block)
      body.push_back(new_if(arena_, layout_.is_one_block(), store_tile(tile, part), std::move(to_sums)));
    else
      add(body, to_sums);
    return body;
  }
  int register_of(int64_t row, int64_t vector) const { return registers_[static_cast<size_t>(row * layout_.vectors_of_tile() + vector)]; }
  /// Emits `statements` for each term of a block of terms: terms first … first + count - 1.
  template <class Statements>
  Body each_term(Sym first, Sym count, const Tile& tile, Statements statements) {
    const Shape& shape = layout_.term_shape;
    if (next_product_.parts() > 0) return each_term_by_parts(first, count, tile, statements);
    if (factors_.use_indices() && layout_.may_have_runs() && layout_.lanes_fill(shape.back()))
      return each_term_by_runs(first, count, statements);
    Loop* term = new_loop(arena_, "term", 0, layout_.lanes_of(count));
    term->body = statements(factors_.term_at(first, term->variable));
    return {term};
  }
  /// Splits the loop over the terms into parts. Each part begins with a share of the prefetches for the next matrix product of the batch
  /// (next_product.h).
  template <class Statements>
  Body each_term_by_parts(Sym first, Sym count, const Tile& tile, Statements statements) {
    Loop* part = new_loop(arena_, "part", 0, next_product_.parts());
    const Sym begin = part->variable * next_product_.terms_of_part();
    Loop* term = new_loop(arena_, "term", begin, min(begin + next_product_.terms_of_part(), count));
    term->body = statements({first, term->variable, {first + term->variable}});
    part->body = next_product_.prefetch(tile.row_tile, tile.column_tile, part->variable);
    part->body.push_back(term);
    return {part};
  }
  /// Splits the terms into runs, that is, consecutive terms along the last of several term axes, so that the index of a term is computed
  /// without a division. That pays even for runs of two terms. (Convolutions with 3 channels by kernels of 7 x 7 and of 5 x 5 x 5 take 0.62
  /// and 0.55 of the time, with 2 channels by 5 x 5 and 5 x 5 x 5 0.68 and 0.52.) If a lane holds several terms, the length of each run
  /// must be a multiple of their number; the length of a block of terms always is.
  template <class Statements>
  Body each_term_by_runs(Sym first, Sym count, Statements statements) {
    const Shape& shape = layout_.term_shape;
    const Sym length = shape.back(), of_lane = layout_.terms_of_lane;
    Loop* run = new_loop(arena_, "run", floor_div(first, length), ceil_div(first + count, length));
    const Sym begin = run->variable * length;
    // whether every block of terms consists of whole runs (terms that are consecutive along the last term axis)
    const bool are_whole = length.is_constant() && kChainBlock % length.constant() == 0;
    Loop* term = are_whole ? new_loop(arena_, "term", 0, floor_div(length, of_lane))
                           : new_loop(arena_, "term", floor_div(max(Sym(0), first - begin), of_lane),
                                      floor_div(min(length, first + count - begin), of_lane));
    Index index = unflatten(run->variable, Shape(shape.begin(), shape.end() - 1));
    index.push_back(term->variable * of_lane);
    term->body = statements({first, floor_div(begin - first, of_lane) + term->variable, index});
    run->body = {term};
    return {run};
  }
  /// Emits `statements` for each vector of a part of a tile. The rows come one after the other, so that the operand of a row is in a
  /// register only for a short time.
  template <class Statements>
  Body each_vector(const Part& part, Statements statements) {
    Body body;
    for (int64_t row = 0; row < part.rows; ++row)
      add(body, each_vector_of_row(part, [&](int64_t vector, Sym lane) { return statements(row, vector, lane); }));
    return body;
  }
  template <class Statements>
  Body each_vector_of_row(const Part& part, Statements statements) {
    Body body;
    for (int64_t vector = 0; vector < part.vectors; ++vector)
      add(body, block_.each_lane([&](Sym lane) { return statements(vector, lane); }));
    return body;
  }

  // --- the results -------------------------------------------------------------------------------------------------------

  /// Stores a tile whose sums are final, because there is only one block of terms: directly from the registers if the epilogue is short and
  /// all columns of the tile exist, otherwise through memory.
  Body store_tile(const Tile& tile, const Part& part) {
    const auto sum = [&](int64_t row, int64_t vector, Sym lane) {
      return end_of_products(arena_, arena_.acc(block_.dtype, register_of(row, vector), lane));
    };
    const Sym first_row = block_.row_of(tile.row_tile), first_column = block_.column_of(tile.column_tile);
    const Sym rows_left = block_.rows_from(tile.row_tile), columns_left = block_.columns_from(tile.column_tile);
    std::vector<Body> rows(static_cast<size_t>(part.rows));
    size_t operations = 0;
    for (int64_t row = 0; row < part.rows; ++row) {
      Body& stores = rows[static_cast<size_t>(row)];
      stores = each_vector_of_row(part, [&](int64_t vector, Sym lane) {
        const Sym column = first_column + vector * layout_.simd + lane;
        return block_.masked(block_.stores_of(sum(row, vector, lane), first_row + row, column), column, lane);
      });
      operations += uops_of(arena_, stores).size();
    }
    const bool is_short = operations <= static_cast<size_t>(kMaxUnrolledOperations * part.rows * part.vectors);
    const Sym whole_columns = block_.masks_columns() ? Sym(0) : columns_left - part.vectors * layout_.simd;
    Body direct;
    for (int64_t row = 0; row < part.rows; ++row) {
      const Sym exists = rows_left - (row + 1);  // >= 0 if the row exists, as the first row of every tile does
      Body& stores = rows[static_cast<size_t>(row)];
      add(direct, proven_nonnegative(exists) || row == 0 ? stores : Body{new_if(arena_, exists, std::move(stores))});
    }
    if (is_short && proven_nonnegative(whole_columns)) return direct;

    if (part_of_tile_ < 0) part_of_tile_ = new_array(layout_.tile_size());
    Body through_memory = each_vector(part, [&](int64_t row, int64_t vector, Sym lane) {
      return Body{set_accumulator(arena_, part_of_tile_, layout_.in_tile(row, vector * layout_.simd + lane), sum(row, vector, lane))};
    });
    Loop* row = new_loop(arena_, "row", 0, min(Sym(part.rows), rows_left));
    row->body = block_.store_row(block_.sum_in(part_of_tile_), layout_.in_tile(row->variable, 0), first_row + row->variable, first_column,
                                 columns_left);
    through_memory.push_back(row);
    if (!is_short || proven_nonnegative(Sym(-1) - whole_columns)) return through_memory;
    return {new_if(arena_, whole_columns, std::move(direct), std::move(through_memory))};
  }

  /// Stores the sums of the block column by column. This is necessary if the output is transposed, and for the mirrored positions of a
  /// symmetric result (`is_mirrored`). For each tile of columns, transposes the sums into an array with one contiguous row for each column,
  /// and stores the columns that exist. If there is no epilogue, transposes directly into the output. If `is_mirrored`, stores only the
  /// columns in front of the square on the diagonal, at C[column, row].
  Body store_transposed(int sums, bool is_mirrored) {
    const Sym tiles = is_mirrored ? mirrored_tiles() : block_.column_tiles();
    return block_.each_member([&](Sym member) {
      return block_.each("columntile", tiles, [&](Sym tile) {
        const Sym begin = layout_.tile_at(member, 0, tile);
        const ColumnsOfTile direct = columns_of_tile(
            tile, is_mirrored, [&](Sym column, Sym row) { return arena_.acc(block_.dtype, sums, begin + layout_.in_tile(row, column)); });
        if (Copy* transpose = as_block_copy(arena_, direct.column, direct.row)) return Body{transpose};

        const int rows_of_columns = new_array(layout_.tile_columns * layout_.block_rows);
        auto* transpose = arena_.statement<Copy>();
        transpose->source = sums;
        transpose->from = begin;
        transpose->from_stride = layout_.row_stride;
        transpose->rows = layout_.tile_columns;
        transpose->length = block_.rows_here;
        transpose->accumulator = rows_of_columns;
        transpose->index = 0;
        transpose->stride = layout_.block_rows;
        const ColumnsOfTile transposed = columns_of_tile(tile, is_mirrored, [&](Sym column, Sym row) {
          return arena_.acc(block_.dtype, rows_of_columns, column * layout_.block_rows + row);
        });
        if (Copy* copy = as_block_copy(arena_, transposed.column, transposed.row)) return Body{transpose, copy};
        transposed.column->body = inner_loop(block_.c, transposed.row, layout_.simd, block_.c.schedule.may_overlap());
        return Body{transpose, transposed.column};
      });
    });
  }
  /// Returns the number of tiles of the block whose columns are in front of the square on the diagonal of a symmetric result
  /// (Schedule::half). All these columns exist, and they are whole tiles.
  Sym mirrored_tiles() const {
    return floor_div(max(Sym(0), min(block_.first_row - block_.first_column, block_.columns_here)), layout_.tile_columns);
  }
  /// The loops that store the columns of a tile: `column` runs over the columns of the tile, and inside it `row` over all rows of the
  /// block.
  struct ColumnsOfTile {
    Loop *column, *row;
  };
  template <class SumAt>
  ColumnsOfTile columns_of_tile(Sym tile, bool is_mirrored, SumAt sum) {
    const Sym columns = is_mirrored ? Sym(layout_.tile_columns) : min(Sym(layout_.tile_columns), block_.columns_from(tile));
    Loop *column = new_loop(arena_, "column", 0, columns), *row = new_loop(arena_, "row", 0, block_.rows_here);
    row->body =
        block_.stores_of(sum(column->variable, row->variable), row->variable, block_.column_of(tile) + column->variable, is_mirrored);
    column->body = {row};
    return {column, row};
  }

  ContractionBlock& block_;
  const ContractionLayout& layout_;
  Arena& arena_;
  ContractionFactors factors_;
  NextProduct next_product_;
  std::vector<int> registers_;  // accumulators for the vectors of a tile: vector `v` of row `r` is at r * vectors_of_tile() + v
  // Arrays that new_array() has requested while with_new_arrays() runs; they hold a partial tile or the transposed columns of a tile.
  std::vector<int> new_arrays_;
  int part_of_tile_ = -1;  // the array for a tile that is stored through memory; -1: none has been requested for this tile
};

}  // namespace

void lower_contraction(KernelContext& context) {
  if (context.program.target.gpu() != nullptr) return GroupProduct(context).run();
  const std::optional<Contraction> contraction = as_contraction(context.plan, context.schedule);
  HARP_ASSERT(contraction, "the schedule is one of a contraction, but ", context.kernel.name, " is none");
  ContractionBlock block(context, *contraction);
  if (block.layout.terms_together > 1) return lower_skinny_gemm(block);
  TileRecipe(block).run();
}

}  // namespace harp::lower
