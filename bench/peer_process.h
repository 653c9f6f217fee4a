// Peers that live in programs of their own: harp_bench_openblas, _onednn, _onednn_matmul, _sleef, _fftw, _numpy and _torch. Some have
// worker threads, all are somebody else's libraries, and none of them is needed to build or run the benchmarks: what is not there is a row
// that says so. They still take their turns with harp: the program prepares its problem, then runs it as often as it is asked to, on the
// CPU it is asked to, and answers with the seconds its thread computed.
//
// Over a socket that is the program's standard input and output, lines of text:
//     it says    ready                            when the problem is prepared; or it exits, with 69 if what it needs is not installed
//     run N CPU  the seconds that N runs took; CPU -1: on any, in seconds of the clock on the wall if there are several threads
//     sample     how many elements of its result there are, and then on a line each those that sampled() names
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "bench/session.h"

namespace bench {

class PeerProcess {
 public:
  /// Starts harp_bench_NAME. Empty if that is not there; throws std::runtime_error if it fails.
  static std::unique_ptr<PeerProcess> start(const Session& session, const std::string& name, const std::vector<std::string>& arguments,
                                            int threads = 1);
  ~PeerProcess();
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;

  /// Throws std::runtime_error unless harp's result is the peer's, but for rounding.
  void check(const std::string& row, std::span<const float> result);
  void check(const std::string& row, std::span<const double> result);
  /// Valid while this object lives.
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
  std::string received_;  // what has not been read yet
};

/// Measures harp against one peer in a process of its own, having compared their results. `label`: who the peer is, for people.
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
