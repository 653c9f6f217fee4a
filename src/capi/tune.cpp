// Tuning: compiles the configurations that the tuner (src/tune) wants to try, and runs the programs on the caller's inputs.
#include <algorithm>
#include <cstddef>

#include "capi/compile.h"
#include "capi/graph_key.h"
#include "capi/structs.h"
#include "compile/compiler_command.h"
#include "tune/same_bits.h"
#include "tune/tuner.h"

using namespace harp;
using namespace harp::capi;

struct harp_tune_result {
  tune::TuneResult found;
  std::vector<std::string> configurations;  // the configuration of each trial as text
  double space_size = 1;
  std::string why_not_stored;  // why the result was not stored in the tuning database; "" if it was stored
};

namespace {

constexpr double kDefaultSeconds = 30;

/// The arrays that every program runs on during tuning, and the outputs that it must reproduce (`expected`, in host memory).
struct Arrays {
  std::vector<RunArray> inputs;
  std::vector<NamedSize> sizes;
  std::vector<DeviceArray> outputs, expected;
  std::vector<RunArray> targets;   // views of outputs
  std::vector<std::string> names;  // names of the outputs
  std::vector<int64_t> values;     // values of the shape variables
};

class ProgramSubject final : public tune::Subject {
 public:
  ProgramSubject(std::shared_ptr<const CompiledProgram> program, Arrays& arrays, const HostHooks& hooks, CancelFlag cancel)
      : program_(std::move(program)), arrays_(arrays), allocator_(hooks.allocator), cancel_(cancel) {
    const size_t bytes = program_->program.workspace_bytes(arrays.values, hooks.width);
    if (bytes > 0) workspace_ = Memory(hooks.allocator, bytes);
    workspace_bytes_ = bytes;
  }

  void run() override {
    // Before the program's first run, fill the outputs with a pattern, so that the comparison detects elements that the program does not
    // write.
    if (!has_run_)
      for (DeviceArray& output : arrays_.outputs) fill(output);
    has_run_ = true;
    RunMemory memory = program_->program.divide(workspace_.data(), workspace_bytes_);
    program_->program.run({arrays_.inputs, arrays_.targets, arrays_.sizes, cancel_}, memory, nullptr);
  }
  std::string difference() override {
    for (size_t i = 0; i < arrays_.outputs.size(); ++i) {
      const DeviceArray &output = arrays_.outputs[i], &expected = arrays_.expected[i];
      const HostElements got(output, allocator_);
      const auto bytes = [&](const void* elements) { return std::span(static_cast<const std::byte*>(elements), output.bytes()); };
      const std::string difference = tune::first_difference(output.dtype(), bytes(got.data()), bytes(expected.data()));
      if (!difference.empty()) return cat("output ", arrays_.names[i], ": ", difference);
    }
    return {};
  }

 private:
  void fill(const DeviceArray& output) const {
    if (output.bytes() == 0) return;
    const std::vector<std::byte> pattern(output.bytes(), std::byte{0xa5});
    output.device().write(output.data(), pattern.data(), pattern.size());
  }

  std::shared_ptr<const CompiledProgram> program_;
  Arrays& arrays_;
  Allocator allocator_;
  CancelFlag cancel_;
  Memory workspace_;
  size_t workspace_bytes_ = 0;
  bool has_run_ = false;
};

class ContextWorkshop final : public tune::Workshop {
 public:
  ContextWorkshop(harp_context& context, const Graph& graph, const CompileSettings& settings, Arrays& arrays, CancelFlag cancel)
      : context_(context), graph_(graph), settings_(settings), arrays_(arrays), cancel_(cancel) {}

  std::unique_ptr<tune::Subject> make(const tune::Configuration& configuration, Deadline deadline) override {
    CompileSettings settings = settings_;
    configure(settings, configuration);
    TimeLimit limit(context_.process, context_.service.timeout(), deadline, cancel_);
    const auto program = compile_program(context_, graph_, settings, limit);
    auto subject = std::make_unique<ProgramSubject>(program, arrays_, context_.hooks, cancel_);
    if (arrays_.expected.empty()) expect(*subject, *program);
    return subject;
  }

  /// Determines the values of the shape variables, and allocates the outputs.
  void prepare(const LoadedProgram& program) {
    const Signature& signature = program.signature();
    arrays_.values.resize(signature.variables.size());
    std::vector<ArrayType> types;
    for (const RunArray& input : arrays_.inputs) types.push_back(input.type);
    program.binding().bind(types, arrays_.sizes, arrays_.values);
    for (size_t i = 0; i < signature.outputs.size(); ++i) {
      std::vector<int64_t> dims(signature.outputs[i].shape.size());
      program.binding().output_dims(i, arrays_.values, dims);
      arrays_.outputs.push_back(DeviceArray::allocate(program.device(), context_.hooks.allocator, signature.outputs[i].dtype, dims));
      arrays_.names.push_back(signature.outputs[i].name);
    }
    for (const DeviceArray& output : arrays_.outputs) arrays_.targets.push_back(output.view());
  }

 private:
  /// Runs the untuned program and stores its outputs as the expected ones.
  void expect(ProgramSubject& untuned, const CompiledProgram&) {
    untuned.run();
    for (const DeviceArray& output : arrays_.outputs) {
      DeviceArray copy = DeviceArray::allocate(kHostDevice, context_.hooks.allocator, output.dtype(), output.dims());
      copy_elements(copy, output, context_.hooks.allocator);
      arrays_.expected.push_back(std::move(copy));
    }
  }

  harp_context& context_;
  const Graph& graph_;
  const CompileSettings& settings_;
  Arrays& arrays_;
  CancelFlag cancel_;
};

/// Returns the compilers to try besides the default one: gcc if the default is clang, otherwise clang. None if that compiler is not
/// installed, or if the user chose a compiler.
std::vector<std::string> other_compilers(harp_context& context, const CompileSettings& settings) {
  const auto own = context.process.environment("HARP_CC");
  if (!context.compiler.empty() || !settings.compiler.empty() || (own && !own->empty())) return {};
  const bool is_clang = context.service.compiler().version.find("clang") != std::string::npos;
  const std::string other = is_clang ? "gcc" : "clang";
  return find_program(context.system, other) ? std::vector<std::string>{other} : std::vector<std::string>{};
}

harp_tune_trial_info info_of(const tune::Trial& trial, const std::string& configuration) {
  harp_tune_trial_info info = HARP_TUNE_TRIAL_INFO_INIT;
  info.configuration = configuration.c_str();
  info.failure = trial.failure.c_str();
  info.median_seconds = trial.median;
  info.spread_seconds = trial.spread;
  info.compile_seconds = trial.compile_seconds;
  info.expected = trial.expected;
  info.samples = trial.samples;
  return info;
}

tune::Verdict call_progress(const harp_tune_options& options, const tune::TuneProgress& progress) {
  const std::string configuration = print(progress.trials.back().configuration);
  const harp_tune_trial_info trial = info_of(progress.trials.back(), configuration);
  harp_tune_progress report{};
  report.struct_size = sizeof report;
  report.trials = progress.trials.size();
  report.best = progress.best;
  report.best_seconds = progress.trials[progress.best].median;
  report.untuned_seconds = progress.trials[0].median;
  report.elapsed_seconds = progress.seconds;
  report.limit_seconds = progress.limit;
  report.trial = &trial;
  const int32_t answer = options.progress(options.user, &report);
  HARP_CHECK(answer >= HARP_TUNE_CONTINUE && answer <= HARP_TUNE_CANCEL, Code::kInvalidArgument, "harp_tune: progress returned ", answer,
             ", expected HARP_TUNE_CONTINUE, HARP_TUNE_STOP or HARP_TUNE_CANCEL");
  return static_cast<tune::Verdict>(answer);
}

tune::TuneOptions tune_options(const harp_tune_options& given) {
  constexpr double kMaxSeconds = 1e7;
  HARP_CHECK(given.seconds >= 0 && given.seconds <= kMaxSeconds, Code::kInvalidArgument, "harp_tune_options: seconds is ", given.seconds,
             ", outside 0..", kMaxSeconds);
  HARP_CHECK(given.strategy >= HARP_TUNE_BEAM && given.strategy <= HARP_TUNE_GRID, Code::kInvalidArgument,
             "harp_tune_options: strategy is ", given.strategy, ", expected HARP_TUNE_BEAM, HARP_TUNE_RANDOM or HARP_TUNE_GRID");
  HARP_CHECK(given.dry_run == 0 || given.dry_run == 1, Code::kInvalidArgument, "harp_tune_options: dry_run is ", given.dry_run,
             ", expected 0 or 1");
  tune::TuneOptions options;
  options.strategy = static_cast<tune::StrategyKind>(given.strategy);
  options.seed = given.seed;
  options.seconds = given.seconds > 0 ? given.seconds : kDefaultSeconds;
  if (given.max_trials != 0) options.most_trials = given.max_trials;
  if (given.progress != nullptr) options.progress = [&given](const tune::TuneProgress& progress) { return call_progress(given, progress); };
  return options;
}

Arrays arrays_of(const harp_run_options& run, size_t n_inputs, harp_buffer* const* inputs) {
  Arrays arrays;
  HARP_CHECK(n_inputs == 0 || inputs != nullptr, Code::kInvalidArgument, "harp_tune: inputs is NULL");
  for (size_t i = 0; i < n_inputs; ++i) {
    HARP_CHECK(inputs[i] != nullptr, Code::kInvalidArgument, "harp_tune: input ", i, " is NULL");
    arrays.inputs.push_back(inputs[i]->array.view());
  }
  HARP_CHECK(run.n_shape_vars == 0 || (run.shape_var_names != nullptr && run.shape_var_values != nullptr), Code::kInvalidArgument,
             "harp_run_options: shape_var_names or shape_var_values is NULL");
  for (size_t i = 0; i < run.n_shape_vars; ++i) {
    HARP_CHECK(run.shape_var_names[i] != nullptr, Code::kInvalidArgument, "harp_run_options: shape_var_names[", i, "] is NULL");
    arrays.sizes.push_back({run.shape_var_names[i], run.shape_var_values[i]});
  }
  return arrays;
}

/// Throws if all inputs or all outputs are empty. A run on empty arrays takes no time, so the tuner would choose by noise, and its choice
/// would later be used for arrays of all sizes.
void check_not_empty(const Arrays& arrays) {
  const auto is_empty = [](const RunArray& array) { return array.bytes == 0; };
  const bool reads_nothing = !arrays.inputs.empty() && std::ranges::all_of(arrays.inputs, is_empty);
  HARP_CHECK(!reads_nothing && !std::ranges::all_of(arrays.targets, is_empty), Code::kInvalidArgument, "harp_tune: all ",
             reads_nothing ? "inputs" : "outputs", " are empty for these sizes, so there is nothing to measure");
}

/// Returns the names of the backends that can be tuned, for a message.
std::string tuned_backends(const BackendTable& backends) {
  std::vector<std::string> names;
  for (const Backend* backend : backends.rows())
    if (backend->tunes) names.push_back(cat("\"", backend->name, "\""));
  return join(names, " or ");
}

std::vector<std::string> compilers_of(const harp_tune_options& given, harp_context& context, const CompileSettings& settings) {
  if (given.compilers == nullptr) return other_compilers(context, settings);
  std::vector<std::string> compilers;
  for (size_t i = 0; i < given.n_compilers; ++i) {
    HARP_CHECK(given.compilers[i] != nullptr, Code::kInvalidArgument, "harp_tune_options: compilers[", i, "] is NULL");
    compilers.emplace_back(given.compilers[i]);
  }
  return compilers;
}

}  // namespace

harp_tune_result* harp_tune(const harp_graph* graph, const harp_tune_options* options, size_t n_inputs, harp_buffer* const* inputs,
                            harp_error** err) {
  return guard(err, [&] {
    const Graph& source = *usable(graph, "harp_tune").graph;
    harp_context& context = *graph->context;
    const auto inside = context.fork_guard.enter("harp_tune");
    const harp_tune_options given = read_options(options, HARP_TUNE_OPTIONS_INIT, "harp_tune_options");
    tune::TuneOptions search = tune_options(given);
    const CompileSettings settings = read_compile_settings(context, given.compile);
    HARP_CHECK(settings.backend->tunes && !settings.is_configured && settings.uses_tuning, Code::kInvalidArgument,
               "harp_tune: expected compile options with backend ", tuned_backends(context.backends),
               ", no schedule, and tuning on; got backend \"", settings.backend->name, "\", ",
               settings.is_configured ? "a schedule" : "no schedule", ", and tuning ", settings.uses_tuning ? "on" : "off");
    const std::optional<Digest> graph_key = compile_key(source, settings), key = tuning_key(context, graph_key, settings);
    HARP_CHECK(key.has_value(), Code::kUnsupported, "harp_tune: the graph \"", source.name(),
               "\" calls a host function, so a tuning result for it cannot be stored");
    const harp_run_options run = read_options(given.run, HARP_RUN_OPTIONS_INIT, "harp_run_options", offsetof(harp_run_options, cancel));
    const CancelFlag cancel = run.cancel != nullptr ? run.cancel : settings.cancel;

    TimeLimit limit(context.process, context.service.timeout(), Deadline::max(), cancel);
    Arrays arrays = arrays_of(run, n_inputs, inputs);
    ContextWorkshop workshop(context, source, settings, arrays, cancel);
    const std::shared_ptr<CompiledProgram> untuned = compile_program(context, source, settings, limit);
    workshop.prepare(untuned->program);
    check_not_empty(arrays);
    const std::unique_ptr<Graph> graph_of_space = settings.specialize.empty() ? source.clone() : specialize(source, settings.fixed_sizes());
    const tune::SearchSpace space(*graph_of_space,
                                  {settings.pipeline, compilers_of(given, context, settings), arrays.values, context.hooks.width});
    if (std::optional<tune::Configuration> known = context.tuning.find(*key)) search.known.push_back(*std::move(known));

    auto result = std::make_unique<harp_tune_result>();
    result->found = tune::tune(space, workshop, search);
    result->space_size = space.size();
    for (const tune::Trial& trial : result->found.trials) result->configurations.push_back(print(trial.configuration));
    if (given.dry_run != 0) {
      result->why_not_stored = "a dry run stores nothing";
    } else if (result->found.leaves_known) {
      result->why_not_stored = "the result stored earlier was not measured again and is kept";
    } else {
      const tune::Trial& best = result->found.trials[result->found.best];
      result->why_not_stored = context.tuning.add(*key, source.name(), best.configuration, best.median, result->found.trials[0].median);
      context.programs.remove(*graph_key);
    }
    return result.release();
  });
}

void harp_tune_result_release(harp_tune_result* result) { delete result; }

harp_status harp_tune_result_summary(const harp_tune_result* result, harp_tune_summary* summary, harp_error** err) {
  return guard_status(err, [&] {
    const harp_tune_result& from = required(result, "harp_tune_result_summary", "result");
    harp_tune_summary info = HARP_TUNE_SUMMARY_INIT;
    info.trials = from.found.trials.size();
    info.best = from.found.best;
    info.speedup = from.found.speedup;
    info.space_size = from.space_size;
    info.exhausted = from.found.is_exhausted ? 1 : 0;
    info.stored = from.why_not_stored.empty() ? 1 : 0;
    info.why_not_stored = from.why_not_stored.c_str();
    write_info(summary, info, "harp_tune_result_summary", offsetof(harp_tune_summary, why_not_stored));
  });
}

harp_status harp_tune_result_trial(const harp_tune_result* result, size_t index, harp_tune_trial_info* info, harp_error** err) {
  return guard_status(err, [&] {
    const harp_tune_result& from = required(result, "harp_tune_result_trial", "result");
    HARP_CHECK(index < from.found.trials.size(), Code::kInvalidArgument, "harp_tune_result_trial: index ", index, ", but there are ",
               from.found.trials.size(), " trials");
    write_info(info, info_of(from.found.trials[index], from.configurations[index]), "harp_tune_result_trial");
  });
}
