#include "fuzz/campaign.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <numeric>
#include <set>

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "fuzz/case_file.h"
#include "fuzz/isolated.h"
#include "fuzz/shrink.h"
#include "fuzz/size_check.h"
#include "graph/text.h"
#include "pipeline.h"

namespace harp::fuzz {
namespace {

/// Reduces the failing case of this seed, writes the reduced case to a file and returns the name of the file.
std::string keep_failure(uint64_t seed, const Outcome& result, const CampaignOptions& options) {
  if (options.directory.empty()) return "";
  mkdir(options.directory.c_str(), 0777);
  std::optional<Job> job;
  try {
    job = job_of_seed(seed, options.variants);
  } catch (const Error&) {
    return "";  // the graph could not be built, so there is no graph to write
  }
  Shrunk shrunk{std::move(*job), result, 0};
  if (options.shrink) shrunk = shrink(std::move(shrunk.job), result);
  const std::string path = cat(options.directory, "/seed_", seed, ".harp");
  write_text_file(path, print_job(shrunk.job, cat(name(shrunk.outcome.verdict), ": ", shrunk.outcome.message)));
  std::fprintf(stderr, "  %s after %d candidates: %s\n", options.shrink ? "shrunk" : "kept", shrunk.tried, shrunk.outcome.message.c_str());
  return path;
}

}  // namespace

Job job_of_seed(uint64_t seed, const VariantLimits& limits) { return {random_case(seed), random_variants(seed, limits)}; }

std::vector<uint64_t> seed_range(uint64_t first, uint64_t count) {
  std::vector<uint64_t> seeds(count);
  std::iota(seeds.begin(), seeds.end(), first);
  return seeds;
}

std::vector<uint64_t> parse_seeds(std::string_view text) {
  std::vector<uint64_t> seeds;
  const auto number = [&] {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    HARP_CHECK(error == std::errc(), Code::kInvalidArgument, "seeds: no number at \"", text, "\"; expected A, A..B or a list of these");
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return value;
  };
  const auto skip = [&](std::string_view sign) {
    const bool found = text.starts_with(sign);
    if (found) text.remove_prefix(sign.size());
    return found;
  };
  do {
    const uint64_t first = number(), last = skip("..") ? number() : first;
    HARP_CHECK(first <= last, Code::kInvalidArgument, "seeds: ", first, "..", last, " ends before it begins");
    for (const uint64_t seed : seed_range(first, last - first + 1)) seeds.push_back(seed);
  } while (skip(","));
  HARP_CHECK(text.empty(), Code::kInvalidArgument, "seeds: what is \"", text, "\"?");
  return seeds;
}

std::string digest_of_seed(uint64_t seed, const VariantLimits& limits) {
  Hasher hasher;
  try {
    const Job job = job_of_seed(seed, limits);
    hasher.add(print_graph(*job.test.graph)).add(SizeExpressions(job.test.data_seed).normal_forms());
    for (const BuildVariant& variant : job.variants) {
      const Generated generated = generate(*job.test.graph, pipeline_options(*job.test.graph, variant));
      hasher.add(generated.source);
      for (const InPlaceArguments& pair : generated.in_place) hasher.add(cat(pair.output, " in place of ", pair.input));
    }
  } catch (const Error& error) {
    hasher.add(error.message);
  }
  return hasher.finish().hex();
}

Coverage coverage_of(const std::vector<uint64_t>& seeds) {
  Coverage coverage;
  for (const uint64_t seed : seeds) coverage.add(random_case(seed));
  return coverage;
}

CampaignResult run_campaign(const CampaignOptions& options) {
  CampaignResult result;
  const auto begin = std::chrono::steady_clock::now();
  const auto is_late = [&] { return options.time_limit && std::chrono::steady_clock::now() - begin > *options.time_limit; };
  // The seeds are processed in slices of a few batches, because the time limit is only checked between two slices.
  const size_t slice = options.batch * static_cast<uint64_t>(std::max(1, options.processes)) * 2;
  const std::vector<uint64_t>& seeds = options.seeds;
  for (size_t at = 0; at < seeds.size() && !is_late(); at += slice) {
    std::vector<std::vector<uint64_t>> batches;
    for (size_t b = at; b < std::min(at + slice, seeds.size()); b += options.batch)
      batches.emplace_back(seeds.begin() + static_cast<ptrdiff_t>(b),
                           seeds.begin() + static_cast<ptrdiff_t>(std::min(b + options.batch, seeds.size())));
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
        {options.processes, options.batch_timeout});
    std::set<uint64_t> bad;
    for (const auto& [seed, checked] : failed) bad.insert(seed);
    for (const auto& batch : batches)
      // A graph that failed is not counted in the coverage: it has tested nothing, and random_case() may throw for it.
      for (const uint64_t seed : batch)
        if (!bad.contains(seed)) result.coverage.add(random_case(seed));
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
