// Rows that are read in turn, and streams a share of all rows apart. What is fastest was measured; the comments say where.
#include "schedule/row_streams.h"

#include <algorithm>
#include <bit>

#include "schedule/contraction.h"
#include "schedule/fuse.h"

namespace harp {
namespace {

// Sums of rows, and of rows times a number each.
//
// Where a vector is one load, a single stream of whole rows is followed by the prefetcher within the second cache, where rows in turn are
// read at half the speed (1024 columns: 0.88 and 0.51 of reading); from memory and the third cache rows in turn share the wait (4 of four
// vectors: 1.0 and 0.7, 6 of two: 0.85 to 0.97 and 0.78, 8: 0.85 and 0.8, one: 0.8 and 0.5). Where it is two, several rows from near share
// the loads of the accumulators, and from beyond one row at a time is read as fast as memory goes, if several vectors are asked for before
// a sum waits (two whole rows: half as fast).
//
// Pieces of longer rows jump, and so many rows in one go share the wait (one at a time is half as fast). Whole rows that are near are few
// enough for one block (256 of 1000): the levels above would cost a sixth of the speed. Products of rows from memory are, one vector at a
// time, 1.1 to 1.3 times as fast if the next rows are asked for, but 0.7 to 0.9 times where the third cache has them. With two loads two
// vectors of 4 rows are 0.87 to 0.96 of the speed of memory, one of 8, asked for, 0.78.
constexpr RowReads kSums{1000 << 10, {1, 4}, {6, 2}, RowReads::Reads{4, 4}}, kSumsOfOneLoad{1000 << 10, {4, 1}, {1, 4}},
    kPiecesOfSums{1 << 20, {4, 1}, {16, 1}}, kProducts{1 << 24, {4, 1}, {4, 2, 4}}, kProductsOfOneLoad{1 << 24, {4, 1}, {8, 1, 4, true}};
// Rows that may be combined in any order are as many streams of whole rows, wherever they are (an array of maxima is read by 2 at 0.95 of
// the speed of memory, by one at 0.73 to 0.83; from the third cache at 0.57 to 0.69 and 0.45 to 0.53; with one load a cycle by 6 at 0.86,
// by one at 0.71).
constexpr RowReads::Reads kExtremes{2, 2}, kExtremesOfOneLoad{6, 1};

}  // namespace

int64_t page_tile(std::span<const Node* const> nodes) {
  size_t bytes = 0;
  for (const Node* node : nodes) bytes += std::max<size_t>(size_of(node->dtype), 4);
  return std::max<int64_t>(64, static_cast<int64_t>(std::bit_floor(kPageBytes / bytes)));
}

std::optional<RowReads> row_reads(const Program& program, const KernelPlan& kernel, const Schedule& s, const Target& target) {
  if (kernel.passes.size() != 1 || s.axes.size() < 2 || kernel.reduces[0]->as<ReduceAttributes>().order != ReduceOrder::kChain)
    return std::nullopt;
  const Dim columns = iteration_space(kernel).back();
  constexpr int64_t kMostRegisters = 8;
  if (proven_at_most(columns, kMostRegisters * s.axes[s.axes.size() - 2].simd_width)) return std::nullopt;
  if (const auto product = as_contraction(kernel); product && !product->rows) {  // with more rows each is gone through by itself
    const Node* factor = product->column_factor;
    while (is_movement(factor->op) && !is_loaded(program, kernel, factor)) factor = factor->sources[0];
    return is_loaded(program, kernel, factor) ? std::optional(target.one_load ? kProductsOfOneLoad : kProducts) : std::nullopt;
  }
  for (const Node* reduce : kernel.reduces) {
    const std::span<const Node* const> operands = operands_of(*reduce);
    if (operands.size() > 1 || !is_loaded(program, kernel, operands[0])) return std::nullopt;
  }
  return !proven_at_most(columns, page_tile(kernel.reduces)) ? kPiecesOfSums : target.one_load ? kSumsOfOneLoad : kSums;
}

bool reads_apart(const KernelPlan& kernel) {
  const auto is_free = [](const Node* reduce) { return is_free_of_order(reduce->op, reduce->dtype); };
  return std::all_of(kernel.reduces.begin(), kernel.reduces.end(), is_free) &&
         proven_at_most(iteration_space(kernel).back(), page_tile(kernel.reduces));
}

RowReads::Reads reads_of_extremes(const Target& target) { return target.one_load ? kExtremesOfOneLoad : kExtremes; }

// --- streams apart -----------------------------------------------------------------------------------------------------------

namespace {

/// Rows of products, of a matrix and a vector most of all, are summed as several streams, a share of all rows apart, and what of the vector
/// is in registers is used for each, if the vector leaves room in the first cache (by f32 128 x 1024 1.03 to 1.13 times as fast as row
/// after row, 1024 x 1024 1.03, 2048 x 2048 1.08, 16384 x 1024 1.15; four streams 0.9 to 1) or rows are as many as do not stay in the
/// caches (4096 x 4096 1 to 1.05, 4000 x 3000 by f64 1.27; where the third cache has them, 1024 x 4096 by f32 0.95, 1024 x 1024 by f64,
/// whose lanes are twice the registers, 0.97).
///
/// All that on a Zen 4. With two loads of a vector a cycle 4 streams are 1.0 of the speed of memory (4096 x 4096) where 2 are 0.93.
constexpr int kPartsApart = 2, kPartsOfLongProducts = 4;
constexpr int64_t kLeastOfRow = 1024, kMostOfRow = 4096;                                               // elements: one block of the law
constexpr int64_t kRowElement = 4, kShortRow = 8 << 10, kShortRows = 512 << 10, kLongRows = 32 << 20;  // bytes
int products_apart(const Node& reduce, Dim rows, Dim terms, const Target& target) {
  const int64_t size = static_cast<int64_t>(size_of(reduce.sources[0]->dtype));
  const Sym bytes = element_count(reduce.sources[0]->shape) * size;
  const bool are_short = size <= kRowElement && proven_at_most(terms * size, kShortRow), are_long = proven_at_most(kLongRows, bytes);
  if (!rows.is_constant() || !proven_at_most(kLeastOfRow, terms)) return 1;
  if (are_long && !target.one_load) return kPartsOfLongProducts;
  return are_long || (are_short && proven_at_most(kShortRows, bytes)) ? kPartsApart : 1;
}

/// So are sums and extremes of rows as they are in memory; of extremes rows of whole lines, since a line that is loaded twice costs more
/// there than one stream does (rows of 1000 from the second cache 0.88 of the speed of row after row, of 1024 1.15).
constexpr int64_t kLeastOfLoadedRow = 512;  // elements
constexpr int64_t kFewRows = 8;             // of an odd number of rows one is read twice
int loaded_rows_apart(const Node& reduce, const Node& source, Dim rows, Dim terms) {
  const Sym bytes = terms * static_cast<int64_t>(size_of(source.dtype));
  const bool may_share_lines = !bytes.is_constant() || bytes.constant() % kLineBytes != 0;
  const bool is_slower = may_share_lines && is_free_of_order(reduce.op, reduce.dtype);
  return proven_at_most(kLeastOfLoadedRow, terms) && !proven_at_most(rows, kFewRows) && !is_slower ? kPartsApart : 1;
}

/// What is as it is in memory, but for where, of one reduction by lanes; null: that is not all the kernel does.
const Node* loaded_source(const Program& program, const KernelPlan& kernel) {
  const std::span<const Node* const> operands = operands_of(*kernel.reduces[0]);
  const Node* source = operands[0];
  while (is_movement(source->op) && !is_loaded(program, kernel, source)) source = source->sources[0];
  return operands.size() == 1 && is_loaded(program, kernel, source) ? source : nullptr;
}

}  // namespace

void set_apart(const Program& program, const KernelPlan& kernel, const Target& target, Schedule& s) {
  if (kernel.passes.size() != 1 || !kernel.scans.empty() || kernel.reduces.size() != 1) return;
  const RowPass& pass = kernel.passes[0];
  const Node& reduce = *kernel.reduces[0];
  if (reduce.as<ReduceAttributes>().order != ReduceOrder::kLanes || !pass.row_values.empty() || !pass.row_stores.empty()) return;
  const Shape& space = iteration_space(kernel);
  const Dim terms = term_count(reduce);
  const Node* source = loaded_source(program, kernel);
  if (!proven_at_most(terms, kMostOfRow)) {
    if (source != nullptr) s.axes.back().unroll = kPartsApart;
  } else if (space.size() == 1) {
    if (source != nullptr)
      s.axes[0].unroll = loaded_rows_apart(reduce, *source, space[0], terms);
    else if (operands_of(reduce).size() == 2)
      s.axes[0].unroll = products_apart(reduce, space[0], terms, target);
  }
}

}  // namespace harp
