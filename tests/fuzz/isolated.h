// Checks jobs in child processes: generated code that crashes, hangs or fills the memory takes a batch with it, not the tester. The job
// at work then gets the blame and the others of its batch are done again without it. Several batches run at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fuzz/check_case.h"

namespace harp::fuzz {

struct IsolationOptions {
  int processes = 1;                        // at a time
  std::chrono::seconds batch_timeout{300};  // for one batch; the job at work is then at fault
  bool with_cache = true;                   // see check_jobs
};

/// What a batch is to do: a number that names a job, from which the child makes it (so that the parent does no work).
using MakeJob = std::function<Job(uint64_t number)>;
/// Called in the parent, once for every number, in no order; kPass too.
using Report = std::function<void(uint64_t number, const Outcome& result)>;

/// Runs every batch of `numbers`. `make_job` runs in a child.
void check_isolated(const std::vector<std::vector<uint64_t>>& batches, const MakeJob& make_job, const Report& report,
                    const IsolationOptions& options);

/// One batch of jobs that exist already: a result for each.
std::vector<Outcome> check_isolated(std::span<const Job> jobs, const IsolationOptions& options = {});

}  // namespace harp::fuzz
