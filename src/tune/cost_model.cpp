#include "tune/cost_model.h"

#include <algorithm>
#include <cmath>

#include "schedule/narrow_products.h"

namespace harp::tune {
namespace {

// The costs are in cycles, for a CPU core that starts two multiply-adds (latency 4 cycles) and two loads per cycle.
constexpr double kFma = 0.5, kLoad = 0.5, kLatency = 4, kSpill = 1.5;
constexpr int64_t kElementBytes = 4, kTerms = 256;
// Cost that is added for another compiler, other flags or a skipped pass: their effect is unknown, so the defaults are tried first.
constexpr double kOtherCode = 0.01;

/// Returns by which factor the work grows because whole tiles are computed: the number of computed elements divided by the number of
/// elements in the result.
double padding(int64_t extent, int64_t tile) {
  const double whole = std::ceil(static_cast<double>(extent) / static_cast<double>(tile)) * static_cast<double>(tile);
  return extent > 0 ? whole / static_cast<double>(extent) : 1;
}

double beyond(int64_t bytes, int64_t cache, double price) { return bytes > cache ? price : 1; }

/// Returns the estimated cycles for one multiply-add of a contraction. A multiply-add computes one term of the sum that forms an element of
/// the result.
double contraction(const KernelSpace& kernel, const ScheduleRules& rules, const Schedule& s, const Cpu& cpu) {
  const auto position_of = [&](auto is_sought) {
    return static_cast<size_t>(std::find_if(rules.axes.begin(), rules.axes.end(), is_sought) - rules.axes.begin());
  };
  const size_t column_position = position_of([](const AxisRules&axis) { return axis.max_lanes > 1; }),
               row_position = position_of([](const AxisRules&axis) { return axis.pack && axis.max_lanes == 1; });
  const AxisSchedule& columns = s.axes[column_position];
  const bool has_rows = row_position < rules.axes.size();
  const AxisSchedule one_row, &rows = has_rows ? s.axes[row_position] : one_row;
  const int64_t row_count = has_rows ? kernel.extents[row_position] : 1;
  const int terms = s.axes.back().simd_width, multiplied = cpu.dot_products ? kTermsOfQuad : cpu.multiplies_pairs ? kTermsOfPair : 1;
  const double terms_of_lane = terms <= multiplied ? terms : 1;  // number of terms that one multiply-add instruction processes in each lane
  const double r = rows.unroll, c = columns.unroll, lanes = columns.simd_width * terms_of_lane, sums = r * c;
  const double spilled = std::max(0.0, sums + c + 1 - cpu.vector_registers);
  const double loads = (c + r * (rows.pack ? 1 : 1.3)) * kLoad;
  const double term = std::max({sums * kFma, loads, kLatency}) + spilled * kSpill;
  const int64_t block_rows = std::max<int64_t>(rows.tile, rows.unroll),
                block_columns = std::max<int64_t>(columns.tile, columns.unroll * columns.simd_width);
  const double caches = beyond(kTerms * columns.unroll * columns.simd_width * kElementBytes, cpu.caches.first, 1.3) *
                        beyond(std::min(block_rows, row_count) * std::min(block_columns, kernel.extents[column_position]) * kElementBytes,
                               cpu.caches.second, 1.2);
  // The columns' factor is packed once for each block of rows, or only once for all rows if the schedule says so. The rows' factor is
  // packed once for each block of columns.
  const int64_t rows_a_copy = columns.pack ? std::max(block_rows, row_count) : block_rows;
  const double copies = 1 + 4.0 / static_cast<double>(rows_a_copy) + (rows.pack ? 4.0 / static_cast<double>(block_columns) : 0);
  // If only one half of a symmetric product is computed, in b blocks of rows, the work is (b + 1) / 2b of that of the whole product.
  const double row_blocks = std::max(1.0, static_cast<double>(row_count) / static_cast<double>(block_rows)),
               computed = s.half ? (row_blocks + 1) / (2 * row_blocks) : 1;
  return computed * term / (sums * lanes) * padding(row_count, rows.unroll) *
         padding(kernel.extents[column_position], columns.unroll * columns.simd_width) * caches * copies;
}

/// Returns the cost per element of a transpose relative to ideal tiles. It depends only on the tile sizes.
double blocks(const Schedule& s, const Cpu& cpu) {
  int64_t elements = 1, least = kTerms;
  for (const AxisSchedule& axis : s.axes)
    if (axis.tile > 0) elements *= axis.tile, least = std::min(least, axis.tile);
  return (1 + 16.0 / static_cast<double>(least)) * beyond(elements * kElementBytes, cpu.caches.first, 1.3);
}

double rows_in_tiles(const Schedule& s, const Cpu& cpu) {
  double cost = 1;
  for (const AxisSchedule& axis : s.axes) {
    if (axis.tile > 0) cost *= beyond(axis.tile * kElementBytes, cpu.caches.first, 1.3) * (1 + 64.0 / static_cast<double>(axis.tile));
    if (axis.unroll > 1) cost *= 1 + 0.2 / axis.unroll;
  }
  return cost;
}

double cost_of(const KernelSpace& kernel, const Schedule& s, const Cpu& cpu) {
  int lanes = 1;
  for (const AxisSchedule& axis : s.axes) lanes = std::max(lanes, axis.simd_width);
  const auto is_recipe = [&](const ScheduleRules& r) { return r.recipe == s.recipe; };
  const auto number = static_cast<size_t>(std::find_if(kernel.rules.begin(), kernel.rules.end(), is_recipe) - kernel.rules.begin());
  if (s.recipe == Template::kContraction) return contraction(kernel, kernel.rules[number], s, cpu);
  // A kernel whose time is spent on memory accesses gains less from wide vectors than in proportion to the number of lanes. Therefore the
  // cost is not proportional to 1 / lanes.
  double cost = 1 / std::sqrt(lanes);
  if (s.recipe == Template::kTranspose) cost *= blocks(s, cpu);
  const bool is_transposed = kernel.rules.back().recipe == Template::kTranspose;
  if (s.recipe == Template::kElementwise && is_transposed) cost *= 4;       // each access is a strided access to a single element
  if (s.recipe == Template::kReduce && kernel.rules.size() > 1) cost *= 2;  // without register tiles, each multiply-add loads both factors
  if (s.recipe != Template::kTranspose) cost *= rows_in_tiles(s, cpu);
  const Schedule& usual = kernel.usual[number];
  if (s.partition != usual.partition) cost *= 1.1;
  if (s.overlap != usual.overlap) cost *= 1.02;
  if (s.nontemporal != usual.nontemporal) cost *= 1.2;  // harp chooses by the array's size, so the other choice is probably slower
  if (s.defer_stores != usual.defer_stores) cost *= 1.1;
  if (s.prefetch != usual.prefetch) cost *= 1.1;
  if (s.nan_flag != usual.nan_flag) cost *= 1.1;
  return cost;
}

}  // namespace

double relative_cost(const SearchSpace& space, const Point& point) {
  double total = 0, here = 0;
  const Point untuned = space.untuned();
  const Cpu& cpu = space.options().base.target.cpu();
  for (size_t k = 0; k < space.kernels().size(); ++k) {
    const KernelSpace& kernel = space.kernels()[k];
    const double work = static_cast<double>(std::max<int64_t>(1, kernel.work));
    total += work;
    const bool is_changed = std::any_of(kernel.choices.begin(), kernel.choices.end(), [&](size_t choice) { return point[choice] != 0; });
    here += !is_changed ? work : work * cost_of(kernel, space.schedule(k, point), cpu) / cost_of(kernel, space.schedule(k, untuned), cpu);
  }
  double cost = total > 0 ? here / total : 1;
  for (size_t i = 0; i < point.size(); ++i) {
    const bool is_of_program = space.choices()[i].setting < Choice::Setting::kRecipe;
    if (point[i] != 0 && is_of_program) cost *= 1 + kOtherCode * (space.choices()[i].setting == Choice::Setting::kPass ? 5 : 1);
  }
  return cost;
}

}  // namespace harp::tune
