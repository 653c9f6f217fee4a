// Runs programs with which harp is compared (peers): harp_bench_openblas, harp_bench_numpy, harp_bench_torch and others. They call
// third-party libraries, some of which start worker threads. None of them is needed to build or run the benchmarks: if one is missing, the
// report says so. Their samples are nevertheless interleaved with harp's: a peer prepares its problem and waits for requests. A request
// says how often, and on which CPU, to run the problem; the peer answers with the CPU time of its thread.
//
// Lines of text over a socket, which is the program's standard input and output:
//     the peer: ready   the problem is prepared; otherwise the peer exits, with 69 if software that it needs is not installed
//     run N CPU         answer: the seconds for N runs; CPU -1: any CPU, and wall-clock time if there are several threads
//     sample            answer: the number of elements of the result, then a line for each element that sampled() selects
//     work ARGUMENT...  for programs that serve several rows: selects the problem; answer: ready, failed, or absent (software that only
//                       this problem needs is not installed)
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/harness/session.h"

namespace bench {

class PeerProcess {
 public:
  /// Starts the program harp_bench_NAME. Returns null if the program does not exist or a library that it needs is not installed. Throws
  /// std::runtime_error if it fails in another way.
  static std::unique_ptr<PeerProcess> start(const Session& session, const std::string& name, const std::vector<std::string>& arguments,
                                            int threads = 1);
  ~PeerProcess();
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;

  /// Makes the other program (peer) prepare the problem of the next measurement, if it serves several measurements. Returns false if
  /// software that only this problem needs is not installed. Throws std::runtime_error if the program fails to prepare it.
  bool select(const std::string& arguments);
  /// Makes the other program (peer) run its problem once, and throws std::runtime_error unless its result equals harp's up to rounding.
  void check(const std::string& row, std::span<const float> result);
  void check(const std::string& row, std::span<const double> result);
  void check(const std::string& row, std::span<const int32_t> result);
  /// Returns a candidate (code to time) that makes the other program run its problem. It may be used as long as this object exists.
  Candidate candidate();

 private:
  PeerProcess(std::string name, pid_t process, int socket, int threads);
  template <class T>
  void check_elements(const std::string& row, std::span<const T> result);
  void tell(const std::string& line);
  std::string answer();
  double answered_number();

  std::string name_;
  pid_t process_;
  int socket_, threads_;
  std::string received_;  // text from the other program that has not been parsed yet
};

/// Compares harp's result with that of another program (`peer`), which runs in its own process, then measures both and returns the
/// measurement. `label` is the name of the other program in the report.
template <class T>
Row against(Session& session, const std::string& row, const Scale& scale, ProgramRun& harp, std::span<const T> result,
            const std::string& peer, const std::vector<std::string>& arguments, const std::string& label, int threads = 1) {
  harp(1);
  std::vector<Candidate> candidates = {on_threads(threads, [&harp](size_t repeats) { harp(repeats); })};
  const std::unique_ptr<PeerProcess> process = PeerProcess::start(session, peer, arguments, threads);
  if (process) {
    process->check(row, result);
    candidates.push_back(process->candidate());
  }
  const Comparison times = compare(candidates, session.effort, threads);
  return compared(row, scale, times, label, process ? std::optional<size_t>(1) : std::nullopt);
}

}  // namespace bench
