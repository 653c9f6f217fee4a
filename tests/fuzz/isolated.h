// Checks jobs in child processes, so that generated code that crashes, hangs or fills the memory ends a batch, but not the test program.
// The job that was running is then reported as failed, and the rest of its batch is repeated without it. Several batches run at the same
// time.
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
  int processes = 1;                        // number of batches that run at the same time
  std::chrono::seconds batch_timeout{300};  // for one batch; when it has passed, the job that is running is reported as failed
  bool with_cache = true;                   // see check_jobs
};

/// Makes the job for a number. It is called in the child, so that the parent does no work.
using MakeJob = std::function<Job(uint64_t number)>;
/// Called in the parent, once for every number (also for kPass), in no particular order.
using Report = std::function<void(uint64_t number, const Outcome& result)>;

/// Runs every batch of `numbers`. `make_job` runs in a child.
void check_isolated(const std::vector<std::vector<uint64_t>>& batches, const MakeJob& make_job, const Report& report,
                    const IsolationOptions& options);

/// Runs one batch of existing jobs; one result for each.
std::vector<Outcome> check_isolated(std::span<const Job> jobs, const IsolationOptions& options = {});

}  // namespace harp::fuzz
