// The subcommands of the program `harp`, one function each: `harp run`, `harp tune`, … A subcommand receives its parsed arguments and
// prints to stdout. It throws a Failure (handles.h) on an error.
#pragma once

#include <string>
#include <vector>

#include "tool/handles.h"
#include "tool/inputs.h"

namespace harp::tool {

/// The options of the context, which every subcommand has: the log, the compilation stages to print, and the number of threads of a run.
struct ContextArguments {
  bool verbose = false;  // whether to print harp's log on stderr
  std::string dump;      // names of the compilation stages whose result is printed on stderr
  int threads = 1;
};

/// The options of a compilation. The subcommands run, emit and tune have them.
struct CompileArguments {
  std::string math = "stable";
  std::string backend, target, compiler, schedule_file;  // empty: harp's default
  std::vector<std::string> flags, disabled_passes, specialize;
  int simd_width = 0;
  bool plain_text = false, check_indices = false;
};

struct RunArguments {
  std::string graph;  // the path of a file, or "-" for stdin
  InputArguments inputs;
  std::vector<std::string> outputs, shapes;
  bool time = false;
};

struct TuneArguments {
  std::string graph;
  InputArguments inputs;
  std::vector<std::string> shapes, compilers;
  double seconds = 30;
  std::string strategy = "beam";
  uint64_t seed = 0, max_trials = 0;
  bool dry_run = false;
  std::string json, plot;  // paths of files to write; empty: the file is not written
};

struct EmitArguments {
  std::string graph;
  std::string language = "c";
  std::string output = "-";
};

Context make_context(const ContextArguments& arguments);
/// Parses a .harp file; "-" is stdin.
Graph read_graph(harp_context* context, const std::string& path);
/// Splits "n=7" into a name and a number. Throws a Failure with exit status 2 if the text has another form.
std::pair<std::string, int64_t> parse_size(const std::string& text);

/// Converts CompileArguments to harp_compile_options. The options point to strings of the arguments and of this object, so they are valid
/// only as long as both.
class CompileOptions {
 public:
  explicit CompileOptions(const CompileArguments& arguments);
  CompileOptions(const CompileOptions&) = delete;
  CompileOptions& operator=(const CompileOptions&) = delete;
  const harp_compile_options* get() const { return &options_; }

 private:
  harp_compile_options options_ = HARP_COMPILE_OPTIONS_INIT;
  std::vector<const char*> flags_, passes_, size_names_;
  std::vector<std::string> size_texts_;
  std::vector<int64_t> size_values_;
  std::string schedule_;
};

void run(const ContextArguments& context, const CompileArguments& compile, const RunArguments& arguments);
void tune(const ContextArguments& context, const CompileArguments& compile, const TuneArguments& arguments);
void emit(const ContextArguments& context, const CompileArguments& compile, const EmitArguments& arguments);
/// Prints a description of the context. With `measures` it first measures the machine, using all CPUs.
void info(ContextArguments context, bool measures);
void list_cache(const ContextArguments& context);
void clear_cache(const ContextArguments& context);

}  // namespace harp::tool
