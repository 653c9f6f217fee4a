// A run over many seeds. `harp_fuzz` starts one, and the tests a small one.
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

/// The `count` seeds first, first + 1 ...
std::vector<uint64_t> seed_range(uint64_t first, uint64_t count);
/// Parses "7", "0..1999" and comma-separated lists of these. Throws Error{kInvalidArgument} for any other text.
std::vector<uint64_t> parse_seeds(std::string_view text);

struct CampaignOptions {
  std::vector<uint64_t> seeds = seed_range(0, 2000);
  int processes = 1;
  uint64_t batch = 100;  // graphs per run of a compiler
  VariantLimits variants;
  bool shrink = true;
  int most_failures = 5;                           // stop after this many failures
  std::string directory;                           // the directory for shrunk cases; "": they are not written
  std::optional<std::chrono::seconds> time_limit;  // once it has passed, no new batch begins
  std::chrono::seconds batch_timeout{300};         // a batch that takes longer counts as hanging
};

struct Failure {
  uint64_t seed;
  Outcome outcome;
  std::string file;  // path of the file with the shrunk case
};

struct CampaignResult {
  uint64_t checked = 0, passed = 0;
  std::vector<Failure> failures;
  Coverage coverage;
};

/// Prints each failure to stderr with its seed and the command to repeat it.
CampaignResult run_campaign(const CampaignOptions& options);

/// The coverage of the graphs of these seeds, without running them.
Coverage coverage_of(const std::vector<uint64_t>& seeds);

/// A digest of the graph, sizes and sources of a seed, or of its error. Builds of harp with equal digests compile equal programs.
std::string digest_of_seed(uint64_t seed, const VariantLimits& limits);

/// The job of one seed.
Job job_of_seed(uint64_t seed, const VariantLimits& limits);

}  // namespace harp::fuzz
