// The passes of a block over a tile of a Fourier transform (ops/block_transforms.h): which numbers each thread transforms, and where in
// shared memory it leaves them for the next pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace harp::render {

/// A pass over `lines` lines of `length` numbers. Butterfly number x of a line transforms the `factor` numbers x + i * apart() of the line.
/// Result u is number first_result(x) + u * stride.
struct Pass {
  int64_t factor = 1, lines = 1, length = 1, stride = 1;
  int64_t of_line = 1;  // the length of the transforms themselves: of a line, or of one of the columns that a line interleaves
  int64_t left = 1;     // numbers of each of the transforms that the next pass makes
  int64_t table = 0;    // position of the roots of this pass in the tables
  int64_t group = 1;    // how many neighbouring butterflies of a line neighbouring threads do, before they go on to the next line

  int64_t butterflies_of_line() const { return length / factor; }
  int64_t butterflies() const { return lines * butterflies_of_line(); }
  int64_t apart() const { return length / factor; }
  int64_t line_of(int64_t butterfly) const { return butterfly / group % lines; }
  int64_t number_of(int64_t butterfly) const { return butterfly / (group * lines) * group + butterfly % group; }
  int64_t first_result(int64_t number) const { return number + number / stride * (factor - 1) * stride; }
  int64_t roots() const {
    return table + (left > 1 ? 2 * (factor - 1) * left : 0);
  }  // position of the p-th roots of 1, if the factor is odd
};

/// Appends the passes of transforms of `of_line` numbers: `lines` lines, each of which interleaves `inner` of them. `table`: the position
/// of the table of these passes. Neighbouring threads do neighbouring butterflies of a line.
void append_passes(std::vector<Pass>& passes, int64_t of_line, int64_t lines, int64_t inner, int64_t table);

/// Gives neighbouring threads `group` neighbouring butterflies of each line in turn, if that divides the butterflies of a line.
void group_butterflies(Pass& pass, int64_t group);

/// Where numbers are in shared memory: after each `block` numbers there is a gap of `gap` numbers, and after each `line` numbers another
/// one of `line_gap`, so that the threads of a warp access different banks.
struct Gaps {
  int64_t block = 1, gap = 0, line = 1, line_gap = 0;

  int64_t place(int64_t number) const { return number + number / block * gap + number / line * line_gap; }
};

/// Returns the gaps with which the results of one pass are stored, and loaded by the next pass, in the least time.
Gaps best_gaps(const Pass& writer, const Pass& reader, int threads, size_t number_bytes);

/// Returns the distance in shared memory of the numbers of a butterfly (of its results, if `are_results`) from each other, if it is the
/// same for all of them; -1: it differs.
int64_t distance_in_memory(const Pass& pass, const Gaps& gaps, bool are_results);

}  // namespace harp::render
