#include "lower/gpu/product.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "ir/group_accesses.h"
#include "lower/gpu/sum_of_slices.h"
#include "schedule/gpu/product_slices.h"

namespace harp::lower {

using namespace ir;

namespace {

constexpr int64_t kAccessBytes = 16;   // size of the widest access of a thread
constexpr size_t kMaxOperations = 24;  // an epilogue of at most this many operations is unrolled for each result of a thread

// Number of unused f64 elements after the elements of each term in shared memory. One access of a warp reads 8 lanes of 4 terms; with this
// padding these elements are in different banks.
constexpr int64_t kMmaPadding = 4;
constexpr int64_t kWarp = 32;

void add(Body& body, const Body& statements) { body.insert(body.end(), statements.begin(), statements.end()); }

Stmt* comment(Arena& arena, std::string text) {
  auto* s = arena.statement<Comment>();
  s->text = std::move(text);
  return s;
}

}  // namespace

GroupProduct::GroupProduct(KernelContext& context)
    : c_(context),
      arena_(context.arena),
      reduce_(*context.plan.reduces[0]),
      product_(*as_product(context.plan)),
      tile_(tile_of(context.schedule, product_)),
      dtype_(accumulator_dtype(reduce_)),
      has_mma_(dtype_ == DType::kF64 && fits_mma(tile_) && context.program.target.gpu()->f64_mma),
      of_thread_(tile_.rows_of_thread * tile_.columns_of_thread),
      batch_(product_.batch.size(), Sym(0)),
      quick_(context.arena.syms().loop("quick", 0, 2)),
      wide_(context.arena.syms().loop("wide", 0, 2)),
      rows_(context, dtype_, {product_.row_count, product_.terms, tile_.rows, tile_.terms, tile_.threads(), has_mma_ ? kMmaPadding : 0},
            [this](Sym row, Sym step, Sym term, const UOp* mask) {
              return element(product_.row_factor, row, 0, terms_at(step, term), mask);
            }),
      columns_(context, dtype_,
               {product_.column_count, product_.terms, tile_.columns, tile_.terms, tile_.threads(), has_mma_ ? kMmaPadding : 0},
               [this](Sym column, Sym step, Sym term, const UOp* mask) {
                 return element(product_.column_factor, 0, column, terms_at(step, term), mask);
               }) {}

/// Returns the index, along the term axes, of term number `term` of step number `step`. If the size of the last term axis is a multiple of
/// the terms of a step, the terms of a step differ only along that axis, and the index needs fewer divisions.
Index GroupProduct::terms_at(Sym step, Sym term) const {
  Shape shape;
  for (const int axis : reduce_.as<ReduceAttributes>().axes) shape.push_back(reduce_.sources[0]->shape[static_cast<size_t>(axis)]);
  const Dim last = shape.back();
  if (!last.is_constant() || last.constant() <= 0 || last.constant() % tile_.terms != 0) return unflatten(step * tile_.terms + term, shape);
  shape.back() = last.constant() / tile_.terms;
  Index index = unflatten(step, shape);
  index.back() = index.back() * tile_.terms + term;
  return index;
}

const UOp* GroupProduct::element(const Node* factor, Sym row, Sym column, const Index& terms, const UOp* mask) {
  const auto& attributes = reduce_.as<ReduceAttributes>();
  const Shape& shape = reduce_.sources[0]->shape;
  Index kept(product_.batch.size() + product_.rows.size() + product_.columns.size()), index(shape.size(), Sym(0));
  const auto place = [&](const std::vector<size_t>& axes, const Index& at) {
    for (size_t i = 0; i < axes.size(); ++i) kept[axes[i]] = at[i];
  };
  place(product_.batch, batch_);
  place(product_.rows, unflatten(row, product_.row_shape));
  place(product_.columns, unflatten(column, product_.column_shape));
  for (size_t i = 0; i < terms.size(); ++i) index[static_cast<size_t>(attributes.axes[i])] = terms[i];
  for (size_t axis = 0, next = 0; axis < shape.size(); ++axis)
    if (!shape[axis].is_constant(1) && std::ranges::find(attributes.axes, static_cast<int>(axis)) == attributes.axes.end())
      index[axis] = kept[next++];
  const UOp* value = c_.values.value(factor, factor->rank() == 0 ? Index{} : index, mask);
  const bool is_zero_without = mask == nullptr || is_read(value);
  value = to_accumulator(arena_, reduce_, value);
  if (is_zero_without) return value;
  return arena_.apply(Op::kWhere, dtype_, {mask, value, arena_.constant(identity_of(Op::kSum, dtype_))});
}

int GroupProduct::new_array(DType dtype, int64_t count, Space space) {
  c_.kernel.accumulators.push_back(
      {.type = {dtype, 1}, .count = count, .init = identity_of(Op::kSum, dtype), .space = space, .is_row = true});
  return static_cast<int>(c_.kernel.accumulators.size()) - 1;
}

Body GroupProduct::group(const std::function<Body(Sym thread)>& make) {
  Loop* loop = new_group();
  loop->body = make(loop->variable);
  return {loop};
}

void GroupProduct::run() {
  Shape space = product_.batch_shape;
  if (tile_.split > 0) space.insert(space.begin(), slice_count(product_, tile_.split));
  space.push_back(ceil_div(product_.row_count, tile_.rows));
  space.push_back(ceil_div(product_.column_count, tile_.columns));
  Loop* tiles = new_loop(arena_, "tile", 0, element_count(space), LoopKind::kThread);
  Index at = unflatten(tiles->variable, space);
  column_tile_ = at.back(), row_tile_ = at[at.size() - 2];
  at.resize(at.size() - 2);
  if (tile_.split > 0) slice_ = at.front(), at.erase(at.begin());
  batch_ = at;

  is_async_ = tile_.stages > 0 && rows_.can_copy_async(row_tile_) && columns_.can_copy_async(column_tile_);
  const int64_t stages = is_async_ ? tile_.stages : 2;

  sums_ = new_array(dtype_, of_thread_ * tile_.threads(), Space::kRegister);
  Accumulator& sums = c_.kernel.accumulators[static_cast<size_t>(sums_)];
  sums.spread = of_thread_, sums.is_row = false;
  const bool has_blocks = tile_.split != kChainBlock && !proven_at_most(product_.terms, kChainBlock);
  if (has_blocks && !is_int(dtype_)) totals_ = new_array(dtype_, of_thread_ * tile_.threads(), Space::kShared);

  Body body = {comment(arena_, cat(tile_.rows_of_thread, " x ", tile_.columns_of_thread, " results of this thread")),
               declare_accumulator(arena_, sums_),
               comment(arena_, cat("of both factors: ", stages, " stages, each with ", tile_.terms, " terms of ", tile_.rows,
                                   " rows and of ", tile_.columns, " columns")),
               rows_.declare(stages), columns_.declare(stages)};
  if (totals_ >= 0) {
    body.push_back(comment(arena_, cat("sums of the blocks of ", kChainBlock, " terms, of the results of all threads")));
    body.push_back(declare_accumulator(arena_, totals_));
  }
  // all_steps: number of steps for all terms. of_slice: number of steps of one slice of the terms. first_step: the index of the first step
  // of the current slice. count: its number of steps. Without slices, all terms are one slice.
  const Sym all_steps = ceil_div(product_.terms, tile_.terms), of_slice = tile_.split > 0 ? Sym(tile_.split / tile_.terms) : all_steps,
            first_step = slice_ * of_slice, count = tile_.split > 0 ? min(of_slice, all_steps - first_step) : all_steps;
  if (!is_async_) {
    add(body, through_registers(first_step, count));
  } else {
    Body async = asynchronously(first_step, count);
    if (rows_.is_quick(row_tile_) == nullptr && columns_.is_quick(column_tile_) == nullptr)
      add(body, async);
    else
      body.push_back(new_if(arena_, quick_ - 1, std::move(async), through_registers(first_step, count)));
  }
  add(body, results());
  tiles->body = with_quick(std::move(body));
  c_.kernel.body = {tiles};
}

/// Returns a Define statement (the definition of a variable and the statements that use it) around the given statements. It defines quick_,
/// which is 1 if in this tile the factors may be copied asynchronously or loaded without masks, by accesses of 16 bytes; else 0.
Body GroupProduct::with_quick(Body body) {
  const UOp *rows = rows_.is_quick(row_tile_), *columns = columns_.is_quick(column_tile_);
  if (rows == nullptr && columns == nullptr) return body;
  const UOp* both = rows == nullptr ? columns : columns == nullptr ? rows : arena_.apply(Op::kBitAnd, DType::kBool, {rows, columns});
  auto* define = arena_.statement<Define>();
  define->variable = quick_;
  define->value = both;
  define->body = std::move(body);
  return {define};
}

// --- the main loop, with asynchronous copies ---------------------------------------------------------------------------------

Body GroupProduct::start_copies(Sym thread, Sym step, Sym stage, Steps steps) {
  const auto copies = [&](std::optional<Sym> end) {
    Body body = rows_.start_copies(thread, row_tile_, step, stage, end);
    add(body, columns_.start_copies(thread, column_tile_, step, stage, end));
    return body;
  };
  const Sym end = tile_.split > 0 ? min(product_.terms, (slice_ + 1) * tile_.split) : product_.terms;
  const Sym after = end - (step + 1) * tile_.terms;  // number of terms after this step
  if (proven_nonnegative(after)) return copies(std::nullopt);
  if (steps == Steps::kFirst) return copies(end);
  const bool are_whole = mod(product_.terms, tile_.terms).is_constant(0);
  return {new_if(arena_, after, copies(std::nullopt), are_whole ? Body{} : copies(end))};
}

Body GroupProduct::asynchronously(Sym first, Sym count) {
  const int64_t stages = tile_.stages;
  const auto wait = [&](int64_t pending) {
    auto* s = arena_.statement<Wait>();
    s->pending = static_cast<int>(pending);
    return group([&](Sym) { return Body{s}; });
  };
  Body body;
  // Each of these loops over the threads starts a batch of copies. The copies of all but one stage are under way before the first step.
  for (int64_t stage = 0; stage + 1 < stages; ++stage)
    add(body, group([&](Sym thread) {
          Body start = {comment(arena_, cat("start the copies of the terms of step ", stage))};
          add(start, start_copies(thread, first + stage, stage, Steps::kFirst));
          if (stage == 0) add(start, clear_totals(thread));
          return start;
        }));
  Loop* step = new_loop(arena_, "step", 0, count);
  const Sym number = step->variable, next = number + (stages - 1);
  step->body = wait(stages - 2);
  step->body.push_back(arena_.statement<Barrier>());
  add(step->body, group([&](Sym thread) {
        Body statements = {comment(arena_, "the terms of a later step, which arrive while those of this step are multiplied")};
        add(statements, start_copies(thread, first + next, mod(next, stages), Steps::kLater));
        add(statements, multiply(thread, mod(number, stages), LoopKind::kUnroll));
        return statements;
      }));
  if (totals_ >= 0)
    step->body.push_back(new_if(arena_, max(Sym(0) - mod(number + 1, kChainBlock / tile_.terms), number + 1 - count), add_to_totals()));
  body.push_back(step);
  add(body, wait(0));
  return body;
}

// --- the main loop, through registers ----------------------------------------------------------------------------------------

Body GroupProduct::through_registers(Sym first, Sym count) {
  Body body = group([&](Sym thread) {
    Body start = {comment(arena_, "load the first terms")};
    add(start, load(thread, first, Loads::kMasked));
    add(start, clear_totals(thread));
    add(start, stage(thread, first));
    return start;
  });
  body.push_back(arena_.statement<Barrier>());
  if (totals_ < 0) {
    add(body, steps(first, count));
    return body;
  }
  const int64_t of_block = kChainBlock / tile_.terms, blocks_of_slice = tile_.split / kChainBlock;
  Sym blocks = ceil_div(product_.terms, kChainBlock);
  if (tile_.split > 0) blocks = min(Sym(blocks_of_slice), blocks - slice_ * blocks_of_slice);
  Loop* block = new_loop(arena_, "block", 0, blocks);
  const Sym start = first + block->variable * of_block;
  block->body = steps(start, min(Sym(of_block), ceil_div(product_.terms, tile_.terms) - start));
  add(block->body, add_to_totals());
  body.push_back(block);
  return body;
}

Body GroupProduct::load(Sym thread, Sym step, Loads loads) {
  Body body = {rows_.new_registers(), columns_.new_registers()};
  add(body, loads == Loads::kQuick ? rows_.quick(thread, row_tile_, step) : rows_.masked(thread, row_tile_, step));
  add(body, loads == Loads::kQuick ? columns_.quick(thread, column_tile_, step) : columns_.masked(thread, column_tile_, step));
  return body;
}

Body GroupProduct::stage(Sym thread, Sym step) {
  Body body = rows_.stage(thread, mod(step, 2));
  add(body, columns_.stage(thread, mod(step, 2)));
  return body;
}

Body GroupProduct::steps(Sym first, Sym count) {
  const auto loop = [&](Sym begin, Sym end, Loads loads) {
    Loop* step = new_loop(arena_, "step", begin, end);
    const Sym number = first + step->variable;
    step->body = group([&](Sym thread) {
      if (loads == Loads::kQuick) {
        Body body = {comment(arena_, "the next terms, which are loaded while those in shared memory are multiplied")};
        add(body, load(thread, number + 1, loads));
        add(body, multiply(thread, mod(number, 2), LoopKind::kUnroll));
        add(body, stage(thread, number + 1));
        return body;
      }
      // Only few steps use masked loads. To load during the multiplication, or to unroll the loop, would take registers that the main loop
      // needs.
      Body body = multiply(thread, mod(number, 2), LoopKind::kSequential);
      add(body, load(thread, number + 1, loads));
      add(body, stage(thread, number + 1));
      return body;
    });
    step->body.push_back(arena_.statement<Barrier>());
    return step;
  };
  // If is_async_, the factors are copied asynchronously in every tile in which that is allowed, and the loop that is made here runs only
  // for the other tiles. In these, unmasked loads of 16 bytes (Loads::kQuick) are not allowed either, so every load is masked.
  if (is_async_) return {loop(0, count, Loads::kMasked)};
  // Each step loads the terms of the next step. These loads need no masks (Loads::kQuick) only if the next step has all its terms.
  const Sym whole = min(count, max(Sym(0), floor_div(product_.terms, tile_.terms) - 1 - first));
  Loop* quick = loop(0, whole, Loads::kQuick);
  const bool is_tested = rows_.is_quick(row_tile_) != nullptr || columns_.is_quick(column_tile_) != nullptr;
  if (is_tested) quick->end = select(quick_ - 1, whole, 0);
  return {quick, loop(quick->end, count, Loads::kMasked)};
}

GroupProduct::Pieces GroupProduct::pieces(int64_t of_thread, int64_t tile) const {
  const int64_t size = std::min(of_thread, kAccessBytes / static_cast<int64_t>(size_of(dtype_)));
  return {size, tile / (of_thread / size)};
}

namespace {

/// The position of a thread in a grid of rows x columns of threads. The grid is divided into warps of 4 x 8 threads if it is large enough,
/// otherwise into warps of another shape.
struct ThreadGrid {
  int64_t rows, columns, rows_of_warp, columns_of_warp;
  ThreadGrid(int64_t rows, int64_t columns) : rows(rows), columns(columns) {
    constexpr int64_t kColumns = 8;
    columns_of_warp = std::min(columns, kColumns);
    rows_of_warp = std::min(rows, kWarp / columns_of_warp);
    columns_of_warp = std::min(columns, kWarp / rows_of_warp);
  }
  int64_t warps_across() const { return columns / columns_of_warp; }
  Sym warp(Sym thread) const { return floor_div(thread, rows_of_warp * columns_of_warp); }
  Sym row(Sym thread) const {
    return floor_div(warp(thread), warps_across()) * rows_of_warp + mod(floor_div(thread, columns_of_warp), rows_of_warp);
  }
  Sym column(Sym thread) const { return mod(warp(thread), warps_across()) * columns_of_warp + mod(thread, columns_of_warp); }
};

}  // namespace

Sym GroupProduct::first_row(Sym thread) const {
  if (has_mma_) {
    const int64_t warps_across = tile_.columns / (4 * tile_.columns_of_thread);
    return floor_div(thread, kWarp * warps_across) * (8 * tile_.rows_of_thread) + mod(floor_div(thread, 4), 8);
  }
  const ThreadGrid grid(tile_.rows / tile_.rows_of_thread, tile_.columns / tile_.columns_of_thread);
  return grid.row(thread) * pieces(tile_.rows_of_thread, tile_.rows).size;
}
Sym GroupProduct::first_column(Sym thread) const {
  if (has_mma_) {
    const int64_t of_warp = 4 * tile_.columns_of_thread;
    return mod(floor_div(thread, kWarp), tile_.columns / of_warp) * of_warp + mod(thread, 4) * 2;
  }
  const ThreadGrid grid(tile_.rows / tile_.rows_of_thread, tile_.columns / tile_.columns_of_thread);
  return grid.column(thread) * pieces(tile_.columns_of_thread, tile_.columns).size;
}

Body GroupProduct::multiply_by_warps(Sym thread, Sym stage, LoopKind kind) {
  return each("terms", tile_.terms / 4, kind, [&](Sym terms) {
    auto* mma = arena_.statement<Mma>();
    mma->accumulator = sums_, mma->index = sum_at(thread, 0, 0);
    mma->rows = rows_.shared(), mma->row_index = rows_.at(stage, terms * 4, first_row(thread)), mma->row_step = rows_.pitch();
    mma->columns = columns_.shared(), mma->column_index = columns_.at(stage, terms * 4, first_column(thread));
    mma->column_step = columns_.pitch();
    mma->row_tiles = static_cast<int>(tile_.rows_of_thread), mma->column_tiles = static_cast<int>(tile_.columns_of_thread / 2);
    return Body{mma};
  });
}

Body GroupProduct::multiply(Sym thread, Sym stage, LoopKind kind) {
  if (has_mma_) return multiply_by_warps(thread, stage, kind);
  Loop* term = new_loop(arena_, "term", 0, tile_.terms, kind);
  // Emits the copies of the thread's elements of a factor from shared memory to registers, by accesses as wide as possible, and returns a
  // function that returns element number i. A single element is read where it is used.
  const auto fragment = [&](const StagedFactor& factor, int64_t of_thread, int64_t tile, Sym first) -> std::function<const UOp*(Sym i)> {
    if (of_thread == 1) {
      const UOp* element = arena_.acc(dtype_, factor.shared(), factor.at(stage, term->variable, first));
      return [element](Sym) { return element; };
    }
    const int array = new_array(dtype_, of_thread, Space::kRegister);
    term->body.push_back(declare_accumulator(arena_, array));
    const Pieces all = pieces(of_thread, tile);
    for (int64_t piece = 0; piece < of_thread / all.size; ++piece)
      term->body.push_back(factor.fragment(stage, term->variable, first + piece * all.distance, all.size, array, piece * all.size));
    return [this, array](Sym i) { return arena_.acc(dtype_, array, i); };
  };
  const auto row_element = fragment(rows_, tile_.rows_of_thread, tile_.rows, first_row(thread)),
             column_element = fragment(columns_, tile_.columns_of_thread, tile_.columns, first_column(thread));
  add(term->body, each_result([&](Sym row, Sym column) {
        return Body{update_accumulator(arena_, sums_, sum_at(thread, row, column), row_element(row), column_element(column))};
      }));
  return {term};
}

Body GroupProduct::each(std::string_view name, int64_t count, LoopKind kind, const std::function<Body(Sym)>& make) {
  if (count == 1) return make(0);
  Loop* loop = new_loop(arena_, name, 0, count, kind);
  loop->body = make(loop->variable);
  return {loop};
}

Body GroupProduct::each_result(const std::function<Body(Sym row, Sym column)>& make) {
  return each("row", tile_.rows_of_thread, LoopKind::kUnroll, [&](Sym row) {
    return each("column", tile_.columns_of_thread, LoopKind::kUnroll, [&](Sym column) { return make(row, column); });
  });
}

Body GroupProduct::clear_totals(Sym thread) {
  if (totals_ < 0) return {};
  return each_result([&](Sym row, Sym column) {
    return Body{set_accumulator(arena_, totals_, total_at(thread, row, column), arena_.constant(identity_of(Op::kSum, dtype_)))};
  });
}

/// Adds the sums over the current block of terms to totals_, and sets the sums to 0.
Body GroupProduct::add_to_totals() {
  return group([&](Sym thread) {
    Body body = {comment(arena_, "the end of a block of terms")};
    add(body, each_result([&](Sym row, Sym column) {
          const Sym at = sum_at(thread, row, column);
          return Body{update_accumulator(arena_, totals_, total_at(thread, row, column), arena_.acc(dtype_, sums_, at)),
                      set_accumulator(arena_, sums_, at, arena_.constant(identity_of(Op::kSum, dtype_)))};
        }));
    return body;
  });
}

// --- the results -------------------------------------------------------------------------------------------------------------

Body GroupProduct::stores_at(Sym row, Sym column, const UOp* sum) {
  Index position(product_.batch.size() + product_.rows.size() + product_.columns.size());
  const auto place = [&](const std::vector<size_t>& axes, const Index& at) {
    for (size_t i = 0; i < axes.size(); ++i) position[axes[i]] = at[i];
  };
  place(product_.batch, batch_);
  place(product_.rows, unflatten(row, product_.row_shape));
  place(product_.columns, unflatten(column, product_.column_shape));
  if (tile_.split > 0) return {store_in_slice(c_, slice_, position, sum)};
  c_.values.bind(&reduce_, from_accumulator(arena_, reduce_, sum));
  return store_outputs(c_, c_.plan.passes[0].stores, position);
}

Body GroupProduct::store_results(Sym thread, LoopKind kind, const SumAt& sum_at) {
  const Pieces of_rows = row_pieces(), of_columns = column_pieces();
  return each("row", tile_.rows_of_thread, kind, [&](Sym row) {
    const Sym there = row_tile_ * tile_.rows + in_tile(row, of_rows, first_row(thread)), rows_left = product_.row_count - 1 - there;
    return each("piece", tile_.columns_of_thread / of_columns.size, kind, [&](Sym piece) {
      const Sym across = column_tile_ * tile_.columns + piece * of_columns.distance + first_column(thread);
      const auto stores = [&](bool tests) {
        Loop* column = new_loop(arena_, "column", 0, of_columns.size, LoopKind::kUnroll);
        Body all = stores_at(there, across + column->variable, sum_at(row, piece * of_columns.size + column->variable));
        const Sym exists = min(rows_left, product_.column_count - 1 - across - column->variable);
        column->body = !tests || proven_nonnegative(exists) ? std::move(all) : Body{new_if(arena_, exists, std::move(all))};
        return column;
      };
      Body single = {stores(true)};
      const auto together = access_together(arena_, c_.kernel, stores(false), true);
      if (!together) return single;
      wide_distances_ = joined_distances(arena_, wide_distances_, together->distances);
      wide_multiples_ = together->multiples;
      const Sym exist = min(rows_left, product_.column_count - of_columns.size - across);
      return Body{new_if(arena_, min(exist, wide_ - 1), together->body, std::move(single))};
    });
  });
}

/// Returns a Define statement (the definition of a variable and the statements that use it) around the given statements. It defines wide_,
/// which is 1 if results are stored by accesses of 16 bytes, else 0.
Body GroupProduct::with_wide(Body body) {
  if (wide_distances_ == nullptr) return body;
  const int64_t size = column_pieces().size;
  const UOp* is_wide = are_multiples(arena_, wide_distances_, size);
  for (const Sym& multiple : wide_multiples_)
    is_wide = arena_.apply(Op::kBitAnd, DType::kBool, {is_wide, arena_.in_range(Sym(0) - mod(multiple, size))});
  auto* define = arena_.statement<Define>();
  define->variable = wide_;
  define->value = is_wide;
  define->body = std::move(body);
  return {define};
}

Body GroupProduct::results() {
  return group([&](Sym thread) {
    const auto sum = [&](Sym row, Sym column) {
      if (totals_ >= 0) return arena_.acc(dtype_, totals_, total_at(thread, row, column));
      const UOp* of_products = arena_.acc(dtype_, sums_, sum_at(thread, row, column));
      return tile_.split > 0 ? of_products : end_of_products(arena_, of_products);
    };
    const bool is_short = uops_of(arena_, stores_at(row_tile_, column_tile_, sum(0, 0))).size() <= kMaxOperations;
    if (is_short || totals_ >= 0) return with_wide(store_results(thread, is_short ? LoopKind::kUnroll : LoopKind::kSequential, sum));
    // A long epilogue is a loop that is not unrolled. Its sums must be in memory, because registers cannot be indexed by a loop variable.
    const int array = new_array(dtype_, of_thread_, Space::kStack);
    Body body = {declare_accumulator(arena_, array)};
    add(body, each_result([&](Sym row, Sym column) {
          return Body{set_accumulator(arena_, array, row * tile_.columns_of_thread + column, sum(row, column))};
        }));
    add(body, with_wide(store_results(thread, LoopKind::kSequential, [&](Sym row, Sym column) {
          return arena_.acc(dtype_, array, row * tile_.columns_of_thread + column);
        })));
    return body;
  });
}

}  // namespace harp::lower
