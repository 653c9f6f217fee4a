// Measures the overhead of harp besides computing. First, the time from a graph to a callable program: without any cache; with the program
// in the cache directory; with the program in the context's memory. Second, by how much harp_program_run takes longer than a call of the
// entry point. Each sample without a cache has a new context and a new directory, and each sample with the cache directory has a new
// context, so these times include finding and identifying the C compiler.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "bench/harness/session.h"

namespace bench {
namespace {

/// The graph relu(a * b + c) * 2: one small kernel.
Graph small_graph(harp_context* context) {
  Err err;
  Graph graph(harp_graph_new(context, 0, err));
  err.check("making a graph");
  harp_graph* g = graph.get();
  const harp_dim n = harp_dim_var(g, "n", 0, int64_t{1} << 40);
  harp_node* x = harp_mul(harp_input(g, "a", HARP_F32, 1, &n), harp_input(g, "b", HARP_F32, 1, &n));
  x = harp_relu(harp_add(x, harp_input(g, "c", HARP_F32, 1, &n)));
  harp_output(g, "y", harp_mul(x, harp_constant(g, HARP_F32, 2)));
  return graph;
}

Program compile(const harp_graph* graph, int32_t expected_cache) {
  Err err;
  Program program(harp_compile(graph, nullptr, err));
  err.check("compiling");
  harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
  harp_program_stats(program.get(), &stats, err);
  err.check("reading statistics");
  if (stats.cache != expected_cache)
    throw std::runtime_error("a compilation came from cache " + std::to_string(stats.cache) + " instead of " +
                             std::to_string(expected_cache));
  return program;
}

/// Seconds of a compilation in a new context with this cache directory. Throws if the program does not come from the expected cache, a
/// value HARP_CACHE_....
double time_in_new_context(const std::string& directory, int32_t expected_cache) {
  const Context context = new_context(directory);
  const Graph graph = small_graph(context.get());
  const double begin = now();
  const Program program = compile(graph.get(), expected_cache);
  return now() - begin;
}

/// Seconds that the C compiler needs for the same source with harp's flags: the lower bound of a compilation without a cache.
double time_compiler(const Session& session, const std::string& source, const std::string& object) {
  const char* own = std::getenv("HARP_CC");
  const std::string compiler = own != nullptr && *own != 0 ? own : "cc", march = std::string("-march=") + session.by_hand->target;
  std::vector<const char*> arguments = {compiler.c_str(),
                                        "-pipe",
                                        "-std=gnu11",
                                        "-ffp-contract=off",
                                        "-fwrapv",
                                        "-fno-math-errno",
                                        "-fno-trapping-math",
                                        "-fno-asynchronous-unwind-tables",
                                        "-fno-stack-protector",
                                        "-fPIC",
                                        "-shared",
                                        "-nostdlib",
                                        "-o",
                                        object.c_str(),
                                        source.c_str()};
  if (compiler.find("clang") == std::string::npos)
    arguments.insert(arguments.end(),
                     {"-O1", "-ftree-vectorize", "-fpeel-loops", "-fgcse", "-fexpensive-optimizations", "-fschedule-insns2",
                      "-fcaller-saves", "-fno-ipa-pure-const", "--param=max-completely-peeled-insns=80"});
  else
    arguments.push_back("-O3");
  if (march.starts_with("-march=x86-64")) arguments.push_back(march.c_str());
  if (march == "-march=x86-64-v4") arguments.push_back("-mprefer-vector-width=512");
  arguments.push_back(nullptr);
  const double begin = now();
  pid_t child = 0;
  int status = 0;
  if (posix_spawnp(&child, compiler.c_str(), nullptr, nullptr, const_cast<char**>(arguments.data()), environ) != 0 ||
      waitpid(child, &status, 0) != child || status != 0)
    throw std::runtime_error("the compiler \"" + compiler + "\" failed on harp's source");
  return now() - begin;
}

int samples(const Session& session, int full) { return session.effort.max_rounds < 20 ? 3 : full; }

std::vector<Row> run_compile(Session& session) {
  const TemporaryDirectory files;
  const std::string source = files.path() + "/unit.c", object = files.path() + "/unit.so", warm = files.path() + "/cache";
  const Graph graph = small_graph(session.context.get());
  {
    Err err;
    const String text(harp_graph_emit(graph.get(), nullptr, "c", err));
    err.check("emitting C");
    std::ofstream(source) << harp_string_data(text.get());
  }
  std::vector<double> cold, by_hand, ratios, disk, memory;
  for (int i = 0; i < samples(session, 21); ++i) {
    const TemporaryDirectory fresh;
    cold.push_back(time_in_new_context(fresh.path(), HARP_CACHE_NONE));
    by_hand.push_back(time_compiler(session, source, object));
    ratios.push_back(by_hand.back() / cold.back());
  }
  std::filesystem::create_directory(warm);
  // harp does not trust a cache directory to which others can write, as they can with some umasks.
  std::filesystem::permissions(warm, std::filesystem::perms::owner_all);
  time_in_new_context(warm, HARP_CACHE_NONE);
  for (int i = 0; i < samples(session, 101); ++i) disk.push_back(time_in_new_context(warm, HARP_CACHE_DISK));
  const Context context = new_context(warm);
  const Graph again = small_graph(context.get());
  compile(again.get(), HARP_CACHE_DISK);
  for (int i = 0; i < samples(session, 1001); ++i) {
    const double begin = now();
    const Program program = compile(again.get(), HARP_CACHE_MEMORY);
    memory.push_back(now() - begin);
  }
  return {{"compile.cold", median(cold) * 1e3, "ms", "the C compiler alone", median(by_hand) * 1e3, median(ratios)},
          {"compile.disk_hit", median(disk) * 1e3, "ms", "", {}, {}},
          {"compile.memory_hit", median(memory) * 1e6, "us", "", {}, {}}};
}

std::vector<Row> run_call(Session& session) {
  constexpr size_t kElements = 16;
  session.memory.reserve(Memory::room(2, kElements * sizeof(float)));
  const std::span<float> x = session.memory.take(kElements), y = session.memory.take(kElements);
  fill(x, 0, 1, 0);

  Err err;
  const Graph graph(harp_graph_new(session.context.get(), 0, err));
  err.check("making a graph");
  const harp_dim n = harp_dim_var(graph.get(), "n", 0, int64_t{1} << 40);
  harp_output(graph.get(), "y", harp_add(harp_input(graph.get(), "x", HARP_F32, 1, &n), harp_constant(graph.get(), HARP_F32, 1)));
  const Program program(harp_compile(graph.get(), nullptr, err));
  err.check("compiling");
  Kernel kernel(graph.get(), {x.data()}, {y.data()}, {kElements});

  const int64_t size = kElements;
  const Buffer from(harp_buffer_wrap(session.context.get(), HARP_F32, 1, &size, x.data(), nullptr, nullptr, err));
  const Buffer to(harp_buffer_wrap(session.context.get(), HARP_F32, 1, &size, y.data(), nullptr, nullptr, err));
  err.check("wrapping arrays");
  harp_buffer* const inputs[] = {from.get()};
  harp_buffer* outputs[] = {to.get()};
  harp_status status = HARP_OK;
  const Candidate candidates[] = {
      [&](size_t repeats) {
        for (size_t i = 0; i < repeats; ++i) status |= harp_program_run(program.get(), 1, inputs, 1, outputs, nullptr, nullptr);
      },
      [&](size_t repeats) { kernel(repeats); },
  };
  const Comparison times = compare(candidates, session.effort);
  if (status != HARP_OK || y[3] != x[3] + 1) throw std::runtime_error("a run of a tiny program failed or gave a wrong result");
  const double raw = times.seconds(1) * 1e9;
  return {{"call.overhead", times.seconds(0) * 1e9 - raw, "ns", "the entry point itself", raw, {}}};
}

}  // namespace

std::vector<Benchmark> latency_benchmarks() {
  return {{{"compile.cold", "compile.disk_hit", "compile.memory_hit"}, run_compile}, {{"call.overhead"}, run_call}};
}

}  // namespace bench
