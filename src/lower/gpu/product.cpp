#include "lower/gpu/product.h"

#include <algorithm>

#include "base/error.h"

namespace harp::lower {

using namespace ir;

namespace {

constexpr int64_t kAccessBytes = 16;    // the widest access of a thread
constexpr size_t kMaxOperations = 24;   // most operations of an epilogue that is unrolled for each result of a thread

void add(Body& body, const Body& statements) { body.insert(body.end(), statements.begin(), statements.end()); }

}  // namespace

GroupProduct::GroupProduct(KernelContext& context)
    : c_(context),
      arena_(context.arena),
      reduce_(*context.plan.reduces[0]),
      product_(*as_product(context.plan)),
      tile_(tile_of(context.schedule, product_)),
      dtype_(accumulator_dtype(reduce_)),
      of_thread_(tile_.rows_of_thread * tile_.columns_of_thread),
      batch_(product_.batch.size(), Sym(0)),
      rows_(context, dtype_, {product_.row_count, product_.terms, tile_.rows, tile_.terms, tile_.threads()},
            [this](Sym row, Sym term, const UOp* mask) { return element(product_.row_factor, row, 0, term, mask); }),
      columns_(context, dtype_, {product_.column_count, product_.terms, tile_.columns, tile_.terms, tile_.threads()},
               [this](Sym column, Sym term, const UOp* mask) { return element(product_.column_factor, 0, column, term, mask); }) {}

const UOp* GroupProduct::element(const Node* factor, Sym row, Sym column, Sym term, const UOp* mask) {
  const auto& attributes = reduce_.as<ReduceAttributes>();
  const Shape& shape = reduce_.sources[0]->shape;
  Index kept(product_.batch.size() + product_.rows.size() + product_.columns.size()), index(shape.size(), Sym(0));
  const auto place = [&](const std::vector<size_t>& axes, const Index& at) {
    for (size_t i = 0; i < axes.size(); ++i) kept[axes[i]] = at[i];
  };
  place(product_.batch, batch_);
  place(product_.rows, unflatten(row, product_.row_shape));
  place(product_.columns, unflatten(column, product_.column_shape));
  Shape term_shape;
  for (const int axis : attributes.axes) term_shape.push_back(shape[static_cast<size_t>(axis)]);
  const Index terms = unflatten(term, term_shape);
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
  space.push_back(ceil_div(product_.row_count, tile_.rows));
  space.push_back(ceil_div(product_.column_count, tile_.columns));
  Loop* tiles = new_loop(arena_, "tile", 0, element_count(space), LoopKind::kThread);
  Index at = unflatten(tiles->variable, space);
  column_tile_ = at.back(), row_tile_ = at[at.size() - 2];
  at.resize(at.size() - 2);
  batch_ = at;

  sums_ = new_array(dtype_, of_thread_ * tile_.threads(), Space::kRegister);
  Accumulator& sums = c_.kernel.accumulators[static_cast<size_t>(sums_)];
  sums.spread = of_thread_, sums.is_row = false;
  const bool has_blocks = !proven_at_most(product_.terms, kChainBlock);
  if (has_blocks && !is_int(dtype_)) totals_ = new_array(dtype_, of_thread_ * tile_.threads(), Space::kShared);

  Body body = {declare_accumulator(arena_, sums_), rows_.declare(), columns_.declare()};
  if (totals_ >= 0) body.push_back(declare_accumulator(arena_, totals_));
  add(body, group([&](Sym thread) {
        Body first = load(thread, 0);
        if (totals_ >= 0)
          add(first, each_result([&](Sym row, Sym column) {
                return Body{
                    set_accumulator(arena_, totals_, total_at(thread, row, column), arena_.constant(identity_of(Op::kSum, dtype_)))};
              }));
        add(first, stage(thread, 0));
        return first;
      }));
  body.push_back(arena_.statement<Barrier>());
  const Sym all_steps = ceil_div(product_.terms, tile_.terms);
  if (totals_ < 0) {
    add(body, steps(0, all_steps));
  } else {
    const int64_t of_block = kChainBlock / tile_.terms;
    Loop* block = new_loop(arena_, "block", 0, ceil_div(product_.terms, kChainBlock));
    const Sym first = block->variable * of_block;
    block->body = steps(first, min(Sym(of_block), all_steps - first));
    add(block->body, add_to_totals());
    body.push_back(block);
  }
  add(body, results());
  tiles->body = rows_.with_alignment(columns_.with_alignment(std::move(body)));
  c_.kernel.body = {tiles};
}

// --- the main loop -----------------------------------------------------------------------------------------------------------

Body GroupProduct::load(Sym thread, Sym step) {
  Body body = rows_.load(thread, row_tile_, step * tile_.terms);
  add(body, columns_.load(thread, column_tile_, step * tile_.terms));
  return body;
}

Body GroupProduct::stage(Sym thread, Sym step) {
  Body body = rows_.stage(thread, mod(step, 2));
  add(body, columns_.stage(thread, mod(step, 2)));
  return body;
}

Body GroupProduct::steps(Sym first, Sym count) {
  Loop* step = new_loop(arena_, "step", 0, count);
  const Sym number = first + step->variable;
  step->body = group([&](Sym thread) {
    Body body = load(thread, number + 1);
    add(body, multiply(thread, number));
    add(body, stage(thread, number + 1));
    return body;
  });
  step->body.push_back(arena_.statement<Barrier>());
  return {step};
}

GroupProduct::Pieces GroupProduct::pieces(int64_t of_thread, int64_t tile) const {
  const int64_t size = std::min(of_thread, kAccessBytes / static_cast<int64_t>(size_of(dtype_)));
  return {size, tile / (of_thread / size)};
}

namespace {

/// The place of a thread in a grid of rows x columns of threads: that of its warp, of 4 x 8 threads if the grid is large enough.
struct ThreadGrid {
  int64_t rows, columns, rows_of_warp, columns_of_warp;
  ThreadGrid(int64_t rows, int64_t columns) : rows(rows), columns(columns) {
    constexpr int64_t kWarp = 32, kColumns = 8;
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
  const ThreadGrid grid(tile_.rows / tile_.rows_of_thread, tile_.columns / tile_.columns_of_thread);
  return grid.row(thread) * pieces(tile_.rows_of_thread, tile_.rows).size;
}
Sym GroupProduct::first_column(Sym thread) const {
  const ThreadGrid grid(tile_.rows / tile_.rows_of_thread, tile_.columns / tile_.columns_of_thread);
  return grid.column(thread) * pieces(tile_.columns_of_thread, tile_.columns).size;
}

Body GroupProduct::multiply(Sym thread, Sym step) {
  const int row_array = new_array(dtype_, tile_.rows_of_thread, Space::kRegister),
            column_array = new_array(dtype_, tile_.columns_of_thread, Space::kRegister);
  Loop* term = new_loop(arena_, "term", 0, tile_.terms, LoopKind::kUnroll);
  const auto fragments = [&](const StagedFactor& factor, int64_t of_thread, int64_t tile, Sym first, int array) {
    term->body.push_back(declare_accumulator(arena_, array));
    const Pieces all = pieces(of_thread, tile);
    for (int64_t piece = 0; piece < of_thread / all.size; ++piece)
      term->body.push_back(
          factor.fragment(mod(step, 2), term->variable, first + piece * all.distance, all.size, array, piece * all.size));
  };
  fragments(rows_, tile_.rows_of_thread, tile_.rows, first_row(thread), row_array);
  fragments(columns_, tile_.columns_of_thread, tile_.columns, first_column(thread), column_array);
  add(term->body, each_result([&](Sym row, Sym column) {
        return Body{update_accumulator(arena_, sums_, sum_at(thread, row, column), arena_.acc(dtype_, row_array, row),
                                       arena_.acc(dtype_, column_array, column))};
      }));
  return {term};
}

Body GroupProduct::each_result(const std::function<Body(Sym row, Sym column)>& make, LoopKind kind) {
  const auto each = [&](std::string_view name, int64_t count, const std::function<Body(Sym)>& inside) {
    if (count == 1) return inside(0);
    Loop* loop = new_loop(arena_, name, 0, count, kind);
    loop->body = inside(loop->variable);
    return Body{loop};
  };
  return each("row", tile_.rows_of_thread,
              [&](Sym row) { return each("column", tile_.columns_of_thread, [&](Sym column) { return make(row, column); }); });
}

/// Adds the sums of a block of terms to the totals, and clears them.
Body GroupProduct::add_to_totals() {
  return group([&](Sym thread) {
    return each_result([&](Sym row, Sym column) {
      const Sym at = sum_at(thread, row, column);
      return Body{update_accumulator(arena_, totals_, total_at(thread, row, column), arena_.acc(dtype_, sums_, at)),
                  set_accumulator(arena_, sums_, at, arena_.constant(identity_of(Op::kSum, dtype_)))};
    });
  });
}

// --- the results -------------------------------------------------------------------------------------------------------------

Body GroupProduct::results() {
  const Pieces of_rows = pieces(tile_.rows_of_thread, tile_.rows), of_columns = pieces(tile_.columns_of_thread, tile_.columns);
  return group([&](Sym thread) {
    const auto stores = [&](Sym row, Sym column, const UOp* sum) {
      const Sym there = row_tile_ * tile_.rows + in_tile(row, of_rows, first_row(thread)),
                across = column_tile_ * tile_.columns + in_tile(column, of_columns, first_column(thread));
      c_.values.bind(&reduce_, from_accumulator(arena_, reduce_, sum));
      Index position(product_.batch.size() + product_.rows.size() + product_.columns.size());
      const auto place = [&](const std::vector<size_t>& axes, const Index& at) {
        for (size_t i = 0; i < axes.size(); ++i) position[axes[i]] = at[i];
      };
      place(product_.batch, batch_);
      place(product_.rows, unflatten(there, product_.row_shape));
      place(product_.columns, unflatten(across, product_.column_shape));
      Body all = store_outputs(c_, c_.plan.passes[0].stores, position);
      const Sym exists = min(product_.row_count - 1 - there, product_.column_count - 1 - across);
      return proven_nonnegative(exists) ? all : Body{new_if(arena_, exists, std::move(all))};
    };
    Body body = each_result([&](Sym row, Sym column) {
      const UOp* sum = totals_ >= 0 ? arena_.acc(dtype_, totals_, total_at(thread, row, column))
                                    : end_of_products(arena_, arena_.acc(dtype_, sums_, sum_at(thread, row, column)));
      return stores(row, column, sum);
    });
    if (uops_of(arena_, body).size() <= kMaxOperations) return body;
    // Longer epilogues are in a loop, which reads its sums from memory, because it cannot number registers.
    Body through_memory;
    int array = -1;
    if (totals_ < 0) {
      array = new_array(dtype_, of_thread_, Space::kStack);
      through_memory.push_back(declare_accumulator(arena_, array));
      add(through_memory, each_result([&](Sym row, Sym column) {
            return Body{set_accumulator(arena_, array, row * tile_.columns_of_thread + column,
                                        end_of_products(arena_, arena_.acc(dtype_, sums_, sum_at(thread, row, column))))};
          }));
    }
    add(through_memory,
        each_result(
            [&](Sym row, Sym column) {
              return stores(row, column,
                            totals_ >= 0 ? arena_.acc(dtype_, totals_, total_at(thread, row, column))
                                         : arena_.acc(dtype_, array, row * tile_.columns_of_thread + column));
            },
            LoopKind::kSequential));
    return through_memory;
  });
}

}  // namespace harp::lower
