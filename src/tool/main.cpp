// The program `harp`: runs graphs from files, tunes them, prints any stage of their compilation, manages the cache. It uses harp only
// through harp.h. Exit status: 0 for success, 1 for a failure, 2 for a wrong command line.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "tool/commands.h"

using namespace harp::tool;

namespace {

void add_context_options(CLI::App& verb, ContextArguments& arguments) {
  verb.add_flag("--verbose", arguments.verbose, "Print harp's log to stderr");
  verb.add_option("--dump", arguments.dump, "Stages to print to stderr while compiling: opt,schedule,ir,ir-opt,linear,source")
      ->type_name("STAGES");
}

void add_compile_options(CLI::App& verb, CompileArguments& arguments) {
  verb.add_option("--backend", arguments.backend, "What runs the graph: a backend that harp info lists; default: harp's own")
      ->type_name("NAME");
  verb.add_option("--math", arguments.math, "Math level, which says how exact results are: stable")
      ->type_name("LEVEL")
      ->capture_default_str();
  verb.add_option("--target", arguments.target,
                  "CPU to compile for: x86-64, x86-64-v2, x86-64-v3, x86-64-v4, x86-64-v4-one-load (Zen 4), the last three also with -vnni "
                  "(x86-64-v4-vnni: with dot products of integers), aarch64; of the backend cuda the GPU: "
                  "sm_80, sm_86, sm_89, sm_90, sm_100, sm_120; default: $HARP_MACHINE, else this machine's")
      ->type_name("MACHINE")
      ->envname("HARP_MACHINE");
  verb.add_option("--compiler", arguments.compiler,
                  "Command that runs the C compiler; default: the first that works of $HARP_CC, $CC, cc, gcc, clang. Of the backend cuda "
                  "nvcc; default: NVRTC, else nvcc")
      ->type_name("COMMAND");
  verb.add_option("--flag", arguments.flags, "A flag for the compiler, passed after harp's own flags")
      ->type_name("FLAG")
      ->allow_extra_args(false);
  verb.add_option("--disable", arguments.disabled_passes, "An optimiser pass to skip, or all")->type_name("PASS")->allow_extra_args(false);
  verb.add_option("--simd-width", arguments.simd_width, "Vector width in elements: 1, 2, 4, 8, 16; 0: the width of the CPU's vectors")
      ->type_name("N");
  verb.add_option("--schedule", arguments.schedule_file, "A file with schedules that replace those of single kernels")->type_name("FILE");
  verb.add_option("--specialize", arguments.specialize, "Compile for this value of a shape variable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  verb.add_flag("--plain-text", arguments.plain_text, "Generate C without vector types");
  verb.add_flag("--check-indices", arguments.check_indices, "Fail the run if an index is out of range; default: use the nearest element");
}

void add_input_options(CLI::App& verb, InputArguments& arguments) {
  verb.add_option("--input", arguments.inputs, "Read an input from a .npy file: x=photo.npy")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  verb.add_option("--random", arguments.randoms,
                  "Make a random input: x=f32[512,1024]:7 (dtype, sizes, seed). Floats are uniform in [-1, 1), integers in -100..100")
      ->type_name("NAME=ARRAY")
      ->allow_extra_args(false);
}

void add_run(CLI::App& app, ContextArguments& context, CompileArguments& compile, RunArguments& arguments) {
  CLI::App* verb = app.add_subcommand("run", "Run a graph on arrays");
  verb->add_option("graph", arguments.graph, "A .harp file, or - for stdin")->required();
  add_input_options(*verb, arguments.inputs);
  verb->add_option("--output", arguments.outputs,
                   "Write an output to a .npy file, or print a summary with -; default: a summary of each output")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  verb->add_option("--shape", arguments.shapes, "The value of a shape variable: n=7")->type_name("NAME=VALUE")->allow_extra_args(false);
  verb->add_option("--threads", context.threads, "Number of threads to run on, up to 1024; results do not depend on it")
      ->type_name("N")
      ->capture_default_str();
  verb->add_flag("--time", arguments.time, "Run repeatedly and print the times of compilation and of a run");
  add_compile_options(*verb, compile);
  add_context_options(*verb, context);
  verb->callback([&] { run(context, compile, arguments); });
}

void add_tune(CLI::App& app, ContextArguments& context, CompileArguments& compile, TuneArguments& arguments) {
  CLI::App* verb =
      app.add_subcommand("tune", "Find the fastest configuration for a graph and store it for later compilations on this machine");
  verb->add_option("graph", arguments.graph, "A .harp file, or - for stdin")->required();
  verb->add_option("--seconds", arguments.seconds, "Time limit in seconds; 0: 30")->type_name("N")->capture_default_str();
  verb->add_option("--strategy", arguments.strategy, "Search strategy: beam, random or grid")->type_name("NAME")->capture_default_str();
  verb->add_option("--max-trials", arguments.max_trials, "Number of configurations to try; 0: as many as the time limit allows")
      ->type_name("N");
  verb->add_option("--seed", arguments.seed, "Seed of the strategy random")->type_name("N");
  verb->add_option("--try-compiler", arguments.compilers,
                   "Another C compiler to try; default: clang if the C compiler is gcc, gcc if it is clang")
      ->type_name("COMMAND")
      ->allow_extra_args(false);
  verb->add_flag("--dry-run", arguments.dry_run, "Do not store the result");
  verb->add_option("--json", arguments.json, "Write all trials to this file; -: stdout, instead of the table")->type_name("FILE");
  verb->add_option("--plot", arguments.plot, "Plot the trials as an SVG file")->type_name("FILE.svg");
  add_input_options(*verb, arguments.inputs);
  verb->add_option("--shape", arguments.shapes, "The value of a shape variable: n=7")->type_name("NAME=VALUE")->allow_extra_args(false);
  verb->add_option("--threads", context.threads, "Number of threads to run on, up to 1024; results do not depend on it")
      ->type_name("N")
      ->capture_default_str();
  add_compile_options(*verb, compile);
  add_context_options(*verb, context);
  verb->footer("Inputs that are not given are filled with random values, as by harp run --random.");
  verb->callback([&] { tune(context, compile, arguments); });
}

void add_emit(CLI::App& app, ContextArguments& context, CompileArguments& compile, EmitArguments& arguments) {
  CLI::App* verb = app.add_subcommand("emit", "Print a stage of a graph's compilation");
  verb->add_option("graph", arguments.graph, "A .harp file, or - for stdin")->required();
  verb->add_option("--lang", arguments.language,
                   "graph, opt, schedule, ir, ir-opt, linear, c or dot; for GPUs cuda, plan (how to launch the kernels) or ptx (needs a "
                   "CUDA compiler)")
      ->type_name("STAGE")
      ->capture_default_str();
  verb->add_option("-o,--output", arguments.output, "File to write; -: stdout")->type_name("FILE")->capture_default_str();
  add_compile_options(*verb, compile);
  add_context_options(*verb, context);
  verb->footer(
      "Results of harp tune are ignored here: harp run --dump schedule,source prints what a run uses.\n"
      "The lines \"kernel_N: ...\" of the stage schedule can be passed to --schedule.");
  verb->callback([&] { emit(context, compile, arguments); });
}

void add_others(CLI::App& app, ContextArguments& context, bool& measures) {
  CLI::App* verb = app.add_subcommand("info", "Print version, backends, compiler, GPUs, cache, CPU and what --measure has found out");
  verb->add_flag("--measure", measures,
                 "Measure this machine's caches, memory and arithmetic first, which takes a few seconds, and store the numbers; later "
                 "compilations for this machine choose schedules by them");
  add_context_options(*verb, context);
  verb->callback([&] { info(context, measures); });

  CLI::App* cache = app.add_subcommand("cache", "List or remove the compiled kernels stored on disk");
  cache->require_subcommand(1);
  CLI::App* list =
      cache->add_subcommand("list", "List entries, one per line: key, bytes, seconds since the last use, target, compiler, signature");
  CLI::App* clear = cache->add_subcommand("clear", "Remove all entries");
  for (CLI::App* each : {list, clear}) add_context_options(*each, context);
  list->callback([&] { list_cache(context); });
  clear->callback([&] { clear_cache(context); });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Array programs from the command line.", "harp");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("harp ") + harp_version_string());
  ContextArguments context;
  CompileArguments compile;
  RunArguments run_arguments;
  TuneArguments tune_arguments;
  EmitArguments emit_arguments;
  bool measures = false;
  add_run(app, context, compile, run_arguments);
  add_tune(app, context, compile, tune_arguments);
  add_emit(app, context, compile, emit_arguments);
  add_others(app, context, measures);
  try {
    const auto is_verb = [&](const CLI::App* verb) { return verb->get_name() == argv[1]; };
    if (argc > 1 && argv[1][0] != '-' && std::as_const(app).get_subcommands(is_verb).empty())
      throw Failure{"unknown command '" + std::string(argv[1]) + "' (harp --help lists the commands)", 2};
    app.parse(argc, argv);
    return 0;
  } catch (const Failure& failure) {
    std::fprintf(stderr, "harp: %s\n", failure.message.c_str());
    return failure.exit_status;
  } catch (const CLI::Success& wish) {  // --help, --version
    return app.exit(wish);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "harp: %s (see harp --help, harp COMMAND --help)\n", error.what());
    return 2;
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "harp: %s\n", exception.what());
    return 1;
  }
}
