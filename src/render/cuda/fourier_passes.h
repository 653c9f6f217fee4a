// Plans the passes by which a thread block transforms a tile (ops/block_transforms.h): which numbers each thread transforms in a pass, and
// where in shared memory it stores the results for the next pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace harp::render {

/// One pass over a tile of `lines` lines, each of `length` complex numbers. Butterfly number x of a line transforms `factor` numbers of
/// that line: operand i is number x + i * apart(), and result u becomes number first_result(x) + u * stride.
struct Pass {
  int64_t factor = 1, lines = 1, length = 1, stride = 1;
  int64_t of_line = 1;  // length of one transform: that of the line, or that of one of the columns which are interleaved in the line
  int64_t left = 1;     // length of the shorter transforms that remain for the next passes
  int64_t table = 0;    // position, in the tables, of the twiddle factors of this pass
  // Number of adjacent butterflies of a line that adjacent threads execute; the following threads execute butterflies of the next line.
  int64_t group = 1;

  int64_t butterflies_of_line() const { return length / factor; }
  int64_t butterflies() const { return lines * butterflies_of_line(); }
  int64_t apart() const { return length / factor; }
  int64_t line_of(int64_t butterfly) const { return butterfly / group % lines; }
  int64_t number_of(int64_t butterfly) const { return butterfly / (group * lines) * group + butterfly % group; }
  int64_t first_result(int64_t number) const { return number + number / stride * (factor - 1) * stride; }
  int64_t roots() const {
    return table + (left > 1 ? 2 * (factor - 1) * left : 0);
  }  // position in the tables of the p-th roots of 1, where p is the factor; exists only if p is odd
};

/// Appends the passes of transforms of `of_line` numbers to `passes`. There are `lines` lines, each of which contains `inner` transforms
/// whose numbers are interleaved. The roots of 1 for these passes begin at position `table` of the tables. Adjacent threads execute
/// adjacent butterflies of a line.
void append_passes(std::vector<Pass>& passes, int64_t of_line, int64_t lines, int64_t inner, int64_t table);

/// Lets adjacent threads execute `group` adjacent butterflies of a line, then as many of the next line, and so on. Does nothing if the
/// number of butterflies of a line is not a multiple of `group`.
void group_butterflies(Pass& pass, int64_t group);

/// The layout of the numbers of a tile in shared memory. After every `block` numbers there is a gap of `gap` numbers, and after every
/// `line` numbers an additional gap of `line_gap` numbers, so that the threads of a warp access different banks.
struct Gaps {
  int64_t block = 1, gap = 0, line = 1, line_gap = 0;

  int64_t place(int64_t number) const { return number + number / block * gap + number / line * line_gap; }
};

/// Returns the gaps for which storing the results of pass `writer` and loading the operands of pass `reader`, which follows it, takes the
/// least time.
Gaps best_gaps(const Pass& writer, const Pass& reader, int threads, size_t number_bytes);

/// Returns the distance in shared memory between consecutive operands of a butterfly (with `are_results`: consecutive results). Returns -1
/// if the distance is not the same for all of them.
int64_t distance_in_memory(const Pass& pass, const Gaps& gaps, bool are_results);

}  // namespace harp::render
