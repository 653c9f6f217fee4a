// Simulations in which one step is one graph: the Gray-Scott reaction-diffusion system as in examples/reaction, and an ensemble of Lorenz
// attractors, each advanced by several Runge-Kutta steps. harp should fuse either into one kernel. Both are compared with the same
// computation written by hand in C with OpenMP, and with array libraries.
#include <array>

#include "bench/harness/job.h"

namespace bench {
namespace {

harp_node* number(harp_graph* graph, double value) { return harp_constant(graph, HARP_F32, value); }

// --- Gray and Scott ------------------------------------------------------------------------------------------------------------------

constexpr size_t kHeight = 1024, kWidth = 1024;

/// The discrete Laplacian of each cell of a grid: the sum of its four neighbours minus four times the cell, with periodic boundaries.
harp_node* laplace(harp_graph* graph, harp_node* x) {
  const int32_t rows = 0, columns = 1;
  const harp_dim forward = 1, back = -1;
  harp_node* sum = harp_add(harp_roll(x, 1, &forward, &rows), harp_roll(x, 1, &back, &rows));
  sum = harp_add(sum, harp_roll(x, 1, &forward, &columns));
  sum = harp_add(sum, harp_roll(x, 1, &back, &columns));
  return harp_sub(sum, harp_mul(number(graph, 4), x));
}

Problem gray_scott(Session& session, int threads) {
  constexpr size_t kCells = kHeight * kWidth;
  session.memory.reserve(Memory::room(4, kCells * sizeof(float)));
  Problem problem{session.new_graph(threads, HARP_GRAPH_BROADCAST), {}, {}, {}, {}};
  for (size_t i = 0; i < 2; ++i) {
    const std::span<float> field = session.memory.take(kCells);
    fill(field, 0, 1, seed_of(i));
    problem.inputs.push_back(field.data());
  }
  for (size_t i = 0; i < 2; ++i) {
    const std::span<float> field = session.memory.take(kCells);
    problem.outputs.push_back(field.data());
    problem.floats = field;
  }
  harp_graph* graph = problem.graph.get();
  const harp_dim shape[] = {kHeight, kWidth};
  harp_node *u = harp_input(graph, "u", HARP_F32, 2, shape), *v = harp_input(graph, "v", HARP_F32, 2, shape);
  harp_node* reaction = harp_mul(harp_mul(u, v), v);
  harp_node* du = harp_sub(harp_mul(number(graph, 0.16F), laplace(graph, u)), reaction);
  du = harp_add(du, harp_mul(number(graph, 0.0545F), harp_sub(number(graph, 1), u)));
  harp_node* dv = harp_add(harp_mul(number(graph, 0.08F), laplace(graph, v)), reaction);
  dv = harp_sub(dv, harp_mul(number(graph, 0.0545F + 0.062F), v));
  harp_output(graph, "next_u", harp_add(u, du));
  harp_output(graph, "next_v", harp_add(v, dv));
  return problem;
}

// --- Lorenz --------------------------------------------------------------------------------------------------------------------------

constexpr size_t kMembers = 65536;
constexpr int kSteps = 8;
constexpr double kTime = 0.0078125;  // duration of a step

using Point = std::array<harp_node*, 3>;

/// Returns a + factor * b for each coordinate of two points.
Point moved(harp_graph* graph, const Point& a, double factor, const Point& b) {
  Point result;
  for (size_t i = 0; i < 3; ++i) result[i] = harp_add(a[i], harp_mul(number(graph, factor), b[i]));
  return result;
}

Point velocity(harp_graph* graph, const Point& p) {
  const auto [x, y, z] = p;
  return {harp_mul(number(graph, 10), harp_sub(y, x)), harp_sub(harp_mul(x, harp_sub(number(graph, 28), z)), y),
          harp_sub(harp_mul(x, y), harp_mul(number(graph, 8.0 / 3), z))};
}

Point step(harp_graph* graph, const Point& p) {
  const Point k1 = velocity(graph, p), k2 = velocity(graph, moved(graph, p, kTime / 2, k1)),
              k3 = velocity(graph, moved(graph, p, kTime / 2, k2)), k4 = velocity(graph, moved(graph, p, kTime, k3));
  Point sum;
  for (size_t i = 0; i < 3; ++i) sum[i] = harp_add(harp_add(k1[i], harp_mul(number(graph, 2), harp_add(k2[i], k3[i]))), k4[i]);
  return moved(graph, p, kTime / 6, sum);
}

Problem lorenz(Session& session, int threads) {
  session.memory.reserve(Memory::room(6, kMembers * sizeof(float)));
  Problem problem{session.new_graph(threads, HARP_GRAPH_BROADCAST), {}, {}, {}, {}};
  harp_graph* graph = problem.graph.get();
  const char* const names[] = {"x", "y", "z"};
  const harp_dim members = kMembers;
  Point point;
  for (size_t i = 0; i < 3; ++i) {
    const std::span<float> from = session.memory.take(kMembers), to = session.memory.take(kMembers);
    fill(from, 1, 20, seed_of(i));
    problem.inputs.push_back(from.data());
    problem.outputs.push_back(to.data());
    problem.floats = to;
    point[i] = harp_input(graph, names[i], HARP_F32, 1, &members);
  }
  for (int i = 0; i < kSteps; ++i) point = step(graph, point);
  for (size_t i = 0; i < 3; ++i) harp_output(graph, names[i], point[i]);
  return problem;
}

}  // namespace

std::vector<Benchmark> simulation_benchmarks() {
  const std::vector<JobPeer> peers = {{"hand", "by_hand", "C by hand"},
                                      {"numpy", "numpy", "NumPy"},
                                      {"torch", "torch", "torch"},
                                      {"tinygrad", "tinygrad", "tinygrad"},
                                      {"threads2.hand", "by_hand", "C by hand, OpenMP", kThreads},
                                      {"threads2.jax", "jax", "JAX", kThreads}};
  return joined(
      {job_benchmarks("job.gray_scott", gray_scott, peers,
                      [](const Session& session) {
                        return std::vector<std::string>{"gray_scott", session.target(), std::to_string(kHeight), std::to_string(kWidth)};
                      }),
       job_benchmarks("job.lorenz", lorenz, peers, [](const Session& session) {
         return std::vector<std::string>{"lorenz", session.target(), std::to_string(kMembers), std::to_string(kSteps)};
       })});
}

}  // namespace bench
