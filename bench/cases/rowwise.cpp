// Chains of operations on the rows of a matrix (softmax, the norms, and cross-entropy, which gives one number per row), compared with
// memcpy of the same number of bytes and with PyTorch. Attention, a softmax between two matrix products, is compared with PyTorch's
// attention.
#include "bench/harness/peer_process.h"
#include "bench/peers/served.h"

namespace bench {
namespace {

constexpr int32_t kLast = 1;

/// Which operands a chain has besides the matrix.
enum class Operands { kNone, kWeightAndBias, kClasses };

struct Chain {
  const char* name;  // the name of the chain; harp_bench_torch selects the chain by this argument
  size_t rows, columns;
  Operands operands;
  harp_node* (*build)(harp_node* x, harp_node* const* operands);

  std::string row() const { return std::string("rowwise.") + name + "." + std::to_string(columns); }
  std::vector<std::string> row_names() const { return {row() + ".memcpy", row() + ".torch"}; }
  size_t results() const { return operands == Operands::kClasses ? rows : rows * columns; }
};

harp_node* softmax(harp_node* x, harp_node* const*) { return harp_softmax(x, kLast); }
harp_node* layer_norm(harp_node* x, harp_node* const* operands) { return harp_layer_norm(x, 1, &kLast, operands[0], operands[1], 1e-5); }
harp_node* rms_norm(harp_node* x, harp_node* const* operands) { return harp_rms_norm(x, 1, &kLast, operands[0], nullptr, 1e-5); }
harp_node* cross_entropy(harp_node* x, harp_node* const* operands) {
  return harp_cross_entropy(x, operands[0], kLast, nullptr, HARP_CLASS_NONE, 0, "none");
}

constexpr Chain kChains[] = {
    {"softmax", 8192, 1024, Operands::kNone, softmax},
    {"softmax", 200, 50257, Operands::kNone, softmax},
    {"layer_norm", 8192, 1024, Operands::kWeightAndBias, layer_norm},
    {"rms_norm", 8192, 1024, Operands::kWeightAndBias, rms_norm},
    {"cross_entropy", 8192, 1024, Operands::kClasses, cross_entropy},
    {"cross_entropy", 200, 50257, Operands::kClasses, cross_entropy},
};

std::vector<Row> run(Session& session, const Chain& chain) {
  const size_t n = chain.rows * chain.columns;
  // Number of elements that harp reads and writes; memcpy reads half as many and writes half as many.
  const size_t moved = n + chain.results();
  session.memory.reserve(Memory::room(4, n * sizeof(float)) + Memory::room(2, chain.columns * sizeof(float)) +
                         Memory::room(1, chain.rows * sizeof(int64_t)));
  const std::span<float> x = session.memory.take(n), weight = session.memory.take(chain.columns), bias = session.memory.take(chain.columns),
                         y = session.memory.take(chain.results()), from = session.memory.take(moved / 2),
                         to = session.memory.take(moved / 2);
  const std::span<int64_t> classes = session.memory.take_as<int64_t>(chain.rows);
  fill(x, -1, 1, seed_of(0));
  fill(weight, -1, 1, seed_of(1));
  fill(bias, -1, 1, seed_of(2));
  for (size_t i = 0; i < chain.rows; ++i) classes[i] = static_cast<int64_t>(i % chain.columns);
  const Graph graph = session.new_graph();
  const harp_dim dims[] = {static_cast<harp_dim>(chain.rows), static_cast<harp_dim>(chain.columns)};
  harp_node* input = harp_input(graph.get(), "x", HARP_F32, 2, dims);
  std::vector<void*> inputs = {x.data()};
  std::vector<harp_node*> operands;
  if (chain.operands == Operands::kWeightAndBias) {
    operands = {harp_input(graph.get(), "weight", HARP_F32, 1, dims + 1), harp_input(graph.get(), "bias", HARP_F32, 1, dims + 1)};
    inputs.insert(inputs.end(), {weight.data(), bias.data()});
  } else if (chain.operands == Operands::kClasses) {
    operands = {harp_input(graph.get(), "classes", HARP_I64, 1, dims)};
    inputs.push_back(classes.data());
  }
  harp_output(graph.get(), "y", chain.build(input, operands.data()));
  ProgramRun harp(session, graph.get(), inputs, {y.data()});
  harp(1);

  std::vector<Candidate> candidates = {[&harp](size_t repeats) { harp(repeats); }, memcpy_of(to, from)};
  const std::vector<std::string> names = chain.row_names();
  const std::unique_ptr<PeerProcess> torch =
      PeerProcess::start(session, "torch", {chain.name, std::to_string(chain.rows), std::to_string(chain.columns)});
  if (torch) {
    torch->check(names.back(), std::span<const float>(y));
    candidates.push_back(torch->candidate());
  }
  const Comparison times = compare(candidates, session.effort);
  const Scale scale = Scale::bytes(moved * sizeof(float));
  return {compared(names[0], scale, times, "memcpy, same bytes", 1),
          compared(names[1], scale, times, "torch", torch ? std::optional<size_t>(2) : std::nullopt)};
}

/// Measures attention with batch 1, 8 heads, and 1,024 queries and keys of 64 numbers. Only the operations of the two matrix products are
/// counted.
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
