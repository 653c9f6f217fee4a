// Decides how many adjacent rows a reduction interleaves, and into how many equal shares, each read as a separate memory stream, it divides
// all rows.
#include "schedule/cpu/row_streams.h"

#include <algorithm>
#include <bit>

#include "base/integers.h"
#include "schedule/contraction.h"
#include "schedule/kernel_structure.h"

namespace harp {
namespace {

/// Returns how to read rows that are in L2 on a CPU with two vector loads per cycle. Rows are interleaved if the hardware prefetchers of
/// the individual load instructions then stay inactive (see kNearRowVectors in tuning.h). Otherwise returns `usual`.
RowReads::Reads near_rows(Dim columns, int width, size_t element_bytes, const RowReads::Reads& usual) {
  const int64_t element = static_cast<int64_t>(element_bytes);
  if (!columns.is_constant() || !is_whole_line(width * element)) return usual;
  const int64_t vectors = columns.constant() / width, bytes = columns.constant() * element;
  if (bytes % kLineBytes != 0)
    return vectors < kSharedLineVectors
               ? usual
               : RowReads::Reads{static_cast<int>(ceil_div(kSharedLineBytes, bytes)), static_cast<int>(vectors / 2)};
  for (const int64_t steps : {2, 3})
    if (vectors >= kNearRowVectors && vectors % steps == 0) return {2, static_cast<int>(vectors / steps)};
  return usual;
}

}  // namespace

int64_t page_tile(std::span<const Node* const> nodes) {
  size_t bytes = 0;
  for (const Node* node : nodes) bytes += std::max<size_t>(size_of(node->dtype), 4);
  return std::max<int64_t>(64, static_cast<int64_t>(std::bit_floor(kPageBytes / bytes)));
}

std::optional<RowReads> row_reads(const Program& program, const KernelPlan& kernel, const Schedule& s, const Cpu& cpu) {
  if (kernel.passes.size() != 1 || s.axes.size() < 2 || has_arg_extreme(kernel) ||
      kernel.reduces[0]->as<ReduceAttributes>().order != ReduceOrder::kChain)
    return std::nullopt;
  const Dim columns = iteration_space(kernel).back();
  if (proven_at_most(columns, kRegisterColumns * s.axes[s.axes.size() - 2].simd_width)) return std::nullopt;
  // A contraction without an axis of rows is the product of a vector and a matrix.
  if (const auto product = as_contraction(kernel); product && !product->rows) {
    const Node* factor = product->column_factor;
    // the windows are read from a copy that is in a cache (lower/windows.h)
    if (array_below_windows(factor) != nullptr) return std::nullopt;
    while (is_movement(factor->op) && !is_loaded(program, kernel, factor)) factor = factor->sources[0];
    return is_loaded(program, kernel, factor) ? std::optional(cpu.vector_loads_a_cycle == 1 ? kProductsOfOneLoad : kProducts)
                                              : std::nullopt;
  }
  for (const Node* reduce : kernel.reduces) {
    const std::span<const Node* const> operands = operands_of(*reduce);
    if (operands.size() > 1 || !is_loaded(program, kernel, operands[0])) return std::nullopt;
  }
  if (!proven_at_most(columns, page_tile(kernel.reduces))) return kPiecesOfSums;
  if (cpu.vector_loads_a_cycle == 1) return kSumsOfOneLoad;
  if (s.nan_flag && may_reorder_rows(kernel)) return kFlagged;
  RowReads reads = kSums;
  if (kernel.reduces.size() == 1)
    reads.near = near_rows(columns, s.axes[s.axes.size() - 2].simd_width, size_of(kernel.reduces[0]->sources[0]->dtype), reads.near);
  return reads;
}

bool may_reorder_rows(const KernelPlan& kernel) {
  const auto is_free = [](const Node* reduce) { return is_free_of_order(reduce->op, reduce->dtype) && !sums_products(*reduce); };
  return std::all_of(kernel.reduces.begin(), kernel.reduces.end(), is_free) &&
         proven_at_most(iteration_space(kernel).back(), page_tile(kernel.reduces));
}

RowReads::Reads reads_of_extremes(const Cpu& cpu) { return cpu.vector_loads_a_cycle == 1 ? kExtremesOfOneLoad : kExtremes; }

// --- NaN detection -----------------------------------------------------------------------------------------------------------

bool invalid_flag_pays(const Program& program, const KernelPlan& kernel, const Cpu& cpu) {
  if (!may_use_invalid_flag(kernel)) return false;
  const Node& reduce = *kernel.reduces[0];
  const Shape& space = iteration_space(kernel);
  const bool has_columns = reduce.as<ReduceAttributes>().order == ReduceOrder::kChain && !space.empty();
  const auto is_in_memory = [&](const Node* reduce) { return is_loaded(program, kernel, operands_of(*reduce)[0]); };
  return cpu.maximum_flags_nan && std::ranges::all_of(kernel.reduces, is_in_memory) &&
         !proven_at_most(term_count(reduce) * (has_columns ? space.back() : Dim(1)), kMaxUnflaggedElements);
}

// --- separate streams ---------------------------------------------------------------------------------------------------------

namespace {

/// Returns the number of interleaved rows for sums of products along rows, mostly the product of a matrix and a vector. Interleaved rows
/// are read as separate memory streams, and each element of the vector is loaded into a register once for all of them. Interleaving pays if
/// the elements of the vector leave room in L1, or if the matrix does not fit the caches.
int interleaved_products(const Node& reduce, Dim rows, Dim terms, const Cpu& cpu) {
  const int64_t size = static_cast<int64_t>(size_of(reduce.sources[0]->dtype));
  const Sym bytes = element_count(reduce.sources[0]->shape) * size;
  const bool are_short = size <= kShortRowElement && proven_at_most(terms * size, kShortProductRowBytes),
             are_long = proven_at_most(cpu.caches.third, bytes);
  if (!rows.is_constant() || !proven_at_most(kProductRow, terms)) return 1;
  if (are_long && cpu.vector_loads_a_cycle > 1) return kPartsOfLongProducts;
  return are_long || (are_short && proven_at_most(kShortProductBytes, bytes)) ? kInterleavedParts : 1;
}

/// Returns the number of interleaved rows for sums, maxima and minima of loaded rows; each row is a separate memory stream. Interleaved
/// short rows also share a fold (the combination of the 64 lanes into one value). Long rows use two streams on every CPU, but maxima and
/// minima only if a row consists of whole cache lines. Short rows use two streams on CPUs with two vector loads per cycle. On CPUs with one
/// load per cycle, they use two streams only if they are so short that the fold takes most of the time.
int interleaved_loaded_rows(const Node& reduce, const Node& source, Dim rows, Dim terms, bool is_flagged, const Cpu& cpu) {
  const int64_t size = static_cast<int64_t>(size_of(source.dtype));
  const Sym bytes = terms * size;
  const bool may_share_lines = !bytes.is_constant() || bytes.constant() % kLineBytes != 0;
  const bool is_slower = may_share_lines && is_free_of_order(reduce.op, reduce.dtype) && !is_flagged;
  if (proven_at_most(rows, kMaxSeparateRows)) return 1;
  if (proven_at_most(kMinOfLongRow, terms)) return is_slower ? 1 : kInterleavedParts;
  const int64_t most = cpu.vector_loads_a_cycle == 1 ? kMostlyFold : kMinOfLongRow;
  const bool is_short = size == kShortRowElement && proven_at_most(kMinOfShortRow, terms) && proven_at_most(terms, most);
  return is_short ? kInterleavedParts : 1;
}

/// If the kernel only reduces a loaded array, or a view of one, in lanes order (docs/semantics.md, "Sums"), returns that array; otherwise
/// null.
const Node* loaded_source(const Program& program, const KernelPlan& kernel) {
  const std::span<const Node* const> operands = operands_of(*kernel.reduces[0]);
  const Node* source = operands[0];
  while (is_movement(source->op) && !is_loaded(program, kernel, source)) source = source->sources[0];
  return operands.size() == 1 && is_loaded(program, kernel, source) ? source : nullptr;
}

}  // namespace

void set_interleaving(const Program& program, const KernelPlan& kernel, const Cpu& cpu, Schedule& s) {
  if (kernel.passes.size() != 1 || !kernel.scans.empty() || kernel.reduces.size() != 1) return;
  const RowPass& pass = kernel.passes[0];
  const Node& reduce = *kernel.reduces[0];
  if (reduce.as<ReduceAttributes>().order != ReduceOrder::kLanes || !pass.row_values.empty() || !pass.row_stores.empty()) return;
  const Shape& space = iteration_space(kernel);
  const Dim terms = term_count(reduce);
  const Node* source = loaded_source(program, kernel);
  if (!proven_at_most(terms, kLaneBlock)) {
    if (source != nullptr) s.axes.back().unroll = kInterleavedParts;
  } else if (space.size() == 1) {
    if (source != nullptr)
      s.axes[0].unroll = interleaved_loaded_rows(reduce, *source, space[0], terms, s.nan_flag, cpu);
    else if (operands_of(reduce).size() == 2)
      s.axes[0].unroll = interleaved_products(reduce, space[0], terms, cpu);
  }
}

}  // namespace harp
