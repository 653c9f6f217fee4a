#include "lower/block_copy.h"

namespace harp::lower {

using namespace ir;

namespace {

bool is_plain(const Loop* loop) { return loop->loop == LoopKind::kSequential && loop->begin.is_constant(0) && loop->step == 1; }

struct Steps {
  Sym first, row, column;
};

/// Returns first, row and column such that the position is first + row * (variable of loop `row`) + column * (variable of loop `column`);
/// nullopt if the position does not have this form.
std::optional<Steps> steps_of(Sym position, const Loop* row, const Loop* column) {
  const auto along_columns = linear_in(position, variable_of(column->variable));
  if (!along_columns) return std::nullopt;
  if (row == nullptr) return Steps{along_columns->rest, 0, along_columns->coefficient};
  const auto along_rows = linear_in(along_columns->rest, variable_of(row->variable));
  if (!along_rows || depends_on(along_columns->coefficient, variable_of(row->variable))) return std::nullopt;
  return Steps{along_rows->rest, along_rows->coefficient, along_columns->coefficient};
}

}  // namespace

Copy* as_block_copy(Arena& arena, const Loop* row, const Loop* column) {
  if (!is_plain(column) || column->body.size() != 1) return nullptr;
  if (row != nullptr && (!is_plain(row) || depends_on(column->end, variable_of(row->variable)))) return nullptr;
  const auto* store = as<Store>(column->body[0]);
  const auto* set = as<AccSet>(column->body[0]);
  if ((store == nullptr || store->mask != nullptr) && set == nullptr) return nullptr;
  const UOp* value = store != nullptr ? store->value : set->value;
  // A bool that is read is true if its byte is not zero, but true must be stored as 1. So bools cannot be copied as bytes.
  if (value->type.lanes != 1 || is_bool(value->type.dtype)) return nullptr;
  const bool is_loaded = value->kind == UKind::kLoad && mask_of(value) == nullptr;
  if (!is_loaded && (value->kind != UKind::kAcc || (set != nullptr && value->buffer == set->accumulator))) return nullptr;
  const auto to = steps_of(store != nullptr ? store->index : set->index, row, column), from = steps_of(value->index, row, column);
  if (!to || !to->column.is_constant(1) || !from) return nullptr;
  auto* s = arena.statement<Copy>();
  if (is_loaded)
    s->inputs = {value->buffer};
  else
    s->source = value->buffer;
  s->from = from->first, s->from_row_stride = from->row, s->from_stride = from->column;
  s->rows = row == nullptr ? Sym(1) : row->end, s->length = column->end;
  if (store != nullptr)
    s->buffer = store->buffer;
  else
    s->accumulator = set->accumulator;
  s->index = to->first, s->stride = to->row;
  return s;
}

}  // namespace harp::lower
