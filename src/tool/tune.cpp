// `harp tune`: searches for the fastest way to compile a graph. An input that the user does not give is a random array.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>

#include "tool/commands.h"
#include "tool/output_files.h"
#include "tool/trials_report.h"

namespace harp::tool {

namespace {

volatile std::sig_atomic_t interrupted = 0;

/// While an object exists, the first Ctrl-C ends the search, which keeps its result so far. The second one ends the program.
class StopOnInterrupt {
 public:
  StopOnInterrupt()
      : before_(std::signal(SIGINT, [](int) {
          interrupted = 1;
          std::signal(SIGINT, SIG_DFL);
        })) {}
  ~StopOnInterrupt() { std::signal(SIGINT, before_); }
  StopOnInterrupt(const StopOnInterrupt&) = delete;
  StopOnInterrupt& operator=(const StopOnInterrupt&) = delete;

 private:
  void (*before_)(int);
};

int32_t show_progress(void*, const harp_tune_progress* progress) {
  if (isatty(STDERR_FILENO) != 0)
    std::fprintf(stderr, "\r%zu trials, %.1f of %.1f s, best %.3f times as fast as untuned ", progress->trials, progress->elapsed_seconds,
                 progress->limit_seconds, progress->untuned_seconds / progress->best_seconds);
  return interrupted != 0 ? HARP_TUNE_STOP : HARP_TUNE_CONTINUE;
}

int32_t strategy_of(const std::string& name) {
  constexpr const char* kNames[] = {"beam", "random", "grid"};  // indexed by HARP_TUNE_...
  for (int32_t i = 0; i < 3; ++i)
    if (name == kNames[i]) return i;
  throw Failure{"unknown strategy '" + name + "', expected beam, random or grid", 2};
}

/// Throws a Failure if the name of the plot's file has a suffix other than .svg.
void check_plot(const std::string& path) {
  const std::string suffix = std::filesystem::path(path).extension();
  if (!suffix.empty() && suffix != ".svg") throw Failure{"cannot draw '" + path + "': plots are SVG, so the file name must end in .svg", 2};
}

/// Returns the inputs of the program, and sets `signature` to the signature of the graph. To find the sizes of the inputs, it compiles the
/// graph for the sizes that the user gave. An input without a file becomes a random array, for which its sizes must be constants.
std::vector<Buffer> inputs_of(harp_context* context, const harp_graph* graph, const CompileArguments& compile,
                              const TuneArguments& arguments, std::string& signature) {
  CompileArguments by_interpreter;
  by_interpreter.backend = "interp";
  const CompileOptions as_it_is(by_interpreter);
  signature =
      text_of(harp_program_signature, static_cast<const harp_program*>(made<Program>("", harp_compile, graph, as_it_is.get()).get()));
  by_interpreter.specialize = compile.specialize;
  by_interpreter.specialize.insert(by_interpreter.specialize.end(), arguments.shapes.begin(), arguments.shapes.end());
  const CompileOptions with_sizes(by_interpreter);
  const Program program = made<Program>("", harp_compile, graph, with_sizes.get());
  try {
    return make_inputs(context, program.get(), arguments.inputs, true);
  } catch (Failure& failure) {
    if (failure.message.find("is missing") != std::string::npos) failure.message += ", or the sizes with --shape n=1000";
    throw;
  }
}

TrialReport report_of(const harp_tune_result* result, const std::string& signature) {
  harp_tune_summary summary = HARP_TUNE_SUMMARY_INIT;
  done("", harp_tune_result_summary, result, &summary);
  TrialReport report{signature,           {},
                     summary.best,        summary.speedup,
                     summary.space_size,  summary.exhausted != 0,
                     summary.stored != 0, summary.why_not_stored};
  for (size_t i = 0; i < summary.trials; ++i) {
    harp_tune_trial_info info = HARP_TUNE_TRIAL_INFO_INIT;
    done("", harp_tune_result_trial, result, i, &info);
    report.trials.push_back(
        {info.configuration, info.failure, info.median_seconds, info.spread_seconds, info.compile_seconds, info.expected, info.samples});
  }
  return report;
}

}  // namespace

void tune(const ContextArguments& context_arguments, const CompileArguments& compile, const TuneArguments& arguments) {
  harp_tune_options options = HARP_TUNE_OPTIONS_INIT;
  options.strategy = strategy_of(arguments.strategy);
  check_plot(arguments.plot);
  const Context context = make_context(context_arguments);
  const Graph graph = read_graph(context.get(), arguments.graph);
  const CompileOptions compile_options(compile);
  std::string signature;
  const std::vector<Buffer> inputs = inputs_of(context.get(), graph.get(), compile, arguments, signature);

  std::vector<harp_buffer*> in;
  for (const Buffer& input : inputs) in.push_back(input.get());
  std::vector<std::string> size_texts;
  std::vector<const char*> size_names, compilers;
  std::vector<int64_t> size_values;
  for (const std::string& text : arguments.shapes) {
    auto [name, value] = parse_size(text);
    size_texts.push_back(std::move(name));
    size_values.push_back(value);
  }
  for (const std::string& name : size_texts) size_names.push_back(name.c_str());
  for (const std::string& compiler : arguments.compilers) compilers.push_back(compiler.c_str());
  harp_run_options run = HARP_RUN_OPTIONS_INIT;
  run.n_shape_vars = size_names.size();
  run.shape_var_names = size_names.data();
  run.shape_var_values = size_values.data();
  options.compile = compile_options.get();
  options.run = &run;
  options.seconds = arguments.seconds;
  options.seed = arguments.seed;
  options.max_trials = arguments.max_trials;
  options.dry_run = arguments.dry_run ? 1 : 0;
  options.n_compilers = compilers.size();
  options.compilers = compilers.empty() ? nullptr : compilers.data();
  options.progress = &show_progress;

  const StopOnInterrupt stop;
  const auto result = made<Handle<harp_tune_result, harp_tune_result_release>>(
      "", harp_tune, static_cast<const harp_graph*>(graph.get()), static_cast<const harp_tune_options*>(&options), in.size(), in.data());
  if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\n");
  const TrialReport report = report_of(result.get(), signature);
  if (!arguments.plot.empty()) write_file(arguments.plot, plot_of(report));
  if (!arguments.json.empty()) write_file(arguments.json, json_of(report));
  if (arguments.json != "-") write_file("-", table_of(report));
}

}  // namespace harp::tool
