// A whole job - a step of a simulation, of training, of a solver - against everybody who does the same one.
#pragma once

#include "bench/peer_process.h"
#include "bench/peers/served.h"

namespace bench {

/// One job as harp runs it. Its arrays lie in the session's memory.
struct Problem {
  Graph graph;
  std::vector<void*> inputs, outputs;
  std::span<const float> floats;    // the result that peers are compared by: this one,
  std::span<const double> doubles;  // or this one
};

struct JobPeer {
  const char* suffix;   // of the row's name
  const char* program;  // harp_bench_PROGRAM
  const char* label;    // who it is, for people
  int threads = 1;      // of harp and of the peer
};

/// Rows NAME.SUFFIX in milliseconds; all peers that have the same number of threads take turns with one harp. They are started with
/// `arguments`.
std::vector<Benchmark> job_benchmarks(const std::string& name, const std::function<Problem(Session& session, int threads)>& build,
                                      const std::vector<JobPeer>& peers,
                                      const std::function<std::vector<std::string>(const Session& session)>& arguments);

/// Several lists as one.
std::vector<Benchmark> joined(const std::vector<std::vector<Benchmark>>& lists);

}  // namespace bench
