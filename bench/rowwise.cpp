// Chains over the rows of a matrix - softmax and the norms - against memcpy moving the same bytes and against PyTorch; and attention, one
// softmax between two products, against PyTorch's.
#include "bench/peer_process.h"
#include "bench/peers/served.h"

namespace bench {
namespace {

constexpr int32_t kLast = 1;

struct Chain {
  const char* name;
  size_t rows, columns;
  harp_node* (*build)(harp_node* x, harp_node* weight, harp_node* bias);
  bool weighted;      // weight and bias are inputs
  const char* torch;  // its name in harp_bench_torch, nullptr: no row NAME.torch

  std::vector<std::string> row_names() const {
    const std::string row = std::string("rowwise.") + name;
    return torch == nullptr ? std::vector{row + ".memcpy"} : std::vector{row + ".memcpy", row + ".torch"};
  }
};

harp_node* softmax(harp_node* x, harp_node*, harp_node*) { return harp_softmax(x, kLast); }
harp_node* layer_norm(harp_node* x, harp_node* weight, harp_node* bias) { return harp_layer_norm(x, 1, &kLast, weight, bias, 1e-5); }
harp_node* rms_norm(harp_node* x, harp_node* weight, harp_node*) { return harp_rms_norm(x, 1, &kLast, weight, nullptr, 1e-5); }

constexpr Chain kChains[] = {
    {"softmax.1024", 8192, 1024, softmax, false, "softmax"},
    {"softmax.50257", 200, 50257, softmax, false, "softmax"},
    {"layer_norm.1024", 8192, 1024, layer_norm, true, "layer_norm"},
    {"rms_norm.1024", 8192, 1024, rms_norm, true, nullptr},
};

std::vector<Row> run(Session& session, const Chain& chain) {
  const size_t n = chain.rows * chain.columns;
  session.memory.reserve(Memory::room(4, n * sizeof(float)) + Memory::room(2, chain.columns * sizeof(float)));
  const std::span<float> x = session.memory.take(n), weight = session.memory.take(chain.columns), bias = session.memory.take(chain.columns),
                         y = session.memory.take(n), from = session.memory.take(n), to = session.memory.take(n);
  fill(x, -1, 1, seed_of(0));
  fill(weight, -1, 1, seed_of(1));
  fill(bias, -1, 1, seed_of(2));
  const Graph graph = session.new_graph();
  const harp_dim dims[] = {static_cast<harp_dim>(chain.rows), static_cast<harp_dim>(chain.columns)};
  harp_node* input = harp_input(graph.get(), "x", HARP_F32, 2, dims);
  std::vector<void*> inputs = {x.data()};
  harp_node *weights = nullptr, *biases = nullptr;
  if (chain.weighted) {
    weights = harp_input(graph.get(), "weight", HARP_F32, 1, dims + 1);
    biases = harp_input(graph.get(), "bias", HARP_F32, 1, dims + 1);
    inputs.insert(inputs.end(), {weight.data(), bias.data()});
  }
  harp_output(graph.get(), "y", chain.build(input, weights, biases));
  ProgramRun harp(session, graph.get(), inputs, {y.data()});
  harp(1);

  std::vector<Candidate> candidates = {[&harp](size_t repeats) { harp(repeats); }, memcpy_of(to, from)};
  const std::vector<std::string> names = chain.row_names();
  std::unique_ptr<PeerProcess> torch;
  if (chain.torch != nullptr)
    torch = PeerProcess::start(session, "torch", {chain.torch, std::to_string(chain.rows), std::to_string(chain.columns)});
  if (torch) {
    torch->check(names.back(), std::span<const float>(y));
    candidates.push_back(torch->candidate());
  }
  const Comparison times = compare(candidates, session.effort);
  const Scale scale = Scale::bytes(2 * x.size_bytes());
  std::vector<Row> rows = {compared(names[0], scale, times, "memcpy, same bytes", 1)};
  if (chain.torch != nullptr) rows.push_back(compared(names[1], scale, times, "torch", torch ? std::optional<size_t>(2) : std::nullopt));
  return rows;
}

/// Batch 1, 8 heads, 1,024 queries and keys of 64 numbers. Only the products count as work.
std::vector<Row> run_attention(Session& session) {
  constexpr int64_t kHeads = 8, kLength = 1024, kWidth = 64;
  constexpr harp_dim kDims[] = {1, kHeads, kLength, kWidth};
  constexpr size_t kSize = kHeads * kLength * kWidth;
  session.memory.reserve(Memory::room(4, kSize * sizeof(float)));
  const Graph graph = session.new_graph();
  harp_node* operands[3];
  std::vector<void*> inputs;
  const char* const names[] = {"q", "k", "v"};
  for (size_t i = 0; i < 3; ++i) {
    const std::span<float> array = session.memory.take(kSize);
    fill(array, -1, 1, seed_of(i));
    inputs.push_back(array.data());
    operands[i] = harp_input(graph.get(), names[i], HARP_F32, 4, kDims);
  }
  const std::span<float> y = session.memory.take(kSize);
  constexpr int32_t kTransposed[] = {0, 1, 3, 2};
  harp_node* scores = harp_matmul(operands[0], harp_permute(operands[1], 4, kTransposed));
  harp_node* weights = harp_softmax(harp_div(scores, harp_constant(graph.get(), HARP_F32, 8)), 3);
  harp_output(graph.get(), "y", harp_matmul(weights, operands[2]));
  ProgramRun harp(session, graph.get(), inputs, {y.data()});
  return {against(session, "rowwise.attention.torch", Scale::flops(4.0 * kHeads * kLength * kLength * kWidth), harp,
                  std::span<const float>(y), "torch",
                  {"attention", std::to_string(kHeads), std::to_string(kLength), std::to_string(kWidth)}, "torch")};
}

}  // namespace

std::vector<Benchmark> rowwise_benchmarks() {
  std::vector<Benchmark> benchmarks;
  for (const Chain& chain : kChains) benchmarks.push_back({chain.row_names(), [&chain](Session& session) { return run(session, chain); }});
  benchmarks.push_back({{"rowwise.attention.torch"}, run_attention});
  return benchmarks;
}

}  // namespace bench
