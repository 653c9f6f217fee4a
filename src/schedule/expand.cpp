// Chooses the template of each fused group and the schedule it is lowered by; overrides come from the API or the tuner.
#include <algorithm>
#include <bit>

#include "base/error.h"
#include "base/text.h"
#include "schedule/fuse.h"
#include "schedule/interleave.h"
#include "schedule/legal.h"
#include "schedule/override.h"
#include "schedule/schedule_contraction.h"
#include "schedule/schedule_program.h"
#include "schedule/stream.h"
#include "schedule/transpose.h"

namespace harp {
namespace {

/// Lanes of the widest value a kernel computes, so that every vector fits a register. Halves are computed with as f32 (only copied, as they
/// are), other narrow dtypes as they are.
int natural_width(const Program& program, const KernelPlan& kernel, const Target& target) {
  size_t widest = 1;
  const auto meet = [&](const Node* node, bool computes) {
    widest = std::max(widest, size_of(computes ? working_dtype(node->dtype) : node->dtype));
  };
  for (const Node* node : computed_nodes(program, kernel)) {
    if (is_custom(node->op)) widest = std::max(widest, sizeof(int64_t));  // bodies compute with positions
    const bool computes = is_reduce(node->op) || is_scan(node->op) || is_scatter(node->op) ||
                          (is_elementwise(node->op) && node->op != Op::kWhere && node->op != Op::kBitcast);
    meet(node, computes);
    if (node->op == Op::kCheckIndex) widest = size_of(DType::kI64);  // whatever they are stored as
    for (size_t i = 0; i < node->sources.size(); ++i) {
      const DType dtype = node->sources[i]->dtype;
      if (is_operand(node->op, i) || is_bool(dtype))
        meet(node->sources[i], computes);
      else  // positions, which may take two registers: often they are the same in all lanes
        widest = std::max(widest, size_of(info(dtype).computes_in) / 2);
    }
  }
  for (const StorePlan& s : kernel.stores) meet(s.node, false);
  return std::min(std::max(1, target.vector_bytes / static_cast<int>(widest)), kMostLanes);
}

// Rows are read by whole pages of 4 KiB, since of narrower pieces half of what the prefetcher fetches is not wanted yet; from the caches
// few of them in one go: rows whose length is a power of two compete for the same lines of the first.
constexpr int kMostRowsWritten = 16;  // of a reduction, that are added in one go
constexpr int kPiecesTogether = 8;    // of rows that are scanned, which are written too
constexpr int kGroupsInTurn = 16;     // of a scan along rows

/// Columns of a page of accumulators.
int64_t page_tile(std::span<const Node* const> nodes) {
  size_t bytes = 0;
  for (const Node* node : nodes) bytes += std::max<size_t>(size_of(node->dtype), 4);
  return std::max<int64_t>(64, static_cast<int64_t>(std::bit_floor(kPageBytes / bytes)));
}

Schedule choose_scan(const KernelPlan& kernel, int width) {
  Schedule s;
  s.recipe = Template::kScan;
  s.axes.resize(iteration_space(kernel).size());
  const size_t scanned = static_cast<size_t>(scan_axis(kernel)), threads = static_cast<size_t>(thread_axis(kernel));
  const int vectors = vector_axis(kernel);
  if (threads < s.axes.size()) s.axes[threads].kind = AxisKind::kThread;
  if (vectors >= 0) s.axes[static_cast<size_t>(vectors)].simd_width = width;
  if (scanned < s.axes.size()) s.axes[scanned].kind = AxisKind::kScan;
  if (vectors >= 0 && vectors == scan_axis(kernel) && width > 1) s.axes[scanned].unroll = kGroupsInTurn;
  if (vectors >= 0 && vectors != scan_axis(kernel)) {
    // One row at a time is one stream of memory, unless the rows of a tile are pieces of longer ones.
    AxisSchedule& columns = s.axes[static_cast<size_t>(vectors)];
    columns.tile = page_tile(kernel.scans);
    if (scanned < s.axes.size() && !proven_at_most(iteration_space(kernel)[static_cast<size_t>(vectors)], columns.tile))
      s.axes[scanned].unroll = kPiecesTogether;
  }
  return s;
}

/// Each row of a routine or custom function is one thread's; a native call is nobody's but its function's.
Schedule choose_call(const KernelPlan& kernel) {
  Schedule s;
  s.recipe = recipe_of(kernel);
  s.axes.resize(iteration_space(kernel).size());
  if (thread_axis(kernel) == 0) s.axes.front().kind = AxisKind::kThread;
  return s;
}

Schedule choose_scatter(const KernelPlan& kernel, int width) {
  Schedule s;
  s.recipe = Template::kScatter;
  s.partition = false;
  s.axes.resize(iteration_space(kernel).size());
  const int scattered = scatter_axis(kernel);
  if (scattered >= 0) s.axes[static_cast<size_t>(scattered)].kind = AxisKind::kScatter;
  if (thread_axis(kernel) == 0) s.axes.front().kind = AxisKind::kThread;
  if (!s.axes.empty()) s.axes.back().simd_width = width;
  return s;
}

/// What is left of an array of unknown length, which comes once and not with each row, may be single elements: a few nanoseconds more where
/// little is done for each, and the compiler is done a tenth sooner than with vectors that overlap.
bool ends_in_singles(const Program& program, const KernelPlan& kernel, int width) {
  constexpr int kMostSingles = 16, kMostCost = 10;  // in additions: an exp is more
  const Shape space = iteration_space(kernel);
  if (space.size() != 1 || space[0].is_constant() || width > kMostSingles) return false;
  int cost = 0;
  for (const Node* node : computed_nodes(program, kernel))
    if (!is_movement(node->op) && node->rank() > 0) cost += info(node->op).cost;
  return cost <= kMostCost;
}

Schedule choose(const Program& program, const KernelPlan& kernel, const ScheduleOptions& options) {
  Schedule s;
  const int width = options.simd_width ? options.simd_width : natural_width(program, kernel, options.target);
  if (!kernel.scans.empty()) return choose_scan(kernel, width);
  if (kernel.alone != nullptr) return is_scatter(kernel.alone->op) ? choose_scatter(kernel, width) : choose_call(kernel);
  s.axes.resize(iteration_space(kernel).size());
  if (!s.axes.empty()) {
    s.axes.front().kind = AxisKind::kThread;
    s.axes.back().simd_width = width;
  }
  if (!kernel.reduces.empty()) {
    s.recipe = recipe_of(kernel);
    const auto& attributes = kernel.reduces[0]->as<ReduceAttributes>();
    AxisSchedule reduced;
    reduced.kind = AxisKind::kReduce;
    if (attributes.order == ReduceOrder::kLanes) {
      // the law's 64 lanes are the vector axis; kept axes stay scalar
      if (!s.axes.empty()) s.axes.back().simd_width = 1;
      reduced.simd_width = width;
    } else if (s.axes.empty()) {
      reduced.simd_width = 1;
    } else {
      const Dim rows = term_count(*kernel.reduces[0]);
      reduced.unroll = proven_at_most(rows, kMostRowsWritten) ? static_cast<int>(std::max<int64_t>(1, range(rows).hi)) : 8;
      if (keeps_rows(kernel))
        s.axes.back().tile = kKeptColumns;
      else if (kernel.passes.size() > 1)
        s.axes.back().tile = page_tile({kernel.reduces.data(), 1});
    }
    s.axes.push_back(reduced);
  } else if (!s.axes.empty()) {
    s.axes.back().unroll = vectors_side_by_side(program, kernel);
    s.overlap = !ends_in_singles(program, kernel, width);
  }
  return s;
}

/// How a kernel reads memory that adds rows of it to a row of accumulators: as many at a time, and as many vectors of each written out, as
/// suits where they are.
struct RowReads {
  struct Reads {
    int rows, vectors;
    int64_t pages = 1;   // of a row's piece
    bool ahead = false;  // the rows that come next are asked for
  };
  int64_t near_bytes;
  Reads near, far;  // up to so many bytes, and beyond
};
// Sums of rows, and of rows times a number each.
//
// Where a vector is one load, a single stream of whole rows is followed by the prefetcher within the second cache, where rows in turn are
// read at half the speed (1024 columns: 0.88 and 0.51 of reading); from memory and the third cache rows in turn share the wait (6: 0.97 and
// 0.78, 4: 1.0 and 0.7, 8: 0.9 and 0.8, one: 0.8 and 0.5). Where it is two, several rows from near share the loads of the accumulators,
// and from beyond one row at a time is read as fast as memory goes, if several vectors are asked for before a sum waits (two whole rows:
// half as fast).
//
// Pieces of longer rows jump, and so many rows in one go share the wait (one at a time is half as fast). Whole rows that are near are few
// enough for one block (256 of 1000): the levels above would cost a sixth of the speed. Products of rows from memory are, one vector at a
// time, 1.1 to 1.3 times as fast if the next rows are asked for, but 0.7 to 0.9 times where the third cache has them. With two loads two
// vectors of 4 rows are 0.87 to 0.96 of the speed of memory, one of 8, asked for, 0.78.
constexpr RowReads kSums{1000 << 10, {1, 4}, {6, 2}}, kSumsOfOneLoad{1000 << 10, {4, 1}, {1, 4}}, kPiecesOfSums{1 << 20, {4, 1}, {16, 1}},
    kProducts{1 << 24, {4, 1}, {4, 2, 4}}, kProductsOfOneLoad{1 << 24, {4, 1}, {8, 1, 4, true}};
// Rows that may be combined in any order are as many streams of whole rows, wherever they are (an array of maxima is read by 2 at 0.95 of
// the speed of memory, by one at 0.73 to 0.83; from the third cache at 0.57 to 0.69 and 0.45 to 0.53; with one load a cycle by 6 at 0.86,
// by one at 0.71).
constexpr RowReads::Reads kExtremes{2, 2}, kExtremesOfOneLoad{6, 1};
/// Nothing: it adds computed rows, or rows that fit registers, each read once.
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

/// Of rows that row_reads() has a schedule for: may whole ones be read in any order?
bool reads_apart(const KernelPlan& kernel) {
  const auto is_free = [](const Node* reduce) { return is_free_of_order(reduce->op, reduce->dtype); };
  return std::all_of(kernel.reduces.begin(), kernel.reduces.end(), is_free) &&
         proven_at_most(iteration_space(kernel).back(), page_tile(kernel.reduces));
}

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

/// Rows or parts of a row that are read side by side.
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

/// One schedule where `guard` (>= 0) holds, else another.
std::vector<Variant> by_size(Sym guard, const Schedule& there, const Schedule& elsewhere) {
  if (proven_nonnegative(guard)) return {{std::nullopt, there}};
  if (proven_nonnegative(Sym(-1) - guard)) return {{std::nullopt, elsewhere}};
  return {{guard, there}, {std::nullopt, elsewhere}};
}

/// What comes from the second cache, and goes there, is best scanned by whole rows of memory, which the prefetcher follows (twice as fast
/// as by pieces of rows), each from the one stored before it, as long as three rows stay in the first cache. Where a vector is two loads it
/// is by columns that stay in registers: the running values of a whole row compete with the row.
constexpr int64_t kNearScanBytes = int64_t{512} << 10;  // of the array that is scanned
constexpr int64_t kNearRowBytes = int64_t{16} << 10;
constexpr int64_t kRunningVectors = 16;  // of columns: their running values stay in registers

/// Where a scan down the columns of a loaded array is near: the size up to which it is, and the schedule; none: it is never.
std::optional<Variant> near_scan(const Program& program, const KernelPlan& kernel, const Schedule& usual, const Target& target) {
  const int vectors = vector_axis(kernel), scanned = scan_axis(kernel);
  if (kernel.scans.size() != 1 || kernel.stores.size() != 1 || kernel.stores[0].node != kernel.scans[0]) return std::nullopt;
  const Node& source = *kernel.scans[0]->sources[0];
  if (vectors < 0 || scanned < 0 || vectors == scanned || !is_loaded(program, kernel, &source)) return std::nullopt;
  Variant near{Sym(kNearScanBytes / static_cast<int64_t>(size_of(source.dtype))) - element_count(source.shape), usual};
  AxisSchedule& columns = near.schedule.axes[static_cast<size_t>(vectors)];
  const Dim width = iteration_space(kernel)[static_cast<size_t>(vectors)];
  if (columns.simd_width == 1 || !width.is_constant() || width.constant() <= columns.simd_width * kRunningVectors) return std::nullopt;
  if (target.one_load) {
    columns.tile = columns.simd_width * kRunningVectors;
    return near;
  }
  if (width.constant() * static_cast<int64_t>(size_of(source.dtype)) <= kNearRowBytes) columns.tile = width.constant();
  near.schedule.axes[static_cast<size_t>(scanned)].unroll = 1;
  return near;
}

/// The schedule past the caches where so much is stored: of scans, which are copies as far as memory goes, by the sizes of the run, of
/// others as far as sizes are known (a kernel that is there twice takes twice as long to compile). In place it is not, since what has just
/// been read is in the caches (0.7 to 0.8 of the speed); scans never are.
std::vector<Variant> past_caches(const Program& program, const KernelPlan& kernel, const Schedule& usual, const Target& target) {
  const auto has_vectors = [](const AxisSchedule& axis) { return axis.simd_width > 1; };
  const bool is_elementwise = usual.recipe == Template::kElementwise, is_scan = usual.recipe == Template::kScan;
  if (!is_elementwise && !is_scan && usual.recipe != Template::kRowwise) return {{std::nullopt, usual}};
  if (!target.streams || std::none_of(usual.axes.begin(), usual.axes.end(), has_vectors)) return {{std::nullopt, usual}};
  const auto goes_in_pieces = [](const AxisSchedule& axis) { return axis.kind == AxisKind::kScan && axis.unroll > 1; };
  const int scanned = scan_axis(kernel);
  const bool is_along_rows = is_scan && scanned >= 0 && vector_axis(kernel) == scanned;
  const bool is_in_pieces = !is_along_rows && std::any_of(usual.axes.begin(), usual.axes.end(), goes_in_pieces);
  Schedule large = usual;
  large.stream = true;
  large.late = is_better_late(kernel);
  if (is_along_rows) {
    large.axes[static_cast<size_t>(scanned)].unroll = 1;  // memory is what it waits for
    large.ahead = !target.one_load;
  }
  const bool takes_any_row = large.late || (is_along_rows && may_store_by_lines(kernel));
  const Sym guard = is_elementwise  ? streams_elements(program, kernel)
                    : is_in_pieces  ? streams_lines(kernel)
                    : takes_any_row ? streams_any(kernel)
                                    : streams_rows(kernel);
  if (is_scan) return by_size(guard, large, usual);
  if (!proven_nonnegative(guard)) return {{std::nullopt, usual}};
  return {{std::nullopt, large, true}, {std::nullopt, usual}};
}

std::vector<Variant> variants_of(const Program& program, const KernelPlan& kernel, const ScheduleOptions& options) {
  Schedule s = choose(program, kernel, options);
  if (const auto contraction = as_contraction(kernel))
    if (const std::optional<Sym> guard = pays(program, kernel, *contraction)) {
      const int width = s.axes[s.axes.size() - 2].simd_width;
      Schedule tiles = schedule_contraction(program, kernel, *contraction, options.target, width);
      // Known sizes only: a kernel that is there twice takes twice as long to compile.
      tiles.stream = options.target.streams && width > 1 && proven_nonnegative(streams_lines(kernel));
      if (guard->is_constant()) return {{std::nullopt, tiles}};
      return {{guard, tiles}, {std::nullopt, s}};
    }
  if (const std::optional<size_t> axis = transposed_axis(program, kernel); axis && blocks_pay(kernel, *axis)) {
    const int lanes = s.axes.back().simd_width;
    const Schedule usual = schedule_transpose(program, kernel, *axis, lanes);
    if (!options.target.streams || lanes == 1) return {{std::nullopt, usual}};
    return by_size(streams_lines(kernel), schedule_streamed_transpose(program, kernel, *axis, lanes, options.target), usual);
  }
  if (!kernel.scans.empty()) {
    std::vector<Variant> variants = past_caches(program, kernel, s, options.target);
    if (const auto near = near_scan(program, kernel, s, options.target)) {
      if (proven_nonnegative(*near->guard)) return {{std::nullopt, near->schedule}};
      if (!proven_nonnegative(Sym(-1) - *near->guard)) variants.insert(variants.begin(), *near);
    }
    return variants;
  }
  if (!kernel.reduces.empty()) set_apart(program, kernel, options.target, s);
  const std::optional<RowReads> reads_of = row_reads(program, kernel, s, options.target);
  if (!reads_of) return past_caches(program, kernel, s, options.target);
  const auto with = [&](const RowReads::Reads& reads) {
    Schedule schedule = s;
    AxisSchedule &columns = schedule.axes[s.axes.size() - 2], &rows = schedule.axes.back();
    columns.tile = page_tile(kernel.reduces) * reads.pages;
    columns.unroll = reads.vectors;
    rows.unroll = reads.rows;
    schedule.ahead = reads.ahead;
    return schedule;
  };
  if (reads_apart(kernel)) return {{std::nullopt, with(options.target.one_load ? kExtremesOfOneLoad : kExtremes)}};
  const Node& source = *kernel.reduces[0]->sources[0];
  const Sym room = Sym(reads_of->near_bytes / static_cast<int64_t>(size_of(source.dtype))) - element_count(source.shape);
  return by_size(room, with(reads_of->near), with(reads_of->far));
}

}  // namespace

std::vector<Schedule> usual_schedules(const Program& program, const KernelPlan& kernel, const ScheduleOptions& options) {
  std::vector<Schedule> schedules = {choose(program, kernel, options)};
  schedules[0].recipe = recipe_of(kernel);
  const auto width = [&](size_t from_last) { return schedules[0].axes[schedules[0].axes.size() - from_last].simd_width; };
  if (const auto contraction = as_contraction(kernel))
    schedules.push_back(schedule_contraction(program, kernel, *contraction, options.target, width(2)));
  else if (const auto axis = transposed_axis(program, kernel))
    schedules.push_back(schedule_transpose(program, kernel, *axis, width(1)));
  return schedules;
}

void expand(Program& program, const ScheduleOptions& options) {
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    KernelPlan& kernel = program.kernels[k];
    kernel.variants = variants_of(program, kernel, options);
    for (const Variant& variant : kernel.variants) check_legal(program, kernel, variant.schedule, cat("kernel_", k));
  }
  apply_overrides(program, parse_overrides(options.overrides), options.has_vectors);
}

Program schedule_graph(std::shared_ptr<Graph> graph, const ScheduleOptions& options) {
  Program program = fuse(std::move(graph));
  expand(program, options);
  chain_kernels(program, options.chain_bytes);
  plan_memory(program);
  return program;
}

}  // namespace harp
