// The numbers that were found by measuring CPUs, in one place: for each its value, its unit, and what was measured. Recipes (the other
// files of this folder) read these numbers and contain none of their own. "Zen 4" and "Zen 5" are the CPUs on which they were measured;
// where there are two numbers for one purpose, a capability of the target (base/machine.h) decides between them, never the name of the CPU.
//
// A number that stands for a property of the machine, such as the size of a cache, is a function of the target's numbers (Cpu), which `harp
// info --measure` replaces by those of the machine at hand. For the CPU of the measurement, the function returns the value that the comment
// gives. A constant is a property of the generated code (how many vectors to unroll, what a row or a remainder costs), or of a part of the
// CPU that harp does not measure: the prefetchers (kNearRowVectors to kSharedLineBytes), the out-of-order window, the associativity of L1
// (kWays, kWayBytes). Sizes that fit an L1 of 32 KiB or an L2 of 512 KiB (kShortProductRowBytes, kUnpackedRows with kUnpackedColumns,
// kSkinnyBytes, kSkinnySums) are constants too.
//
// A ratio such as "0.87" compares with the speed of merely reading the same bytes, unless the comment says what is compared. A number
// without a measurement is a choice that no measurement contradicts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/machine.h"

namespace harp {

// --- Non-temporal stores

// A kernel uses non-temporal stores if it stores at least Cpu::stream_bytes. The following ratios are the time with ordinary stores divided
// by the time with non-temporal stores, if the next kernel reads the array. With a last-level cache of 32 MiB that cores share: 8 MiB 0.88,
// 16 MiB 1.28, 64 MiB 1.46. On Zen 5: 8 MiB 0.44, 14 MiB 0.90, 16 to 22 MiB 0.97, 24 MiB 1.28. Scans, which read as much as they store: 2
// from 15 MiB on, 0.65 for 1 MiB.

/// Shortest rows, in bytes, for which deferred stores pay: such rows take 0.71 to 0.87 of the time. For shorter rows the overhead of each
/// row costs as much as deferring gains.
inline constexpr int64_t kDeferredRowBytes = 10'000;

// --- Scans

/// Number of groups of elements that a scan along rows software-pipelines (lower/scan_pipeline.h).
inline constexpr int kPipelinedGroups = 16;
/// Rows that a scan down columns unrolls together if it processes only pieces of rows (tiles of columns): with one row at a time there
/// would be a single memory stream.
inline constexpr int kPiecesTogether = 8;
/// Largest array, in bytes, for which a scan down columns processes whole rows instead of tiles of columns: the array and its result are in
/// L2, and the hardware prefetcher follows whole rows (twice as fast as pieces of rows; measured with 512 KiB and an L2 of 1 MiB).
constexpr int64_t near_scan_bytes(const Cpu& cpu) { return cpu.caches.second / 2; }
/// Longest row, in bytes, of such an array: three rows stay in L1, so that each row is computed from the stored result of the previous one.
constexpr int64_t near_scan_row_bytes(const Cpu& cpu) { return cpu.caches.first / 3; }
/// Vectors of columns whose running values stay in registers. With one vector load a cycle such tiles are faster than whole rows, because
/// the running values of a whole row compete with the row for L1.
inline constexpr int64_t kRunningVectors = 16;

// --- Elementwise kernels

/// If the length of an array is unknown and vectors have at most kSinglesLanes lanes, the remainder may be computed element by element,
/// provided that an element costs at most kSinglesCost additions (less than an exp). That costs a few nanoseconds in each run, but the
/// kernel compiles in a tenth less time than with overlapping vectors.
inline constexpr int kSinglesLanes = 16, kSinglesCost = 10;
/// Vectors of an elementwise kernel that are interleaved to hide latency. With it, eight steps of a Runge-Kutta method (600 operations)
/// take 0.72 of the time.
inline constexpr int kVectorsTogether = 2;
/// The processor's out-of-order window in instructions.
inline constexpr int kOutOfOrderWindow = 256;
/// Vectors are interleaved only if one vector has at most this many live values at a time. Two vectors with 19 live values each already
/// exceed 32 registers, but L1 hides the spills.
inline constexpr int kMaxAlive = 24;
/// Vectors are also interleaved in kernels that consist mainly of a few math functions: a function costs at least kMinOfFunction additions,
/// there are at most kMaxFunctions of them, and everything else costs at most kMaxOtherCost additions. Interleaved, kernels of one function
/// take 0.90 to 0.95 of the time, kernels of two functions 0.84 to 0.98.
inline constexpr int kMinOfFunction = 12, kMaxFunctions = 2, kMaxOtherCost = 8;
/// For rows of at most this many vectors, vectors are interleaved only if their number is even: otherwise the last two vectors of a row may
/// be computed twice.
inline constexpr int kShortRowVectors = 16;

// --- Custom functions

/// Vectors compute the elements of a custom function if a vector holds, and a row has, at least this many. With two lanes (of f64, in 16
/// bytes), masks and tests of whether all lanes have ended would take what the second lane gains.
inline constexpr int kFewestElements = 3;

// --- Continued arrays

/// A continued array is one that is padded by elements of its own (pad by reflection). If an axis of unknown size is continued and has at
/// least this many elements, a separate variant of the kernel runs: each border is then a loop without divisions, and the interior is
/// copied by vectors.
inline constexpr int64_t kLongContinued = 16;

// --- Reductions of few terms

/// Limits for a reduction that one expression computes. kMaxStreamedTerms: most terms if each term is a row of memory of its own.
/// kMaxPaddedTerms: most terms if windows reach into padding, where the code is copied for each part of a row with another set of padded
/// terms. kMaxExpressionCost: most operations of the expression, in additions.
inline constexpr int64_t kMaxStreamedTerms = 8, kMaxPaddedTerms = 9, kMaxExpressionCost = 128;

// --- Reductions down columns: how rows of memory are added to a row of accumulators

/// Rows that are unrolled and added in one step: all rows if their number is known and at most kMaxUnrolledRows, otherwise
/// kUsualUnrolledRows.
inline constexpr int kMaxUnrolledRows = 16, kUsualUnrolledRows = 8;
/// kMaxExtraRows: a step may have up to this many rows more than usual if then no single rows are left over: 64 rows in steps of 8 take
/// 0.82 of the time of steps of 6 and 4 single rows. The usual number stays if all rows together are at least kMinRowsPerLeftRow times as
/// many as those left over.
inline constexpr int kMaxExtraRows = 2, kMinRowsPerLeftRow = 32;
/// Most vectors of a row whose accumulators stay in registers. With accumulators in registers, each row is read only once.
inline constexpr int64_t kRegisterColumns = 8;

/// The number of interleaved rows, and of unrolled vectors in each, depending on where the data is.
struct RowReads {
  struct Reads {
    int rows, vectors;
    int64_t pages = 1;      // pages in a piece of a row
    bool prefetch = false;  // prefetch the next rows
  };
  // Up to which size an array counts as near (near_bytes()). kBlock: about one block of the summation order (256 rows of 1000 f32), within
  // L2.
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
// CPUs with two vector loads a cycle, arrays within L2: the hardware prefetcher follows a single stream of whole rows; interleaved rows
// reach about half the speed (1024 columns: 0.88 for the single stream, 0.51 interleaved), except for those of near_rows()
// (row_streams.cpp). Arrays in L3 or in memory: interleaved rows hide latency. 8 rows of two vectors reach 0.78 to 0.86 from L3 and 0.86 to
// 0.98 from memory; 6 rows 0.73 to 0.81 and 0.89 to 0.96, but steps of 6 leave single rows in the blocks of docs/semantics.md; 4 rows 0.66
// and 0.95 to 0.99; 4 rows of four vectors 0.7 and 0.90 to 1.0; 16 rows 0.64 to 0.69; one row 0.5 and 0.8. CPUs with one vector load a
// cycle: for near data several interleaved rows share the loads of the accumulators; for far data one row at a time reaches the speed of
// memory, if several vectors are loaded before a sum must wait (two whole rows at a time: half as fast).
//
// Near arrays have so few rows that one block of the summation order (256 rows of 1000) holds them: further levels of blocks would cost a
// sixth of the speed.
inline constexpr RowReads kSums{RowReads::Near::kBlock, {1, 4}, {8, 2}, RowReads::Reads{4, 2}},
    kSumsOfOneLoad{RowReads::Near::kBlock, {4, 1}, {1, 4}};
/// If rows are so long that a step reads only a piece of each, the pieces are not contiguous in memory. Many rows are then interleaved to
/// hide latency (one at a time is half as fast).
inline constexpr RowReads kPiecesOfSums{RowReads::Near::kSecond, {4, 1}, {16, 1}};
/// Products of rows from memory, read one vector at a time, run 1.1 to 1.3 times as fast if the next rows are prefetched, but only 0.7 to
/// 0.9 times as fast if the rows are in L3. With two loads a cycle, 4 rows of two vectors reach 0.87 to 0.96 of the speed of memory without
/// prefetches, 8 rows of one vector with prefetches 0.78.
inline constexpr RowReads kProducts{RowReads::Near::kHalfOfThird, {4, 1}, {4, 2, 4}},
    kProductsOfOneLoad{RowReads::Near::kHalfOfThird, {4, 1}, {8, 1, 4, true}};
/// Rows that may be combined in any order (maxima) are read as several streams of whole rows, whether they are in a cache or not. With 2
/// streams, maxima reach 0.95 of the speed from memory and 0.57 to 0.69 from L3; with one stream 0.73 to 0.83 and 0.45 to 0.53. On a CPU
/// with one load a cycle 6 streams reach 0.86, one 0.71.
inline constexpr RowReads::Reads kExtremes{2, 2}, kExtremesOfOneLoad{6, 1};
/// Maxima that detect NaN by the CPU's floating-point flag for invalid operations (Schedule::nan_flag) take one instruction for each load.
/// Compared with two streams, four run at 0.92 of the speed from L2, at 1.15 from L3, and at 1.0 from memory.
inline constexpr RowReads kFlagged{RowReads::Near::kBlock, {2, 2}, {4, 2}};

// Rows near the CPU, with two vector loads a cycle. On a Zen 5 each load instruction of the loop trains its own prefetcher. That prefetcher
// halves the speed if the instruction repeatedly steps by 2 to 7 KB, or by less and then to the next rows. (Merely reading in memory order,
// unrolled, compared with the usual loop: 24 vectors at a time 0.92 to 1.0 of the speed, 32 to 96 vectors 0.54, 128 vectors 0.93.) If each
// load instruction executes only two or three times a row, its prefetcher stays inactive. Interleaved rows, which share the loads and
// stores of the accumulators, are then no slower than a single stream: two rows of 512 to 1024 columns reach 0.91 to 0.97 of the speed of
// reading instead of 0.85 to 0.90, and 0.92 instead of 0.65 if other work uses the cache too. A partial vector at the end of a row is one
// more load instruction whose prefetcher is trained, unless it steps by more than 7 KB: rows of 700 to 1000 columns that share cache lines
// reach 0.72 to 0.84 instead of 0.60 to 0.67 if the interleaved rows take 16 KB together, but 0.50 with fewer rows; rows of 500 columns
// 0.55 instead of 0.59.
/// Rows of whole cache lines are interleaved if they have at least kNearRowVectors vectors; rows that share a cache line with the next row,
/// if they have at least kSharedLineVectors. Of the latter, as many rows are interleaved as take kSharedLineBytes together.
inline constexpr int64_t kNearRowVectors = 32, kSharedLineVectors = 40, kSharedLineBytes = 16000;

/// NaN detection by the invalid flag does not pay if the Retry that it needs covers at most this many elements. For more it takes one
/// instruction for each vector instead of 1.5 (along rows) or 3 (otherwise). Speed with it, and in parentheses without it: from L3, maxima
/// down columns 0.8 (0.67), along rows of 1024 0.90 (0.74), of 1000 0.75 (0.54), over everything 0.95 (0.78); from memory, rows of 1000 1.0
/// (0.85).
inline constexpr int64_t kMaxUnflaggedElements = 256;

// --- Reductions along rows: several rows, or parts of a row, as separate streams

/// Number of streams: interleaved rows, or parts of one row. Products of long rows on a CPU with two vector loads a cycle reach 1.0 of the
/// speed of memory with 4 streams (4096 x 4096), and 0.93 with 2. Argmax and argmin of one long row, relative to the speed of L2 and of L3:
/// 2 streams 0.98 and 0.77, 3 streams 0.99 and 0.60, 4 streams 0.97 and 0.70.
inline constexpr int kInterleavedParts = 2, kPartsOfLongProducts = 4;
/// Short rows are interleaved only if their elements have this many bytes (f32). Interleaved rows of 64 f64 would run at 0.75 of the speed
/// from L2, rows of 8 f16 at 0.9, rows of 4 i32 at 0.85.
inline constexpr int64_t kShortRowElement = 4;

/// Products of rows and a vector are interleaved, so that each element of the vector that is in a register is used for several rows.
/// kProductRow: fewest elements of such a row. kShortProductRowBytes: most bytes of a short row, which leaves room in L1;
/// kShortProductBytes: most bytes of all short rows together. Speed-up over row after row, f32: 128 x 1024 1.03 to 1.13, 1024 x 1024 1.03,
/// 2048 x 2048 1.08, 16384 x 1024 1.15 (with four streams 0.9 to 1). Rows that do not fit the caches: 4096 x 4096 1 to 1.05, 4000 x 3000 in
/// f64 1.27; but from L3 1024 x 4096 in f32 0.95, and 1024 x 1024 in f64, whose lanes take twice the registers, 0.97. (Zen 4)
inline constexpr int64_t kProductRow = 1024, kShortProductRowBytes = 8 << 10, kShortProductBytes = 512 << 10;

/// Sums and extremes of loaded rows. kMinOfShortRow: fewest elements of a short row. kMostlyFold: most elements of a row for which the fold
/// takes most of the time; interleaved short rows share a fold. kMinOfLongRow: fewest elements of a long row. Speed-up from L2 and L3: sums
/// of 8 to 64 f32 1.2 to 1.45, of 96 to 500 1.0 to 1.8 and 0.85 to 1.2; maxima of 8 to 384 1.2 to 1.5; i32 alike. Extremes of longer rows
/// are interleaved only if rows are whole cache lines, because a line that is loaded twice costs more there than the second stream gains
/// (from L2 rows of 1000 run at 0.88 of the speed of row after row, rows of 1024 at 1.15).
inline constexpr int64_t kMinOfShortRow = 8, kMostlyFold = 64, kMinOfLongRow = 512;
/// If there are at most this many rows, none are interleaved: with an odd number of rows, interleaving reads one row twice, which costs too
/// much for so few.
inline constexpr int64_t kMaxSeparateRows = 8;

// --- Transposes

/// Shortest axis for which transposing in blocks pays, in elements.
inline constexpr int64_t kBlockedExtent = 8;
/// Transposes: bytes of a row of a block in the source (kBlockRowBytes) and in the destination (kBlockColumnBytes).
inline constexpr int64_t kBlockRowBytes = 256, kBlockColumnBytes = 256;
/// Smallest array, in bytes, for which rows that are whole pages apart are copied through scratch memory (packed): an array that fills L2.
/// The cache lines of a column of such rows compete for the same few cache sets.
constexpr int64_t packed_array_bytes(const Cpu& cpu) { return cpu.caches.second; }
/// Packed transposes: bytes of a row of a block in the source and in the destination. GB/s of f32 on Zen 5: 1024 by 1024 31 unpacked, 71
/// packed, 40 packed with both numbers exchanged; 1152 by 1152 95 unpacked, 70 packed.
inline constexpr int64_t kPackedRowBytes = 256, kPackedColumnBytes = 512;
/// Packed transposes with non-temporal stores: bytes of a row of a block in the source and in the destination. 8192 by 8192 (GB/s):
/// unpacked blocks of a cache line by 8 KiB reach 20, packed blocks 24, packed blocks with a prefetch of the next block 36, memcpy 37.
inline constexpr int64_t kStreamedRowBytes = 512, kStreamedColumnBytes = 256;
/// If rows have at most kShortColumnBytes, there is no next block to prefetch. A block is then one cache line of the destination
/// (kLineColumnBytes) by as much of the source as is contiguous (kLineRowBytes). The same holds on CPUs with one vector load a cycle (Zen
/// 4): 8192 by 8192 takes 1.71 of the time of memcpy.
inline constexpr int64_t kShortColumnBytes = 1024, kLineRowBytes = 8192, kLineColumnBytes = 64;

// --- Contractions. Measurements are in GFLOP/s or speed-ups.

/// Columns of a block whose sums stay in L2; the block size assumes sums of kUsualSize bytes.
inline constexpr int64_t kColumnsTogether = 512, kUsualSize = 4;
/// Most rows of such a block: 224, whose sums take seven sixteenths of an L2 of 1 MiB; fewer with a smaller L2. (More were not faster.)
constexpr int64_t rows_together(const Cpu& cpu) {
  constexpr int64_t kMostRows = 224;
  return std::clamp<int64_t>(cpu.caches.second * 7 / 16 / (kColumnsTogether * kUsualSize), 1, kMostRows);
}
/// Most bytes of a columns' factor that is read from L2 without packing.
constexpr int64_t near_columns_bytes(const Cpu& cpu) { return cpu.caches.second; }
/// Most bytes of the packed copy if the columns' factor is packed once for all rows: the copy stays in L3, besides what the other cores
/// keep there, and passes through L2 once for each block of rows.
constexpr int64_t shared_bytes(const Cpu& cpu) { return cpu.caches.third / 8; }
/// kSharingRows: rows of a block if the columns' factor is packed once for all rows (2048 x 2048 x 2048: 70 rows 103 GFLOP/s, 28 rows 106).
/// kWideColumns: columns of such a block. With so few rows there is room for more columns, so that the rows' factor is packed less often
/// (1024 x 1024 x 1024 in f32 is 1.02 times as fast as with half the columns, 512 x 512 x 512 in f64 1.03 times).
inline constexpr int64_t kSharingRows = 32, kWideColumns = 1024;
/// Rows and columns of a block if the columns' factor is packed once for all rows and the rows' factor is read in place: more blocks of
/// columns then cause no further packing. What a block reads for 256 terms stays in L2. Compared with 32 rows by 1024 columns, 1024 x 1024
/// x 1024 in f32 by two workers is 1.04 times as fast, 512 x 512 x 512 1.01 times, in f64 1.02 times.
inline constexpr int64_t kUnpackedRows = 64, kUnpackedColumns = 256;
/// Most tiles by which a block is enlarged so that the last block has room for a whole tile. The last tile then overlaps the previous one
/// instead of being stored piece by piece. 1000 x 17 x 333 is 1.01 to 1.02 times as fast; besides, rows may then be read in place, another
/// 1.03.
inline constexpr int64_t kMaxExtraTiles = 4;
/// kPixelsTogether: most rows (pixels) of a block of a convolution. kPixelsOfUnknownLine: most pixels of one line of a block, if the length
/// of lines is unknown. The block then has several lines: short lines, of 7 to 56 pixels, share the elements that their windows read, and
/// long lines are divided. If pixels are the columns, the register tile is the best one for such a line: it has one or two vectors of
/// pixels, where longer lines would be a little faster with three or four.
inline constexpr int64_t kPixelsTogether = 448, kPixelsOfUnknownLine = 112;
/// Most elements that the windows of a block of a convolution read, and most sums of the block, so that both stay in L2: 65,536 of
/// kUsualSize bytes each with an L2 of 1 MiB; fewer with a smaller L2.
constexpr int64_t elements_of_windows(const Cpu& cpu) { return std::min(int64_t{1} << 16, cpu.caches.second / (4 * kUsualSize)); }

/// Skinny GEMM is used for at most kSkinnyRows rows, at least kSkinnyColumns columns, and at least kSkinnyTerms terms. A register tile
/// reads one row of the columns' factor for each term, in pieces of a few vectors, and each row once. Up to 32 such rows are no more memory
/// streams than a prefetcher of L2 follows, and tiles keep the sums in registers, while skinny GEMM loads and stores all sums again every
/// few terms (8 x 16 x 12544 in f32: 23 us by tiles, 34 us by skinny GEMM). A factor that L3 does not hold is excepted: few terms of it are
/// not measured.
inline constexpr int64_t kSkinnyRows = 16, kSkinnyColumns = 256, kSkinnyTerms = 33;
/// Skinny GEMM. kSkinnyRowsTogether: rows of a tile. kSkinnyElements: elements of the rows' factor that are in registers. kSkinnyBytes:
/// bytes that stay in L1, namely the sums and the rows of the columns' factor that are added to them in one step. For 8 x 1024 x 1024,
/// blocks of 384 columns and 4 terms reach 185 GFLOP/s, 512 columns and 2 terms 148, 4096 columns and 8 terms 152.
inline constexpr int64_t kSkinnyRowsTogether = 8, kSkinnyElements = 32, kSkinnyBytes = 20 << 10;
/// Skinny GEMM: the columns of a block are a multiple of this number, because the number of columns of a matrix often is.
inline constexpr int64_t kSkinnyEvenColumns = 64;
/// Skinny GEMM: most sums of a block, which then stay in L2, if the columns' factor comes from memory and whole pages of it do not fit L1
/// together with their sums. Whole pages are read two terms at a time: 8 x 4096 x 4096 reaches 28 GB/s, and 20 if other work runs. Blocks
/// of 384 columns and 4 terms, which touch more pages at the same time, reach 15 to 31; blocks of 4096 columns and 8 terms 20.
inline constexpr int64_t kSkinnySums = int64_t{1} << 15;

/// Fewest rows and columns for which several terms in each lane are worth packing them (narrow_products.h). (A Xeon with AVX-512, from L1:
/// a product takes 0.011 ns with two terms in a lane, 0.035 ns with one, and packing an element of i8 0.05 to 0.2 ns. Windows of a
/// convolution, which are not packed, take 0.015 and 0.034 ns.)
inline constexpr int64_t kMinSideOfPairs = 8;

/// With at most this many columns, packing the rows' factor does not pay.
inline constexpr int64_t kNarrow = 128;
/// Most rows of a tile that is read in place: more rows would compete for the same sets of L1.
inline constexpr int64_t kMaxTileRows = 16;
/// Ways of L1, and bytes of a way. Rows at a distance of a power of two bytes compete for few cache sets, so tiles that are read in place
/// must have few rows. 1024 x 1024 by 64 in place reaches 93 GFLOP/s with tiles of 13 rows of two vectors, 105 with 8 rows of two, 106 with
/// 6 rows of four.
inline constexpr int64_t kWays = 8, kWayBytes = 4096;

}  // namespace harp
