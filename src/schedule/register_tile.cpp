#include "schedule/register_tile.h"

#include <algorithm>
#include <limits>

#include "base/integers.h"

namespace harp {
namespace {

/// How long M x N sums of K terms take by tiles of r rows and v vectors of w lanes. With `step` the time of one multiplication and
/// addition of vectors, T / step is
///
///     D * W * (K * term + store)          tiles down and across, D = M / r and W = N / (v * w), rounded up
///   + D * C * K * transpose               copies of rows, of which each is used for some of the columns: C = N / columns_of_copy
///   + (W or 0 + D or 0) * r * piece       tiles that reach beyond the last row, or column, and are stored piece by piece
///   + last                                what the last tile stores
///
///     term      = max(r * v, r + v, 8) + more: a step for each vector of sums, at least as many as wait for each other (8) or as vectors
///                 and elements are read, since some processors read no more of them than they multiply; more where vectors are short
///     store     = 2 * r * v: less than it takes, since the next tile's products hide a part
///     transpose = 16 * r / w, whole vectors
///     piece     = 20 + 6 * v
///     last      = 3 * r * v, which nothing hides (16 x 16 x 16 by 8 rows 1.06 times as fast as by 16: a call begins when the one before
///                 is over)
///
/// A tile reaches beyond the last row unless D * r is M, or sizes are known: then the last one overlaps the one before. Of two workers each
/// has D / 2 tiles, rounded up. (Measured with 64-byte vectors. Two steps and two reads a cycle: 64 x 64 x 64 by 16 rows of one vector 219
/// GFLOP/s, by 8 of two 235, by 13 of two 232, by 6 of four 229, the last two 236 if rows were a multiple; 256 x 256 x 256 223, 243, 239,
/// 240. A step and two reads: 64 x 64 x 64 116, 115, 112. Copies: without that of 8 rows 1024 x 1024 x 1024 1.04 times as fast.)
int64_t time_of(const RegisterTile& tile, const TileWork& work, int width, bool is_wide) {
  constexpr int64_t kStep = 8;     // the unit is an eighth of a step
  constexpr int64_t kWaiting = 8;  // sums that are added to before the first of them can be again
  const auto [r, v] = tile;
  const int64_t more = is_wide ? 2 : 8 + r + 4 * v, term = kStep * std::max({r * v, r + v, kWaiting}) + more;
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

RegisterTile best_tile(const TileWork& work, int width, const Target& target) {
  const bool is_wide = target.vector_bytes == 64;
  const int64_t registers = is_wide || target.march.starts_with("armv8") ? 32 : 16;
  RegisterTile best{1, 1};
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const int64_t vectors : {2, 3, 4, 1})
    for (int64_t r = std::min({(registers - 1 - vectors) / vectors, work.most_rows, std::max<int64_t>(1, work.rows)}); r > 0; --r)
      if (const int64_t time = time_of({r, vectors}, work, width, is_wide); time < least) least = time, best = {r, vectors};
  return best;
}

}  // namespace harp
