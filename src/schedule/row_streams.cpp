// How many rows are interleaved, and how many streams read equal shares of all rows. The best choices were measured; the comments name the
// machine.
#include "schedule/row_streams.h"

#include <algorithm>
#include <bit>

#include "base/integers.h"
#include "schedule/contraction.h"

namespace harp {
namespace {

// Sums of rows, optionally scaled by one number for each row. The numbers give the speed relative to pure reading.
//
// Two vector loads a cycle: within L2 the hardware prefetcher follows a single stream of whole rows; interleaved rows reach
// half the speed (1024 columns: 0.88 and 0.51), except for those of near_rows(). From L3 and from memory, interleaved rows
// hide latency (L3 and memory: 8 rows of two vectors 0.78 to 0.86 and 0.86 to 0.98; 6 rows 0.73 to 0.81 and 0.89 to 0.96, but 6
// leaves single rows in the law's blocks; 4 rows 0.66 and 0.95 to 0.99, 4 of four vectors 0.7 and 0.90 to 1.0; 16 rows 0.64 to 0.69; one
// row 0.5 and 0.8). One vector load a cycle (Target::one_load): with near data several interleaved rows share the loads of the
// accumulators; with far data one row at a time reaches the speed of memory, if several vectors are loaded before a sum must wait (two
// whole rows: half as fast).
//
// Pieces of longer rows are not contiguous, so many rows are interleaved to hide latency (one at a time is half as fast). Near whole rows
// are few enough for one block of the law (256 rows of 1000): the levels above would cost a sixth of the speed. Products of rows from
// memory, with one vector at a time, run 1.1 to 1.3 times as fast if the next rows are prefetched, but 0.7 to 0.9 times as fast if the rows
// are in L3. With two loads a cycle, 4 rows of two vectors reach 0.87 to 0.96 of the speed of memory, 8 rows of one vector
// with prefetches 0.78.
constexpr RowReads kSums{1000 << 10, {1, 4}, {8, 2}, RowReads::Reads{4, 2}}, kSumsOfOneLoad{1000 << 10, {4, 1}, {1, 4}},
    kPiecesOfSums{1 << 20, {4, 1}, {16, 1}}, kProducts{1 << 24, {4, 1}, {4, 2, 4}}, kProductsOfOneLoad{1 << 24, {4, 1}, {8, 1, 4, true}};
// Rows that may be combined in any order are read as several streams of whole rows, wherever they are. (Maxima: from memory 2 streams reach
// 0.95 of its speed, one 0.73 to 0.83; from L3 0.57 to 0.69 and 0.45 to 0.53; with one load a cycle 6 streams reach 0.86, one
// 0.71.)
// Maxima with NaN detection by the invalid flag take one instruction for each load: four streams run at 0.92, 1.15 and 1.0 of the speed of
// two from L2, L3 and memory.
constexpr RowReads::Reads kExtremes{2, 2}, kExtremesOfOneLoad{6, 1};
constexpr RowReads kFlagged{1000 << 10, {2, 2}, {4, 2}};

/// Rows near the CPU, with two vector loads a cycle. On a Zen 5 each load instruction of the loop trains its own prefetcher. That
/// prefetcher halves the speed if the instruction repeatedly steps by 2 to 7 KB, or by less and then to the next rows (pure reading in
/// memory order, unrolled: 24 vectors at a time 0.92 to 1.0 of the usual loop, 32 to 96 0.54, 128 0.93). If each load instruction executes
/// two or three times a row, its prefetcher stays inactive, and interleaved rows, which share the loads and stores of the accumulators, are
/// no slower than a single stream: two rows of 512 to 1024 columns reach 0.91 to 0.97 of the speed of reading instead of 0.85 to 0.90, and
/// 0.92 instead of 0.65 if other work uses the cache too. A partial vector at the end of a row is one more such load, unless its steps are
/// larger than that: rows of 700 to 1000 columns that share cache lines reach 0.72 to 0.84 instead of 0.60 to 0.67 if the interleaved rows
/// take 16 KB, with fewer rows 0.50; rows of 500 columns 0.55 instead of 0.59.
RowReads::Reads near_rows(Dim columns, int width, size_t element_bytes, const RowReads::Reads& usual) {
  constexpr int64_t kLeastVectors = 32, kLeastSharedVectors = 40, kFarBytes = 16000;
  const int64_t element = static_cast<int64_t>(element_bytes);
  if (!columns.is_constant() || width * element != kLineBytes) return usual;
  const int64_t vectors = columns.constant() / width, bytes = columns.constant() * element;
  if (bytes % kLineBytes != 0)
    return vectors < kLeastSharedVectors ? usual
                                         : RowReads::Reads{static_cast<int>(ceil_div(kFarBytes, bytes)), static_cast<int>(vectors / 2)};
  for (const int64_t steps : {2, 3})
    if (vectors >= kLeastVectors && vectors % steps == 0) return {2, static_cast<int>(vectors / steps)};
  return usual;
}

}  // namespace

int64_t page_tile(std::span<const Node* const> nodes) {
  size_t bytes = 0;
  for (const Node* node : nodes) bytes += std::max<size_t>(size_of(node->dtype), 4);
  return std::max<int64_t>(64, static_cast<int64_t>(std::bit_floor(kPageBytes / bytes)));
}

std::optional<RowReads> row_reads(const Program& program, const KernelPlan& kernel, const Schedule& s, const Target& target) {
  if (kernel.passes.size() != 1 || s.axes.size() < 2 || has_arg_extreme(kernel) ||
      kernel.reduces[0]->as<ReduceAttributes>().order != ReduceOrder::kChain)
    return std::nullopt;
  const Dim columns = iteration_space(kernel).back();
  constexpr int64_t kMostRegisters = 8;
  if (proven_at_most(columns, kMostRegisters * s.axes[s.axes.size() - 2].simd_width)) return std::nullopt;
  if (const auto product = as_contraction(kernel); product && !product->rows) {  // with more rows each row is processed separately
    const Node* factor = product->column_factor;
    while (is_movement(factor->op) && !is_loaded(program, kernel, factor)) factor = factor->sources[0];
    return is_loaded(program, kernel, factor) ? std::optional(target.one_load ? kProductsOfOneLoad : kProducts) : std::nullopt;
  }
  for (const Node* reduce : kernel.reduces) {
    const std::span<const Node* const> operands = operands_of(*reduce);
    if (operands.size() > 1 || !is_loaded(program, kernel, operands[0])) return std::nullopt;
  }
  if (!proven_at_most(columns, page_tile(kernel.reduces))) return kPiecesOfSums;
  if (target.one_load) return kSumsOfOneLoad;
  if (s.watch && may_reorder_rows(kernel)) return kFlagged;
  RowReads reads = kSums;
  if (kernel.reduces.size() == 1)
    reads.near = near_rows(columns, s.axes[s.axes.size() - 2].simd_width, size_of(kernel.reduces[0]->sources[0]->dtype), reads.near);
  return reads;
}

bool may_reorder_rows(const KernelPlan& kernel) {
  const auto is_free = [](const Node* reduce) { return is_free_of_order(reduce->op, reduce->dtype); };
  return std::all_of(kernel.reduces.begin(), kernel.reduces.end(), is_free) &&
         proven_at_most(iteration_space(kernel).back(), page_tile(kernel.reduces));
}

RowReads::Reads reads_of_extremes(const Target& target) { return target.one_load ? kExtremesOfOneLoad : kExtremes; }

// --- NaN detection -----------------------------------------------------------------------------------------------------------

bool may_use_invalid_flag(const KernelPlan& kernel) {
  if (kernel.reduces.empty() || kernel.passes.size() != 1) return false;
  const RowPass& pass = kernel.passes[0];
  const auto is_maximum = [](const Node* reduce) {
    const DType dtype = reduce->sources[0]->dtype;
    return reduce->op == Op::kReduceMax && (dtype == DType::kF32 || dtype == DType::kF64);
  };
  return pass.row_values.empty() && pass.row_stores.empty() && std::ranges::all_of(kernel.reduces, is_maximum);
}

// One instruction for each vector instead of 1.5 (along rows) or 3. Speed relative to pure reading, and without it: from L3,
// maxima down columns 0.8 (0.67), along rows of 1024 0.90 (0.74), of 1000 0.75 (0.54), over everything 0.95 (0.78); from memory, rows of
// 1000 1.0 (0.85).
bool invalid_flag_pays(const Program& program, const KernelPlan& kernel, const Target& target) {
  constexpr int64_t kFew = 256;  // elements that one Retry block would cover
  constexpr int kAvx512Bytes = 64;
  if (!may_use_invalid_flag(kernel)) return false;
  const Node& reduce = *kernel.reduces[0];
  const Shape& space = iteration_space(kernel);
  const bool has_columns = reduce.as<ReduceAttributes>().order == ReduceOrder::kChain && !space.empty();
  const auto is_in_memory = [&](const Node* reduce) { return is_loaded(program, kernel, operands_of(*reduce)[0]); };
  return target.name.starts_with("x86-64") && target.vector_bytes == kAvx512Bytes && std::ranges::all_of(kernel.reduces, is_in_memory) &&
         !proven_at_most(term_count(reduce) * (has_columns ? space.back() : Dim(1)), kFew);
}

// --- separate streams ---------------------------------------------------------------------------------------------------------

namespace {

/// Sums along rows of products, above all of a matrix and a vector, read several rows at equal distances as separate streams, so that the
/// vector's elements in registers are used for each of them. This pays if the vector leaves room in L1 (speed-up over row
/// after row, f32: 128 x 1024 1.03 to 1.13, 1024 x 1024 1.03, 2048 x 2048 1.08, 16384 x 1024 1.15; four streams 0.9 to 1) or if the rows do
/// not fit the caches (4096 x 4096 1 to 1.05, 4000 x 3000 in f64 1.27; but from L3 1024 x 4096 in f32 0.95, and 1024 x 1024 in
/// f64, whose lanes take twice the registers, 0.97).
///
/// These were measured on a Zen 4. With two vector loads a cycle 4 streams reach 1.0 of the speed of memory (4096 x 4096), 2 streams 0.93.
/// Argmax and argmin of one long row, relative to the speed of L2 and L3: 2 streams 0.98 and 0.77, 3 streams 0.99 and
/// 0.60, 4 streams 0.97 and 0.70.
constexpr int kInterleavedParts = 2, kPartsOfLongProducts = 4;
constexpr int64_t kLeastOfRow = 1024, kMostOfRow = 4096;                                               // elements; the upper limit is one
                                                                                                       // block of the law
constexpr int64_t kRowElement = 4, kShortRow = 8 << 10, kShortRows = 512 << 10, kLongRows = 32 << 20;  // bytes
int interleaved_products(const Node& reduce, Dim rows, Dim terms, const Target& target) {
  const int64_t size = static_cast<int64_t>(size_of(reduce.sources[0]->dtype));
  const Sym bytes = element_count(reduce.sources[0]->shape) * size;
  const bool are_short = size <= kRowElement && proven_at_most(terms * size, kShortRow), are_long = proven_at_most(kLongRows, bytes);
  if (!rows.is_constant() || !proven_at_most(kLeastOfRow, terms)) return 1;
  if (are_long && !target.one_load) return kPartsOfLongProducts;
  return are_long || (are_short && proven_at_most(kShortRows, bytes)) ? kInterleavedParts : 1;
}

/// Sums and extremes of loaded rows are read in the same way. Short rows also share a fold, which takes most of their time. (Speed-up from
/// L2 and L3: sums of 8 to 64 f32 1.2 to 1.45, of 96 to 500 1.0 to 1.8 and 0.85 to 1.2; maxima of 8 to 384 1.2 to 1.5; i32
/// alike. But 64 f64 0.75 from L2, 8 f16 0.9, 4 i32 0.85.) Longer extremes require rows of whole cache lines, because a line
/// that is loaded twice costs more there than the second stream gains (from L2 rows of 1000 run at 0.88 of the speed of row
/// after row, rows of 1024 at 1.15). Long rows use two streams on every machine, short rows on a Zen 5; on other machines only rows that
/// are mostly fold do.
constexpr int64_t kLeastOfShortRow = 8, kMostlyFold = 64, kLeastOfLongRow = 512;  // elements
constexpr int64_t kFewRows = 8;                                                   // with an odd number of rows one row is read twice
int interleaved_loaded_rows(const Node& reduce, const Node& source, Dim rows, Dim terms, bool is_flagged, const Target& target) {
  const int64_t size = static_cast<int64_t>(size_of(source.dtype));
  const Sym bytes = terms * size;
  const bool may_share_lines = !bytes.is_constant() || bytes.constant() % kLineBytes != 0;
  const bool is_slower = may_share_lines && is_free_of_order(reduce.op, reduce.dtype) && !is_flagged;
  if (proven_at_most(rows, kFewRows)) return 1;
  if (proven_at_most(kLeastOfLongRow, terms)) return is_slower ? 1 : kInterleavedParts;
  const int64_t most = target.one_load ? kMostlyFold : kLeastOfLongRow;
  const bool is_short = size == kRowElement && proven_at_most(kLeastOfShortRow, terms) && proven_at_most(terms, most);
  return is_short ? kInterleavedParts : 1;
}

/// Returns the array below a lanes-order reduction if the kernel does nothing but reduce a view of it; else null.
const Node* loaded_source(const Program& program, const KernelPlan& kernel) {
  const std::span<const Node* const> operands = operands_of(*kernel.reduces[0]);
  const Node* source = operands[0];
  while (is_movement(source->op) && !is_loaded(program, kernel, source)) source = source->sources[0];
  return operands.size() == 1 && is_loaded(program, kernel, source) ? source : nullptr;
}

}  // namespace

void set_interleaving(const Program& program, const KernelPlan& kernel, const Target& target, Schedule& s) {
  if (kernel.passes.size() != 1 || !kernel.scans.empty() || kernel.reduces.size() != 1) return;
  const RowPass& pass = kernel.passes[0];
  const Node& reduce = *kernel.reduces[0];
  if (reduce.as<ReduceAttributes>().order != ReduceOrder::kLanes || !pass.row_values.empty() || !pass.row_stores.empty()) return;
  const Shape& space = iteration_space(kernel);
  const Dim terms = term_count(reduce);
  const Node* source = loaded_source(program, kernel);
  if (!proven_at_most(terms, kMostOfRow)) {
    if (source != nullptr) s.axes.back().unroll = kInterleavedParts;
  } else if (space.size() == 1) {
    if (source != nullptr)
      s.axes[0].unroll = interleaved_loaded_rows(reduce, *source, space[0], terms, s.watch, target);
    else if (operands_of(reduce).size() == 2)
      s.axes[0].unroll = interleaved_products(reduce, space[0], terms, target);
  }
}

}  // namespace harp
