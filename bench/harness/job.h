// Benchmarks whole jobs, such as a step of a simulation, of training or of a solver. harp's program is measured against all other programs
// (peers) that do the same job.
#pragma once

#include "bench/harness/peer_process.h"
#include "bench/peers/served.h"

namespace bench {

/// A job for harp. The session's memory contains its arrays.
struct Problem {
  Graph graph;
  std::vector<void*> inputs, outputs;
  std::span<const float> floats;    // the result of harp if its dtype is f32; it is compared with the results of other programs
  std::span<const double> doubles;  // the result of harp if its dtype is f64; `floats` is then empty
};

struct JobPeer {
  const char* suffix;   // the measurement is called NAME.SUFFIX
  const char* program;  // harp_bench_PROGRAM
  const char* label;    // the name in the report of the program with which harp is compared
  int threads = 1;      // number of threads of harp, and of the other program
};

/// Returns the benchmarks of a job: measurements NAME.SUFFIX, in milliseconds. A peer is a program with which harp is compared. Samples of
/// all peers with the same number of threads are interleaved with samples of one harp program. The programs of the peers are started with
/// `arguments`.
std::vector<Benchmark> job_benchmarks(const std::string& name, const std::function<Problem(Session& session, int threads)>& build,
                                      const std::vector<JobPeer>& peers,
                                      const std::function<std::vector<std::string>(const Session& session)>& arguments);

/// Concatenates lists.
std::vector<Benchmark> joined(const std::vector<std::vector<Benchmark>>& lists);

}  // namespace bench
