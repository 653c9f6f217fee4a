// `harp run`: runs a graph that it reads from a file. Inputs are .npy files or random arrays; outputs are written to .npy files or printed
// as summaries.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "tool/arrays.h"
#include "tool/commands.h"
#include "tool/inputs.h"
#include "tool/output_files.h"

namespace harp::tool {

namespace {

/// Saves an array to a new file, which replaces the file `path` when files.publish() is called.
void save_array(OutputFiles& files, const harp_buffer* buffer, const std::string& path) {
  const std::string written = files.begin(path);
  try {
    done("", harp_npy_save, buffer, written.c_str());
  } catch (Failure& failure) {  // the message should name the user's path, not the path of the temporary file
    if (const size_t at = failure.message.find(written); at != std::string::npos) failure.message.replace(at, written.size(), path);
    throw;
  }
}

/// The arrays and sizes that a run of the program receives, and its outputs.
struct Session {
  std::vector<Buffer> inputs;
  std::vector<std::string> size_names;
  std::vector<int64_t> size_values;
  std::vector<Buffer> outputs;

  void run(harp_program* program) {
    std::vector<harp_buffer*> in, out;
    for (const Buffer& input : inputs) in.push_back(input.get());
    for (const Buffer& output : outputs) out.push_back(output.get());
    std::vector<const char*> names;
    for (const std::string& name : size_names) names.push_back(name.c_str());
    harp_run_options options = HARP_RUN_OPTIONS_INIT;
    options.n_shape_vars = names.size();
    options.shape_var_names = names.data();
    options.shape_var_values = size_values.data();
    options.flags = HARP_RUN_STAGE;  // inputs are loaded into the host's memory; this flag lets the run copy them to the program's device
    const harp_run_options* borrowed = &options;
    done("", harp_program_run, program, in.size(), in.data(), out.size(), out.data(), borrowed);
    for (size_t i = 0; i < out.size(); ++i)
      if (outputs[i] == nullptr) outputs[i].reset(out[i]);
  }

  /// Copies the inputs to the device of the outputs, on which the program runs, so that later runs need not copy them. To be called after a
  /// run.
  void move_inputs(harp_context* context) {
    if (outputs.empty()) return;
    const std::string device = harp_buffer_device(outputs.front().get());
    for (Buffer& input : inputs) {
      const harp_buffer* from = input.get();
      if (harp_buffer_device(from) == device) continue;
      Buffer moved = made<Buffer>("", harp_buffer_new, context, device.c_str(), harp_buffer_dtype(from), harp_buffer_rank(from),
                                  harp_buffer_dims(from));
      done("", harp_buffer_copy, moved.get(), from);
      input = std::move(moved);
    }
  }
};

/// Repeats the run for about a second, at least 3 times. Returns a text that says how long one run takes.
std::string time_runs(harp_program* program, Session& session) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> milliseconds;
  const auto begin = Clock::now();
  while (milliseconds.size() < 3 || (milliseconds.size() < 10000 && Clock::now() - begin < std::chrono::seconds(1))) {
    const auto start = Clock::now();
    session.run(program);
    milliseconds.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
  done("", harp_program_stats, static_cast<const harp_program*>(program), &stats);
  constexpr const char* kCaches[] = {"compiled", "disk cache", "memory cache"};
  char text[256];
  std::snprintf(text, sizeof text,
                "time: pipeline %.3f ms, compile %.3f ms (%s), run %.6f ms (median of %zu), %d kernels, %d generations\n",
                stats.pipeline_ms, stats.compile_ms, kCaches[stats.cache], milliseconds[milliseconds.size() / 2], milliseconds.size(),
                stats.kernels, stats.generations);
  return text;
}

}  // namespace

void run(const ContextArguments& context_arguments, const CompileArguments& compile, const RunArguments& arguments) {
  const Context context = make_context(context_arguments);
  const Graph graph = read_graph(context.get(), arguments.graph);
  const CompileOptions options(compile);
  const Program program = made<Program>("", harp_compile, static_cast<const harp_graph*>(graph.get()), options.get());

  const std::vector<std::string> names = names_of(program.get(), harp_program_output_count(program.get()), harp_program_output);
  std::vector<std::pair<size_t, std::string>> targets;  // index of an output of the program, and the path to save it to
  for (const std::string& text : arguments.outputs) {
    const auto [name, path] = split_assignment(text, "y=out.npy");
    targets.emplace_back(find_name(names, name, "output"), path);
  }
  if (targets.empty())
    for (size_t i = 0; i < names.size(); ++i) targets.emplace_back(i, "-");

  Session session;
  session.inputs = make_inputs(context.get(), program.get(), arguments.inputs);
  session.outputs.resize(names.size());
  for (const std::string& text : arguments.shapes) {
    auto [name, value] = parse_size(text);
    session.size_names.push_back(std::move(name));
    session.size_values.push_back(value);
  }
  session.run(program.get());

  OutputFiles files;
  std::string printed;
  for (const auto& [output, path] : targets) {
    const harp_buffer* array = session.outputs[output].get();
    if (path == "-")
      printed += summary(names[output], array);
    else
      save_array(files, array, path);
  }
  if (arguments.time) {
    session.move_inputs(context.get());
    printed += time_runs(program.get(), session);
  }
  files.publish();
  write_file("-", printed);
}

}  // namespace harp::tool
