// harp_fuzz: runs random graphs through every compiler and compares them with the interpreter. `./dev fuzz` and `./dev torture` start it.
// Repeat a failing seed with --seeds N..N and a case file with --replay.
#include <CLI/CLI.hpp>
#include <cstdio>
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
  bool show = false, count_only = false, digests = false, keep_size = false;
  int seconds = 0, patience = 300;
  uint64_t graphs = 0;
  app.add_option("--graphs", graphs, "how many seeds, from 0 (or from --seeds' first)");
  app.add_option("--seeds", seeds, "these seeds: A..B, or a list 1,5,10..20");
  app.add_option("--processes", options.processes, "batches at a time");
  app.add_option("--batch", options.batch, "graphs a compiler process");
  app.add_option("--compilers", options.variants.compilers, "commands, separated by commas")->delimiter(',');
  app.add_option("--device", options.variants.device, "a GPU, for example cuda:0, that runs the graphs instead of the C compilers");
  app.add_option("--percent-o3", options.variants.percent_o3, "share of compiler runs with -O3");
  app.add_option("--percent-o0", options.variants.percent_o0, "share with -O0; the others use -O1");
  app.add_option("--failures", options.most_failures, "stop after so many");
  app.add_option("--seconds", seconds, "begin no new batch after this time");
  app.add_option("--timeout", patience, "seconds a batch may take");
  app.add_option("--directory", options.directory, "where shrunk cases go");
  app.add_option("--replay", files, "case files to run instead of seeds");
  app.add_flag("--print", show, "print the graphs of the seeds and do not run them");
  app.add_flag("--coverage", count_only, "only count what the graphs are made of, with the pairs of operations that never met");
  app.add_flag("--digests", digests, "only print what tells the seeds' graphs and sources of one build of harp from another's");
  app.add_flag("--no-shrink", keep_size, "keep failing cases as they are");
  CLI11_PARSE(app, argc, argv);
  options.shrink = !keep_size;
  options.batch_timeout = std::chrono::seconds(patience);
  if (seconds > 0) options.time_limit = std::chrono::seconds(seconds);
  try {
    if (!seeds.empty()) options.seeds = parse_seeds(seeds);
    if (graphs > 0) options.seeds = seed_range(options.seeds.front(), graphs);
    int status = 0;
    for (const std::string& file : files) status |= replay(file, !keep_size);
    if (!files.empty()) return status;
    if (show) {
      for (const uint64_t seed : options.seeds)
        std::printf("%s\n", print_job(job_of_seed(seed, options.variants), cat("seed ", seed)).c_str());
      return 0;
    }
    if (digests) {
      for (const uint64_t seed : options.seeds) {
        std::printf("%llu %s\n", static_cast<unsigned long long>(seed), digest_of_seed(seed, options.variants).c_str());
        std::fflush(stdout);  // flushed here, because a later crash would lose the buffered output
      }
      return 0;
    }
    if (count_only) {
      const Coverage coverage = coverage_of(options.seeds);
      std::printf("%s", coverage.report().c_str());
      for (const OpPair& pair : coverage.missing_pairs())
        std::printf("never met: %s -> %s, %s\n", std::string(name(pair.producer)).c_str(), std::string(name(pair.consumer)).c_str(),
                    std::string(name(pair.dtype)).c_str());
      return coverage.gaps().empty() ? 0 : 1;
    }
    const CampaignResult result = run_campaign(options);
    std::printf("%s%llu of %llu passed, -O3 in %d%% of the compiler runs, -O0 in %d%%, -O1 in the others\n",
                result.coverage.report().c_str(), static_cast<unsigned long long>(result.passed),
                static_cast<unsigned long long>(result.checked), options.variants.percent_o3, options.variants.percent_o0);
    for (const Failure& failure : result.failures)
      std::printf("failed: seed %llu %s\n", static_cast<unsigned long long>(failure.seed), failure.file.c_str());
    return result.failures.empty() && result.coverage.gaps().empty() ? 0 : 1;
  } catch (const Error& error) {
    std::fprintf(stderr, "harp_fuzz: %s\n", error.what());
    return 2;
  }
}
