#include "render/cuda/fourier_passes.h"

#include <algorithm>
#include <array>

#include "ops/transform_parts.h"

namespace harp::render {
namespace {

/// Returns the position that operand number i of a butterfly (with are_results: result number i) has in the tile if there are no gaps.
int64_t number_at(const Pass& pass, int64_t butterfly, int64_t i, bool are_results) {
  const int64_t number = pass.number_of(butterfly), first = pass.line_of(butterfly) * pass.length;
  return first + (are_results ? pass.first_result(number) + i * pass.stride : number + i * pass.apart());
}

/// Returns an estimate of how long the accesses of the first four warps to shared memory take. Shared memory serves one group of threads at
/// a time, which together access 128 bytes. If two threads of a group access different addresses in the same bank, one waits for the other.
int64_t time_of(const Pass& pass, const Gaps& gaps, int threads, size_t number_bytes, bool are_results) {
  constexpr int64_t kWarps = 4, kWarp = 32;
  constexpr size_t kMostBanks = 32;
  const int64_t banks = 128 / static_cast<int64_t>(number_bytes), counted = std::min<int64_t>(threads, kWarps * kWarp);
  int64_t time = 0;
  for (int64_t first = 0; first < counted; first += banks)
    for (int64_t i = 0; i < pass.factor; ++i) {
      std::array<int64_t, kMostBanks> of_bank{};
      for (int64_t k = first; k < std::min(first + banks, pass.butterflies()); ++k)
        ++of_bank[static_cast<size_t>(gaps.place(number_at(pass, k, i, are_results)) % banks)];
      time += *std::ranges::max_element(of_bank);
    }
  return time;
}

/// Returns an estimate of the time in which the threads of the first four warps compute the addresses of numbers in shared memory, in the
/// unit of time_of(). Returns 0 if the numbers of every butterfly are equally far apart, so that no addresses must be computed one by one.
int64_t time_for_places(const Pass& pass, const Gaps& gaps, int threads, size_t number_bytes, bool are_results) {
  return distance_in_memory(pass, gaps, are_results) >= 0 ? 0 : time_of(pass, {}, threads, number_bytes, false) / 2;
}

}  // namespace

void append_passes(std::vector<Pass>& passes, int64_t of_line, int64_t lines, int64_t inner, int64_t table) {
  int64_t left = of_line, stride = inner;
  do {
    Pass pass{left > 1 ? transform_factor(left) : 1, lines, of_line * inner, stride, of_line, 1, table};
    left /= pass.factor;
    pass.left = left;
    pass.group = pass.butterflies_of_line();
    passes.push_back(pass);
    stride *= pass.factor;
    table = pass.roots() + (pass.factor % 2 == 0 ? 0 : 2 * pass.factor);
  } while (left > 1);
}

void group_butterflies(Pass& pass, int64_t group) {
  if (pass.butterflies_of_line() % group == 0) pass.group = group;
}

Gaps best_gaps(const Pass& writer, const Pass& reader, int threads, size_t number_bytes) {
  constexpr int64_t kShare = 8;  // the gaps after blocks, and likewise those after lines, take at most 1 / kShare of the memory
  constexpr int64_t kGaps[] = {1, 2, 4, 8, 16};
  const int64_t line = std::min(writer.length, reader.length);
  Gaps best;
  int64_t least = -1;
  const auto compare = [&](const Gaps& gaps) {
    int64_t time = time_of(writer, gaps, threads, number_bytes, true) + time_of(reader, gaps, threads, number_bytes, false);
    if (least >= 0 && time >= least) return;
    time += time_for_places(writer, gaps, threads, number_bytes, true) + time_for_places(reader, gaps, threads, number_bytes, false);
    if (least < 0 || time < least) best = gaps, least = time;
  };
  const auto compare_with_lines = [&](int64_t block, int64_t gap) {
    compare({block, gap, line, 0});
    for (const int64_t line_gap : kGaps)
      if (writer.lines * writer.length > line && kShare * line_gap <= line) compare({block, gap, line, line_gap});
  };
  compare_with_lines(1, 0);
  for (int64_t block = kShare; block < writer.length; block *= 2)
    for (const int64_t gap : kGaps)
      if (kShare * gap <= block) compare_with_lines(block, gap);
  return best;
}

int64_t distance_in_memory(const Pass& pass, const Gaps& gaps, bool are_results) {
  int64_t distance = -1;
  for (int64_t k = 0; k < pass.butterflies(); ++k)
    for (int64_t i = 1; i < pass.factor; ++i) {
      const int64_t here = gaps.place(number_at(pass, k, i, are_results)) - gaps.place(number_at(pass, k, i - 1, are_results));
      if (distance >= 0 && here != distance) return -1;
      distance = here;
    }
  return distance;
}

}  // namespace harp::render
