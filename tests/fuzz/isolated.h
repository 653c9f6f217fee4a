// Checks jobs in child processes. If generated code crashes, hangs or fills the memory, it ends only the child process with its batch of
// jobs, not the test program. The job that was running is then reported as failed, and the remaining jobs of the batch are run again
// without it. Several batches run at the same time.
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
  std::chrono::seconds batch_timeout{300};  // time limit for one batch; the job that is running at that time is reported as failed
  bool with_cache = true;                   // see check_jobs
};

/// Makes the job with this number. The child process calls this function, so that the work is done in parallel.
using MakeJob = std::function<Job(uint64_t number)>;
/// The parent process calls this function once for every number, also for jobs that pass, in no particular order.
using Report = std::function<void(uint64_t number, const Outcome& result)>;

/// Checks the jobs whose numbers are in `batches`. Each batch runs in a child process, which also calls `make_job`.
void check_isolated(const std::vector<std::vector<uint64_t>>& batches, const MakeJob& make_job, const Report& report,
                    const IsolationOptions& options);

/// Checks these jobs as one batch and returns one result for each.
std::vector<Outcome> check_isolated(std::span<const Job> jobs, const IsolationOptions& options = {});

}  // namespace harp::fuzz
