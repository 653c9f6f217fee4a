// Whole jobs, such as a step of a simulation, of training or of a solver, against all peers that do the same job.
#pragma once

#include "bench/harness/peer_process.h"
#include "bench/peers/served.h"

namespace bench {

/// A job as harp runs it. The session's memory holds its arrays.
struct Problem {
  Graph graph;
  std::vector<void*> inputs, outputs;
  std::span<const float> floats;    // the f32 result that is compared with the peers'
  std::span<const double> doubles;  // the f64 result, if `floats` is empty
};

struct JobPeer {
  const char* suffix;   // the row is called NAME.SUFFIX
  const char* program;  // harp_bench_PROGRAM
  const char* label;    // the peer's name in the report
  int threads = 1;      // threads of harp and of the peer
};

/// Rows NAME.SUFFIX in milliseconds. All peers with the same number of threads run interleaved with one harp program. They are started with
/// `arguments`.
std::vector<Benchmark> job_benchmarks(const std::string& name, const std::function<Problem(Session& session, int threads)>& build,
                                      const std::vector<JobPeer>& peers,
                                      const std::function<std::vector<std::string>(const Session& session)>& arguments);

/// Concatenates lists.
std::vector<Benchmark> joined(const std::vector<std::vector<Benchmark>>& lists);

}  // namespace bench
