// Compares elementwise chains of one symbolic size with two peers: the same loop written by hand, and memcpy of the same number of bytes.
// harp's kernel is called through its entry point, the peers through a function pointer. First harp's result is compared with that of the
// hand-written loop, bit for bit.
#include <cstring>
#include <stdexcept>

#include "bench/harness/session.h"

namespace bench {
namespace {

constexpr int kMaxInputs = 3;

struct Chain {
  const char* name;
  int inputs;
  harp_node* (*build)(harp_graph* graph, harp_node* const* x);
  peer_chain peers::*peer;
};

harp_node* number(harp_graph* graph, double value) { return harp_constant(graph, HARP_F32, value); }

harp_node* copy(harp_graph*, harp_node* const* x) { return harp_contiguous(x[0]); }

harp_node* triad(harp_graph* graph, harp_node* const* x) { return harp_add(x[0], harp_mul(number(graph, 3), x[1])); }

harp_node* relu(harp_graph* graph, harp_node* const* x) {
  return harp_mul(harp_relu(harp_add(harp_mul(x[0], x[1]), x[2])), number(graph, 2));
}

harp_node* exp_chain(harp_graph* graph, harp_node* const* x) {
  harp_node* e = harp_exp(harp_neg(harp_add(harp_mul(x[0], number(graph, 1.702)), x[1])));
  return harp_add(harp_div(x[0], harp_add(number(graph, 1), e)), x[0]);
}

constexpr Chain kChains[] = {
    {"copy", 1, copy, &peers::copy},
    {"triad", 2, triad, &peers::triad},
    {"relu", 3, relu, &peers::relu},
    {"exp", 2, exp_chain, &peers::exp},
};

Graph build(Session& session, const Chain& chain) {
  Graph graph = session.new_graph();
  const harp_dim n = harp_dim_var(graph.get(), "n", 0, int64_t{1} << 40);
  const char* names[kMaxInputs] = {"a", "b", "c"};
  harp_node* x[kMaxInputs] = {};
  for (int i = 0; i < chain.inputs; ++i) x[i] = harp_input(graph.get(), names[i], HARP_F32, 1, &n);
  harp_output(graph.get(), "y", chain.build(graph.get(), x));
  return graph;
}

std::vector<Row> run(Session& session, const Chain& chain, const Footprint& footprint) {
  const size_t arrays = static_cast<size_t>(chain.inputs) + 1;
  const size_t n = footprint.bytes / sizeof(float) / arrays / 64 * 64;
  const size_t moved = arrays * n * sizeof(float);  // memcpy reads half of the bytes and writes the other half
  session.memory.reserve(Memory::room(arrays, n * sizeof(float)) + Memory::room(2, moved / 2));
  std::vector<std::span<float>> x;
  const float* in[kMaxInputs] = {};
  std::vector<void*> inputs;
  for (int i = 0; i < chain.inputs; ++i) {
    x.push_back(session.memory.take(n));
    fill(x.back(), -4, 4, static_cast<unsigned>(i) * 977);
    in[i] = x.back().data();
    inputs.push_back(x.back().data());
  }
  const std::span<float> y = session.memory.take(n);
  // The arrays for memcpy. Before the measurement, `to` stores the expected result. It has room for one array: a chain reads at least one
  // array and writes one, and `to` has half of the bytes that the chain reads and writes.
  const std::span<float> from = session.memory.take(moved / 2 / sizeof(float)), to = session.memory.take(moved / 2 / sizeof(float));

  const Graph graph = build(session, chain);
  Kernel kernel(graph.get(), inputs, {y.data()}, {n});
  const peer_chain by_hand = session.by_hand->*chain.peer;
  by_hand(in[0], in[1], in[2], y.data(), n);
  std::memcpy(to.data(), y.data(), y.size_bytes());
  std::memset(y.data(), 0xff, y.size_bytes());
  kernel(1);
  if (std::memcmp(to.data(), y.data(), y.size_bytes()) != 0)
    throw std::runtime_error(std::string("chain ") + chain.name + ": harp and the hand-written loop do not give the same bits");

  const Candidate candidates[] = {
      [&](size_t repeats) { kernel(repeats); },
      [&](size_t repeats) {
        for (size_t i = 0; i < repeats; ++i) by_hand(in[0], in[1], in[2], y.data(), n);
      },
      memcpy_of(to, from),
  };
  const Comparison times = compare(candidates, session.effort);
  const auto rate = [&](size_t candidate) { return static_cast<double>(moved) / times.seconds(candidate) / 1e9; };
  const std::string name = std::string("chain.") + chain.name + "." + footprint.name;
  return {{name + ".loop", rate(0), "GB/s", "loop by hand", rate(1), times.ratio(0, 1)},
          {name + ".memcpy", rate(0), "GB/s", "memcpy, same bytes", rate(2), times.ratio(0, 2)}};
}

}  // namespace

std::vector<Benchmark> chain_benchmarks() {
  std::vector<Benchmark> benchmarks;
  for (const Chain& chain : kChains)
    for (const Footprint& footprint : {kL1, kL2, k32MB, k512MB}) {
      const std::string name = std::string("chain.") + chain.name + "." + footprint.name;
      benchmarks.push_back({{name + ".loop", name + ".memcpy"}, [&chain, footprint](Session& s) { return run(s, chain, footprint); }});
    }
  return benchmarks;
}

}  // namespace bench
