// harp run: a graph from a file, inputs from .npy files or the random generator, outputs to .npy files or as a summary.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "tool/arrays.h"
#include "tool/commands.h"
#include "tool/output_files.h"

namespace harp::tool {

namespace {

/// "x=photo.npy" as its two halves.
std::pair<std::string, std::string> split_assignment(const std::string& text, const char* example) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw Failure{"'" + text + "' is no assignment like " + example, 2};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

using ArrayQuery = harp_status (*)(const harp_program*, size_t, harp_array_info*, harp_error**);

std::vector<std::string> names_of(const harp_program* program, size_t n, ArrayQuery query) {
  std::vector<std::string> names;
  for (size_t i = 0; i < n; ++i) {
    harp_array_info info = HARP_ARRAY_INFO_INIT;
    done("", query, program, i, &info);
    names.emplace_back(info.name);
  }
  return names;
}

/// The position of a name; what the program has otherwise.
size_t find_name(const std::vector<std::string>& names, const std::string& name, const char* kind) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  std::string known;
  for (const std::string& other : names) known += (known.empty() ? "" : ", ") + other;
  throw Failure{std::string("the program has no ") + kind + " '" + name + "' (it has " + (known.empty() ? "none" : known) + ")", 2};
}

std::vector<Buffer> make_inputs(harp_context* context, const harp_program* program, const RunArguments& arguments) {
  const std::vector<std::string> names = names_of(program, harp_program_input_count(program), harp_program_input);
  std::vector<Buffer> inputs(names.size());
  const auto place = [&](const std::string& name) -> Buffer& {
    Buffer& input = inputs[find_name(names, name, "input")];
    if (input != nullptr) throw Failure{"input '" + name + "' is given twice", 2};
    return input;
  };
  for (const std::string& text : arguments.inputs) {
    const auto [name, path] = split_assignment(text, "x=photo.npy");
    place(name) = made<Buffer>("", harp_npy_load, context, path.c_str());
  }
  for (const std::string& text : arguments.randoms) {
    const auto [name, description] = split_assignment(text, "x=f32[512,1024]:7");
    Buffer& input = place(name);
    input = make_random(context, parse_random(description));
  }
  for (size_t i = 0; i < names.size(); ++i)
    if (inputs[i] == nullptr)
      throw Failure{
          "input '" + names[i] + "' is missing: give --input " + names[i] + "=FILE.npy or --random " + names[i] + "=f32[2,3]:SEED", 2};
  return inputs;
}

/// Writes an array to where `path` will appear when the files are published.
void save_array(OutputFiles& files, const harp_buffer* buffer, const std::string& path) {
  const std::string written = files.begin(path);
  try {
    done("", harp_npy_save, buffer, written.c_str());
  } catch (Failure& failure) {  // about the file that was asked for, not about the one beside it
    if (const size_t at = failure.message.find(written); at != std::string::npos) failure.message.replace(at, written.size(), path);
    throw;
  }
}

/// Everything a run of the program needs, and its result.
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
    const harp_run_options* borrowed = &options;
    done("", harp_program_run, program, in.size(), in.data(), out.size(), out.data(), borrowed);
    for (size_t i = 0; i < out.size(); ++i)
      if (outputs[i] == nullptr) outputs[i].reset(out[i]);
  }
};

/// Runs for about a second (at least 3 times) and says how long one takes.
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
  std::vector<std::pair<size_t, std::string>> targets;  // output, path
  for (const std::string& text : arguments.outputs) {
    const auto [name, path] = split_assignment(text, "y=out.npy");
    targets.emplace_back(find_name(names, name, "output"), path);
  }
  if (targets.empty())
    for (size_t i = 0; i < names.size(); ++i) targets.emplace_back(i, "-");

  Session session;
  session.inputs = make_inputs(context.get(), program.get(), arguments);
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
  if (arguments.time) printed += time_runs(program.get(), session);
  files.publish();
  write_file("-", printed);
}

}  // namespace harp::tool
