// Implements the class ColumnThreads (columns.h): reductions in which each thread reduces a few columns alone.
#include "ir/group_accesses.h"
#include "lower/gpu/batches.h"
#include "lower/gpu/columns.h"

namespace harp::lower {

using namespace ir;

bool has_columns(const Node& reduce) {
  const auto& attributes = reduce.as<ReduceAttributes>();
  Shape kept = reduce.sources[0]->shape;
  for (const int axis : attributes.axes) kept[static_cast<size_t>(axis)] = 1;
  return attributes.order == ReduceOrder::kChain && !squeezed(kept).empty();
}

ColumnThreads::ColumnThreads(KernelContext& context) : ReduceLowering(context), columns_(simd_width_) { simd_width_ = 1; }

void ColumnThreads::run() {
  const Sym width = size(kept_.back());
  Shape space = sizes(kept_);
  space.back() = ceil_div(width, columns_);
  Loop* threads = new_loop(arena_, "columns", 0, element_count(space), LoopKind::kThread);
  Index outer = unflatten(threads->variable, space);
  const Sym start = outer.back() * columns_;
  outer.pop_back();
  const auto columns_one_by_one = [&] {
    Loop* column = new_loop(arena_, "column", start, min(start + columns_, width));
    column->body = passes_of(outer, column->variable, 1);
    return Body{column};
  };
  if (columns_ == 1) {
    threads->body = passes_of(outer, start, 1);
  } else if (proven_less(width, columns_)) {  // there is no whole group of columns
    threads->body = columns_one_by_one();
  } else {
    Body together = passes_of(outer, start, columns_), one_by_one = columns_one_by_one();
    const Sym is_whole = width - columns_ - start;
    if (distances_ != nullptr)
      together = if_aligned(arena_, distances_, columns_, std::move(together), Substituter(arena_, {})(one_by_one));
    threads->body = proven_nonnegative(is_whole) ? std::move(together) : Body{new_if(arena_, is_whole, std::move(together), one_by_one)};
  }
  c_.kernel.body = {threads};
}

Body ColumnThreads::passes_of(const Index& outer, Sym start, int64_t width) {
  results_.clear();
  rows_.release();
  return column_passes(outer, start, width, width);
}

void ColumnThreads::reduce_rows(const Tile& tile, const BlockLevel& level, Sym begin, Sym end, Body& body) {
  const int64_t bytes = tile.capacity * static_cast<int64_t>(size_of(first_.sources[0]->dtype));
  const Body loops =
      in_batches(arena_, begin, end, iterations_in_flight(bytes, cost_of_element()), [&](Sym row) { return rows(tile, level, row, 1); });
  body.insert(body.end(), loops.begin(), loops.end());
}

Body ColumnThreads::columns_of_row(Loop* columns, int) { return columns_of_results(columns); }

Body ColumnThreads::columns_of_results(Loop* columns) {
  if (columns->end.is_constant(1)) return Substituter(arena_, {{variable_of(columns->variable), 0}})(columns->body);
  columns->loop = LoopKind::kUnroll;
  if (auto whole = access_together(arena_, c_.kernel, columns)) {
    distances_ = joined_distances(arena_, distances_, whole->distances);
    return std::move(whole->body);
  }
  return {columns};
}

}  // namespace harp::lower
