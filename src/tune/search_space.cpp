#include "tune/search_space.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/error.h"
#include "lower/lower.h"
#include "opt/passes.h"
#include "schedule/schedule_program.h"

namespace harp::tune {
namespace {

using Setting = Choice::Setting;

constexpr size_t kMaxKernels = 64;  // maximum number of kernels whose schedules are searched; the kernels with the most work are chosen

/// Returns the given values without repetitions, in the given order. Values outside of [least, most] are left out, except the first one.
std::vector<int64_t> options_of(std::initializer_list<int64_t> values, int64_t least, int64_t most) {
  std::vector<int64_t> options;
  for (const int64_t value : values)
    if ((options.empty() || (value >= least && value <= most)) && std::find(options.begin(), options.end(), value) == options.end())
      options.push_back(value);
  return options;
}

std::vector<int64_t> tiles_around(int64_t usual, const AxisRules& rules, int64_t extent) {
  const int64_t least = std::max<int64_t>(1, rules.min_tile), most = std::min(rules.max_tile, std::max<int64_t>(extent, usual));
  if (usual == 0) return options_of({0, 64, 256, 1024, 4096}, least, most);
  return options_of({usual, usual * 2, usual / 2, usual / 4, usual * 4}, least, most);
}

/// Returns the unroll factors to try for an axis whose usual factor is given. The register tile of a contraction may have any number of
/// rows; other templates use powers of two.
std::vector<int64_t> unrolls_around(int64_t usual, const AxisRules& rules, Template recipe) {
  if (recipe != Template::kContraction) return options_of({usual, usual * 2, usual / 2, usual * 4, 1}, 1, rules.max_unroll);
  return options_of({usual, usual - 1, usual + 1, usual - 2, usual + 2, usual / 2, usual * 2}, 1, std::min(rules.max_unroll, 24));
}

}  // namespace

SearchSpace::SearchSpace(const Graph& graph, SpaceOptions options) : options_(std::move(options)) {
  PipelineOptions base = options_.base;
  base.schedule_override.clear();
  program_ = base.code->schedule(optimised(graph, base), base);
  for (const KernelPlan& plan : program_.kernels) add_kernel(plan);
  std::vector<size_t> order(kernels_.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return kernels_[a].work > kernels_[b].work; });
  order.resize(std::min(order.size(), kMaxKernels));
  for (const size_t kernel : order) add_choices(kernel);
  if (!options_.compilers.empty()) {
    Choice compilers{Setting::kCompiler};
    for (size_t i = 0; i <= options_.compilers.size(); ++i) compilers.values.push_back(static_cast<int64_t>(i));
    add(compilers);
  }
  Choice flags{Setting::kFlags};
  for (size_t i = 0; i < std::size(kTunedFlags); ++i) flags.values.push_back(static_cast<int64_t>(i));
  add(flags);
  if (options_.workers > 1) add({Setting::kShare, 0, 0, 0, options_of({base.share_ns, 1'000, 20'000, 100'000}, 0, INT64_MAX)});
  for (size_t pass = 0; pass < opt::passes().size(); ++pass)
    if (std::ranges::find(base.disabled_rules, opt::passes()[pass].name) == base.disabled_rules.end())
      add({Setting::kPass, 0, 0, pass, {0, 1}});
}

void SearchSpace::add(Choice choice) {
  if (choice.values.size() <= 1) return;
  if (choice.setting >= Setting::kRecipe) kernels_[choice.kernel].choices.push_back(choices_.size());
  choices_.push_back(std::move(choice));
}

int64_t SearchSpace::evaluate_at(Sym size) const {
  const std::vector<Sym> variables = program_.graph->dims().variables();
  return evaluate(size, [&](const SymAtom& variable) {
    for (size_t i = 0; i < variables.size(); ++i)
      if (variable_of(variables[i])->name == variable.name) return options_.sizes.at(i);
    return variable.range.lo;
  });
}

void SearchSpace::add_kernel(const KernelPlan& plan) {
  KernelSpace& kernel = kernels_.emplace_back();
  kernel.rules = rules_of(program_, plan);
  kernel.usual = usual_schedules(program_, plan, {options_.base.target, options_.base.plain_text ? 1 : options_.base.simd_width, {}});
  size_t variant = 0;
  while (plan.variants[variant].guard && evaluate_at(*plan.variants[variant].guard) < 0) ++variant;
  if (plan.variants.size() > 1) kernel.variant = static_cast<int64_t>(variant) + 1;
  const Schedule& chosen = plan.variants[variant].schedule;
  adapt_rules(program_, plan, chosen, kernel.rules);
  while (kernel.rules[kernel.recipe].recipe != chosen.recipe) ++kernel.recipe;
  kernel.usual[kernel.recipe] = chosen;
  for (const Dim& size : iteration_space(plan)) kernel.extents.push_back(evaluate_at(size));
  if (chosen.recipe == Template::kNative) return;
  Schedule scalar = chosen;
  for (AxisSchedule& axis : scalar.axes) axis.simd_width = 1;
  kernel.work = evaluate_at(lower::work_of(program_, plan, scalar));
}

void SearchSpace::add_choices(size_t number) {
  const KernelSpace& kernel = kernels_[number];
  std::vector<int64_t> recipes = {static_cast<int64_t>(kernel.recipe)};
  for (size_t r = 0; r < kernel.rules.size(); ++r)
    if (r != kernel.recipe) recipes.push_back(static_cast<int64_t>(r));
  add({Setting::kRecipe, number, 0, 0, recipes});
  for (size_t r = 0; r < kernel.rules.size(); ++r) {
    const ScheduleRules& rules = kernel.rules[r];
    for (size_t i = 0; i < rules.axes.size(); ++i) {
      const AxisRules& axis = rules.axes[i];
      const AxisSchedule& usual = kernel.usual[r].axes[i];
      const int64_t extent = i < kernel.extents.size() ? kernel.extents[i] : INT64_MAX;
      if (axis.threads && options_.workers > 1)
        add({Setting::kThreads, number, r, i, options_of({usual.kind == AxisKind::kThread, 0, 1}, 0, 1)});
      if (axis.max_tile > 0) add({Setting::kTile, number, r, i, tiles_around(usual.tile, axis, extent)});
      if (axis.max_unroll > 1) add({Setting::kUnroll, number, r, i, unrolls_around(usual.unroll, axis, rules.recipe)});
      if (axis.max_lanes > 1 && !options_.base.plain_text && options_.base.simd_width == 0)
        add({Setting::kLanes, number, r, i,
             options_of({usual.simd_width, usual.simd_width / 2, usual.simd_width * 2, 1}, 1, axis.max_lanes)});
      if (axis.pack) add({Setting::kPack, number, r, i, options_of({usual.pack, 0, 1}, 0, 1)});
    }
    if (rules.may_stream) add({Setting::kNontemporal, number, r, 0, options_of({kernel.usual[r].nontemporal, 0, 1}, 0, 1)});
    if (rules.may_defer_stores) add({Setting::kDeferStores, number, r, 0, options_of({kernel.usual[r].defer_stores, 0, 1}, 0, 1)});
    if (rules.may_prefetch) add({Setting::kPrefetch, number, r, 0, options_of({kernel.usual[r].prefetch, 0, 1}, 0, 1)});
    if (rules.may_use_invalid_flag) add({Setting::kNanFlag, number, r, 0, options_of({kernel.usual[r].nan_flag, 0, 1}, 0, 1)});
    if (rules.may_compute_half) add({Setting::kHalf, number, r, 0, options_of({kernel.usual[r].half, 0, 1}, 0, 1)});
    if (!rules.has_inner_loop) continue;
    add({Setting::kPartition, number, r, 0, options_of({kernel.usual[r].partition, 0, 1}, 0, 1)});
    add({Setting::kOverlap, number, r, 0, options_of({kernel.usual[r].overlap, 0, 1}, 0, 1)});
  }
}

double SearchSpace::size() const {
  double count = 1;
  for (const Choice& choice : choices_) count *= static_cast<double>(choice.values.size());
  return count;
}

Schedule SearchSpace::schedule(size_t number, const Point& point) const {
  const KernelSpace& kernel = kernels_[number];
  size_t recipe = kernel.recipe;
  for (const size_t i : kernel.choices)
    if (choices_[i].setting == Setting::kRecipe) recipe = static_cast<size_t>(choices_[i].values[point[i]]);
  Schedule s = kernel.usual[recipe];
  for (const size_t i : kernel.choices) {
    const Choice& choice = choices_[i];
    if (choice.setting == Setting::kRecipe || choice.recipe != recipe) continue;
    const int64_t v = choice.values[point[i]];
    switch (choice.setting) {
      case Setting::kThreads: s.axes[choice.axis].kind = v != 0 ? AxisKind::kThread : AxisKind::kSequential; break;
      case Setting::kTile: s.axes[choice.axis].tile = v; break;
      case Setting::kUnroll: s.axes[choice.axis].unroll = static_cast<int>(v); break;
      case Setting::kLanes: s.axes[choice.axis].simd_width = static_cast<int>(v); break;
      case Setting::kPack: s.axes[choice.axis].pack = v != 0; break;
      case Setting::kPartition: s.partition = v != 0; break;
      case Setting::kOverlap: s.overlap = v != 0; break;
      case Setting::kNontemporal: s.nontemporal = v != 0; break;
      case Setting::kDeferStores: s.defer_stores = v != 0; break;
      case Setting::kPrefetch: s.prefetch = v != 0; break;
      case Setting::kNanFlag: s.nan_flag = v != 0; break;
      case Setting::kHalf: s.half = v != 0; break;
      case Setting::kCompiler:
      case Setting::kFlags:
      case Setting::kPass:
      case Setting::kShare:
      case Setting::kRecipe: break;  // these settings are not fields of a schedule
    }
  }
  return s;
}

bool SearchSpace::settle(Point& point) const {
  bool has_all_passes = true;
  for (size_t i = 0; i < choices_.size(); ++i) has_all_passes = has_all_passes && (choices_[i].setting != Setting::kPass || point[i] == 0);
  for (size_t k = 0; k < kernels_.size(); ++k) {
    size_t recipe = kernels_[k].recipe;
    bool is_changed = false;
    for (const size_t i : kernels_[k].choices) {  // the first choice in the list is the one of the template (kRecipe)
      const Choice& choice = choices_[i];
      if (!has_all_passes || (choice.setting != Setting::kRecipe && choice.recipe != recipe)) point[i] = 0;
      if (choice.setting == Setting::kRecipe) recipe = static_cast<size_t>(choice.values[point[i]]);
      is_changed = is_changed || point[i] != 0;
    }
    if (!is_changed) continue;
    try {
      const auto variant = static_cast<size_t>(std::max<int64_t>(kernels_[k].variant, 1)) - 1;
      check_variant(program_, program_.kernels[k], variant, schedule(k, point), "");
    } catch (const Error&) {
      return false;
    }
  }
  return true;
}

Configuration SearchSpace::configuration(const Point& point) const {
  Configuration result;
  std::map<size_t, bool> is_changed;
  for (const Choice& choice : choices_) {
    const size_t option = point[static_cast<size_t>(&choice - choices_.data())];
    if (option == 0) continue;
    const int64_t v = choice.values[option];
    switch (choice.setting) {
      case Setting::kCompiler: result.compiler = options_.compilers[static_cast<size_t>(v) - 1]; break;
      case Setting::kFlags: result.flags.emplace_back(kTunedFlags[v]); break;
      case Setting::kPass: result.disabled_passes.emplace_back(opt::passes()[choice.axis].name); break;
      case Setting::kShare: result.share_ns = v; break;
      case Setting::kRecipe:
      case Setting::kThreads:
      case Setting::kTile:
      case Setting::kUnroll:
      case Setting::kLanes:
      case Setting::kPack:
      case Setting::kPartition:
      case Setting::kOverlap:
      case Setting::kNontemporal:
      case Setting::kDeferStores:
      case Setting::kPrefetch:
      case Setting::kNanFlag:
      case Setting::kHalf: is_changed[choice.kernel] = true; break;
    }
  }
  for (const auto& changed : is_changed)
    result.schedules.push_back({static_cast<int64_t>(changed.first), kernels_[changed.first].variant, schedule(changed.first, point)});
  return result;
}

}  // namespace harp::tune
