#include "lower/next_product.h"

#include <algorithm>

namespace harp::lower {

using namespace ir;

namespace {

constexpr int64_t kMinTerms = 4;  // minimum number of terms of a part; with fewer terms the overhead of the loop would be too large

int64_t share(int64_t all, int64_t of) { return (all + of - 1) / of; }

}  // namespace

void NextProduct::begin_block() {
  const ContractionLayout& layout = block_.layout;
  parts_ = 0;
  if (!layout.rows.is_constant() || !layout.columns.is_constant() || !layout.terms.is_constant()) return;
  const bool is_one_block = layout.rows.constant() <= layout.block_rows && layout.columns.constant() <= layout.block_columns &&
                            !block_.contraction.group_position && layout.stores_tiles();
  if (!is_one_block || layout.term_shape.size() != 1 || !block_.product_axis() || !factors_.are_in_place()) return;
  parts_ = std::clamp<int64_t>(layout.most_terms / kMinTerms, 1, layout.tile_rows);
}

int64_t NextProduct::terms_of_part() const { return share(block_.layout.most_terms, parts_); }

template <class Read>
void NextProduct::prefetch_elements(int64_t count, Read read, Body& body) {
  const Sym element = new_loop(block_.arena, "element", 0, count)->variable;
  const std::optional<std::pair<int, Sym>> address = read(element);
  const auto along = address ? linear_in(address->second, variable_of(element)) : std::nullopt;
  if (!along || !along->coefficient.is_constant(1)) return;
  const int64_t size = static_cast<int64_t>(size_of(block_.c.kernel.params[static_cast<size_t>(address->first)].dtype));
  for (int64_t i = 0; i < count; i += kLineBytes / size) body.push_back(ir::prefetch(block_.arena, address->first, along->rest + i));
}

/// Distributes the prefetches for the next matrix product of the batch over the tiles of the current one. A tile prefetches for the tile at
/// the same position of the next product: its results, and a share of the terms of its rows and columns. (The other tiles with the same
/// rows or columns prefetch the remaining terms.) Each part of a tile executes some of these prefetches.
Body NextProduct::prefetch(Sym row_tile, Sym column_tile, Sym part) {
  using Address = std::optional<std::pair<int, Sym>>;
  const auto loaded = [](const UOp* value) {
    return value->kind == UKind::kLoad && mask_of(value) == nullptr ? Address({value->buffer, value->index}) : std::nullopt;
  };
  const ContractionLayout& layout = block_.layout;
  Body body;
  block_.move_to_product(1);
  const int64_t rows = share(layout.tile_rows, parts_), terms_of_rows = share(layout.most_terms, layout.column_tiles_of_block());
  for (int64_t r = 0; r < rows; ++r) {
    const Sym row = block_.row_of(row_tile) + part * rows + r;
    prefetch_elements(
        terms_of_rows, [&](Sym term) { return loaded(factors_.row_in_place(row, {column_tile * terms_of_rows + term})); }, body);
    for (size_t store = 0; store < block_.c.plan.passes[0].stores.size(); ++store)
      prefetch_elements(
          layout.tile_columns,
          [&](Sym column) {
            const auto* s = as<Store>(block_.stores_of(block_.zero(), row, block_.column_of(column_tile) + column)[store]);
            return s != nullptr ? Address({s->buffer, s->index}) : std::nullopt;
          },
          body);
  }
  const int64_t terms_of_columns = share(layout.most_terms, layout.row_tiles_of_block() * parts_);
  for (int64_t t = 0; t < terms_of_columns; ++t) {
    const Sym term = (row_tile * parts_ + part) * terms_of_columns + t;
    prefetch_elements(
        layout.tile_columns, [&](Sym column) { return loaded(factors_.column_in_place(block_.column_of(column_tile) + column, {term})); },
        body);
  }
  block_.move_to_product(-1);
  return body;
}

}  // namespace harp::lower
