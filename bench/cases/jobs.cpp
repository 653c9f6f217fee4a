// Measures whole jobs, such as a step of a simulation. The samples of one harp program are interleaved with those of all other programs
// (peers) that do the same job with the same number of threads.
#include "bench/harness/job.h"

namespace bench {
namespace {

/// Measures harp's program for one job against the programs that do the same job (peers). All have the same number of threads.
std::vector<Row> run(Session& session, const std::string& name, const std::vector<JobPeer>& peers,
                     const std::vector<std::string>& arguments, const std::function<Problem(Session&, int)>& build) {
  const int threads = peers[0].threads;
  const Problem problem = build(session, threads);
  ProgramRun harp(session, problem.graph.get(), problem.inputs, problem.outputs, Call::kRun, nullptr, threads);
  harp(1);
  std::vector<Candidate> candidates = {on_threads(threads, [&harp](size_t repeats) { harp(repeats); })};
  std::vector<std::unique_ptr<PeerProcess>> processes;
  std::vector<std::optional<size_t>> candidate_of;
  for (const JobPeer& peer : peers) {
    candidate_of.emplace_back();
    std::unique_ptr<PeerProcess> process = PeerProcess::start(session, peer.program, arguments, threads);
    if (!process) continue;
    if (!problem.floats.empty())
      process->check(name + "." + peer.suffix, problem.floats);
    else
      process->check(name + "." + peer.suffix, problem.doubles);
    candidate_of.back() = candidates.size();
    candidates.push_back(process->candidate());
    processes.push_back(std::move(process));
  }
  const Comparison times = compare(candidates, session.effort, threads);
  std::vector<Row> rows;
  for (size_t i = 0; i < peers.size(); ++i)
    rows.push_back(compared(name + "." + peers[i].suffix, {"ms", 1e-3, false}, times, peers[i].label, candidate_of[i]));
  return rows;
}

}  // namespace

std::vector<Benchmark> job_benchmarks(const std::string& name, const std::function<Problem(Session& session, int threads)>& build,
                                      const std::vector<JobPeer>& peers,
                                      const std::function<std::vector<std::string>(const Session& session)>& arguments) {
  std::vector<Benchmark> benchmarks;
  for (const int threads : {1, kThreads}) {
    std::vector<JobPeer> same;
    std::vector<std::string> rows;
    for (const JobPeer& peer : peers) {
      if (peer.threads != threads) continue;
      same.push_back(peer);
      rows.push_back(name + "." + peer.suffix);
    }
    if (!same.empty())
      benchmarks.push_back(
          {rows, [name, build, same, arguments](Session& session) { return run(session, name, same, arguments(session), build); }});
  }
  return benchmarks;
}

std::vector<Benchmark> joined(const std::vector<std::vector<Benchmark>>& lists) {
  std::vector<Benchmark> all;
  for (const std::vector<Benchmark>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

}  // namespace bench
