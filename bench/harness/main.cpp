// harp_bench: runs the selected benchmarks and compares their measurements with goals.json.
//
//     harp_bench [--json FILE] [--only REGEX] [--quick] [--keep-going] [--peers DIRECTORY] [--list]
//
// Exit status 0: every goal that this machine can measure is met. 1: harp failed, a result was wrong, or measurements and goals do not
// match. 2: wrong usage. 3: a goal was missed.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <regex>
#include <string>

#include "bench/harness/gpu_host.h"
#include "bench/harness/report.h"
#include "bench/harness/session.h"

namespace bench {
namespace {

constexpr int kFailed = 1, kUsage = 2, kMissed = 3;

constexpr const char* kHelp =
    "usage: harp_bench [--json FILE] [--only REGEX] [--quick] [--keep-going] [--peers DIRECTORY] [--list]\n\n"
    "  --json FILE        appends a JSON object for each row as soon as it is measured\n"
    "  --only REGEX       rows whose name contains a match, such as '^chain\\.exp' or '512mb'\n"
    "  --quick            few short samples: checks that everything works, measures nothing useful\n"
    "  --keep-going       after a failure goes on with the next rows; the exit status still tells\n"
    "  --peers DIRECTORY  the directory of the peers' programs (harp_bench_openblas, ...); default: that of harp_bench\n"
    "  --list             prints the names and goals of the rows without measuring them\n";

std::string own_directory() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

struct Arguments {
  std::string json;
  std::string peers = own_directory();
  std::regex only{""};
  bool quick = false, keep_going = false, list = false;
};

/// Parses the command line. If it is invalid, prints a message to stderr and returns false.
bool parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--quick") {
      arguments.quick = true;
    } else if (word == "--keep-going") {
      arguments.keep_going = true;
    } else if (word == "--list") {
      arguments.list = true;
    } else if ((word == "--json" || word == "--only" || word == "--peers") && i + 1 < argc) {
      const std::string value = argv[++i];
      try {
        if (word == "--json")
          arguments.json = value;
        else if (word == "--peers")
          arguments.peers = value;
        else
          arguments.only = std::regex(value);
      } catch (const std::regex_error& error) {
        std::fprintf(stderr, "harp_bench: \"%s\" is not a valid regular expression: %s\n", value.c_str(), error.what());
        return false;
      }
    } else {
      std::fprintf(stderr, "harp_bench: \"%s\"?\n%s", word.c_str(), kHelp);
      return false;
    }
  }
  return true;
}

std::vector<Benchmark> all_benchmarks() {
  std::vector<Benchmark> all = latency_benchmarks();
  for (const auto& more : {front_benchmarks(),       compiling_benchmarks(),   growing_benchmarks(),       cancelling_benchmarks(),
                           chain_benchmarks(),       keeping_benchmarks(),     bandwidth_benchmarks(),     function_benchmarks(),
                           reduction_benchmarks(),   scan_benchmarks(),        rearrangement_benchmarks(), sort_benchmarks(),
                           transform_benchmarks(),   contraction_benchmarks(), convolution_benchmarks(),   rowwise_benchmarks(),
                           simulation_benchmarks(),  training_benchmarks(),    npb_benchmarks(),           interpreter_benchmarks(),
                           scaling_benchmarks(),     tuning_benchmarks(),      custom_benchmarks(),        short_axis_benchmarks(),
                           unknown_row_benchmarks(), gpu_benchmarks()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// Returns the goals of the source tree. If harp_bench was copied to a machine without the source tree, reads the file goals.json beside
/// it.
Goals goals_of_this_build() {
  return read_goals(std::filesystem::exists(HARP_BENCH_GOALS) ? HARP_BENCH_GOALS : own_directory() + "/goals.json");
}

int run(const Arguments& arguments) {
  const std::vector<Benchmark> benchmarks = all_benchmarks();
  std::vector<std::string> names;
  for (const Benchmark& benchmark : benchmarks) names.insert(names.end(), benchmark.rows.begin(), benchmark.rows.end());
  const Goals goals = goals_of_this_build();
  const std::vector<std::string> problems = unmatched(goals, names);
  for (const std::string& problem : problems) std::fprintf(stderr, "harp_bench: %s\n", problem.c_str());
  if (!problems.empty()) return kFailed;

  const auto selected = [&arguments](const std::string& name) { return std::regex_search(name, arguments.only); };
  if (std::none_of(names.begin(), names.end(), selected)) {
    std::fprintf(stderr, "harp_bench: no row name matches (--list lists the rows)\n");
    return kUsage;
  }
  if (arguments.list) {
    for (const std::string& name : names)
      if (selected(name)) std::printf("%-34s %s\n", name.c_str(), goals.at(name).text().c_str());
    return 0;
  }

  Session session(arguments.quick ? Effort::quick() : Effort::full(), arguments.peers);
  Report report(arguments.json, goals);
  report.begin(session.describe());
  bool failed = false;
  for (const Benchmark& benchmark : benchmarks) {
    if (std::none_of(benchmark.rows.begin(), benchmark.rows.end(), selected)) continue;
    try {
      for (const Row& row : benchmark.run(session))
        if (selected(row.name)) report.add(row);
    } catch (const MissingHardware& missing) {
      for (const std::string& name : benchmark.rows)
        if (selected(name)) report.skip(name, missing.what());
    } catch (const std::exception& error) {
      if (!arguments.keep_going) throw;
      std::fprintf(stderr, "harp_bench: %s: %s\n", benchmark.rows.front().c_str(), error.what());
      failed = true;
    }
  }
  report.end();
  if (failed) return kFailed;
  return report.missed().empty() ? 0 : kMissed;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::Arguments arguments;
  if (argc == 2 && (std::string(argv[1]) == "--help" || std::string(argv[1]) == "-h")) {
    std::fputs(bench::kHelp, stdout);
    return 0;
  }
  if (!bench::parse(argc, argv, arguments)) return bench::kUsage;
  try {
    return bench::run(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "harp_bench: %s\n", error.what());
    return bench::kFailed;
  }
}
