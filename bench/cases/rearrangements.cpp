// Compares permutations of axes (a matrix transposed, the axes of images and of attention's heads exchanged) with memcpy of the same number
// of bytes.
#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "bench/harness/session.h"
#include "bench/peers/served.h"

namespace bench {
namespace {

struct Permutation {
  const char* name;
  std::vector<harp_dim> dims;  // sizes of the source array
  std::vector<int32_t> axes;   // axis i of the result is axis axes[i] of the source
};

std::vector<Permutation> permutations() {
  return {
      {"transpose.1024", {1024, 1024}, {1, 0}},
      {"transpose.8192", {8192, 8192}, {1, 0}},
      {"transpose.nhwc", {16, 64, 112, 112}, {0, 2, 3, 1}},  // images with channels first, to channels last
      {"transpose.heads", {16, 512, 16, 64}, {0, 2, 1, 3}},  // blocks of 64 contiguous elements stay contiguous
  };
}

/// Compares every element of y with the element of x that the permutation maps to it.
void check(const Permutation& p, std::span<const float> x, std::span<const float> y) {
  const size_t rank = p.dims.size();
  std::vector<size_t> strides(rank, 1), sizes, steps, index(rank, 0);
  for (size_t i = rank - 1; i > 0; --i) strides[i - 1] = strides[i] * static_cast<size_t>(p.dims[i]);
  for (const int32_t axis : p.axes) {
    sizes.push_back(static_cast<size_t>(p.dims[static_cast<size_t>(axis)]));
    steps.push_back(strides[static_cast<size_t>(axis)]);
  }
  for (size_t i = 0; i < y.size(); ++i) {
    if (y[i] != x[std::inner_product(index.begin(), index.end(), steps.begin(), size_t{0})])
      throw std::runtime_error(std::string(p.name) + ": element " + std::to_string(i) + " is not the permuted element of the source");
    for (size_t axis = rank; axis-- > 0 && ++index[axis] == sizes[axis];) index[axis] = 0;
  }
}

std::vector<Row> run_permutation(Session& session, const Permutation& p) {
  size_t n = 1;
  for (const harp_dim size : p.dims) n *= static_cast<size_t>(size);
  session.memory.reserve(Memory::room(4, n * sizeof(float)));
  const std::span<float> x = session.memory.take(n), y = session.memory.take(n), from = session.memory.take(n), to = session.memory.take(n);
  fill(x, -1, 1, seed_of(0));
  const Graph graph = session.new_graph();
  const auto rank = static_cast<int32_t>(p.dims.size());
  harp_output(graph.get(), "y", harp_permute(harp_input(graph.get(), "x", HARP_F32, rank, p.dims.data()), rank, p.axes.data()));
  ProgramRun harp(session, graph.get(), {x.data()}, {y.data()});
  harp(1);
  check(p, x, y);
  const Candidate candidates[] = {[&](size_t repeats) { harp(repeats); }, memcpy_of(to, from)};
  return {compared(p.name, Scale::bytes(2 * x.size_bytes()), compare(candidates, session.effort), "memcpy, same bytes", 1)};
}

}  // namespace

std::vector<Benchmark> rearrangement_benchmarks() {
  std::vector<Benchmark> benchmarks;
  for (const Permutation& permutation : permutations())
    benchmarks.push_back({{permutation.name}, [permutation](Session& session) { return run_permutation(session, permutation); }});
  return benchmarks;
}

}  // namespace bench
