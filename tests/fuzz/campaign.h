// A run over many seeds: what `harp_fuzz` does, and the part of it that belongs to the tests.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/check_case.h"
#include "fuzz/coverage.h"

namespace harp::fuzz {

/// first, first + 1 … : `count` of them.
std::vector<uint64_t> seed_range(uint64_t first, uint64_t count);
/// "7", "0..1999" and lists of these with commas between; Error{kInvalidArgument}.
std::vector<uint64_t> parse_seeds(std::string_view text);

struct CampaignOptions {
  std::vector<uint64_t> seeds = seed_range(0, 2000);
  int processes = 1;
  uint64_t batch = 100;  // graphs a compiler run
  VariantLimits variants;
  bool shrink = true;
  int most_failures = 5;                           // stop after so many
  std::string directory;                           // shrunk cases go here; "": nowhere
  std::optional<std::chrono::seconds> time_limit;  // no new batch is begun after it
  std::chrono::seconds batch_timeout{300};         // what takes longer hangs
};

struct Failure {
  uint64_t seed;
  Outcome outcome;
  std::string file;  // the shrunk case
};

struct CampaignResult {
  uint64_t checked = 0, passed = 0;
  std::vector<Failure> failures;
  Coverage coverage;
};

/// Prints failures to stderr as they come, with the seed and the command that runs it again.
CampaignResult run_campaign(const CampaignOptions& options);

/// What the graphs of the seeds are made of, without running them.
Coverage coverage_of(const std::vector<uint64_t>& seeds);

/// Says which graph, sizes and sources a seed gives, or which error: builds of harp with the same digest compile the same programs.
std::string digest_of_seed(uint64_t seed, const VariantLimits& limits);

/// The job of one seed.
Job job_of_seed(uint64_t seed, const VariantLimits& limits);

}  // namespace harp::fuzz
