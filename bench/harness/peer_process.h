// Peers in their own processes: harp_bench_openblas, _onednn, _onednn_matmul, _sleef, _fftw, _numpy and _torch. They are third-party
// libraries, some with worker threads, and none is needed to build or run the benchmarks: if one is missing, its row says so. They still
// run interleaved with harp: the program prepares its problem, runs it as often and on the CPU as requested, and answers with the CPU time
// of its thread.
//
// Lines of text over a socket, which is the program's standard input and output:
//     the peer: ready   the problem is prepared; otherwise the peer exits, with 69 if software that it needs is not installed
//     run N CPU         answer: the seconds for N runs; CPU -1: any CPU, and wall-clock time if there are several threads
//     sample            answer: the number of elements of the result, then a line for each element that sampled() selects
//     work ARGUMENT...  for programs that serve several rows: selects the problem; answer: ready, or failed
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
  /// Starts harp_bench_NAME. Null if the program does not exist; throws std::runtime_error if it fails.
  static std::unique_ptr<PeerProcess> start(const Session& session, const std::string& name, const std::vector<std::string>& arguments,
                                            int threads = 1);
  ~PeerProcess();
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;

  /// Selects the problem of the next row, for a program that serves several. Throws std::runtime_error if the peer cannot do it.
  void select(const std::string& arguments);
  /// Throws std::runtime_error unless harp's result equals the peer's up to rounding.
  void check(const std::string& row, std::span<const float> result);
  void check(const std::string& row, std::span<const double> result);
  void check(const std::string& row, std::span<const int32_t> result);
  /// Valid as long as this object.
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
  std::string received_;  // received and not yet parsed
};

/// Compares harp's result with that of a peer in its own process, then measures both. `label` is the peer's name in the report.
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
