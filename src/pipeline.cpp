// Lists the passes from the graph to the generated source, in order. Start reading harp here.
#include "pipeline.h"

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "base/table_limit.h"
#include "base/text.h"
#include "base/verify_passes.h"
#include "base/visits.h"
#include "graph/dot.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "ir/apply_schedule.h"
#include "ir/linearize.h"
#include "ir/rewrite.h"
#include "launch/plan_launches.h"
#include "lower/lower.h"
#include "opt/check_indices.h"
#include "opt/passes.h"
#include "opt/remove_dead_code.h"
#include "render/c/render.h"
#include "render/cuda/render.h"
#include "run/cuda/plan.h"
#include "schedule/fuse.h"
#include "schedule/in_place.h"
#include "schedule/schedule_program.h"

namespace harp {
namespace {

/// The results of the stages of a compilation. Each stage fills the next member.
struct Stages {
  const CodeGenerator* code = nullptr;
  std::shared_ptr<Graph> graph;
  Program program;
  std::shared_ptr<ir::Module> module;
  Rendered rendered;
};

struct Step {
  std::string_view name;
  // What the step does, for the error message when a time limit is exceeded: "it was scheduling kernels". "" if the step does no work.
  std::string_view what;
  void (*run)(Stages& stages, const PipelineOptions& options);
  std::string (*print)(const Stages& stages);
};

void optimise(Stages& s, const PipelineOptions& options) {
  s.graph = opt::settle_checks(std::move(s.graph), options.check_indices);
  s.graph = opt::optimise(std::move(s.graph), options.disabled_rules);
}

void schedule(Stages& s, const PipelineOptions& options) {
  s.program = s.code->schedule(s.graph, options);
  if (kVerifyPasses) verify(*s.program.graph), verify(s.program);
}

void lower(Stages& s, const PipelineOptions&) {
  s.module = s.code->lower(s.program);
  if (kVerifyPasses) ir::verify(*s.module);
}

void apply_schedule(Stages& s, const PipelineOptions& options) {
  ir::apply_schedule(*s.module);
  // On a GPU, loops with a single iteration are replaced by their bodies. On a CPU they are kept: they compute the remainder after the
  // vectors (vectorise()), and the code for a remainder of one iteration has the same form as that for several.
  if (options.target.gpu() != nullptr)
    for (ir::Kernel& kernel : s.module->kernels) ir::unroll_single_iterations(*s.module->arena, kernel);
  if (kVerifyPasses) ir::verify(*s.module);
}

void render(Stages& s, const PipelineOptions& options) { s.rendered = s.code->render(*s.module, options); }

std::string print_linear(const Stages& s) {
  std::string out;
  for (const ir::Kernel& kernel : s.module->kernels) out += ir::print(kernel, ir::linearize(kernel));
  return out;
}

/// The stages in order, each with the function that computes it and the function that prints it.
constexpr Step kSteps[] = {
    {"graph", "", [](Stages&, const PipelineOptions&) {}, [](const Stages& s) { return print_graph(*s.graph); }},
    {"opt", "optimising the graph", optimise, [](const Stages& s) { return print_graph(*s.graph); }},
    {"schedule", "scheduling kernels", schedule, [](const Stages& s) { return print(s.program); }},
    {"ir", "lowering kernels to loops", lower, [](const Stages& s) { return ir::print(*s.module); }},
    {"ir-opt", "scheduling loops", apply_schedule, [](const Stages& s) { return ir::print(*s.module); }},
    {"linear", "", [](Stages&, const PipelineOptions&) {}, print_linear},
    {kSourceStage, "", render, [](const Stages& s) { return s.rendered.source; }},
    {kPlanStage, "", [](Stages&, const PipelineOptions&) {}, [](const Stages& s) { return cuda::print(*s.rendered.plan); }},
};

/// Returns the steps for one language. If the generated code has no launch plan, the source is the last step.
std::span<const Step> steps_of(const CodeGenerator& code) { return std::span(kSteps).first(std::size(kSteps) - (code.plans ? 0 : 1)); }

std::string_view name_of(const Step& step, const CodeGenerator& code) { return step.name == kSourceStage ? code.language : step.name; }

std::string_view activity_of(const Step& step, const CodeGenerator& code) { return step.name == kSourceStage ? code.activity : step.what; }

bool is_called(const Step& step, const CodeGenerator& code, std::string_view name) {
  return name == step.name || name == name_of(step, code);
}

/// While an object of this class exists, the steps of the pipeline check a time limit and throw an error when it is exceeded.
class Limited {
 public:
  Limited(const Stages& stages, TimeLimit* limit) : dims_(stages.graph->shared_dims()) { set_limit(*dims_, limit); }
  ~Limited() { set_limit(*dims_, nullptr); }
  Limited(const Limited&) = delete;
  Limited& operator=(const Limited&) = delete;

 private:
  std::shared_ptr<SymTable> dims_;  // the symbol table that all stages share
};

Stages start(const Graph& graph, const PipelineOptions& options) { return {options.code, opt::in_order(graph.clone()), {}, nullptr, {}}; }

/// Schedules kernels for a CPU.
Program schedule_for_cpu(std::shared_ptr<Graph> graph, const PipelineOptions& options) {
  return schedule_graph(std::move(graph), {options.target, options.plain_text ? 1 : options.simd_width, options.schedule_override,
                                           options.chains, options.plain_text});
}

Rendered render_in_c(const ir::Module& module, const PipelineOptions& options) {
  const render::RenderOptions how{options.target, options.plain_text, options.share_ns};
  Rendered rendered;
  rendered.source = render::render_c(module, how, &rendered.functions);
  rendered.vectors_written = options.simd_width != 1 && render::writes_vectors(how);
  return rendered;
}

/// Schedules kernels for a GPU. These kernels are not chained (schedule/chain.h). They contain no vectors, so plain_text and simd_width
/// have no effect.
Program schedule_for_gpu(std::shared_ptr<Graph> graph, const PipelineOptions& options) {
  return schedule_graph(std::move(graph), {options.target, 1, options.schedule_override});
}

Rendered render_in_cuda(const ir::Module& module, const PipelineOptions& options) {
  render::CudaText text = render::render_cuda(module, {.target = options.target, .plain_text = true});
  Rendered rendered;
  rendered.plan = plan_launches(module, text.kernels);
  rendered.source = std::move(text.source);
  return rendered;
}

std::vector<InPlaceArguments> arguments_among(const Program& program, const std::vector<InPlace>& pairs) {
  std::vector<InPlaceArguments> arguments;
  for (const InPlace& pair : pairs) {
    const Buffer &written = program.buffers[static_cast<size_t>(pair.written)], &read = program.buffers[static_cast<size_t>(pair.read)];
    if (written.kind == Buffer::Kind::kOutput) arguments.push_back({written.index, read.index});
  }
  return arguments;
}

}  // namespace

const CodeGenerator kCCode = {"c", "writing the C source", &schedule_for_cpu, &lower::lower_program, &render_in_c};
const CodeGenerator kCudaCode = {"cuda", "writing the CUDA source", &schedule_for_gpu, &lower::lower_program, &render_in_cuda, true};

std::shared_ptr<Graph> optimised(const Graph& graph, const PipelineOptions& options, TimeLimit* limit) {
  Stages stages = start(graph, options);
  const Limited limited(stages, limit);
  optimise(stages, options);
  return stages.graph;
}

std::vector<InPlaceArguments> in_place_arguments(const Graph& graph, const PipelineOptions& options, TimeLimit* limit) {
  Stages stages = start(graph, options);
  const Limited limited(stages, limit);
  optimise(stages, options);
  const Program program = fuse(stages.graph, options.chains, fusion_limits(options.target));
  return arguments_among(program, find_in_place(program));
}

Generated generate(const Graph& graph, const PipelineOptions& options, TimeLimit* limit) {
  const auto begin = std::chrono::steady_clock::now();
  HARP_CHECK(!graph.outputs().empty(), Code::kInvalidArgument, "the graph \"", graph.name(), "\" has no output");
  Stages stages = start(graph, options);
  const Limited limited(stages, limit);
  for (const Step& step : steps_of(*options.code)) {
    if (const std::string_view what = activity_of(step, *options.code); !what.empty()) enter_step(stages.graph->dims(), what);
    step.run(stages, options);
    const auto is_it = [&](const std::string& name) { return is_called(step, *options.code, name); };
    if (options.dump && std::any_of(options.dump_stages.begin(), options.dump_stages.end(), is_it))
      options.dump(name_of(step, *options.code), step.print(stages));
  }
  PipelineStats stats;
  stats.kernels =
      static_cast<int>(std::count_if(stages.program.kernels.begin(), stages.program.kernels.end(),
                                     [](const KernelPlan& kernel) { return kernel.alone == nullptr || !is_native(kernel.alone->op); }));
  stats.generations = stages.program.generations;
  stats.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  stats.visits = visits(stages.graph->dims());
  std::vector<InPlaceArguments> in_place = arguments_among(stages.program, stages.program.in_place);
  std::vector<SiteText> sites;
  for (const CheckSite& site : stages.program.sites) sites.push_back(site.text);
  return {std::move(stages.rendered), std::move(stages.module), std::move(in_place), std::move(sites), stats};
}

std::vector<std::string_view> stage_names(const CodeGenerator& code) {
  std::vector<std::string_view> names;
  for (const Step& step : steps_of(code)) names.push_back(name_of(step, code));
  return names;
}

std::string emit_stage(const Graph& graph, const PipelineOptions& options, std::string_view stage) {
  if (stage == "dot") return to_dot(graph);
  Stages stages = start(graph, options);
  for (const Step& step : steps_of(*options.code)) {
    step.run(stages, options);
    if (is_called(step, *options.code, stage)) return step.print(stages);
  }
  fail(Code::kInvalidArgument, "unknown stage \"", stage, "\", expected one of dot, ", join(stage_names(*options.code), ", "));
}

}  // namespace harp
