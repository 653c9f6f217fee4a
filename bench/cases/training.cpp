// Measures two jobs of training. First, one step of a three-layer perceptron on 128 images of 784 numbers: loss, gradients of all weights,
// new weights. The weights are not updated in place: every run begins with the same weights, so that results can be compared. Second, the
// gradients with respect to the weights of an LSTM, which runs 100 steps of 64 cells with 512 numbers each.
#include "bench/cases/lstm.h"
#include "bench/harness/job.h"
#include "bench/harness/text_program.h"

namespace bench {
namespace {

constexpr harp_dim kSizes[] = {784, 512, 256, 10}, kBatch = 128;
constexpr size_t kLayers = 3;

Problem perceptron(Session& session, int threads) {
  size_t room = Memory::room(2, kSizes[0] * kBatch * sizeof(float));
  for (size_t i = 0; i < kLayers; ++i)
    room +=
        Memory::room(2, static_cast<size_t>(kSizes[i] * kSizes[i + 1]) * sizeof(float)) + Memory::room(2, kSizes[i + 1] * sizeof(float));
  session.memory.reserve(room);
  Problem problem{session.new_graph(threads, HARP_GRAPH_BROADCAST), {}, {}, {}, {}};
  harp_graph* graph = problem.graph.get();

  const std::span<float> pictures = session.memory.take(kBatch * kSizes[0]);
  fill(pictures, -1, 1, seed_of(0));
  const std::span<int64_t> classes = session.memory.take_as<int64_t>(kBatch);
  for (size_t i = 0; i < classes.size(); ++i) classes[i] = static_cast<int64_t>(i) % kSizes[kLayers];
  problem.inputs = {pictures.data(), classes.data()};
  const harp_dim batch[] = {kBatch, kSizes[0]};
  harp_node* x = harp_input(graph, "pictures", HARP_F32, 2, batch);
  harp_node* target = harp_input(graph, "classes", HARP_I64, 1, batch);

  std::vector<harp_node*> weights;
  for (size_t i = 0; i < kLayers; ++i) {
    for (const bool is_bias : {false, true}) {
      const std::string name = (is_bias ? "b" : "w") + std::to_string(i);
      const auto count = static_cast<size_t>((is_bias ? 1 : kSizes[i]) * kSizes[i + 1]);
      const std::span<float> before = session.memory.take(count), after = session.memory.take(count);
      fill(before, -0.0625, 0.0625, seed_of(weights.size() + 1));
      problem.inputs.push_back(before.data());
      problem.outputs.push_back(after.data());
      if (weights.empty()) problem.floats = after;
      weights.push_back(harp_input(graph, name.c_str(), HARP_F32, is_bias ? 1 : 2, is_bias ? kSizes + i + 1 : kSizes + i));
    }
    x = harp_add(harp_matmul(x, weights[2 * i]), weights[2 * i + 1]);
    if (i + 1 < kLayers) x = harp_relu(x);
  }
  harp_node* gradients[2 * kLayers] = {};
  harp_grad(harp_cross_entropy(x, target, 1, nullptr, HARP_CLASS_NONE, 0, "mean"), 2 * kLayers, weights.data(), nullptr, gradients);
  for (size_t i = 0; i < weights.size(); ++i) harp_output(graph, ("next" + std::to_string(i)).c_str(), harp_sub(weights[i], gradients[i]));
  return problem;
}

Problem lstm(Session& session, int threads) {
  constexpr int kSteps = 100;
  constexpr size_t kCells = 64 * 512, kWeights = size_t{2048} * 512;
  session.memory.reserve(Memory::room(1, kSteps * kCells * sizeof(float)) + Memory::room(4, kWeights * sizeof(float)) +
                         Memory::room(3, kCells * sizeof(float)));
  Problem problem{parsed(session, lstm_gradient(kSteps), threads), {}, {}, {}, {}};
  for (const size_t count : {kSteps * kCells, kWeights, kWeights, kCells, kCells, kCells}) {
    const std::span<float> input = session.memory.take(count);
    const float largest = count == kWeights ? 0.0625F : 1.0F;
    fill(input, -largest, largest, seed_of(problem.inputs.size()));
    problem.inputs.push_back(input.data());
  }
  const std::span<float> of_input = session.memory.take(kWeights), of_cells = session.memory.take(kWeights);
  problem.outputs = {of_input.data(), of_cells.data()};
  problem.floats = of_cells;
  return problem;
}

}  // namespace

std::string lstm_gradient(int steps) {
  std::string body = "  wt = transpose(w)\n  ut = transpose(u)\n";
  for (int step = 0; step < steps; ++step) {
    const std::string n = std::to_string(step), next = std::to_string(step + 1);
    body += "  i" + n + ", f" + n + ", a" + n + ", o" + n + " = split(x[" + n + "] @ wt + h" + n + " @ ut, sections=4, axis=1)\n";
    body += "  c" + next + " = sigmoid(f" + n + ") * c" + n + " + sigmoid(i" + n + ") * tanh(a" + n + ")\n";
    body += "  h" + next + " = sigmoid(o" + n + ") * tanh(c" + next + ")\n";
  }
  const std::string last = std::to_string(steps);
  return "graph lstm(x: f32[" + last +
         ", 64, 512], w: f32[2048, 512], u: f32[2048, 512], h0: f32[64, 512], c0: f32[64, 512], g: f32[64, "
         "512]) {\n" +
         body + "  dw, du = grad(h" + last + ", [w, u], grad_output=g)\n  return dw, du\n}";
}

std::vector<Benchmark> training_benchmarks() {
  return joined({job_benchmarks("job.mlp", perceptron,
                                {{"numpy", "numpy", "NumPy"},
                                 {"torch", "torch", "torch"},
                                 {"tinygrad", "tinygrad", "tinygrad"},
                                 {"threads2.torch", "torch", "torch", kThreads},
                                 {"threads2.jax", "jax", "JAX", kThreads}},
                                [](const Session&) { return std::vector<std::string>{"mlp"}; }),
                 job_benchmarks("job.lstm", lstm, {{"torch", "torch", "torch"}, {"threads2.torch", "torch", "torch", kThreads}},
                                [](const Session&) { return std::vector<std::string>{"lstm"}; })});
}

}  // namespace bench
