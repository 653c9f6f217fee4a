// How reductions read rows of memory: how many at a time, and as how many streams.
#pragma once

#include <optional>
#include <span>

#include "base/target.h"
#include "schedule/program.h"

namespace harp {

/// Columns of a page of accumulators. Rows are read by whole pages of 4 KiB, since of narrower pieces half of what the prefetcher fetches
/// is not wanted yet.
int64_t page_tile(std::span<const Node* const> nodes);

/// How a kernel reads memory that adds rows of it to a row of accumulators: as many at a time, and as many vectors of each written out, as
/// suits where they are.
struct RowReads {
  struct Reads {
    int rows, vectors;
    int64_t pages = 1;   // of a row's piece
    bool ahead = false;  // the rows that come next are asked for
  };
  static constexpr int64_t kThirdCacheBytes = int64_t{32} << 20;
  int64_t near_bytes;
  Reads near, far;                             // up to so many bytes, and beyond
  std::optional<Reads> memory = std::nullopt;  // what no cache holds, where that is read otherwise
};

/// Nothing: it adds computed rows, or rows that fit registers, each read once.
std::optional<RowReads> row_reads(const Program& program, const KernelPlan& kernel, const Schedule& s, const Target& target);
/// Of rows that row_reads() has a schedule for: may whole ones be read in any order?
bool reads_apart(const KernelPlan& kernel);
/// Such rows are read so.
RowReads::Reads reads_of_extremes(const Target& target);

/// May a kernel's maxima be watched (Schedule::watch)? Of arrays as they are in memory, long enough, and by the target, it pays.
bool may_watch(const KernelPlan& kernel);
bool watching_pays(const Program& program, const KernelPlan& kernel, const Target& target);

/// Rows or parts of a row, of a reduction by lanes, that are read side by side.
void set_apart(const Program& program, const KernelPlan& kernel, const Target& target, Schedule& s);

}  // namespace harp
