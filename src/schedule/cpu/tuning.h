// This file contains all numbers that were found by measuring CPUs: for each number its value, its unit, and what was measured. The other
// files of this folder choose schedules by these numbers and contain none of their own. "Zen 4" and "Zen 5" are CPUs on which numbers were
// measured. If there are two numbers for one purpose, a capability of the target (base/machine.h) selects one of them, never the name of
// the CPU.
//
// A number that stands for a property of the machine, such as the size of a cache, is a function of the target's description (Cpu). `harp
// info --measure` replaces the values of that description by those of the machine at hand. For the CPU of the measurement, the function
// returns the value that its comment states. All other numbers are constants. They are properties of the generated code (how many vectors
// to unroll, what a row or a remainder costs), or of parts of the CPU that harp does not measure: the prefetchers (kNearRowVectors to
// kSharedLineBytes), the out-of-order window, the associativity of L1 (kWays, kWayBytes). Sizes that fit in an L1 of 32 KiB or an L2 of 512
// KiB (kShortProductRowBytes, kUnpackedRows with kUnpackedColumns, kSkinnyBytes, kSkinnySums) are constants too.
//
// A ratio such as "0.87" is a speed relative to that of merely reading the same bytes, unless the comment says what is compared. A number
// without a measurement is a choice that no measurement contradicts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/machine.h"

namespace harp {

/// The fewest lanes for which a vector pays in rows that are shorter than the machine's vectors. Elements that do not fill such a vector
/// are processed one by one, as in ir/apply_schedule.cpp.
inline constexpr int64_t kFewestLanes = 4;

// --- Non-temporal stores

// A kernel uses non-temporal stores if it stores at least Cpu::stream_bytes. The following ratios are the time with ordinary stores divided
// by the time with non-temporal stores, if the next kernel reads the stored array; above 1, non-temporal stores are faster. With a
// last-level cache of 32 MiB that several cores share, the ratio is 0.88 for 8 MiB, 1.28 for 16 MiB, and 1.46 for 64 MiB. On Zen 5 it is
// 0.44 for 8 MiB, 0.90 for 14 MiB, 0.97 for 16 to 22 MiB, and 1.28 for 24 MiB. For scans, which read as many bytes as they store, it is
// 0.65 for 1 MiB and 2 from 15 MiB on.

/// The shortest row, in bytes, for which deferred stores (Schedule::defer_stores) pay. Longer rows take 0.71 to 0.87 of the time of
/// ordinary stores. For shorter rows, the overhead of each row costs as much as deferring saves.
inline constexpr int64_t kDeferredRowBytes = 10'000;

// --- Scans

/// Number of groups of elements that a scan along rows software-pipelines (lower/scan_pipeline.h).
inline constexpr int kPipelinedGroups = 16;
/// The number of rows that a scan down columns unrolls together if it processes only a piece of each row (a tile of columns) at a time. The
/// rows are then read as several memory streams instead of one. (On a Xeon with AVX-512, arrays of 128 and 160 MB take 0.85 to 0.88 of the
/// time of one row at a time, arrays of 2 to 64 MB 0.97 to 1.05, and an array of 800 KB 1.27.)
inline constexpr int kPiecesTogether = 8;
/// The largest array, in bytes, for which a scan down columns processes whole rows instead of tiles of columns. Such an array and its
/// result fit in L2, and the hardware prefetcher follows whole rows. (Whole rows are twice as fast as pieces of rows, measured with an
/// array of 512 KiB and an L2 of 1 MiB; on a Xeon with AVX-512 2.3 to 2.5 times as fast, on Zen 5 1.02 times.)
constexpr int64_t near_scan_bytes(const Cpu& cpu) { return cpu.caches.second / 2; }
/// The longest row, in bytes, that a scan of an array within near_scan_bytes() processes as a single tile. Three rows then stay in L1, so
/// each row is computed from the stored result of the previous row without access to L2.
constexpr int64_t near_scan_row_bytes(const Cpu& cpu) { return cpu.caches.first / 3; }
/// The width, in vectors, of a tile of columns whose running values stay in registers. On a CPU with one vector load per cycle, a scan down
/// columns is faster with such tiles than with whole rows, because the running values of a whole row compete with the row itself for L1.
inline constexpr int64_t kRunningVectors = 16;

// --- Elementwise kernels

/// If the length of an array is unknown, a kernel may compute the elements after the last whole vector one by one. It does so only if
/// vectors have at most kSinglesLanes lanes and an element costs at most kSinglesCost additions (less than an exp). This takes a few more
/// nanoseconds in each run, but the kernel compiles in a tenth less time than with a last vector that overlaps the previous one.
inline constexpr int kSinglesLanes = 16, kSinglesCost = 10;
/// A kernel that takes single elements by index (take_along_axis) computes its elements one by one, without vectors, if all else that it
/// does for an element costs at most this many additions. Collecting elements in a vector takes some four cycles for each element, because
/// its index is extracted from one vector and the element is inserted into another. Without vectors, loading an index, checking it, and
/// loading and storing the element takes little more than one cycle. The limit is not measured.
inline constexpr int kMaxCostOfTaking = 4;

/// The number of vectors of an elementwise kernel that are interleaved to hide latency. With it, a kernel of eight Runge-Kutta steps (600
/// operations) takes 0.72 of the time without interleaving.
inline constexpr int kVectorsTogether = 2;
/// The processor's out-of-order window in instructions.
inline constexpr int kOutOfOrderWindow = 256;
/// Vectors are interleaved only if one vector has at most this many live values at a time. Two vectors with 19 live values each already
/// need more than 32 registers, but the spilled values stay in L1, so that spilling costs little.
inline constexpr int kMaxAlive = 24;
/// Vectors are also interleaved in a kernel that consists mainly of a few math functions: it has at most kMaxFunctions functions, each of
/// which costs at least kMinOfFunction additions, and all its other operations together cost at most kMaxOtherCost additions. Interleaving
/// reduces the time of kernels of one function to 0.90 to 0.95, and that of kernels of two functions to 0.84 to 0.98.
inline constexpr int kMinOfFunction = 12, kMaxFunctions = 2, kMaxOtherCost = 8;
/// In rows of at most this many vectors, two vectors are interleaved only if the row consists of whole pairs of vectors. Otherwise the last
/// two vectors of each row might be computed twice.
inline constexpr int kShortRowVectors = 16;

// --- Custom functions

/// The fewest elements of a custom function that a vector may compute: a vector must hold at least this many, and a row must have at least
/// this many. With only two lanes (f64 in vectors of 16 bytes), masks, and tests of whether the loop has ended in all lanes, would cost as
/// much as the second lane gains.
inline constexpr int kFewestElements = 3;

// --- Continued arrays

/// A continued array is padded with elements of its own, for example by reflection. If an axis of unknown size is continued and has at
/// least this many elements at run time, or more than are added to it, a separate variant of the kernel runs. In that variant each border
/// is a loop without divisions, and vectors copy the interior.
inline constexpr int64_t kLongContinued = 16;

// --- Reductions of few terms

/// Limits for a reduction that computes each result by a single expression. kMaxStreamedTerms: maximum number of terms if each term is in a
/// different row of memory. kMaxPaddedTerms: maximum number of terms if windows extend into padding; the code then has a copy of the
/// expression for each part of a row in which a different set of terms is padding. kMaxExpressionCost: largest cost of the expression, in
/// units of an addition.
inline constexpr int64_t kMaxStreamedTerms = 8, kMaxPaddedTerms = 9, kMaxExpressionCost = 128;

// --- Short axes

/// For kernels whose last axes are short and not reduced, such as [n, 3] times [3] or products of small matrices. kUnrolledColumns: these
/// axes are unrolled, and vectors run along the axis before them, if that takes less than this fraction of the operations, shuffles
/// included, that vectors along the last axis take. kMostColumnLanes: maximum number of lanes of such vectors, and of vectors that store
/// several arrays interleaved; longer vectors of narrow elements would be shuffled element by element (shuffles_elements() in
/// base/machine.h). kMaxColumnOperations: maximum number of operations of one iteration, because the code has a copy of each operation for
/// each element. This number also limits scans along short rows, for which each combination counts as its cost in additions, because a scan
/// by logaddexp takes long to compile. None of these numbers is measured.
inline constexpr double kUnrolledColumns = 0.75;
inline constexpr int kMostColumnLanes = 16;
inline constexpr int64_t kMaxColumnOperations = 512;
/// Transposes with a side of 2 to 7 elements ([n, 3] to [3, n] and back). kShufflesOfTranspose: the number of operations that a shuffle
/// counts as; more than one, because many shuffles of two vectors take several instructions, and a transpose has little else to do.
/// kMostTransposedBytes: maximum bytes of an element. Vectors hold few elements of 8 bytes, and an earlier form of these kernels had 0.57
/// to 0.76 of the speed for f64 (probably because it stored each element by itself). kCostOfWideTransposed: if an element costs at least
/// this many additions, such as an exp, elements of 8 bytes are permitted too, because computing them in full vectors gains more than
/// moving them costs. Nothing else here was measured.
inline constexpr int64_t kShufflesOfTranspose = 2, kCostOfWideTransposed = 10;
inline constexpr size_t kMostTransposedBytes = 4;

// --- Reductions down columns: how rows of memory are added to a row of accumulators

/// The number of rows that are unrolled and added in one step: all rows if their number is known at compile time and at most
/// kMaxUnrolledRows, otherwise kUsualUnrolledRows.
inline constexpr int kMaxUnrolledRows = 16, kUsualUnrolledRows = 8;
/// The largest number of vectors in a row of accumulators that stays in registers. In that case each row of memory is read only once.
inline constexpr int64_t kRegisterColumns = 8;

/// How many rows a reduction interleaves, and how many vectors of each row it unrolls, depending on which cache the data is in.
struct RowReads {
  struct Reads {
    int rows, vectors;
    int64_t pages = 1;      // number of 4-KiB pages in the piece of a row that is read at a time
    bool prefetch = false;  // whether to prefetch the next rows
  };
  // The largest size of an array that counts as near (near_bytes()). kBlock: about the size of one block of the summation order (256 rows
  // of 1000 f32), but at most that of L2. kSecond: the size of L2. kHalfOfThird: half the size of L3.
  enum class Near : uint8_t { kBlock, kSecond, kHalfOfThird };
  Near near_limit;
  Reads near, far;  // near: for arrays of at most near_bytes(); far: for larger arrays

  constexpr int64_t near_bytes(const Caches& caches) const {
    constexpr int64_t kBlockBytes = 1000 << 10;
    if (near_limit == Near::kHalfOfThird) return caches.third / 2;
    return near_limit == Near::kSecond ? caches.second : std::min(kBlockBytes, caches.second);
  }
};

// For sums of rows, each row optionally multiplied by one number. The ratios are speeds relative to that of merely reading the same bytes.
//
// CPUs with two vector loads per cycle. If the array is in L2, the hardware prefetcher follows a single stream of whole rows. Interleaved
// rows reach about half of its speed (with 1024 columns, 0.51 instead of 0.88), except for the rows of near_rows() (row_streams.cpp). If
// the array is in L3 or in memory, interleaved rows hide latency. 8 rows of two vectors reach 0.78 to 0.86 from L3 and 0.86 to 0.98 from
// memory. 6 rows reach 0.73 to 0.81 and 0.89 to 0.96, but steps of 6 leave single rows at the end of each summation block
// (docs/semantics.md, "Sums"). 4 rows reach 0.66 and 0.95 to 0.99; 4 rows of four vectors 0.7 and 0.90 to 1.0; one row 0.5 and 0.8. 16 rows
// reach 0.64 to 0.69 from L3. (With 4 rows for arrays larger than L3, benchmarks took 0.967 of the time, which is not worth a third variant
// of each kernel.)
//
// CPUs with one vector load per cycle. For near data, several interleaved rows share the loads of the accumulators. For far data, one row
// at a time reaches the speed of memory if several vectors are loaded before a sum must wait; two whole rows at a time are half as fast.
//
// An array counts as near (kBlock) if its rows are only one block of the summation order (256 rows of 1000 columns). For more blocks, the
// code has a further level that adds the sums of blocks, which costs a sixth of the speed.
inline constexpr RowReads kSums{RowReads::Near::kBlock, {1, 4}, {8, 2}}, kSumsOfOneLoad{RowReads::Near::kBlock, {4, 1}, {1, 4}};
/// For sums of rows that are so long that a step reads only a piece of each row. The pieces are not contiguous in memory, so many far rows
/// are interleaved to hide latency. (One row at a time is half as fast.)
inline constexpr RowReads kPiecesOfSums{RowReads::Near::kSecond, {4, 1}, {16, 1}};
/// For the product of a vector and a matrix. Rows that are read from memory one vector at a time run 1.1 to 1.3 times as fast if the next
/// rows are prefetched, but rows in L3 only 0.7 to 0.9 times as fast. On a CPU with two loads per cycle, 4 rows of two vectors without
/// prefetches reach 0.87 to 0.96 of the speed of memory, and 8 rows of one vector with prefetches 0.78.
inline constexpr RowReads kProducts{RowReads::Near::kHalfOfThird, {4, 1}, {4, 2, 4}},
    kProductsOfOneLoad{RowReads::Near::kHalfOfThird, {4, 1}, {8, 1, 4, true}};
/// For maxima and minima of columns, whose rows may be combined in any order: the number of rows that are read as separate streams, and the
/// number of vectors of each row in a step. The numbers are the same for arrays of all sizes. Ratios are relative to merely reading the
/// same bytes. With two streams, maxima reach 0.95 from memory and 0.57 to 0.69 from L3; with one stream, 0.73 to 0.83 from memory and 0.45
/// to 0.53 from L3. On a CPU with one load per cycle, six streams reach 0.86 from memory, and one stream 0.71.
inline constexpr RowReads::Reads kExtremes{2, 2}, kExtremesOfOneLoad{6, 1};
/// For maxima that detect NaN by the CPU's floating-point flag for invalid operations (Schedule::nan_flag). Such a maximum takes one
/// instruction for each load. Four interleaved rows run at 0.92 of the speed of two interleaved rows if the array is in L2, at 1.15 if it
/// is in L3, and at 1.0 if it is in memory.
inline constexpr RowReads kFlagged{RowReads::Near::kBlock, {2, 2}, {4, 2}};

// Rows in L2, on a CPU with two vector loads per cycle. On a Zen 5, each load instruction of a loop trains its own prefetcher. That
// prefetcher halves the speed if the addresses of the instruction advance in steps of 2 to 7 KB, or in smaller steps followed by a jump to
// the next rows. (A loop that is unrolled over 24 vectors and merely reads in memory order runs at 0.92 to 1.0 of the speed of the usual
// loop; over 32 to 96 vectors at 0.54, over 128 vectors at 0.93.) If each load instruction executes only two or three times in a row, its
// prefetcher stays inactive. Interleaved rows, which share the loads and stores of the accumulators, are then no slower than a single
// stream: two rows of 512 to 1024 columns reach 0.91 to 0.97 of the speed of reading instead of 0.85 to 0.90, and 0.92 instead of 0.65 if
// other work uses the cache too.
//
// A partial vector at the end of a row is loaded by a further instruction, which also trains its prefetcher, unless its addresses advance
// by more than 7 KB. Rows of 700 to 1000 columns that share cache lines reach 0.72 to 0.84 of the speed of reading instead of 0.60 to 0.67
// if the interleaved rows take 16 KB together, but 0.50 with fewer rows. Rows of 500 columns reach 0.55 instead of 0.59. (On a Xeon with
// AVX-512, sums of rows of 1000 and 1024 columns that are in L2 are 1.19 to 1.34 times as fast with the interleaved rows.)
/// Rows of whole cache lines are interleaved if they have at least kNearRowVectors vectors. Rows that share a cache line with the next row
/// are interleaved if they have at least kSharedLineVectors vectors; the number of interleaved rows is then such that they take
/// kSharedLineBytes together.
inline constexpr int64_t kNearRowVectors = 32, kSharedLineVectors = 40, kSharedLineBytes = 16000;

/// NaN detection by the CPU's flag for invalid operations needs a Retry (ir/statement.h), a block of code that computes a part of the
/// results again if there was a NaN. It does not pay if that part covers at most this many elements. If the part is larger, a max takes one
/// instruction for each vector, instead of 1.5 along rows or 3 otherwise. Speeds relative to merely reading the same bytes, with the flag
/// and in parentheses without it: from L3, maxima down columns 0.8 (0.67), along rows of 1024 0.90 (0.74), along rows of 1000 0.75 (0.54),
/// over the whole array 0.95 (0.78); from memory, along rows of 1000 1.0 (0.85).
inline constexpr int64_t kMaxUnflaggedElements = 256;

// --- Reductions along rows: several rows, or parts of a row, as separate streams

/// How many rows, or parts of one row, are read at the same time as separate memory streams. kPartsOfLongProducts is for products of long
/// rows on a CPU with two vector loads per cycle (4096 x 4096: four streams reach 1.0 of the speed of memory, two reach 0.93).
/// kInterleavedParts is for everything else. (Argmax and argmin of one long row reach 0.98 of the speed of L2 and 0.77 of that of L3 with
/// two streams, 0.99 and 0.60 with three, and 0.97 and 0.70 with four.)
inline constexpr int kInterleavedParts = 2, kPartsOfLongProducts = 4;
/// Short rows are interleaved only if their elements have this many bytes (f32). Compared with one row after the other, interleaved rows of
/// 64 f64 would run at 0.75 of the speed from L2, rows of 8 f16 at 0.9, and rows of 4 i32 at 0.85.
inline constexpr int64_t kShortRowElement = 4;

/// In the product of a matrix and a vector, rows are interleaved, so that each element of the vector is loaded into a register once for
/// several rows. kProductRow: fewest elements of an interleaved row. kShortProductRowBytes: maximum bytes of a short row, which leaves room
/// in L1. kShortProductBytes: maximum bytes of all short rows together. Interleaving speeds up matrices of f32 of 128 x 1024 by 1.03 to
/// 1.13, 1024 x 1024 by 1.03, 2048 x 2048 by 1.08, and 16384 x 1024 by 1.15 (with four streams by 0.9 to 1). For matrices that do not fit
/// the caches the speed-up is 1 to 1.05 (4096 x 4096) and 1.27 (4000 x 3000 in f64). For matrices in L3 it would be 0.95 (1024 x 4096 in
/// f32) and 0.97 (1024 x 1024 in f64, whose lanes take twice the registers). (Measured on Zen 4.)
inline constexpr int64_t kProductRow = 1024, kShortProductRowBytes = 8 << 10, kShortProductBytes = 512 << 10;

/// For sums, maxima and minima along loaded rows. kMinOfShortRow: fewest elements of a short row. kMostlyFold: maximum number of elements
/// of a row for which the fold (the combination of the 64 lanes into one value) takes most of the time; interleaved short rows share a
/// fold. kMinOfLongRow: fewest elements of a long row. The speed-ups from L2 and L3 are: 1.2 to 1.45 for sums of 8 to 64 f32 (of which the
/// shared fold gains 1.19 with 64 f32 on Zen 5, and 1.46 on a Xeon with AVX-512); 1.0 to 1.8 from L2 and 0.85 to 1.2 from L3 for sums of 96
/// to 500 f32; 1.2 to 1.5 for maxima of 8 to 384 f32; similar for i32. Maxima and minima of longer rows are interleaved only if rows are
/// whole cache lines: otherwise a line that is loaded twice costs more than the second stream gains. (From L2, interleaved rows of 1000 run
/// at 0.88 of the speed of one row after the other, rows of 1024 at 1.15.)
inline constexpr int64_t kMinOfShortRow = 8, kMostlyFold = 64, kMinOfLongRow = 512;
/// If there are at most this many rows, they are not interleaved. For an odd number of rows, interleaving reads one row twice, which costs
/// too much if there are few rows.
inline constexpr int64_t kMaxSeparateRows = 8;

/// Reductions in lanes order whose vectors run across the rows (lane_columns.h). kFewTermsOfRow, kFewTermsOfCostlyRow: rows of an unknown
/// number of elements are processed so if they have at most this many, the latter if an operation that costs at least kCostlyOperation
/// (exp, for example) is computed for each element; and if there are at least kFewestShortRows rows, or, with a costly operation, at least
/// as many as a row has elements (Zen 2, softmax of 24 times 1 to 15 rows of 1 to 15 elements: 0.1 to 1 of the time). On machines without
/// masks also rows of at most kFewVectorsOfRow vectors and kMostFewTerms elements are. To reduce and fold the 64 lanes of a single row
/// takes some 15 cycles. (Zen 3 with AVX2: sums, variances and maxima of rows of 9 to 31 f32 take 0.1 to 0.4 of the time, of 32 f32 0.4 to
/// 1, of 9 to 16 f64 0.2 to 1, of 32 f64 0.6 to 1.4. Zen 4, f32: sums of rows of 5, 8, 12 and 16 take 0.38, 0.5, 0.65 and 0.8 of the time,
/// softmax 0.18, 0.25, 0.32 and 0.4; layer_norm of f64 in rows of 12 and 16 would take 1.1 and 1.4.) kShortRowsBytes: bytes of all arrays
/// for a tile of such rows; a tile has at most kMaxShortRows. kManyTermsOfRow: fewest elements of a row for which vectors across the rows
/// pay even if there are fewer rows than a vector has lanes; not measured. kElementsOfLane: number of elements that are combined with one
/// load and store of their lane's accumulator; not measured.
inline constexpr int64_t kFewTermsOfRow = 8, kFewTermsOfCostlyRow = 16, kFewVectorsOfRow = 4, kMostFewTerms = 32, kFewestShortRows = 16,
                         kShortRowsBytes = 16384, kMaxShortRows = 64, kManyTermsOfRow = 256;
inline constexpr int kCostlyOperation = 10;
inline constexpr int kElementsOfLane = 2;
/// For an argmax or argmin of short rows, which copies tiles of kCopiedRows rows, transposed. It pays for rows of at most kMostCopiedTerms
/// elements and kMostCopiedVectors vectors: with AVX-512 rows of 17 to 48 f32 or u8 take 0.3 to 0.65 of the time, of 32 and 48 f64 as long;
/// with AVX2 rows of 30 f64 0.8, of 48 f64 1.5; with SSE rows of 20 f32 0.65, of 30 as long, of 48 1.4. A tile is computed as a whole, so
/// fewer rows than kFewestCopiedRows are reduced one by one.
inline constexpr int64_t kMostCopiedTerms = 48, kMostCopiedVectors = 8, kCopiedRows = 32, kFewestCopiedRows = 16;
/// For reductions in lanes order whose vectors run across the rows and load adjacent elements: the bytes of the accumulators of all columns
/// of a tile for one of the 64 lanes. near_lane_bytes: for arrays that fit L2; the accumulators of all lanes then stay in L1.
/// far_lane_bytes: for arrays in L3 or in memory; almost a page is then read at a time, so that the hardware prefetcher follows it, and the
/// accumulators stay in L2. The accumulators of a lane take less than a page, so that the lanes do not compete for the same cache sets of
/// L1. grouped_lane_bytes: if groups of lanes are combined in registers (lane_groups.h), there are as many accumulators as groups, at most
/// 8, and they take half of L1.
constexpr int64_t near_lane_bytes(const Cpu& cpu) { return cpu.caches.first * 2 / 3 / 64; }
constexpr int64_t far_lane_bytes(const Cpu& cpu) { return std::min(kPageBytes, cpu.caches.second / 4 / 64) - kLineBytes; }
constexpr int64_t grouped_lane_bytes(const Cpu& cpu) { return cpu.caches.first / 2 / 8; }

// --- Transposes

/// The shortest axis, in elements, for which transposing in blocks pays.
inline constexpr int64_t kBlockedExtent = 8;
/// Transposes: the bytes that a block takes from a row of the source (kBlockRowBytes), and those that it stores to a row of the destination
/// (kBlockColumnBytes).
inline constexpr int64_t kBlockRowBytes = 256, kBlockColumnBytes = 256;
/// The smallest array, in bytes, for which rows that are whole pages apart are copied through scratch memory (packed): an array that fills
/// L2. The elements of a column of such an array are in cache lines that compete for the same few cache sets.
constexpr int64_t packed_array_bytes(const Cpu& cpu) { return cpu.caches.second; }
/// Packed transposes: bytes of a row of a block in the source and in the destination. Measured on Zen 5 with f32: 1024 x 1024 reaches 31
/// GB/s unpacked, 71 packed, and 40 packed with both numbers exchanged; 1152 x 1152, whose rows are not whole pages apart, reaches 95
/// unpacked and 70 packed.
inline constexpr int64_t kPackedRowBytes = 256, kPackedColumnBytes = 512;
/// Packed transposes with non-temporal stores: bytes of a row of a block in the source and in the destination. Measured with 8192 x 8192:
/// unpacked blocks of one cache line by 8 KiB reach 20 GB/s, packed blocks 24, packed blocks with a prefetch of the next block 36, and
/// memcpy 37.
inline constexpr int64_t kStreamedRowBytes = 512, kStreamedColumnBytes = 256;
/// If rows of the destination have at most kShortColumnBytes, there is no next block to prefetch. A block is then one cache line of the
/// destination (kLineColumnBytes) by as many bytes as are contiguous in the source, at most kLineRowBytes. CPUs with one vector load per
/// cycle (Zen 4) always use such blocks: 8192 x 8192 takes 1.71 times as long as memcpy.
inline constexpr int64_t kShortColumnBytes = 1024, kLineRowBytes = 8192, kLineColumnBytes = 64;

// --- Contractions. Measurements are in GFLOP/s, or ratios of speeds.

/// kColumnsTogether: the number of columns of a cache block whose sums stay in L2, if a sum has kUsualSize bytes.
inline constexpr int64_t kColumnsTogether = 512, kUsualSize = 4;
/// The largest number of rows of a cache block with kColumnsTogether columns: 224 rows, whose sums take seven sixteenths of an L2 of 1 MiB;
/// fewer if L2 is smaller. (More rows were not faster.)
constexpr int64_t rows_together(const Cpu& cpu) {
  constexpr int64_t kMostRows = 224;
  return std::clamp<int64_t>(cpu.caches.second * 7 / 16 / (kColumnsTogether * kUsualSize), 1, kMostRows);
}
/// The largest columns' factor B, in bytes, that is read from L2 without packing.
constexpr int64_t near_columns_bytes(const Cpu& cpu) { return cpu.caches.second; }
/// The largest packed copy, in bytes, if the columns' factor B is packed once for all rows. The copy stays in L3, which other cores use
/// too, and passes through L2 once for each block of rows.
constexpr int64_t shared_bytes(const Cpu& cpu) { return cpu.caches.third / 8; }
/// The size of a block if the columns' factor B is packed once for all rows. kSharingRows: rows of a block (2048 x 2048 x 2048 runs at 103
/// GFLOP/s with 70 rows, and at 106 with 28 rows). kWideColumns: columns of a block. With so few rows there is room for more columns, so
/// that the rows' factor A is packed less often (1024 x 1024 x 1024 in f32 is 1.02 times as fast as with half the columns, 512 x 512 x 512
/// in f64 1.03 times).
inline constexpr int64_t kSharingRows = 32, kWideColumns = 1024;
/// The rows and columns of a block if the columns' factor B is packed once for all rows and the rows' factor A is read in place. More
/// blocks of columns then cause no further packing, so blocks can be narrower. What a block reads for 256 terms stays in L2. Compared with
/// 32 rows and 1024 columns, 1024 x 1024 x 1024 in f32 by two workers is 1.04 times as fast, 512 x 512 x 512 in f32 1.01 times, and in f64
/// 1.02 times.
inline constexpr int64_t kUnpackedRows = 64, kUnpackedColumns = 256;
/// Products of a matrix with its own transpose, of which only half is computed (Schedule::half). kLeastHalfBlocks: fewest blocks of rows.
/// With b blocks, (b + 1) / 2b of the products are computed, 9/16 with 8 blocks, and threads divide b / 2 pairs of blocks. kMostHalfRows:
/// maximum number of rows of the smallest block, which is a common multiple of the rows and the columns of a register tile.
inline constexpr int64_t kLeastHalfBlocks = 8, kMostHalfRows = 96;
/// The largest number of tiles by which the blocks of rows are enlarged if the last block would otherwise be smaller than a tile. With a
/// whole tile in the last block, its last tile can overlap the previous one, instead of being computed in smaller pieces. The product 1000
/// x 17 x 333 is then 1.01 to 1.02 times as fast as with smaller pieces. Whole tiles also permit reading rows in place, which makes it
/// another 1.03 times as fast.
inline constexpr int64_t kMaxExtraTiles = 4;
/// kPixelsTogether: maximum number of rows (pixels) of a block of a convolution. kPixelsOfUnknownLine: maximum number of pixels of one line
/// of a block, if the length of lines is unknown. The block then has several lines: short lines, of 7 to 56 pixels, share the elements that
/// their windows read, and long lines are divided. If pixels are the columns, the register tile is the best one for such a line: it has one
/// or two vectors of pixels, where longer lines would be a little faster with three or four.
inline constexpr int64_t kPixelsTogether = 448, kPixelsOfUnknownLine = 112;
/// Maximum number of elements that the windows of a block of a convolution read, and of sums of the block, so that both stay in L2: 65,536
/// of kUsualSize bytes each with an L2 of 1 MiB; fewer with a smaller L2.
constexpr int64_t elements_of_windows(const Cpu& cpu) { return std::min(int64_t{1} << 16, cpu.caches.second / (4 * kUsualSize)); }

/// Products of a known number of terms below FusionLimits::tile_terms: the fewest rows and terms for which register tiles pay, if the
/// columns' factor B is contiguous along the columns (kFewestTerms) and if it is contiguous along the terms, as in x @ transpose(w)
/// (kFewestCrossedTerms). Without tiles, vectors of the latter are put together from single elements for each row. (300,000 results of f32
/// in rows of 16 with 5, 8 and 12 terms: x @ w 61, 103 and 134 us without tiles and 40, 45 and 83 us with tiles; x @ transpose(w) 545, 835
/// and 1148 us, and 47, 46 and 85 us. 300 rows of 200 columns with 2, 3 and 7 terms: x @ w 12, 13 and 17 us, and 6, 9 and 14 us.)
inline constexpr int64_t kRowsOfFewTerms = 8, kFewestTerms = 2, kFewestCrossedTerms = 3;
/// Skinny GEMM is used for at most kSkinnyRows rows, at least kSkinnyColumns columns, and at least kSkinnyTerms terms. With fewer terms,
/// register tiles are faster: they keep the sums in registers, while skinny GEMM loads and stores all sums again every few terms. For each
/// term, a tile reads one row of the columns' factor, in pieces of a few vectors. A prefetcher of L2 can follow up to 32 such rows as
/// memory streams. (8 x 16 x 12544 in f32 takes 23 us by tiles and 34 us by skinny GEMM.) The limit for terms does not apply to a columns'
/// factor that L3 does not hold, because products of few terms were not measured with such a factor.
inline constexpr int64_t kSkinnyRows = 16, kSkinnyColumns = 256, kSkinnyTerms = 33;
/// Skinny GEMM. kSkinnyRowsTogether: rows of a tile. kSkinnyElements: elements of the rows' factor that are in registers. kSkinnyBytes:
/// bytes that stay in L1, namely the sums and the rows of the columns' factor that are added to them in one step. For 8 x 1024 x 1024,
/// blocks of 384 columns and 4 terms reach 185 GFLOP/s, 512 columns and 2 terms 148, 4096 columns and 8 terms 152.
inline constexpr int64_t kSkinnyRowsTogether = 8, kSkinnyElements = 32, kSkinnyBytes = 20 << 10;
/// Skinny GEMM of an unknown number of rows: the most rows for which it is used if L2 holds the columns' factor (kUnknownRowsOfNear), and
/// if it does not (kUnknownRowsOfFar). For more rows, the columns' factor is packed, which takes little time if L2 holds it. Tiles have at
/// most kSkinnyRowsTogether rows, and all rows of a tile are computed although there may be fewer. (8 rows times f32[300, 400] take 20 us
/// with tiles of 4 rows and 16 us packed; times f32[2000, 1500] 0.72 ms with tiles of 8 rows and 2.3 ms packed.)
inline constexpr int64_t kUnknownRowsOfNear = 4, kUnknownRowsOfFar = 32;
/// Skinny GEMM: with fewer rows than this, adding one row of products after the other reads the columns' factor only once, too.
inline constexpr int64_t kFewestSkinnyRows = 2;
/// Skinny GEMM: the number of columns of a block is a multiple of this number, because the number of columns of a matrix often is a
/// multiple of it, too.
inline constexpr int64_t kSkinnyEvenColumns = 64;
/// Skinny GEMM: the largest number of sums of a block if the columns' factor B comes from memory, and L1 has no room for whole pages of it
/// together with their sums. The sums then stay in L2. (If there is room, whole pages are read two terms at a time: 8 x 4096 x 4096 reaches
/// 28 GB/s, and 20 GB/s if other work runs. Blocks of 384 columns and 4 terms, which touch more pages at the same time, reach 15 to 31
/// GB/s; blocks of 4096 columns and 8 terms 20 GB/s.)
inline constexpr int64_t kSkinnySums = int64_t{1} << 15;

/// The fewest rows, and the fewest columns, for which packing several terms into each lane pays (narrow_products.h). (A Xeon with AVX-512,
/// from L1: a product takes 0.011 ns with two terms in a lane, 0.035 ns with one, and packing an element of i8 0.05 to 0.2 ns. Windows of a
/// convolution, which are not packed, take 0.015 and 0.034 ns.)
inline constexpr int64_t kMinSideOfPairs = 8;

/// If a product has at most this many columns, packing the rows' factor A takes longer than it saves, unless A is computed.
inline constexpr int64_t kNarrow = 128;
/// If A is computed, the most tiles of columns for which it is not packed. (The gradient of a network of 100 x 100 layers with relu: 3.9 ms
/// if each tile computes A again, 0.7 ms if A is packed, because single elements are selected by branches. bf16 512 x 256 x 100: 1.1 and
/// 0.65.)
inline constexpr int64_t kComputedTiles = 2;
/// The largest number of rows of a tile whose rows are read in place: more rows would compete for the same cache sets of L1.
inline constexpr int64_t kMaxTileRows = 16;
/// The number of ways of L1 (its associativity), and the bytes of a way. Rows that are a power of two bytes apart compete for few cache
/// sets, so tiles that read them in place must have few rows. For 1024 x 1024 by 64 read in place, tiles of 13 rows of two vectors reach 93
/// GFLOP/s, 8 rows of two vectors 105, and 6 rows of four vectors 106.
inline constexpr int64_t kWays = 8, kWayBytes = 4096;

}  // namespace harp
