// How whole jobs are measured: all peers that have the same number of threads take turns with one harp.
#include "bench/job.h"

#include <algorithm>

namespace bench {
namespace {

/// The rows of those peers that have `threads` threads, put where they belong among all.
void run(Session& session, const std::string& name, const std::vector<JobPeer>& peers, const std::vector<std::string>& arguments,
         int threads, const std::function<Problem(Session&, int)>& build, std::vector<Row>& rows) {
  const Problem problem = build(session, threads);
  ProgramRun harp(session, problem.graph.get(), problem.inputs, problem.outputs, Call::kRun, nullptr, threads);
  harp(1);
  std::vector<Candidate> candidates = {on_threads(threads, [&harp](size_t repeats) { harp(repeats); })};
  std::vector<std::unique_ptr<PeerProcess>> processes;
  std::vector<std::optional<size_t>> places;
  for (const JobPeer& peer : peers) {
    places.emplace_back();
    if (peer.threads != threads) continue;
    std::unique_ptr<PeerProcess> process = PeerProcess::start(session, peer.program, arguments, threads);
    if (!process) continue;
    if (!problem.floats.empty())
      process->check(name + "." + peer.suffix, problem.floats);
    else
      process->check(name + "." + peer.suffix, problem.doubles);
    places.back() = candidates.size();
    candidates.push_back(process->candidate());
    processes.push_back(std::move(process));
  }
  const Comparison times = compare(candidates, session.effort, threads);
  for (size_t i = 0; i < peers.size(); ++i)
    if (peers[i].threads == threads)
      rows[i] = compared(name + "." + peers[i].suffix, {"ms", 1e-3, false}, times, peers[i].label, places[i]);
}

}  // namespace

Benchmark job_benchmark(const std::string& name, std::function<Problem(Session& session, int threads)> build,
                        const std::vector<JobPeer>& peers, std::function<std::vector<std::string>(const Session& session)> arguments) {
  Benchmark benchmark;
  for (const JobPeer& peer : peers) benchmark.rows.push_back(name + "." + peer.suffix);
  benchmark.run = [name, build = std::move(build), peers, arguments = std::move(arguments)](Session& session) {
    std::vector<Row> rows(peers.size());
    for (const int threads : {1, kThreads})
      if (std::any_of(peers.begin(), peers.end(), [threads](const JobPeer& peer) { return peer.threads == threads; }))
        run(session, name, peers, arguments(session), threads, build, rows);
    return rows;
  };
  return benchmark;
}

}  // namespace bench
