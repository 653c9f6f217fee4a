// Makes the module of a program: lowers every kernel (equal kernels only once), and makes the host code, which consists of the launches of
// each generation (set of kernels that do not depend on each other) with the buffers that they pass.
#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "base/table_limit.h"
#include "lower/accumulate.h"
#include "lower/equal_kernels.h"
#include "lower/gpu/routine.h"
#include "lower/gpu/scan.h"
#include "lower/gpu/scatter.h"
#include "lower/gpu/sum_of_slices.h"
#include "lower/lower.h"
#include "lower/unrolled.h"
#include "schedule/contraction.h"
#include "schedule/gpu/grid_scan.h"
#include "schedule/gpu/product_slices.h"
#include "schedule/legal.h"
#include "schedule/routine.h"

namespace harp::lower {
namespace {

std::string describe_routine(const Node& node) {
  const int64_t kept = kept_of_sort(node);
  return cat(" · ", name(node.op), " of rows of ", to_string(node.sources[0]->shape.back()),
             kept > 0 ? cat(", of which the first ", kept, " are kept") : std::string());
}

std::string comment_of(const KernelPlan& plan, const Schedule& schedule) {
  std::string out = cat(name_of(schedule.recipe), " over ", to_string(iteration_space(plan)));
  for (const Node* r : plan.reduces) {
    const auto& a = r->as<ReduceAttributes>();
    append(out, cat(" · ", name(r->op), " of ", to_string(r->sources[0]->shape), " axes [", join(a.axes, ", "), "] ",
                    a.order == ReduceOrder::kLanes ? "lanes" : "chain", a.product ? " product" : ""));
  }
  for (const Node* s : plan.scans) append(out, cat(" · ", describe_scan(*s)));
  if (plan.alone != nullptr)
    append(out, is_custom(plan.alone->op)    ? " · custom function"
                : is_routine(plan.alone->op) ? describe_routine(*plan.alone)
                                             : cat(" · ", describe_scatter(*plan.alone)));
  append(out, cat(" · ", print(schedule)));
  return out;
}

/// Returns the pairs {written array, read array} of the kernel that may be the same memory.
std::vector<std::pair<ir::HostBuffer, ir::HostBuffer>> in_place_of(const Program& program, const KernelPlan& plan) {
  std::vector<std::pair<ir::HostBuffer, ir::HostBuffer>> pairs;
  for (const InPlace& pair : program.in_place) {
    const bool is_stored =
        std::any_of(plan.stores.begin(), plan.stores.end(), [&](const StorePlan& s) { return s.buffer == pair.written; });
    if (is_stored && std::find(plan.reads.begin(), plan.reads.end(), pair.read) != plan.reads.end())
      pairs.emplace_back(host_buffer(program, pair.written), host_buffer(program, pair.read));
  }
  return pairs;
}

/// Tests whether some run can select this variant, as far as it is known at compile time which arrays are the same memory: that is known
/// for arrays in the workspace, but not for arrays that the caller passes.
bool is_reached(const KernelPlan& plan, size_t v, const std::vector<std::pair<ir::HostBuffer, ir::HostBuffer>>& in_place) {
  const bool is_sure =
      std::any_of(in_place.begin(), in_place.end(), [](const auto& pair) { return pair.second.kind == ir::HostBuffer::Kind::kTemporary; });
  if (plan.variants[v].only_without_aliasing) return !is_sure;
  return v == 0 || !plan.variants[v - 1].only_without_aliasing || !in_place.empty();
}

}  // namespace

ir::HostBuffer host_buffer(const Program& program, int buffer, Sym element) {
  const Buffer& b = program.buffers[static_cast<size_t>(buffer)];
  const Sym offset = element * static_cast<int64_t>(size_of(b.node->dtype));
  using Kind = ir::HostBuffer::Kind;
  switch (b.kind) {
    case Buffer::Kind::kInput: return {Kind::kInput, b.index, offset};
    case Buffer::Kind::kOutput: return {Kind::kOutput, b.index, offset};
    case Buffer::Kind::kConstant: return {Kind::kConstant, b.index, offset};
    case Buffer::Kind::kTemporary: return {Kind::kTemporary, b.index, b.offset + offset, b.space};
  }
  return {};
}

namespace {

/// A kernel that was made from a variant, and the arguments that a launch of the kernel passes.
struct LoweredKernel {
  int kernel;
  std::vector<ValueBuilder::Argument> arguments;
};
/// The kernels of a variant, in the order of execution. Each of them uses the results of the one before it. Empty: the variant has not been
/// lowered.
using LoweredVariant = std::vector<LoweredKernel>;

/// The kernel plans lowered so far. A plan that is equal to one of them uses the kernels of that plan.
class LoweredPlans {
 public:
  explicit LoweredPlans(const Program& program) : program_(program) {}

  /// If a plan lowered before is equal to this one, returns the variants of that plan, with the buffers of this plan as arguments.
  /// Otherwise returns variants without kernels.
  std::vector<LoweredVariant> find(const KernelPlan& plan) const {
    const auto [begin, end] = plans_.equal_range(hash_of(plan));
    size_t looked_at = 0;
    for (auto at = begin; at != end && looked_at < kMaxCandidates; ++at, ++looked_at) {
      const auto renamed = renamed_buffers(program_, *at->second.plan, plan);
      if (!renamed) continue;
      std::vector<LoweredVariant> variants = at->second.variants;
      for (LoweredVariant& variant : variants)
        for (LoweredKernel& kernel : variant)
          for (ValueBuilder::Argument& argument : kernel.arguments) argument.buffer = renamed->at(argument.buffer);
      return variants;
    }
    return std::vector<LoweredVariant>(plan.variants.size());
  }
  void add(const KernelPlan& plan, std::vector<LoweredVariant> variants) {
    plans_.emplace(hash_of(plan), Plan{&plan, std::move(variants)});
  }

 private:
  static constexpr size_t kMaxCandidates = 16;  // at most this many plans with the same hash are compared with a new plan

  struct Plan {
    const KernelPlan* plan;
    std::vector<LoweredVariant> variants;
  };
  const Program& program_;
  std::unordered_multimap<size_t, Plan> plans_;
};

/// One phase of a kernel plan that becomes several kernels on a GPU. Each phase is one kernel.
struct Phase {
  std::string name;          // for comments
  std::optional<Sym> guard;  // the phase runs only if guard >= 0; nullopt: always
  std::function<void(KernelContext&)> lower;
};

/// Returns the phases of the plan, in the order of execution; nullopt if the plan becomes a single kernel.
std::optional<std::vector<Phase>> phases_of(const Program& program, const KernelPlan& plan) {
  if (program.target.gpu() == nullptr) return std::nullopt;
  std::vector<Phase> phases;
  if (plan.alone != nullptr && is_routine(plan.alone->op)) {
    const GridRoutine whole = grid_routine(*plan.alone, program.transforms);
    for (const RoutinePhase& phase : whole.phases)
      phases.push_back({std::string(phase.name), phase.guard, [whole, phase](KernelContext& c) { lower_phase(c, whole, phase); }});
  } else if (scans_by_groups(plan, plan.variants.at(0).schedule)) {
    for (const ScanPhase& phase : scan_phases(plan))
      phases.push_back({phase.name, phase.guard, [phase](KernelContext& c) { lower_scan_phase(c, phase); }});
  } else if (scatters_by_groups(plan, plan.variants.at(0).schedule)) {
    phases = {{"copy", std::nullopt, lower_scatter_copy}, {"updates", std::nullopt, lower_scatter_updates}};
  } else {
    return std::nullopt;
  }
  return phases;
}

/// Adds the kernels of the phases to the module, and launches that execute them one after the other.
void lower_phases(const Program& program, const KernelPlan& plan, const std::vector<Phase>& phases, const std::string& name,
                  ir::Module& module) {
  const Variant& variant = plan.variants.at(0);
  std::vector<ir::Launch>& launches = module.generations[static_cast<size_t>(plan.generation)].launches;
  for (size_t number = 0; number < phases.size(); ++number) {
    ir::Kernel kernel;
    kernel.name = number == 0 ? name : cat(name, "_phase_", number);
    kernel.comment = cat("generation ", plan.generation, " · ", phases[number].name, " · ", comment_of(plan, variant.schedule));
    kernel.work = work_of(program, plan, variant.schedule);
    ValueBuilder values(*module.arena, program, plan, kernel);
    KernelContext context{*module.arena, program, plan, variant.schedule, kernel, std::move(values), variant.guard};
    phases[number].lower(context);
    ir::Launch launch{static_cast<int>(module.kernels.size()), {}, phases[number].guard};
    launch.follows = number > 0;
    for (const ValueBuilder::Argument& argument : context.values.arguments())
      launch.arguments.push_back(host_buffer(program, argument.buffer, argument.offset));
    module.kernels.push_back(std::move(kernel));
    launches.push_back(std::move(launch));
  }
}

void lower_by_recipe(KernelContext& context) {
  switch (context.schedule.recipe) {
    case Template::kElementwise: unrolls_axes(context.plan, context.schedule) ? lower_unrolled(context) : lower_elementwise(context); break;
    case Template::kReduce:
    case Template::kRowwise: has_arg_extreme(context.plan) ? lower_arg_extreme(context) : lower_reduce(context); break;
    case Template::kContraction: lower_contraction(context); break;
    case Template::kTranspose: lower_transpose(context); break;
    case Template::kScan: lower_scan(context); break;
    case Template::kRoutine: lower_routine(context); break;
    case Template::kScatter: lower_scatter(context); break;
    case Template::kCustom: lower_custom(context); break;
    case Template::kNative: break;  // a native call is no kernel; lower_native() lowers it
  }
}

/// If variant number `v` runs only for rows so short that it keeps the values RowPass::short_row_values, too, returns the plan with these
/// among the row values; otherwise returns nothing.
std::optional<KernelPlan> with_short_row_values(const KernelPlan& plan, size_t v) {
  const auto has_values = [](const RowPass& pass) { return !pass.short_row_values.empty(); };
  if (std::none_of(plan.passes.begin(), plan.passes.end(), has_values)) return std::nullopt;
  if (most_elements(term_count(*plan.reduces[0]), 1, plan.variants[v].guard) > kLaneBlock) return std::nullopt;
  KernelPlan with = plan;
  for (RowPass& pass : with.passes) {
    pass.row_values.insert(pass.row_values.end(), pass.short_row_values.begin(), pass.short_row_values.end());
    pass.short_row_values.clear();
  }
  return with;
}

/// Adds a kernel to the module: it executes variant number `v` of the plan, and `lower` makes its body. Returns the kernel and its
/// arguments.
LoweredKernel lower_kernel(const Program& program, const KernelPlan& plan, size_t v, std::string name, std::string comment,
                           void (*lower)(KernelContext&), ir::Module& module) {
  const Schedule& schedule = plan.variants[v].schedule;
  if (const std::optional<KernelPlan> with = with_short_row_values(plan, v))
    return lower_kernel(program, *with, v, std::move(name), std::move(comment), lower, module);
  ir::Kernel kernel;
  kernel.name = std::move(name), kernel.comment = std::move(comment);
  for (const AxisSchedule& a : schedule.axes) kernel.simd_width = std::max(kernel.simd_width, a.simd_width);
  kernel.masked_moves = program.target.gpu() == nullptr && (program.target.cpu().masked_moves || program.target.cpu().mask_registers);
  kernel.work = work_of(program, plan, schedule);
  KernelContext context{*module.arena,         program, plan, schedule, kernel, ValueBuilder(*module.arena, program, plan, kernel),
                        plan.variants[v].guard};
  lower(context);
  HARP_ASSERT(plan.blocks == 0 || ir::iterations(kernel).is_constant(plan.blocks), kernel.name, " does not iterate over single blocks");
  module.blocks = std::max(module.blocks, ir::scratch_offsets(kernel).back());
  module.kernels.push_back(std::move(kernel));
  return {static_cast<int>(module.kernels.size()) - 1, context.values.arguments()};
}

/// Adds the kernels of variant number `v` to the module. The comment of each of these kernels begins with `where`.
LoweredVariant lower_variant(const Program& program, const KernelPlan& plan, size_t v, const std::string& name, const std::string& where,
                             ir::Module& module) {
  const Schedule& schedule = plan.variants[v].schedule;
  const std::string comment = cat(where, comment_of(plan, schedule));
  LoweredVariant kernels = {lower_kernel(program, plan, v, name, comment, lower_by_recipe, module)};
  if (!splits_terms(schedule)) return kernels;
  const std::string sums = cat(where, "sum of the slices of the kernel before, over ", to_string(iteration_space(plan)));
  kernels.push_back(lower_kernel(program, plan, v, name + "_phase_1", sums, lower_sum_of_slices, module));
  return kernels;
}

/// Returns the scratch memory that a run takes for each worker if one of `variants` runs, the first whose guard holds.
Sym scratch_of_variants(const ir::Module& module, std::span<const ir::Launch> variants) {
  const auto uses = [&](const ir::Launch& launch) {
    return ir::scratch_offsets(module.kernels[static_cast<size_t>(launch.kernel)]).back() > 0;
  };
  const auto is_guarded = [](const ir::Launch& launch) { return launch.own_guard && launch.in_place.empty(); };
  Sym bytes = 0;
  for (size_t v = variants.size(); v-- > 0;) {
    const Sym here = uses(variants[v]) ? module.scratch : Sym(0);
    if (!is_guarded(variants[v])) {
      bytes = max(bytes, here);
      continue;
    }
    Sym guard = *variants[v].own_guard;
    for (; v > 0 && is_guarded(variants[v - 1]) && uses(variants[v - 1]) == uses(variants[v]); --v)
      guard = max(guard, *variants[v - 1].own_guard);
    bytes = select(guard, here, bytes);
  }
  return bytes;
}

/// Returns the scratch memory that a run takes for each worker: none if it runs no variant of a kernel that uses any. (To take a block of
/// memory and to give it back takes as long as a small product of matrices.) A program with temporaries needs a block anyway.
Sym scratch_of_run(const ir::Module& module) {
  // With more kernels than this, it takes longer to find out than it saves.
  constexpr size_t kMostLaunches = 16;
  if (module.sites > 0 || !module.scratch.is_constant(module.blocks) || !module.workspace.is_constant(0)) return module.scratch;
  Sym bytes = 0;
  size_t count = 0;
  for (const ir::Generation& generation : module.generations) {
    count += generation.launches.size();
    if (count > kMostLaunches) return module.scratch;
    for (std::span<const ir::Launch> left = generation.launches; !left.empty();) {
      const auto next = std::ranges::find_if(left.begin() + 1, left.end(), [](const ir::Launch& launch) { return !launch.is_alternative; });
      bytes = max(bytes, scratch_of_variants(module, {left.begin(), next}));
      left = {next, left.end()};
    }
  }
  return bytes;
}

}  // namespace

std::shared_ptr<ir::Module> lower_program(const Program& program) {
  const Graph& graph = *program.graph;
  auto module = std::make_shared<ir::Module>();
  module->arena = std::make_shared<ir::Arena>(graph.shared_dims());
  module->name = graph.name();
  module->shape_vars = graph.dims().variables();
  module->workspace = program.workspace_bytes;
  module->sites = static_cast<int>(program.sites.size());
  for (const Node* input : graph.inputs()) module->inputs.push_back({input->as<InputAttributes>().name, input->dtype, input->shape});
  for (const GraphOutput& output : graph.outputs()) module->outputs.push_back({output.name, output.node->dtype, output.node->shape});
  for (const Buffer& b : program.buffers)
    if (b.kind == Buffer::Kind::kConstant) module->constants.push_back({b.node->dtype, b.node->as<ArrayAttributes>().data});

  module->generations.resize(static_cast<size_t>(program.generations));
  LoweredPlans known(program);
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const KernelPlan& plan = program.kernels[k];
    check_time(graph.dims());
    if (plan.alone != nullptr && is_native(plan.alone->op)) {
      module->generations[static_cast<size_t>(plan.generation)].calls.push_back(lower_native(program, plan, *module));
      continue;
    }
    if (const std::optional<std::vector<Phase>> phases = phases_of(program, plan)) {
      lower_phases(program, plan, *phases, cat("kernel_", k), *module);
      continue;
    }
    const auto in_place = in_place_of(program, plan);
    const bool first_is_reached = is_reached(plan, 0, in_place);
    std::vector<LoweredVariant> variants = known.find(plan);
    bool is_new = false, has_variant = false;
    for (size_t v = 0; v < plan.variants.size(); ++v) {
      if (!is_reached(plan, v, in_place)) continue;
      if (variants[v].empty()) {
        const std::string name = v == 0 ? cat("kernel_", k) : cat("kernel_", k, "_variant_", v);
        std::string which;
        if (plan.variants[0].only_without_aliasing)
          which = in_place.empty() || !first_is_reached ? "" : plan.variants[v].only_without_aliasing ? "not in place · " : "in place · ";
        else if (plan.variants.size() > 1)
          which = cat("variant ", v + 1, " of ", plan.variants.size(), " by size · ");
        variants[v] = lower_variant(program, plan, v, name, cat("generation ", plan.generation, " · ", which), *module);
        is_new = true;
      }
      ir::Generation& generation = module->generations[static_cast<size_t>(plan.generation)];
      generation.blocks = plan.blocks;
      for (size_t phase = 0; phase < variants[v].size(); ++phase) {
        const LoweredKernel& lowered = variants[v][phase];
        // launch_guard() need not exclude earlier variants that run only without aliasing: launch.in_place and
        // launch.only_without_aliasing, set below, decide whether such a variant or a later one runs.
        ir::Launch launch{lowered.kernel, {}, launch_guard(plan, v)};
        launch.follows = phase > 0;
        launch.is_alternative = has_variant && phase == 0, launch.own_guard = plan.variants[v].guard;
        if (plan.variants[0].only_without_aliasing && first_is_reached)
          launch.in_place = in_place, launch.only_without_aliasing = plan.variants[v].only_without_aliasing;
        for (const ValueBuilder::Argument& argument : lowered.arguments)
          launch.arguments.push_back(host_buffer(program, argument.buffer, argument.offset));
        generation.launches.push_back(std::move(launch));
      }
      has_variant = true;
    }
    if (is_new) known.add(plan, std::move(variants));
  }
  // If no kernel checks an index, because all are known to be in range, a run needs no memory for faults (indices out of range) and does
  // not look for them.
  if (!module->arena->has_checks()) module->sites = 0;
  module->scratch = program.block_bytes + module->blocks + (module->sites > 0 ? ir::kFaultBytes : 0);
  module->scratch_of_run = scratch_of_run(*module);
  return module;
}

}  // namespace harp::lower
