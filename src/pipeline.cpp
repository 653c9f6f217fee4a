// The passes from graph to source, in order. Start reading here.
#include "pipeline.h"

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "base/table_limit.h"
#include "base/text.h"
#include "base/visits.h"
#include "graph/dot.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "ir/linearize.h"
#include "lower/lower.h"
#include "opt/check_indices.h"
#include "opt/passes.h"
#include "render/c.h"
#include "schedule/fuse.h"
#include "schedule/in_place.h"
#include "schedule/schedule_program.h"

namespace harp {
namespace {

#ifdef NDEBUG
constexpr bool kVerify = false;
#else
constexpr bool kVerify = true;
#endif

/// The products of a compilation so far; each step fills the next member.
struct Stages {
  std::shared_ptr<Graph> graph;
  Program program;
  std::shared_ptr<ir::Module> module;
  std::string source;
  std::vector<SourceFunction> functions;
};

struct Step {
  std::string_view name;
  std::string_view what;  // the step's activity, for the error of a time limit; "" if it does nothing
  void (*run)(Stages& stages, const PipelineOptions& options);
  std::string (*print)(const Stages& stages);
};

void optimise(Stages& s, const PipelineOptions& options) {
  s.graph = opt::settle_checks(std::move(s.graph), options.check_indices);
  s.graph = opt::optimise(std::move(s.graph), options.disabled_rules);
}

void schedule(Stages& s, const PipelineOptions& options) {
  s.program = schedule_graph(s.graph, {options.target, options.plain_text ? 1 : options.simd_width, options.schedule_override,
                                       options.chains, !options.plain_text});
  if (kVerify) verify(*s.program.graph), verify(s.program);
}

void lower(Stages& s, const PipelineOptions&) {
  s.module = lower::lower_program(s.program);
  if (kVerify) ir::verify(*s.module);
}

void render(Stages& s, const PipelineOptions& options) {
  s.source = render::render_c(*s.module, {options.target, options.plain_text, options.share_ns}, &s.functions);
}

std::string print_linear(const Stages& s) {
  std::string out;
  for (const ir::Kernel& kernel : s.module->kernels) out += ir::print(kernel, ir::linearize(kernel));
  return out;
}

/// Lowers without schedules, as the stage "ir" shows it: scalar loops, no threads or tiles, every mask in place.
std::string print_unscheduled(const Stages& s) {
  Program program = s.program;
  for (Buffer& buffer : program.buffers) buffer.by_block = false;
  for (KernelPlan& kernel : program.kernels) {
    kernel.blocks = 0;
    for (Variant& variant : kernel.variants) {
      for (AxisSchedule& axis : variant.schedule.axes) axis = {axis.kind == AxisKind::kThread ? AxisKind::kSequential : axis.kind};
      variant.schedule.partition = variant.schedule.overlap = variant.schedule.stream = false;
      if (variant.schedule.recipe == Template::kTranspose) variant.schedule.recipe = Template::kElementwise;  // without tiles
    }
  }
  return ir::print(*lower::lower_program(program));
}

/// Every stage in order, with its printer.
constexpr Step kSteps[] = {
    {"graph", "", [](Stages&, const PipelineOptions&) {}, [](const Stages& s) { return print_graph(*s.graph); }},
    {"opt", "optimising the graph", optimise, [](const Stages& s) { return print_graph(*s.graph); }},
    {"schedule", "scheduling kernels", schedule, [](const Stages& s) { return print(s.program); }},
    {"ir", "", [](Stages&, const PipelineOptions&) {}, print_unscheduled},
    {"ir-opt", "lowering kernels to loops", lower, [](const Stages& s) { return ir::print(*s.module); }},
    {"linear", "", [](Stages&, const PipelineOptions&) {}, print_linear},
    {"c", "writing the C source", render, [](const Stages& s) { return s.source; }},
};

/// During its lifetime, work on the stages checks the time limit.
class Limited {
 public:
  Limited(const Stages& stages, TimeLimit* limit) : dims_(stages.graph->shared_dims()) { set_limit(*dims_, limit); }
  ~Limited() { set_limit(*dims_, nullptr); }
  Limited(const Limited&) = delete;
  Limited& operator=(const Limited&) = delete;

 private:
  std::shared_ptr<SymTable> dims_;  // the symbol table that all stages share
};

Stages start(const Graph& graph) { return {graph.clone(), {}, nullptr, {}, {}}; }

std::vector<InPlaceArguments> arguments_among(const Program& program, const std::vector<InPlace>& pairs) {
  std::vector<InPlaceArguments> arguments;
  for (const InPlace& pair : pairs) {
    const Buffer &written = program.buffers[static_cast<size_t>(pair.written)], &read = program.buffers[static_cast<size_t>(pair.read)];
    if (written.kind == Buffer::Kind::kOutput) arguments.push_back({written.index, read.index});
  }
  return arguments;
}

}  // namespace

std::shared_ptr<Graph> optimised(const Graph& graph, const PipelineOptions& options, TimeLimit* limit) {
  Stages stages = start(graph);
  const Limited limited(stages, limit);
  optimise(stages, options);
  return stages.graph;
}

std::vector<InPlaceArguments> in_place_arguments(const Graph& graph, const PipelineOptions& options, TimeLimit* limit) {
  Stages stages = start(graph);
  const Limited limited(stages, limit);
  optimise(stages, options);
  const Program program = fuse(stages.graph, options.chains, fusion_limits(options.target));
  return arguments_among(program, find_in_place(program));
}

Generated generate(const Graph& graph, const PipelineOptions& options, TimeLimit* limit) {
  const auto begin = std::chrono::steady_clock::now();
  HARP_CHECK(!graph.outputs().empty(), Code::kInvalidArgument, "the graph \"", graph.name(), "\" has no output");
  Stages stages = start(graph);
  const Limited limited(stages, limit);
  for (const Step& step : kSteps) {
    if (!step.what.empty()) enter_step(stages.graph->dims(), step.what);
    step.run(stages, options);
    if (options.dump && std::find(options.dump_stages.begin(), options.dump_stages.end(), step.name) != options.dump_stages.end())
      options.dump(step.name, step.print(stages));
  }
  PipelineStats stats;
  stats.kernels =
      static_cast<int>(std::count_if(stages.program.kernels.begin(), stages.program.kernels.end(),
                                     [](const KernelPlan& kernel) { return kernel.alone == nullptr || !is_native(kernel.alone->op); }));
  stats.generations = stages.program.generations;
  stats.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  stats.visits = visits(stages.graph->dims());
  const bool vectors_written = options.simd_width != 1 && render::writes_vectors({options.target, options.plain_text});
  std::vector<InPlaceArguments> in_place = arguments_among(stages.program, stages.program.in_place);
  std::vector<SiteText> sites;
  for (const CheckSite& site : stages.program.sites) sites.push_back(site.text);
  return {std::move(stages.source),
          std::move(stages.functions),
          vectors_written,
          std::move(stages.module),
          std::move(in_place),
          std::move(sites),
          stats};
}

std::string emit_stage(const Graph& graph, const PipelineOptions& options, std::string_view stage) {
  if (stage == "dot") return to_dot(graph);
  Stages stages = start(graph);
  for (const Step& step : kSteps) {
    step.run(stages, options);
    if (step.name == stage) return step.print(stages);
  }
  fail(Code::kInvalidArgument, "unknown stage \"", stage, "\", expected one of dot, ",
       join(kSteps, ", ", [](const Step& step) { return step.name; }));
}

}  // namespace harp
