// The numbers that were found by measuring CPUs, in one place: for each its value, its unit, and what was measured. Recipes (the other
// files of this folder) read them and hold none of their own. "Zen 4" and "Zen 5" are the CPUs of the measurements; the choice between two
// numbers always depends on a capability of the target (base/machine.h), never on which CPU it is.
//
// A number that stands for a property of the machine, such as the size of a cache, is a function of the target's numbers, which `harp info
// --measure` replaces by those of the machine at hand. With the numbers of a row it has the value of the measurement that is described. A
// constant is a property of the generated code (how many vectors to unroll, what a row or a remainder costs), or of a part of the CPU that
// harp does not measure: the prefetchers (kNearRowVectors to kSharedLineBytes), the out-of-order window, the associativity of L1 (kWays,
// kWayBytes). Sizes that fit an L1 of 32 KiB or an L2 of 512 KiB (kShortProductRowBytes, kUnpackedRows with kUnpackedColumns, kSkinnyBytes,
// kSkinnySums) are constants too.
//
// A ratio such as "0.87" compares with pure reading of the same bytes, or says what is compared. A number without a measurement is a choice
// that no measurement contradicts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/machine.h"

namespace harp {

// --- Non-temporal stores

// A kernel uses non-temporal stores if it stores at least Cpu::stream_bytes. Time with ordinary stores divided by that with non-temporal
// stores, if the next kernel reads the array, with a last-level cache of 32 MiB that cores share: 8 MiB 0.88, 16 MiB 1.28, 64 MiB 1.46; on
// Zen 5 8 MiB 0.44, 14 MiB 0.90, 16 to 22 MiB 0.97, 24 MiB 1.28. Scans, which read as much as they store, take twice the time with
// ordinary stores from 15 MiB on. 1 MiB: 0.65.

/// Bytes of a row from which on deferred stores pay: such rows take 0.71 to 0.87 of the time; with shorter rows the overhead of each row
/// costs as much as is gained.
inline constexpr int64_t kDeferredRowBytes = 10'000;

// --- Scans

/// Groups that a scan along rows pipelines.
inline constexpr int kPipelinedGroups = 16;
/// Rows of pieces that a scan down columns unrolls together: one row at a time is a single memory stream.
inline constexpr int kPiecesTogether = 8;
/// Bytes of a scanned array up to which whole rows of memory are scanned: the array and its result are in L2, and the hardware prefetcher
/// follows whole rows (twice as fast as pieces of rows, with 512 KiB of an L2 of 1 MiB).
constexpr int64_t near_scan_bytes(const Cpu& cpu) { return cpu.caches.second / 2; }
/// Bytes of a row of such an array: three rows stay in L1, so that each row is computed from the stored previous one.
constexpr int64_t near_scan_row_bytes(const Cpu& cpu) { return cpu.caches.first / 3; }
/// Vectors of columns whose running values stay in registers. With one vector load a cycle this is better than whole rows, because the
/// running values of a whole row compete with the row for L1.
inline constexpr int64_t kRunningVectors = 16;

// --- Elementwise kernels

/// Lanes up to which the remainder of an array of unknown length may be single elements, and the cost of an element, in additions (less
/// than an exp): it costs a few nanoseconds, and the kernel compiles in a tenth less time than with overlapping vectors.
inline constexpr int kSinglesLanes = 16, kSinglesCost = 10;
/// Vectors of an elementwise kernel that are interleaved to hide latency. Eight steps of a Runge-Kutta method, 600 operations, take 0.72 of
/// the time.
inline constexpr int kVectorsTogether = 2;
/// The processor's out-of-order window in instructions.
inline constexpr int kOutOfOrderWindow = 256;
/// Most values of one vector that may be alive at a time if two vectors are interleaved. Two vectors with 19 values each already exceed 32
/// registers, but L1 hides the spills.
inline constexpr int kMaxAlive = 24;
/// Vectors are also interleaved in kernels that consist of a few functions: fewest additions that a function costs, most functions, and
/// most additions that everything else costs. Kernels of one function take 0.90 to 0.95 of the time, of two 0.84 to 0.98.
inline constexpr int kMinOfFunction = 12, kMaxFunctions = 2, kMaxOtherCost = 8;
/// Rows of at most this many vectors are interleaved only if their number of vectors is even: otherwise the last two vectors of a row may
/// be computed twice.
inline constexpr int kShortRowVectors = 16;

// --- Continued arrays

/// Elements of an axis of unknown size from which on a kernel that continues it (pad by reflection) is a variant of its own: each border is
/// then a loop without divisions, and the interior is copied by vectors.
inline constexpr int64_t kLongContinued = 16;

// --- Reductions of few terms

/// Most terms of a reduction that one expression computes: if each term is a row of memory of its own, and if windows reach into padding,
/// where each part of a row with another set of padded terms is a copy of the code; and most operations of an expression, in additions.
inline constexpr int64_t kMaxStreamedTerms = 8, kMaxPaddedTerms = 9, kMaxExpressionCost = 128;

// --- Reductions down columns: how rows of memory are added to a row of accumulators

/// Rows that are unrolled and added in one step: all of them if their number is known and at most kMaxUnrolledRows, otherwise
/// kUsualUnrolledRows.
inline constexpr int kMaxUnrolledRows = 16, kUsualUnrolledRows = 8;
/// Rows that may be added in one step beyond the usual number if that leaves no single rows: 64 rows by 8 take 0.82 of the time of rows by
/// 6 and 4 single ones. The usual number stays if the rows are at least kMinRowsPerLeftRow times the remainder.
inline constexpr int kMaxExtraRows = 2, kMinRowsPerLeftRow = 32;
/// Most vectors of a row whose accumulators stay in registers: such rows are read only once.
inline constexpr int64_t kRegisterColumns = 8;

/// The number of interleaved rows, and of unrolled vectors in each, depending on where the data is.
struct RowReads {
  struct Reads {
    int rows, vectors;
    int64_t pages = 1;      // pages in a piece of a row
    bool prefetch = false;  // prefetch the next rows
  };
  // The size of arrays that are near. kBlock: at most one block of the law (256 rows of 1000 f32), within L2.
  enum class Near : uint8_t { kBlock, kSecond, kHalfOfThird };
  Near near_limit;
  Reads near, far;                             // near: for arrays up to near_bytes(); far: for larger ones
  std::optional<Reads> memory = std::nullopt;  // for data that no cache holds, if different from `far`

  constexpr int64_t near_bytes(const Caches& caches) const {
    constexpr int64_t kBlockBytes = 1000 << 10;
    if (near_limit == Near::kHalfOfThird) return caches.third / 2;
    return near_limit == Near::kSecond ? caches.second : std::min(kBlockBytes, caches.second);
  }
};

// Sums of rows, optionally scaled by one number for each row.
//
// Two vector loads a cycle: within L2 the hardware prefetcher follows a single stream of whole rows; interleaved rows reach half the speed
// (1024 columns: 0.88 and 0.51), except for those of near_rows() (row_streams.cpp). From L3 and from memory, interleaved rows hide latency
// (L3 and memory: 8 rows of two vectors 0.78 to 0.86 and 0.86 to 0.98; 6 rows 0.73 to 0.81 and 0.89 to 0.96, but 6 leaves single rows in
// the blocks of docs/semantics.md; 4 rows 0.66 and 0.95 to 0.99, 4 of four vectors 0.7 and 0.90 to 1.0; 16 rows 0.64 to 0.69; one row 0.5
// and 0.8). One vector load a cycle: with near data several interleaved rows share the loads of the accumulators; with far data one row at
// a time reaches the speed of memory, if several vectors are loaded before a sum must wait (two whole rows: half as fast).
//
// Near whole rows are few enough for one block of the law (256 rows of 1000): the levels above would cost a sixth of the speed.
inline constexpr RowReads kSums{RowReads::Near::kBlock, {1, 4}, {8, 2}, RowReads::Reads{4, 2}},
    kSumsOfOneLoad{RowReads::Near::kBlock, {4, 1}, {1, 4}};
/// Pieces of longer rows are not contiguous, so many rows are interleaved to hide latency (one at a time is half as fast).
inline constexpr RowReads kPiecesOfSums{RowReads::Near::kSecond, {4, 1}, {16, 1}};
/// Products of rows from memory, with one vector at a time, run 1.1 to 1.3 times as fast if the next rows are prefetched, but 0.7 to 0.9
/// times as fast if the rows are in L3. With two loads a cycle, 4 rows of two vectors reach 0.87 to 0.96 of the speed of
/// memory, 8 rows of one vector with prefetches 0.78.
inline constexpr RowReads kProducts{RowReads::Near::kHalfOfThird, {4, 1}, {4, 2, 4}},
    kProductsOfOneLoad{RowReads::Near::kHalfOfThird, {4, 1}, {8, 1, 4, true}};
/// Rows that may be combined in any order are read as several streams of whole rows, whether they are in a cache or not. Maxima from memory
/// reach 0.95 of its speed with 2 streams, 0.73 to 0.83 with one; from L3 0.57 to 0.69 and 0.45 to 0.53. With one load a cycle 6 streams
/// reach 0.86, one 0.71.
inline constexpr RowReads::Reads kExtremes{2, 2}, kExtremesOfOneLoad{6, 1};
/// Maxima that detect NaN by the CPU's floating-point flag for invalid operations (Schedule::nan_flag) take one instruction for each load.
/// Compared with two streams, four run at 0.92 of the speed from L2, at 1.15 from L3, and at 1.0 from memory.
inline constexpr RowReads kFlagged{RowReads::Near::kBlock, {2, 2}, {4, 2}};

// Rows near the CPU, with two vector loads a cycle. On a Zen 5 each load instruction of the loop trains its own prefetcher. That prefetcher
// halves the speed if the instruction repeatedly steps by 2 to 7 KB, or by less and then to the next rows (pure reading in memory order,
// unrolled: 24 vectors at a time 0.92 to 1.0 of the usual loop, 32 to 96 0.54, 128 0.93). If each load instruction executes two or three
// times a row, its prefetcher stays inactive, and interleaved rows, which share the loads and stores of the accumulators, are no slower
// than a single stream: two rows of 512 to 1024 columns reach 0.91 to 0.97 of the speed of reading instead of 0.85 to 0.90, and 0.92
// instead of 0.65 if other work uses the cache too. A partial vector at the end of a row is one more such load, unless its steps are larger
// than that: rows of 700 to 1000 columns that share cache lines reach 0.72 to 0.84 instead of 0.60 to 0.67 if the interleaved rows take 16
// KB, with fewer rows 0.50; rows of 500 columns 0.55 instead of 0.59.
/// Rows of whole cache lines are interleaved if they have at least kNearRowVectors vectors, rows that share lines with the next row if they
/// have at least kSharedLineVectors. As many of the latter are interleaved as take kSharedLineBytes.
inline constexpr int64_t kNearRowVectors = 32, kSharedLineVectors = 40, kSharedLineBytes = 16000;

/// Elements of one Retry block up to which NaN detection by the invalid flag does not pay. For longer ones it takes one instruction for
/// each vector instead of 1.5 (along rows) or 3. Speed with it, and without it: from L3, maxima down columns 0.8 (0.67), along
/// rows of 1024 0.90 (0.74), of 1000 0.75 (0.54), over everything 0.95 (0.78); from memory, rows of 1000 1.0 (0.85).
inline constexpr int64_t kMaxUnflaggedElements = 256;

// --- Reductions along rows: several rows, or parts of a row, as separate streams

/// Streams of interleaved rows, or of parts of a row. Products of long rows on a CPU with two vector loads a cycle reach 1.0 of the speed
/// of memory with 4 streams (4096 x 4096), and 0.93 with 2. Argmax and argmin of one long row, relative to the speed of L2 and L3: 2
/// streams 0.98 and 0.77, 3 streams 0.99 and 0.60, 4 streams 0.97 and 0.70.
inline constexpr int kInterleavedParts = 2, kPartsOfLongProducts = 4;
/// Only short rows of elements of this many bytes (f32) are interleaved. Rows of 64 f64 would run at 0.75 of the speed from L2, of 8 f16 at
/// 0.9, of 4 i32 at 0.85.
inline constexpr int64_t kShortRowElement = 4;

/// Products of rows and a vector, whose elements in registers are used for each interleaved row: least elements of a row; bytes of a short
/// row, which leaves room in L1, and of all short rows. Speed-up over row after row, f32: 128 x 1024 1.03 to 1.13, 1024 x 1024
/// 1.03, 2048 x 2048 1.08, 16384 x 1024 1.15 (four streams 0.9 to 1). Rows that do not fit the caches: 4096 x 4096 1 to 1.05, 4000 x 3000
/// in f64 1.27; but from L3 1024 x 4096 in f32 0.95, and 1024 x 1024 in f64, whose lanes take twice the registers, 0.97. (Zen
/// 4)
inline constexpr int64_t kProductRow = 1024, kShortProductRowBytes = 8 << 10, kShortProductBytes = 512 << 10;

/// Sums and extremes of loaded rows: least elements of a short row; most elements of a row for which the fold takes most of the time; least
/// elements of a long row. Short rows share a fold, which takes most of their time. Speed-up from L2 and L3: sums of 8 to 64 f32 1.2 to
/// 1.45, of 96 to 500 1.0 to 1.8 and 0.85 to 1.2; maxima of 8 to 384 1.2 to 1.5; i32 alike. Longer extremes require rows of whole cache
/// lines, because a line that is loaded twice costs more there than the second stream gains (from L2 rows of 1000 run at 0.88 of the speed
/// of row after row, rows of 1024 at 1.15).
inline constexpr int64_t kMinOfShortRow = 8, kMostlyFold = 64, kMinOfLongRow = 512;
/// With at most this many rows none are interleaved: if their number is odd, interleaving reads one row twice.
inline constexpr int64_t kMaxSeparateRows = 8;

// --- Transposes

/// Shortest axis for which transposing in blocks pays, in elements.
inline constexpr int64_t kBlockedExtent = 8;
/// Transposes: bytes of a row of a block in the source and in the destination.
inline constexpr int64_t kBlockRowBytes = 256, kBlockColumnBytes = 256;
/// Bytes of an array from which on rows that are whole pages apart are copied through scratch memory (packed), because the lines of a
/// column compete for the same few cache sets: an array that fills L2.
constexpr int64_t packed_array_bytes(const Cpu& cpu) { return cpu.caches.second; }
/// The bytes of a row of such a block in the source and in the destination. GB/s of f32, Zen 5: 1024 by 1024 31 unpacked, 71 packed, 40
/// with the block sides exchanged; 1152 by 1152 95 unpacked, 70 packed.
inline constexpr int64_t kPackedRowBytes = 256, kPackedColumnBytes = 512;
/// Packed transposes with non-temporal stores: bytes of a row of a block in the source and in the destination. 8192 by 8192 (GB/s):
/// unpacked blocks of a cache line by 8 KiB reach 20, packed blocks 24, packed blocks with a prefetch of the next block 36, memcpy 37.
inline constexpr int64_t kStreamedRowBytes = 512, kStreamedColumnBytes = 256;
/// kShortColumnBytes: rows up to this size have no next block to prefetch. For them, a block is one cache line of the destination by as
/// much of the source as is contiguous (kLineRowBytes, kLineColumnBytes). The same holds with one vector load a cycle (Zen 4): 8192 by 8192
/// takes 1.71 of the time of memcpy.
inline constexpr int64_t kShortColumnBytes = 1024, kLineRowBytes = 8192, kLineColumnBytes = 64;

// --- Contractions. Measurements are in GFLOP/s or speed-ups.

/// Columns of a block whose sums, of kUsualSize bytes each, stay in L2.
inline constexpr int64_t kColumnsTogether = 512, kUsualSize = 4;
/// Rows of such a block: 224, whose sums take seven sixteenths of an L2 of 1 MiB; fewer with a smaller one. (More were not faster.)
constexpr int64_t rows_together(const Cpu& cpu) {
  constexpr int64_t kMostRows = 224;
  return std::clamp<int64_t>(cpu.caches.second * 7 / 16 / (kColumnsTogether * kUsualSize), 1, kMostRows);
}
/// Bytes of a columns' factor that is read from L2 without packing.
constexpr int64_t near_columns_bytes(const Cpu& cpu) { return cpu.caches.second; }
/// Bytes of the packed copy if the columns' factor is packed once for all rows: it stays in L3, beside what the other cores keep there, and
/// passes through L2 for each block.
constexpr int64_t shared_bytes(const Cpu& cpu) { return cpu.caches.third / 8; }
/// Rows of a block if the columns' factor is packed once for all rows (2048 x 2048 x 2048: 70 rows 103 GFLOP/s, 28 rows 106); and columns
/// of a block: so few rows leave room for more, so that the rows' factor is packed less often (1024 x 1024 x 1024 in f32 1.02 times, 512 x
/// 512 x 512 in f64 1.03 times as fast as with half of them).
inline constexpr int64_t kSharingRows = 32, kWideColumns = 1024;
/// Rows and columns of a block if the columns' factor is packed once for all rows and the rows are read in place: more blocks of columns
/// then cause no further packing. What a block reads for 256 terms stays in L2. 1024 x 1024 x 1024 in f32 by two workers is 1.04 times as
/// fast as with 32 rows by 1024 columns, 512 x 512 x 512 1.01 times, in f64 1.02 times.
inline constexpr int64_t kUnpackedRows = 64, kUnpackedColumns = 256;
/// Most tiles that are added to a block so that the last block has room for a whole tile, which overlaps the previous one and is not stored
/// piece by piece. 1000 x 17 x 333: 1.01 to 1.02 times as fast, and rows may be read in place, another 1.03.
inline constexpr int64_t kMaxExtraTiles = 4;
/// Limit for the blocks of a convolution: rows (pixels) of a block.
inline constexpr int64_t kPixelsTogether = 448;
/// Limit for the elements that the windows of a block of a convolution read, and for its sums, so that both stay in L2: 65,536 of
/// kUsualSize bytes each with an L2 of 1 MiB; fewer with a smaller one.
constexpr int64_t elements_of_windows(const Cpu& cpu) { return std::min(int64_t{1} << 16, cpu.caches.second / (4 * kUsualSize)); }

/// Skinny GEMM is used for at most kSkinnyRows rows and at least kSkinnyColumns columns.
inline constexpr int64_t kSkinnyRows = 16, kSkinnyColumns = 256;
/// Skinny GEMM: rows of a tile; elements of the rows' factor that are in registers; bytes that stay in L1: sums, and the rows of the
/// columns' factor that are added to them in one step. For 8 x 1024 x 1024, blocks of 384 columns and 4 terms reach 185 GFLOP/s, 512 and 2
/// 148, 4096 and 8 152.
inline constexpr int64_t kSkinnyRowsTogether = 8, kSkinnyElements = 32, kSkinnyBytes = 20 << 10;
/// Skinny GEMM: the columns of a block are a multiple of this number, because many sizes are.
inline constexpr int64_t kSkinnyEvenColumns = 64;
/// Skinny GEMM: sums of a block, which stay in L2, if the columns' factor comes from memory and whole pages of it do not fit L1 together
/// with their sums. Whole pages are read two terms at a time: 8 x 4096 x 4096 reaches 28 GB/s, 20 if other work runs; blocks of 384 columns
/// and 4 terms, which touch more pages at once, 15 to 31; of 4096 columns and 8 terms 20.
inline constexpr int64_t kSkinnySums = int64_t{1} << 15;

/// Fewest rows and columns for which two terms in each lane are worth packing them (narrow_products.h). (A Xeon with AVX-512, from L1: a
/// product takes 0.011 ns with two terms in a lane, 0.035 ns with one, and packing an element of i8 0.05 to 0.2 ns. Windows of a
/// convolution, which are not packed, take 0.015 and 0.034 ns.)
inline constexpr int64_t kMinSideOfPairs = 8;

/// With at most this many columns packing the rows' factor does not pay.
inline constexpr int64_t kNarrow = 128;
/// Most rows of a tile that are read in place: more compete for the sets of L1.
inline constexpr int64_t kMaxTileRows = 16;
/// Ways of L1 and bytes of a way: rows at a distance of a power of two bytes compete for few sets. 1024 x 1024 by 64 in place reaches 93
/// GFLOP/s with tiles of 13 rows of two vectors, 105 with 8 of two, 106 with 6 of four.
inline constexpr int64_t kWays = 8, kWayBytes = 4096;

}  // namespace harp
