#include "fuzz/variant.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "fuzz/random.h"
#include "opt/passes.h"
#include "schedule/kernel_structure.h"
#include "schedule/legal.h"
#include "schedule/override.h"
#include "schedule/schedule_program.h"
#include "support/machine.h"

namespace harp::fuzz {
namespace {

int parse_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  HARP_CHECK(error == std::errc() && end == text.data() + text.size(), Code::kParse, "variant: \"", text, "\" is not a number");
  return value;
}

bool consume(std::string_view& text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Removes the vectors from all axes but one. The rules of an elementwise kernel with short axes, and of a reduction in lanes order (64
/// interleaved partial results), allow vectors along two axes, but a schedule may have them along only one.
void keep_vectors_of_one_axis(Schedule& s, Random& random) {
  std::vector<AxisSchedule*> with_vectors;
  for (AxisSchedule& axis : s.axes)
    if (axis.simd_width > 1) with_vectors.push_back(&axis);
  if (with_vectors.size() < 2) return;
  const AxisSchedule* kept = random.pick(with_vectors);
  for (AxisSchedule* axis : with_vectors)
    if (axis != kept) axis->simd_width = 1;
}

/// A random schedule within `rules`, with small tiles, so that even small graphs have many tiles. The caller must check that the schedule
/// is legal, because the rules do not include the limits on block sizes.
Schedule random_schedule(const ScheduleRules& rules, Random& random, int usual_width, bool plain_text) {
  Schedule s;
  s.recipe = rules.recipe;
  s.partition = random.chance(80), s.overlap = random.chance(80);
  for (const AxisRules& axis : rules.axes) {
    AxisSchedule& a = s.axes.emplace_back();
    a.kind = axis.threads && random.chance(80) ? AxisKind::kThread : axis.kind;
    if (axis.max_tile > 0 && (axis.min_tile > 0 || random.chance(80)))
      a.tile = random.between(std::max<int64_t>(1, axis.min_tile), std::min<int64_t>(axis.max_tile, random.chance(90)   ? 40
                                                                                                    : random.chance(70) ? 300
                                                                                                                        : 8192));
    if (axis.max_unroll > 1 && random.chance(60))
      a.unroll = static_cast<int>(random.between(1, std::min(axis.max_unroll, random.chance(90) ? 8 : 64)));
    if (axis.max_lanes > 1 && !plain_text)
      a.simd_width = std::min(axis.max_lanes, random.chance(60) ? usual_width : 1 << random.between(0, 4));
    a.pack = axis.pack && random.chance(50);
    if (axis.split && random.chance(50)) a.split = random.chance(70) ? 256 : 65536;
    if (axis.split && random.chance(70)) a.stages = int64_t{1} << random.between(1, 3);
  }
  if (s.recipe == Template::kElementwise || s.recipe == Template::kReduce) keep_vectors_of_one_axis(s, random);
  s.nontemporal = rules.may_stream && random.chance(40);
  s.defer_stores = rules.may_defer_stores && random.chance(50);
  s.prefetch = rules.may_prefetch && random.chance(40);
  s.nan_flag = rules.may_use_invalid_flag && random.chance(60);
  if (rules.may_compute_half && random.chance(70)) {
    // If only half of a symmetric product is computed, the number of rows of a block must be a multiple of the number of columns of a tile.
    // The tiles are small here, so that there are several blocks.
    s.half = true;
    s.axes.back().unroll = 1;
    int lanes = 1;
    for (size_t i = 0; i + 1 < s.axes.size(); ++i)
      if (rules.axes[i].max_lanes > 1) s.axes[i].unroll = 1, lanes = s.axes[i].simd_width = std::min(s.axes[i].simd_width, 4);
    for (size_t i = 0; i + 1 < s.axes.size(); ++i)
      if (rules.axes[i].pack && rules.axes[i].max_lanes == 1) s.axes[i].unroll = lanes * static_cast<int>(random.between(1, 2));
  }
  return s;
}

/// Exchanges the settings of the rows and the columns of a contraction, so that vectors run along the rows (exchanged() in
/// schedule/contraction.h). The caller must check that the result is legal.
Schedule exchanged(const ScheduleRules& rules, Schedule s) {
  const std::span<const AxisRules> kept = std::span(rules.axes).first(rules.axes.size() - 1);
  const auto columns = std::ranges::find_if(kept, [](const AxisRules& axis) { return axis.max_lanes > 1; });
  const auto rows = std::ranges::find_if(kept, [](const AxisRules& axis) { return axis.pack && axis.max_lanes == 1; });
  if (columns == kept.end() || rows == kept.end()) return s;
  AxisSchedule &a = s.axes[static_cast<size_t>(rows - kept.begin())], &b = s.axes[static_cast<size_t>(columns - kept.begin())];
  std::swap(a.kind, b.kind);
  std::swap(a, b);
  s.axes.back().unroll = 1;
  s.half = false;
  return s;
}

/// The vector width that harp chose for the kernel.
int width_of(const KernelPlan& kernel) {
  int width = 1;
  for (const AxisSchedule& axis : kernel.variants[0].schedule.axes) width = std::max(width, axis.simd_width);
  return width;
}

/// Tests whether the schedule is legal for variant number `v` of the kernel.
bool is_legal(const Program& program, const KernelPlan& kernel, size_t v, const Schedule& schedule) {
  try {
    check_variant(program, kernel, v, schedule, "drawn");
    return true;
  } catch (const Error&) {
    return false;
  }
}
/// Tests whether the schedule is legal for all values of the shape variables.
bool is_legal(const Program& program, KernelPlan kernel, const Schedule& schedule) {
  kernel.variants.assign(1, Variant{});  // without a guard
  return is_legal(program, kernel, 0, schedule);
}

/// The schedule overrides for all kernels as text. These are the schedules that harp chose, with some options disabled or, if the variant
/// has a seed for schedules, random schedules.
std::string schedules_of(const Graph& graph, const PipelineOptions& options, const BuildVariant& variant) {
  constexpr int kTries = 4;
  Random random(variant.schedules, "schedules");
  const Program program =
      schedule_graph(optimised(graph, options), {options.target, options.plain_text ? 1 : options.simd_width, {}, options.chains});
  std::string lines;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const KernelPlan& kernel = program.kernels[k];
    Schedule schedule = kernel.variants[0].schedule;
    for (int i = 0; variant.schedules != 0 && i < kTries; ++i) {
      const ScheduleRules rules = random.pick(rules_of(program, kernel));
      Schedule drawn = random_schedule(rules, random, width_of(kernel), options.plain_text);
      if (rules.recipe == Template::kContraction && random.chance(25)) drawn = exchanged(rules, std::move(drawn));
      if (!is_legal(program, kernel, drawn)) continue;
      schedule = drawn;
      break;
    }
    schedule.partition &= variant.partition;
    schedule.overlap &= variant.overlap;
    append(lines, cat(print(ScheduleOverride{static_cast<int64_t>(k), 0, schedule}), "\n"));
  }
  return lines;
}

/// A variant that runs on a GPU. All settings that are not set here have no effect on a GPU.
BuildVariant device_variant(uint64_t seed, const std::string& device) {
  Random random(seed, "device");
  BuildVariant v;
  v.device = device;
  v.in_place = random.chance(50);
  v.check_indices = random.chance(20);
  if (random.chance(15)) v.disabled_rules.emplace_back(random.pick(opt::passes()).name);
  return v;
}

}  // namespace

std::string to_string(const BuildVariant& v) {
  std::string out = cat(v.compiler.compiler, " -O", v.compiler.optimisation);
  if (v.compiler.vectors_written) append(out, " vectors");
  if (!v.compiler.target.empty()) append(out, cat(" ", v.compiler.target));
  if (!v.device.empty()) append(out, cat(" device=", v.device));
  if (v.plain_text) append(out, " plain");
  if (v.simd_width != 0) append(out, cat(" simd=", v.simd_width));
  for (const std::string& rule : v.disabled_rules) append(out, cat(" without=", rule));
  if (!v.partition) append(out, " nopartition");
  if (!v.overlap) append(out, " nooverlap");
  if (v.workers != 0) append(out, cat(" workers=", v.workers));
  if (v.schedules != 0) append(out, cat(" schedules=", v.schedules));
  if (v.pool) append(out, " pool");
  if (v.usual_grain) append(out, " grain");
  if (v.chains) append(out, " chains");
  if (v.in_place) append(out, " inplace");
  if (v.check_indices) append(out, " check");
  return out;
}

BuildVariant parse_variant(std::string_view text) {
  BuildVariant v;
  bool is_first = true;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (std::exchange(is_first, false))
      v.compiler.compiler = word;
    else if (consume(word, "-O"))
      v.compiler.optimisation = parse_number(word);
    else if (word == "vectors")
      v.compiler.vectors_written = true;
    else if (word == "plain")
      v.plain_text = true;
    else if (consume(word, "simd="))
      v.simd_width = parse_number(word);
    else if (consume(word, "without="))
      v.disabled_rules.emplace_back(word);
    else if (word == "nopartition")
      v.partition = false;
    else if (word == "nooverlap")
      v.overlap = false;
    else if (word == "pool")
      v.pool = true;
    else if (word == "grain")
      v.usual_grain = true;
    else if (word == "chains")
      v.chains = true;
    else if (word == "inplace")
      v.in_place = true;
    else if (word == "check")
      v.check_indices = true;
    else if (consume(word, "device="))
      v.device = word;
    else if (consume(word, "workers="))
      v.workers = parse_number(word);
    else if (consume(word, "schedules="))
      v.schedules = static_cast<uint32_t>(parse_number(word));
    else if (machine_from_name(word))
      v.compiler.target = word;
    else
      fail(Code::kParse, "variant: what is \"", word, "\"?");
  }
  return v;
}

std::vector<BuildVariant> random_variants(uint64_t seed, const VariantLimits& limits) {
  if (!limits.device.empty()) return {device_variant(seed, limits.device)};
  const uint64_t group = seed / limits.seeds_per_compiler;
  Random shared(group, "compilers"), flags(group, "flags"), own(seed, "variants"), in_place(seed, "in place"),
      checks(seed, "check indices"), schedules(seed, "schedules"), threads(seed, "threads"), chains(seed, "chains");
  const std::span<const Machine> levels = machines();
  std::vector<BuildVariant> variants;
  const size_t first = shared.below(limits.compilers.size());
  for (size_t i = 0; i < 2; ++i) {
    BuildVariant v;
    v.compiler.compiler = limits.compilers[(first + i) % limits.compilers.size()];
    const auto draw = static_cast<int>(shared.below(100));
    v.compiler.optimisation = draw < limits.percent_o3 ? 3 : draw < limits.percent_o3 + limits.percent_o0 ? 0 : 1;
    v.compiler.vectors_written = v.compiler.optimisation == 3 && flags.chance(50);
    const Machine level = shared.pick(levels);
    if (shared.chance(40) && can_run(level)) v.compiler.target = level.name;
    constexpr int kWidths[] = {0, 0, 0, 1, 2, 4, 8, 16};
    v.simd_width = own.pick(kWidths);
    v.plain_text = own.chance(20);
    if (v.plain_text) v.simd_width = 0;
    if (own.chance(15))
      for (const opt::Pass& pass : opt::passes()) v.disabled_rules.emplace_back(pass.name);
    else if (own.chance(15))
      v.disabled_rules.emplace_back(own.pick(opt::passes()).name);
    v.partition = !own.chance(15);
    v.overlap = !own.chance(15);
    if (own.chance(60)) v.workers = static_cast<int>(own.between(1, 4));
    if (schedules.chance(60)) v.schedules = static_cast<uint32_t>(schedules.between(1, 1000000));
    v.pool = v.workers > 0 && threads.chance(50);
    v.chains = chains.chance(60);
    v.in_place = in_place.chance(50);
    v.check_indices = checks.chance(20);
    variants.push_back(v);
  }
  return variants;
}

std::vector<BuildVariant> level_variants() {
  std::vector<BuildVariant> variants;
  for (const Machine& level : machines()) {
    if (!can_run(level)) continue;
    for (const int width : {1, 4, 8, 16})
      for (const char* compiler : {"gcc", "clang"}) {
        BuildVariant v;
        v.compiler.compiler = compiler;
        v.compiler.target = level.name;
        v.simd_width = width;
        variants.push_back(v);
      }
  }
  return variants;
}

std::string random_elements_of_thread(const Graph& graph, const PipelineOptions& options, uint64_t seed) {
  Random random(seed, "elements of a thread");
  const Program program = options.code->schedule(optimised(graph, options), options);
  std::string lines;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const KernelPlan& kernel = program.kernels[k];
    const std::vector<ScheduleRules> recipes = rules_of(program, kernel);
    for (size_t v = 0; v < kernel.variants.size(); ++v) {
      Schedule drawn = kernel.variants[v].schedule;
      const std::vector<AxisRules>& axes = std::ranges::find(recipes, drawn.recipe, &ScheduleRules::recipe)->axes;
      for (size_t i = 0; i < axes.size(); ++i)
        if (axes[i].max_lanes > 1)
          drawn.axes[i].simd_width = 1 << random.between(0, std::countr_zero(static_cast<unsigned>(axes[i].max_lanes)));
      // harp may have groups of threads reduce each column. Half of the time this is changed to one thread per column, because only then
      // can a thread reduce several columns.
      if (axes.size() > 1 && may_reduce_columns_by_groups(kernel) && random.chance(50)) drawn.axes.back().kind = AxisKind::kReduce;
      const Schedule& schedule = is_legal(program, kernel, v, drawn) ? drawn : kernel.variants[v].schedule;
      const int64_t variant = kernel.variants.size() > 1 ? static_cast<int64_t>(v) + 1 : 0;
      append(lines, cat(print(ScheduleOverride{static_cast<int64_t>(k), variant, schedule}), "\n"));
    }
  }
  return lines;
}

Machine target_of(const CompilerChoice& choice) {
  if (choice.target.empty()) return testing::machine();
  const auto target = machine_from_name(choice.target);
  HARP_CHECK(target.has_value(), Code::kInvalidArgument, "unknown target \"", choice.target, "\", expected one of ", machine_names());
  return *target;
}

PipelineOptions pipeline_options(const Graph& graph, const BuildVariant& variant) {
  PipelineOptions options;
  options.target = target_of(variant.compiler);
  options.plain_text = variant.plain_text;
  options.simd_width = variant.simd_width;
  options.disabled_rules = variant.disabled_rules;
  options.check_indices = variant.check_indices;
  // share_ns is the least work that is handed to another worker. The loops of tests are shorter than its default, so none of them would be
  // shared.
  if (variant.workers > 0 && !variant.usual_grain) options.share_ns = 0;
  if (variant.chains) options.chains = {.bytes = 1, .rows = 3};
  if (!variant.partition || !variant.overlap || variant.schedules != 0) options.schedule_override = schedules_of(graph, options, variant);
  return options;
}

}  // namespace harp::fuzz
