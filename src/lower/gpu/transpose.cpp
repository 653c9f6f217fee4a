#include "lower/gpu/transpose.h"

#include <cstdlib>

#include "lower/accumulate.h"
#include "lower/copied_values.h"

namespace harp::lower {

using namespace ir;

namespace {

constexpr int64_t kTileThreads = 256;
// Maximum size in bytes of the copies in shared memory. Loads whose copies do not fit read the array directly.
constexpr int64_t kTileBytes = 34 << 10;

class TiledTranspose {
 public:
  explicit TiledTranspose(KernelContext& context) : c_(context), arena_(context.arena), space_(iteration_space(context.plan)) {
    columns_ = space_.size() - 1;
    while (c_.schedule.axes[rows_].tile == 0) ++rows_;
    height_ = c_.schedule.axes[rows_].tile, width_ = c_.schedule.axes[columns_].tile;
  }

  void run() {
    Shape tiles = space_;
    tiles[rows_] = ceil_div(space_[rows_], height_), tiles[columns_] = ceil_div(space_[columns_], width_);
    Loop* loop = new_loop(arena_, "tile", 0, element_count(tiles), LoopKind::kThread);
    Body* inside = &loop->body;
    Index position = position_of(loop->variable, tiles, inside);
    const Sym first_row = position[rows_] * height_, first_column = position[columns_] * width_;
    row_ = new_loop(arena_, "row", 0, min(Sym(height_), space_[rows_] - first_row))->variable;
    column_ = new_loop(arena_, "column", 0, min(Sym(width_), space_[columns_] - first_column))->variable;
    rows_left_ = space_[rows_] - first_row, columns_left_ = space_[columns_] - first_column;
    position[rows_] = first_row + row_, position[columns_] = first_column + column_;
    const Body stores = store_outputs(c_, position);
    mark_in_place(c_);

    const std::vector<Copy> copies = copies_of(stores, *inside);
    Substituter with_copies(arena_, {});
    for (const Copy& copy : copies) {
      const DType dtype = copy.load->type.dtype;
      with_copies.replace(copy.load, same_bits(arena_, dtype, arena_.acc(copied_as(dtype), copy.accumulator, place())));
    }
    const Body computed = with_copies(stores);
    const Sym is_whole = min(rows_left_ - height_, columns_left_ - width_);
    const auto add = [&](Body statements) { inside->insert(inside->end(), statements.begin(), statements.end()); };
    if (proven_nonnegative(is_whole))
      add(tile(copies, computed, true));
    else if (proven_at_most(is_whole, -1))
      add(tile(copies, computed, false));
    else
      add({new_if(arena_, is_whole, tile(copies, computed, true), tile(copies, computed, false))});
    c_.kernel.body = {loop};
  }

 private:
  /// Like unflatten(), but with only one division for each axis of symbolic size, because quotients are defined as variables. Sets `inside`
  /// to the body of the innermost of these definitions; the caller must add statements that use the result to that body.
  Index position_of(Sym number, const Shape& shape, Body*& inside) {
    const auto define = [&](std::string_view name, Sym end, Sym value) {
      auto* s = arena_.statement<Define>();
      s->variable = arena_.syms().loop(name, 0, end);
      s->value = arena_.index(value);
      inside->push_back(s);
      inside = &s->body;
      return s->variable;
    };
    Index index(shape.size());
    for (size_t axis = shape.size(); axis-- > 0;) {
      const Shape before(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis));
      const Sym others = element_count(before);
      if (others.is_constant(1)) {
        index[axis] = number, number = 0;
      } else if (shape[axis].is_constant()) {
        index[axis] = mod(number, shape[axis]), number = floor_div(number, shape[axis]);
      } else {
        const Sym quotient = define("quotient", others, floor_div(number, shape[axis]));
        index[axis] = define("remainder", shape[axis], number - quotient * shape[axis]);
        number = quotient;
      }
    }
    return index;
  }

  /// A load that is contiguous along the rows instead of the columns (a crossed load), and the accumulator (a shared array) that receives a
  /// copy of its elements.
  struct Copy {
    const UOp* load;
    int accumulator;
  };

  /// Returns the position, in a shared array, of the element at the current row and column.
  Sym place() const { return column_ * (height_ + 1) + row_; }

  /// Tests whether the load is contiguous in memory along the rows, and not along the columns.
  bool is_crossed(const UOp* u) const {
    if (u->kind != UKind::kLoad) return false;
    const auto along_rows = linear_in(u->index, variable_of(row_));
    if (!along_rows || !along_rows->coefficient.is_constant(1)) return false;
    const auto along_columns = linear_in(along_rows->rest, variable_of(column_));
    if (!along_columns) return false;
    const Sym step = along_columns->coefficient;
    return !step.is_constant() || std::abs(step.constant()) > 1;
  }

  /// Declares a shared array for each crossed load (one that is contiguous along the rows), until the arrays would exceed kTileBytes.
  /// Returns the loads that have an array.
  std::vector<Copy> copies_of(const Body& stores, Body& body) {
    std::vector<Copy> copies;
    int64_t bytes = 0;
    for (const UOp* u : uops_of(arena_, stores)) {
      if (!is_crossed(u)) continue;
      const DType dtype = copied_as(u->type.dtype);
      const int64_t count = width_ * (height_ + 1);
      bytes += count * static_cast<int64_t>(size_of(dtype));
      if (bytes > kTileBytes) break;
      copies.push_back({u, static_cast<int>(c_.kernel.accumulators.size())});
      c_.kernel.accumulators.push_back(
          {.type = {dtype, 1}, .count = count, .init = scalar_from_int(dtype, 0), .space = Space::kShared, .is_row = true});
      body.push_back(declare_accumulator(arena_, copies.back().accumulator));
    }
    return copies;
  }

  /// Returns the statements by which a group of threads computes one tile. If the tile is not whole, they test whether each element exists.
  Body tile(const std::vector<Copy>& copies, const Body& stores, bool is_whole) {
    Body copied;
    for (const Copy& copy : copies)
      copied.push_back(set_accumulator(arena_, copy.accumulator, place(), same_bits(arena_, copied_as(copy.load->type.dtype), copy.load)));
    const auto along_rows = [&](Sym element) { return std::pair{mod(element, height_), floor_div(element, height_)}; };
    const auto along_columns = [&](Sym element) { return std::pair{floor_div(element, width_), mod(element, width_)}; };
    return {each_element(copied, is_whole, along_rows), arena_.statement<Barrier>(), each_element(stores, is_whole, along_columns)};
  }

  /// Returns a loop over the threads of a group that executes the statements for every element of the tile. at(number) returns the row and
  /// column of an element.
  template <class At>
  Stmt* each_element(const Body& statements, bool is_whole, At at) {
    Loop *group = new_loop(arena_, "thread", 0, kTileThreads, LoopKind::kGroup),
         *step = new_loop(arena_, "step", 0, height_ * width_ / kTileThreads, LoopKind::kUnroll);
    const auto [row, column] = at(group->variable + step->variable * kTileThreads);
    Body here = Substituter(arena_, {{variable_of(row_), row}, {variable_of(column_), column}})(statements);
    const Sym exists = min(rows_left_ - 1 - row, columns_left_ - 1 - column);
    step->body = is_whole || proven_nonnegative(exists) ? std::move(here) : Body{new_if(arena_, exists, std::move(here))};
    group->body = {step};
    return group;
  }

  KernelContext& c_;
  Arena& arena_;
  const Shape space_;
  size_t rows_ = 0, columns_;
  int64_t height_, width_;        // number of rows and columns of a tile
  Sym rows_left_, columns_left_;  // number of rows and columns from the start of the tile to the end of the array
  Sym row_, column_;              // variables: row and column of an element in the tile
};

}  // namespace

void lower_tiled_transpose(KernelContext& context) { TiledTranspose(context).run(); }

}  // namespace harp::lower
