// harp_fuzz: random graphs through every compiler against the interpreter. `./dev fuzz` and `./dev torture` start it; a failing seed is
// run again with --seeds N..N, a case file with --replay.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "fuzz/campaign.h"
#include "fuzz/case_file.h"
#include "fuzz/isolated.h"
#include "fuzz/shrink.h"
#include "graph/text.h"

namespace {

using namespace harp;
using namespace harp::fuzz;

int replay(const std::string& path, bool shrink_it) {
  const Job job = parse_job(read_text_file(path));
  const Outcome result = check_isolated(std::span(&job, 1))[0];
  std::printf("%s: %s %s\n", path.c_str(), std::string(name(result.verdict)).c_str(), result.message.c_str());
  if (result.verdict != Verdict::kPass && shrink_it) {
    const Shrunk shrunk = shrink(job, result);
    std::printf("%s", print_job(shrunk.job, cat(name(shrunk.outcome.verdict), ": ", shrunk.outcome.message)).c_str());
  }
  return result.verdict == Verdict::kPass ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Random graphs: compiled results against the interpreter's, bit for bit");
  CampaignOptions options;
  options.processes = 2;
  options.directory = "build/fuzz";
  std::string seeds;
  std::vector<std::string> files;
  bool show = false, keep_size = false;
  int seconds = 0;
  app.add_option("--graphs", options.count, "how many seeds, from 0 (or from --seeds' first)");
  app.add_option("--seeds", seeds, "A..B: these seeds");
  app.add_option("--processes", options.processes, "batches at a time");
  app.add_option("--batch", options.batch, "graphs a compiler process");
  app.add_option("--compilers", options.variants.compilers, "commands, separated by commas")->delimiter(',');
  app.add_option("--percent-o3", options.variants.percent_o3, "share of compiler runs with -O3, the others use -O1");
  app.add_option("--failures", options.most_failures, "stop after so many");
  app.add_option("--seconds", seconds, "begin no new batch after this time");
  app.add_option("--directory", options.directory, "where shrunk cases go");
  app.add_option("--replay", files, "case files to run instead of seeds");
  app.add_flag("--print", show, "print the graphs of the seeds and do not run them");
  app.add_flag("--no-shrink", keep_size, "keep failing cases as they are");
  CLI11_PARSE(app, argc, argv);
  options.shrink = !keep_size;
  if (seconds > 0) options.time_limit = std::chrono::seconds(seconds);
  try {
    if (!seeds.empty()) {
      char* end = nullptr;
      options.first = std::strtoull(seeds.c_str(), &end, 10);
      const uint64_t last = std::string_view(end).substr(0, 2) == ".." ? std::strtoull(end + 2, nullptr, 10) : options.first;
      if (last < options.first) fail(Code::kInvalidArgument, "--seeds ", seeds, ": the last is before the first");
      if (app.count("--graphs") == 0) options.count = last - options.first + 1;
    }
    int status = 0;
    for (const std::string& file : files) status |= replay(file, !keep_size);
    if (!files.empty()) return status;
    if (show) {
      for (uint64_t i = 0; i < options.count; ++i)
        std::printf("%s\n", print_job(job_of_seed(options.first + i, options.variants), cat("seed ", options.first + i)).c_str());
      return 0;
    }
    const CampaignResult result = run_campaign(options);
    std::printf("%s%llu of %llu passed, -O3 in %d%% of the compiler runs, -O1 in the others\n", result.coverage.report().c_str(),
                static_cast<unsigned long long>(result.passed), static_cast<unsigned long long>(result.checked),
                options.variants.percent_o3);
    for (const Failure& failure : result.failures)
      std::printf("failed: seed %llu %s\n", static_cast<unsigned long long>(failure.seed), failure.file.c_str());
    return result.failures.empty() ? 0 : 1;
  } catch (const Error& error) {
    std::fprintf(stderr, "harp_fuzz: %s\n", error.what());
    return 2;
  }
}
