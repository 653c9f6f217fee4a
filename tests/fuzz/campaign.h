// Runs the fuzzer over many seeds. The program `harp_fuzz` does this, and the tests do it with a few seeds.
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

/// Returns the list of `count` seeds first, first + 1, ...
std::vector<uint64_t> seed_range(uint64_t first, uint64_t count);
/// Parses "7", "0..1999" and comma-separated lists of these. Throws Error{kInvalidArgument} for any other text.
std::vector<uint64_t> parse_seeds(std::string_view text);

struct CampaignOptions {
  std::vector<uint64_t> seeds = seed_range(0, 2000);
  int processes = 1;
  uint64_t batch = 100;  // number of graphs that one run of a C compiler compiles together
  VariantLimits variants;
  bool shrink = true;
  int most_failures = 5;                           // stop after this many failures
  std::string directory;                           // where the reduced failing cases are written; "": nowhere
  std::optional<std::chrono::seconds> time_limit;  // after this time no new batches are started
  std::chrono::seconds batch_timeout{300};         // a batch that takes longer is reported as hanging
};

struct Failure {
  uint64_t seed;
  Outcome outcome;
  std::string file;  // path of the file with the reduced failing case
};

struct CampaignResult {
  uint64_t checked = 0, passed = 0;
  std::vector<Failure> failures;
  Coverage coverage;
};

/// Checks the random graphs of all seeds in `options`. Prints each failure to stderr with its seed and the command to repeat it. Returns
/// the failures, the numbers of checked and of passed graphs, and the coverage.
CampaignResult run_campaign(const CampaignOptions& options);

/// The coverage of the graphs of these seeds, without running them.
Coverage coverage_of(const std::vector<uint64_t>& seeds);

/// A digest of the graph, the sizes and the generated sources that a seed gives, or of the error message. If two builds of harp give equal
/// digests, they compile equal programs for this seed.
std::string digest_of_seed(uint64_t seed, const VariantLimits& limits);

/// The random graph of this seed with its sizes, its data and the variants to compile.
Job job_of_seed(uint64_t seed, const VariantLimits& limits);

}  // namespace harp::fuzz
