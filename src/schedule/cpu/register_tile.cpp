#include "schedule/cpu/register_tile.h"

#include <algorithm>
#include <limits>

#include "base/integers.h"

namespace harp {
namespace {

/// Estimates the time T of a matrix product of M x N sums of K terms, with register tiles of r rows and v vectors of w lanes. The unit is a
/// step, the time of one vector multiply-add. T is the sum of these times:
///
///     D * W * (K * term + store)          all tiles: D = M / r tiles down and W = N / (v * w) tiles across, both rounded up
///   + D * C * K * transpose               packing the rows' factor, once for every columns_of_copy columns: C = N / columns_of_copy
///   + edges * r * piece                   tiles that extend beyond the last row or column, which are stored piece by piece: edges = W if
///                                         there are such tiles at the last row, plus D if there are such tiles at the last column
///   + last                                the stores of the last tile
///
///     term      = max(r * v, r + v, 8) + more. r * v: one step for each vector of sums. 8: the latency of a sum, the least time.
///                 r + v: the number of vectors and elements to load, because some processors load no more of them per cycle than they
///                 multiply. more: a small further time, which is longer if vectors are shorter than a cache line.
///     store     = 2 * r * v. This is less than the real time, because the products of the next tile hide a part of it.
///     transpose = 16 * r / w, where r / w is rounded up
///     piece     = 20 + 6 * v
///     last      = 3 * r * v. No later products hide this time. (A product of 16 x 16 x 16 is 1.06 times as fast with 8 rows as with 16,
///                 because the next call begins only when this one is over.)
///
/// A tile extends beyond the last row if D * r is not M and sizes are unknown at compile time. If sizes are known, the last tile overlaps
/// the previous one instead. If two workers divide the rows, each has D / 2 tiles, rounded up.
///
/// Measured with 64-byte vectors, in GFLOP/s. On a CPU with two multiply-adds and two loads per cycle, 64 x 64 x 64 reaches 219 with tiles
/// of 16 rows of one vector, 235 with 8 of two, 232 with 13 of two, and 229 with 6 of four (the last two would reach 236 if 64 were a
/// multiple of their rows). 256 x 256 x 256 reaches 223, 243, 239 and 240 with the same tiles. On a CPU with one multiply-add and two loads
/// per cycle, 64 x 64 x 64 reaches 116, 115 and 112 with the first three tiles. With 8 rows, 1024 x 1024 x 1024 is 1.04 times as fast
/// without packing.
int64_t time_of(const RegisterTile& tile, const TileWork& work, int width, bool is_wide) {
  constexpr int64_t kStep = 8;  // times are counted in units of 1 / kStep of a step
  // Latency of a multiply-add in steps: a sum can be updated again only after this many updates of other sums.
  constexpr int64_t kSumLatency = 8;
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
