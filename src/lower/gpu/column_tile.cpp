#include "lower/gpu/column_tile.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "ir/rewrite.h"

namespace harp::lower {

using namespace ir;

namespace {

constexpr int64_t kMostColumns = 32;  // maximum number of columns of a tile: one for each thread of a warp
// A group must have more threads than a warp, because several groups of at most a warp would be executed by one thread block.
constexpr int64_t kFewestThreads = 64, kMostThreads = 256;
constexpr int64_t kThreadsOfColumn = 16;
constexpr int64_t kBytesOfThread = 64;  // bytes of a tile for each thread: 16 loads of f32 are in flight

int64_t power_of_two(int64_t at_least) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(at_least))); }

/// Returns an expression that is >= 0 if both `rows` and `columns` are >= 0, and negative otherwise.
Sym both(Sym rows, Sym columns) { return proven_nonnegative(columns) ? rows : min(rows, columns); }

}  // namespace

ColumnTile::ColumnTile(Arena& arena, Sym width, int64_t most_rows, int64_t bytes) : arena_(arena) {
  columns = power_of_two(std::clamp<int64_t>(range(width).hi, 1, kMostColumns));
  threads = std::clamp(kThreadsOfColumn * columns, kFewestThreads, kMostThreads);
  const auto fitting = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(threads * kBytesOfThread / bytes)));
  rows =
      std::max({std::min(fitting / columns, power_of_two(std::clamp<int64_t>(most_rows, 1, fitting))), kBatch, kFewestThreads / columns});
  threads = std::min(threads, elements());
}

Loop* ColumnTile::new_group() const { return new_loop(arena_, "thread", 0, threads, LoopKind::kGroup); }

Sym ColumnTile::has_column(Sym thread, Sym columns_left) const { return min(Sym(columns - 1) - thread, columns_left - 1 - thread); }

void ColumnTile::for_each_element(Sym rows_left, Sym columns_left, Body& body, const std::function<Body(const Element&)>& make) const {
  const auto share = [&](bool is_whole) { return share_of_thread(rows_left, columns_left, is_whole, make); };
  const Sym is_whole = both(rows_left - rows, columns_left - columns);
  if (proven_nonnegative(is_whole))
    body.push_back(share(true));
  else if (proven_at_most(rows_left, rows - 1) || proven_at_most(columns_left, columns - 1))
    body.push_back(share(false));
  else
    body.push_back(new_if(arena_, is_whole, {share(true)}, {share(false)}));
}

/// Returns the loop over the threads of the group in which each thread processes its share of the tile's elements. Unless `is_whole`, the
/// statements test for each element whether it is within the array.
Loop* ColumnTile::share_of_thread(Sym rows_left, Sym columns_left, bool is_whole, const std::function<Body(const Element&)>& make) const {
  Loop *group = new_group(), *step = new_loop(arena_, "step", 0, elements() / threads, LoopKind::kUnroll);
  Element element{.place = step->variable * threads + group->variable,
                  .row = step->variable * (threads / columns) + floor_div(group->variable, columns),
                  .column = mod(group->variable, columns),
                  .exists = true};
  const Sym exists = both(rows_left - 1 - element.row, columns_left - 1 - element.column);
  step->body = make(element);
  if (!is_whole && !proven_nonnegative(exists)) {
    element.exists = false;
    step->body = {new_if(arena_, exists, std::move(step->body), make(element))};
  }
  group->body = {step};
  return group;
}

}  // namespace harp::lower
