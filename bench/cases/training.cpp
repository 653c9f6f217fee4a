// One training step of a three-layer perceptron on 128 images of 784 numbers: loss, gradients of all weights, new weights. The weights are
// not updated in place: every run begins with the same weights, so that results can be compared.
#include "bench/harness/job.h"

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

}  // namespace

std::vector<Benchmark> training_benchmarks() {
  return job_benchmarks("job.mlp", perceptron,
                        {{"numpy", "numpy", "NumPy"},
                         {"torch", "torch", "torch"},
                         {"tinygrad", "tinygrad", "tinygrad"},
                         {"threads2.torch", "torch", "torch", kThreads},
                         {"threads2.jax", "jax", "JAX", kThreads}},
                        [](const Session&) { return std::vector<std::string>{"mlp"}; });
}

}  // namespace bench
