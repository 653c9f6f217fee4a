#include "fuzz/campaign.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "fuzz/case_file.h"
#include "fuzz/isolated.h"
#include "fuzz/shrink.h"

namespace harp::fuzz {
namespace {

/// Shrinks the case of a seed and writes it; gives the file's name.
std::string keep_failure(uint64_t seed, const Outcome& result, const CampaignOptions& options) {
  if (options.directory.empty()) return "";
  mkdir(options.directory.c_str(), 0777);
  Shrunk shrunk{job_of_seed(seed, options.variants), result, 0};
  if (options.shrink) shrunk = shrink(std::move(shrunk.job), result);
  const std::string path = cat(options.directory, "/seed_", seed, ".harp");
  write_text_file(path, print_job(shrunk.job, cat(name(shrunk.outcome.verdict), ": ", shrunk.outcome.message)));
  std::fprintf(stderr, "  %s after %d candidates: %s\n", options.shrink ? "shrunk" : "kept", shrunk.tried, shrunk.outcome.message.c_str());
  return path;
}

}  // namespace

Job job_of_seed(uint64_t seed, const VariantLimits& limits) { return {random_case(seed), random_variants(seed, limits)}; }

CampaignResult run_campaign(const CampaignOptions& options) {
  CampaignResult result;
  const auto begin = std::chrono::steady_clock::now();
  const auto is_late = [&] { return options.time_limit && std::chrono::steady_clock::now() - begin > *options.time_limit; };
  // In slices, so that a limit can end the run between them.
  const uint64_t slice = options.batch * static_cast<uint64_t>(std::max(1, options.processes)) * 2;
  for (uint64_t at = 0; at < options.count && !is_late(); at += slice) {
    std::vector<std::vector<uint64_t>> batches;
    for (uint64_t b = at; b < std::min(at + slice, options.count); b += options.batch) {
      std::vector<uint64_t>& batch = batches.emplace_back();
      for (uint64_t i = b; i < std::min(b + options.batch, options.count); ++i) batch.push_back(options.first + i);
    }
    std::vector<std::pair<uint64_t, Outcome>> failed;
    check_isolated(
        batches, [&](uint64_t seed) { return job_of_seed(seed, options.variants); },
        [&](uint64_t seed, const Outcome& checked) {
          ++result.checked;
          if (checked.verdict == Verdict::kPass)
            ++result.passed;
          else
            failed.emplace_back(seed, checked);
        },
        {options.processes, std::chrono::seconds(300)});
    for (const auto& batch : batches)
      for (const uint64_t seed : batch) result.coverage.add(random_case(seed));
    for (const auto& [seed, checked] : failed) {
      std::fprintf(stderr, "seed %llu: %s: %s\n  again: harp_fuzz --seeds %llu..%llu\n", static_cast<unsigned long long>(seed),
                   std::string(name(checked.verdict)).c_str(), checked.message.c_str(), static_cast<unsigned long long>(seed),
                   static_cast<unsigned long long>(seed));
      result.failures.push_back({seed, checked, ""});
      if (static_cast<int>(result.failures.size()) <= options.most_failures)
        result.failures.back().file = keep_failure(seed, checked, options);
    }
    if (static_cast<int>(result.failures.size()) >= options.most_failures) break;
  }
  return result;
}

}  // namespace harp::fuzz
