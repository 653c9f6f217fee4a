// Functions that several subcommands of `harp` use: they make a context, read graphs, and set compile options. This file also contains the
// subcommands that take only a few lines.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <thread>

#include "tool/commands.h"
#include "tool/output_files.h"

namespace harp::tool {

namespace {

void print_log(void*, int32_t level, const char* text, size_t size) {
  constexpr const char* kNames[] = {"trace", "debug", "info", "warning", "error"};
  const char* name = level >= HARP_LOG_TRACE && level <= HARP_LOG_ERROR ? kNames[level] : "log";
  std::fprintf(stderr, "harp: %s: %.*s\n", name, static_cast<int>(size), text);
}

std::vector<const char*> pointers(const std::vector<std::string>& strings) {
  std::vector<const char*> list;
  for (const std::string& string : strings) list.push_back(string.c_str());
  return list;
}

}  // namespace

Context make_context(const ContextArguments& arguments) {
  harp_context_options options = HARP_CONTEXT_OPTIONS_INIT;
  options.log = &print_log;
  options.log_level = arguments.verbose ? HARP_LOG_DEBUG : arguments.dump.empty() ? HARP_LOG_WARNING : HARP_LOG_INFO;
  if (!arguments.dump.empty()) options.dump = arguments.dump.c_str();
  options.threads = arguments.threads;
  return made<Context>("", harp_context_new, static_cast<const harp_context_options*>(&options));
}

Graph read_graph(harp_context* context, const std::string& path) {
  const std::string text = read_file(path);
  return made<Graph>(path == "-" ? "stdin" : path, harp_graph_parse, context, text.size(), text.data());
}

std::pair<std::string, int64_t> parse_size(const std::string& text) {
  const size_t equals = text.find('=');
  int64_t value = 0;
  if (equals != std::string::npos && equals > 0) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + equals + 1, end, value);
    if (error == std::errc() && stop == end && equals + 1 < text.size()) return {text.substr(0, equals), value};
  }
  throw Failure{"'" + text + "' is not a size such as n=7", 2};
}

CompileOptions::CompileOptions(const CompileArguments& arguments)
    : flags_(pointers(arguments.flags)), passes_(pointers(arguments.disabled_passes)) {
  if (!arguments.backend.empty()) options_.backend = arguments.backend.c_str();
  if (arguments.math != "stable") throw Failure{"math level '" + arguments.math + "' does not exist in this version, expected stable"};
  options_.simd_width = arguments.simd_width;
  options_.plain_text = arguments.plain_text;
  options_.check_indices = arguments.check_indices;
  if (!arguments.target.empty()) options_.target = arguments.target.c_str();
  if (!arguments.compiler.empty()) options_.compiler = arguments.compiler.c_str();
  options_.n_flags = flags_.size();
  options_.flags = flags_.data();
  options_.n_disabled_passes = passes_.size();
  options_.disabled_passes = passes_.data();
  if (!arguments.schedule_file.empty()) {
    schedule_ = read_file(arguments.schedule_file);
    options_.schedule = schedule_.c_str();
  }
  for (const std::string& text : arguments.specialize) {
    auto [name, value] = parse_size(text);
    size_texts_.push_back(std::move(name));
    size_values_.push_back(value);
  }
  size_names_ = pointers(size_texts_);
  options_.n_specialize = size_names_.size();
  options_.specialize_names = size_names_.data();
  options_.specialize_values = size_values_.data();
}

void emit(const ContextArguments& context_arguments, const CompileArguments& compile, const EmitArguments& arguments) {
  const Context context = make_context(context_arguments);
  const Graph graph = read_graph(context.get(), arguments.graph);
  const CompileOptions options(compile);
  write_file(arguments.output, text_of(harp_graph_emit, graph.get(), options.get(), arguments.language.c_str()));
}

void info(ContextArguments arguments, bool measures) {
  constexpr unsigned kMostThreads = 1024;  // the largest number of threads that harp_context_options accepts
  if (measures) arguments.threads = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, kMostThreads));
  const Context context = make_context(arguments);
  if (measures) done("", harp_context_measure, context.get());
  write_file("-", text_of(harp_context_describe, context.get()));
}

void list_cache(const ContextArguments& arguments) {
  const Context context = make_context(arguments);
  harp_cache_stats_info stats = HARP_CACHE_STATS_INFO_INIT;
  done("", harp_cache_stats, context.get(), &stats);
  const std::string directory = text_of(harp_cache_dir, context.get());
  if (directory.empty()) throw Failure{"there is no cache directory (see harp info)"};
  std::string text = text_of(harp_cache_list, context.get());
  text += std::to_string(stats.entries) + " entries, " + std::to_string(stats.bytes) + " bytes in " + directory + "\n";
  write_file("-", text);
}

void clear_cache(const ContextArguments& arguments) { done("", harp_cache_clear, make_context(arguments).get()); }

}  // namespace harp::tool
