#include "schedule/cpu/register_tile.h"

#include <algorithm>
#include <limits>

#include "base/integers.h"

namespace harp {
namespace {

/// Estimates the time of M x N sums of K terms with register tiles of r rows and v vectors of w lanes. A step is the time of one vector
/// multiply-add. T / step is
///
///     D * W * (K * term + store)          tiles down and across: D = M / r and W = N / (v * w), rounded up
///   + D * C * K * transpose               packing of rows: each packed copy serves columns_of_copy columns: C = N / columns_of_copy
///   + (W or 0 + D or 0) * r * piece       tiles that extend beyond the last row or column and are stored piece by piece
///   + last                                the stores of the last tile
///
///     term      = max(r * v, r + v, 8) + more: one step for each vector of sums, but at least the latency of a sum (8), and at least the
///               number of vectors and elements to load, since some processors load no more of them a cycle than they multiply; more if
///               vectors are short
///     store     = 2 * r * v: less than the real time, because the next tile's products hide a part of it
///     transpose = 16 * r / w, rounded up to whole vectors
///     piece     = 20 + 6 * v
///     last      = 3 * r * v: no later products hide this time (16 x 16 x 16 is 1.06 times as fast with 8 rows as with 16: a call begins
///               when the previous one is over)
///
/// A tile extends beyond the last row unless D * r is M, or sizes are known: then the last tile overlaps the previous one. With two workers
/// each has D / 2 tiles, rounded up. Measured with 64-byte vectors, in GFLOP/s: with two multiply-adds and two loads a cycle, 64 x 64 x 64
/// reaches 219 with 16 rows of one vector, 235 with 8 of two, 232 with 13 of two, 229 with 6 of four (the last two would be 236 if the
/// number of rows were a multiple); 256 x 256 x 256 reaches 223, 243, 239, 240 with the same tiles. With one multiply-add and two loads a
/// cycle, 64 x 64 x 64 reaches 116, 115, 112. With 8 rows, 1024 x 1024 x 1024 is 1.04 times as fast without packing.
int64_t time_of(const RegisterTile& tile, const TileWork& work, int width, bool is_wide) {
  constexpr int64_t kStep = 8;        // the unit of time is an eighth of a step
  constexpr int64_t kSumLatency = 8;  // latency of a multiply-add: how many sums must be updated before the first one can be updated again
  const auto [r, v] = tile;
  const int64_t more = is_wide ? 2 : 8 + r + 4 * v, term = kStep * std::max({r * v, r + v, kSumLatency}) + more;
  const int64_t store = kStep * 2 * r * v, last = kStep * 3 * r * v, piece = kStep * (20 + 6 * v);
  const int64_t transpose = kStep * 16 * ceil_div(r, width);

  const int64_t tiles = ceil_div(work.rows, r), down = work.has_workers ? 2 * ceil_div(tiles, 2) : tiles,
                across = ceil_div(work.columns, v * width),
                copies = work.columns_of_copy > 0 ? ceil_div(work.columns, work.columns_of_copy) : 0;
  const bool rows_fit = work.rows % r == 0 || work.are_known,
             columns_fit = work.columns % (v * width) == 0 || (work.are_known && work.columns >= v * width);
  const int64_t in_part = (rows_fit ? 0 : across) + (columns_fit ? 0 : down);
  return down * (across * (work.terms * term + store) + copies * work.terms * transpose) + in_part * r * piece + last;
}

}  // namespace

RegisterTile best_tile(const TileWork& work, int width, const Cpu& cpu) {
  const bool is_wide = is_whole_line(cpu.vector_bytes);
  RegisterTile best{1, 1};
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const int64_t vectors : {2, 3, 4, 1})
    for (int64_t r = std::min({(cpu.vector_registers - 1 - vectors) / vectors, work.max_rows, std::max<int64_t>(1, work.rows)}); r > 0; --r)
      if (const int64_t time = time_of({r, vectors}, work, width, is_wide); time < least) least = time, best = {r, vectors};
  return best;
}

}  // namespace harp
