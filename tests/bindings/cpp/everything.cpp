// Uses a part of every feature of harp.hpp. compile_matrix_test.py compiles it with every compiler, standard and setting. It is not run.
#include <harp.hpp>

#include <array>
#include <complex>
#include <vector>

using namespace harp;

namespace {

Node of_nodes(const Context& context) {
  const Graph graph(context);
  const Dim n = graph.dim("n", 1, 64);
  const Node x = graph.input("x", f32, {n, 2 * n}), k = graph.input("k", f32, {4, 3, 3, 3});
  const Node y = where(x > 0, x, 0.1 * x).sum(-1, true) + max_pool(conv2d(graph.input("i", f32, {1, 3, 8, 8}), k), {2, 2}).mean();
  const auto [values, indices] = topk(y, 1, 0);
  const Program program = graph.compile({values, cast(indices, f32), einsum("ij,ij->i", {x, x})});
  std::vector<float> memory(4);
  const std::vector<int64_t> dims = {4};
  program.call({ConstArray(memory.data(), dims)}, {Array(memory.data(), dims)});
  const std::vector<Buffer> results = program.run({Buffer::wrap(context, memory.data(), dims)});
  return grad(y.sum(), {x})[0];
}

Tensor of_tensors() {
  Tensor x({1.0F, 2.0F}), y = -x % 2 + tanh(x * std::complex<float>(1, 2)).real();
  y += x.roll(1, 0).slice({1});
  const auto parts = concat({x, y}).split(2);
  realize({parts[0], y});
  const auto step = jit([](const Tensor& a, const Tensor& rate) { return std::array<Tensor, 2>{a * rate, a}; });
  const std::array<Tensor, 2> both = step(x, 0.5);
  const auto copy = native("copy", [](const ArrayView<const float>& from, Span<float> to) {
    for (size_t i = 0; i < from.size(); ++i) to[i] = from.data[i];
  });
  const auto rows =
      jit([&](const Tensor& a) { return copy({2 * a.dim(0)}, a.reshape({-1})); }).dynamic(0, 0, dim("n", 1, 9)).dynamic(0, {-1});
  y = y + custom_function("output = input0[ridx0]", f32, {2}, rows(x.reshape({1, 2}))) + Tensor({{1, 2}, {3, 4}}).sum(0);
  return grad(both[0].sum(), {x}).at(0).layer_norm(-1).pad({1}, {1}, "constant", 2);
}

double of_fields() {
  Field<double> a({8, 8}, 1), b({8, 8}, 2), d;
  double s = 0;
  d = a * b + 2 * exp(a) - roll(b, {1, -1}, {0, 1});
  d += where(a > b, a, 0);
  fuse(d = a + b, a = d * 2, into(s) = dot(a, d));
  const Field<float> f = clip(a, 0, 1) / norm(b);
  return s + sum(f);
}

}  // namespace

int main() { return of_nodes(default_context()) && of_tensors().defined() && of_fields() > 0 ? 0 : 1; }
