// The cost of runs that leave all memory to harp: without a workspace, and with outputs that harp allocates and the host releases after
// each run. They are compared with runs of the same program in memory of the caller. The first run allocates memory; the context keeps it,
// and later runs reuse it.
#include <cstring>
#include <stdexcept>
#include <string>

#include "bench/harness/text_program.h"

namespace bench {
namespace {

/// Four steps of Jacobi's method on a square whose border keeps its values.
std::string stencil() {
  std::string text = "graph jacobi(u0: f32[1024, 1024]) {\n";
  for (int step = 0; step < 4; ++step) {
    const std::string u = "u" + std::to_string(step), m = "m" + std::to_string(step), next = "u" + std::to_string(step + 1);
    text += "  " + m + " = (" + u + "[:-2, 1:-1] + " + u + "[2:, 1:-1] + " + u + "[1:-1, :-2] + " + u + "[1:-1, 2:]) * 0.25\n";
    text += "  " + next + " = concat(" + u + "[:1], concat(" + u + "[1:-1, :1], " + m + ", " + u + "[1:-1, -1:], axis=1), " + u +
            "[-1:], axis=0)\n";
  }
  return text + "  return y = u4\n}";
}

/// One step of an LSTM cell.
constexpr const char* kLstm = R"(graph lstm(x: f32[64, 256], h: f32[64, 256], c: f32[64, 256], w: f32[1024, 256], u: f32[1024, 256]) {
  i, f, g, o = split(x @ transpose(w) + h @ transpose(u), sections=4, axis=1)
  return y = sigmoid(o) * tanh(sigmoid(f) * c + sigmoid(i) * tanh(g))
})";

struct Kept {
  const char* name;
  std::string text;
};

const std::vector<Kept>& programs() {
  static const std::vector<Kept> all = {{"memory.kept.stencil", stencil()},
                                        {"memory.kept.fft", "graph fourier(x: f32[64, 16384]) {\n  return y = rfft(x, axis=1)\n}"},
                                        {"memory.kept.lstm", kLstm}};
  return all;
}

std::vector<Row> run_kept(Session& session, const Kept& kept) {
  TextProgram program(session, kept.text);
  program(1);
  if (!program.equals_default_run())
    throw std::runtime_error(std::string(kept.name) + ": a run in memory that harp allocates has another result");
  const Candidate candidates[] = {[&](size_t repeats) { program.run_by_default(repeats); }, [&](size_t repeats) { program(repeats); }};
  const Comparison times = compare(candidates, session.effort);
  return {{kept.name, times.seconds(0) * 1e6, "us", "the caller's memory", times.seconds(1) * 1e6, times.ratio(0, 1)}};
}

}  // namespace

std::vector<Benchmark> keeping_benchmarks() {
  std::vector<Benchmark> benchmarks;
  for (const Kept& kept : programs()) benchmarks.push_back({{kept.name}, [&kept](Session& session) { return run_kept(session, kept); }});
  return benchmarks;
}

}  // namespace bench
