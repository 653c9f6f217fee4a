// A run over many seeds: what `harp_fuzz` does, and the part of it that belongs to the tests.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/check_case.h"
#include "fuzz/coverage.h"

namespace harp::fuzz {

struct CampaignOptions {
  uint64_t first = 0, count = 2000;  // seeds
  int processes = 1;
  uint64_t batch = 100;  // graphs a compiler run
  VariantLimits variants;
  bool shrink = true;
  int most_failures = 5;                           // stop after so many
  std::string directory;                           // shrunk cases go here; "": nowhere
  std::optional<std::chrono::seconds> time_limit;  // no new batch is begun after it
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

/// The job of one seed.
Job job_of_seed(uint64_t seed, const VariantLimits& limits);

}  // namespace harp::fuzz
