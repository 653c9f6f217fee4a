// Fourier transforms of rows of complex64 against FFTW's (single precision, planned by FFTW_ESTIMATE): powers of two, a length of small
// factors, a prime. As many rows as fit L2 with their results. A transform of n numbers counts as 5 n log2 n operations, as FFTW counts.
#include <cmath>

#include "bench/peer_process.h"
#include "bench/peers/served.h"

namespace bench {
namespace {

struct Transform {
  size_t n, rows;
  std::string name() const { return "fft." + std::to_string(n); }
};
constexpr Transform kTransforms[] = {{1024, 32}, {65536, 1}, {1000, 32}, {997, 32}};

std::vector<Row> run(Session& session, const Transform& t) {
  const size_t floats = 2 * t.n * t.rows;
  session.memory.reserve(Memory::room(2, floats * sizeof(float)));
  const std::span<float> x = session.memory.take(floats), y = session.memory.take(floats);
  fill(x, -1, 1, seed_of(0));
  const Graph graph = session.new_graph();
  const harp_dim dims[] = {static_cast<harp_dim>(t.rows), static_cast<harp_dim>(t.n)};
  harp_output(graph.get(), "y", harp_fft(harp_input(graph.get(), "x", HARP_COMPLEX64, 2, dims), 0, 1, nullptr));
  ProgramRun harp(session, graph.get(), {x.data()}, {y.data()});
  const double n = static_cast<double>(t.n);
  return {against(session, t.name(), Scale::flops(5 * n * std::log2(n) * static_cast<double>(t.rows)), harp, std::span<const float>(y),
                  "fftw", {std::to_string(t.n), std::to_string(t.rows)}, "FFTW")};
}

}  // namespace

std::vector<Benchmark> transform_benchmarks() {
  std::vector<Benchmark> benchmarks;
  for (const Transform& transform : kTransforms)
    benchmarks.push_back({{transform.name()}, [&transform](Session& session) { return run(session, transform); }});
  return benchmarks;
}

}  // namespace bench
