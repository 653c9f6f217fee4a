// Elements that change places: a matrix transposed and the axes of an image and of attention's heads exchanged, against memcpy of the same
// bytes; an array sorted, against std::sort.
#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "bench/peers/served.h"
#include "bench/session.h"

namespace bench {
namespace {

struct Permutation {
  const char* name;
  std::vector<harp_dim> dims;  // of the source
  std::vector<int32_t> axes;   // axis i of the result is axis axes[i] of the source
};

std::vector<Permutation> permutations() {
  return {
      {"transpose.1024", {1024, 1024}, {1, 0}},
      {"transpose.8192", {8192, 8192}, {1, 0}},
      {"transpose.nhwc", {16, 64, 112, 112}, {0, 2, 3, 1}},  // channels last, of images
      {"transpose.heads", {16, 512, 16, 64}, {0, 2, 1, 3}},  // rows of 64 stay whole
  };
}

/// Compares every element with its source, which is found by the strides of the result's axes there.
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
      throw std::runtime_error(std::string(p.name) + ": element " + std::to_string(i) + " is not the one that belongs there");
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

constexpr size_t kSorted = 1000000;
constexpr harp_dim kSortedDim = kSorted;

Scale elements_sorted() { return {"Me/s", static_cast<double>(kSorted) * 1e-6}; }

std::vector<Row> run_sort(Session& session) {
  session.memory.reserve(Memory::room(3, kSorted * sizeof(float)));
  const std::span<float> x = session.memory.take(kSorted), y = session.memory.take(kSorted), sorted = session.memory.take(kSorted);
  fill(x, -1, 1, seed_of(0));
  const Graph graph = session.new_graph();
  harp_output(graph.get(), "y", harp_sort(harp_input(graph.get(), "x", HARP_F32, 1, &kSortedDim), 0, 0));
  ProgramRun harp(session, graph.get(), {x.data()}, {y.data()});
  harp(1);
  const auto by_library = [&](size_t repeats) {
    for (size_t i = 0; i < repeats; ++i) {
      std::copy(x.begin(), x.end(), sorted.begin());  // harp's input stays as it is, too
      std::sort(sorted.begin(), sorted.end());
    }
  };
  by_library(1);
  if (!std::equal(y.begin(), y.end(), sorted.begin())) throw std::runtime_error("sort: harp and std::sort do not agree");
  const Candidate candidates[] = {[&](size_t repeats) { harp(repeats); }, by_library};
  return {compared("sort.f32.1e6", elements_sorted(), compare(candidates, session.effort), "std::sort", 1)};
}

/// The peer sorts pairs of a number and its place, which is faster than sorting places by what stands there, and as stable as harp's.
std::vector<Row> run_argsort(Session& session) {
  struct Place {
    float value;
    uint32_t index;
    bool operator<(const Place& other) const { return value < other.value || (value == other.value && index < other.index); }
  };
  session.memory.reserve(Memory::room(1, kSorted * sizeof(float)) + Memory::room(3, kSorted * sizeof(int64_t)));
  const std::span<float> x = session.memory.take(kSorted);
  const std::span<int64_t> y = session.memory.take_as<int64_t>(kSorted), order = session.memory.take_as<int64_t>(kSorted);
  const std::span<Place> places = session.memory.take_as<Place>(kSorted);
  fill(x, -1, 1, seed_of(0));
  const Graph graph = session.new_graph();
  harp_output(graph.get(), "y", harp_argsort(harp_input(graph.get(), "x", HARP_F32, 1, &kSortedDim), 0, 0));
  ProgramRun harp(session, graph.get(), {x.data()}, {y.data()});
  harp(1);
  const auto by_library = [&](size_t repeats) {
    for (size_t i = 0; i < repeats; ++i) {
      for (size_t k = 0; k < kSorted; ++k) places[k] = {x[k], static_cast<uint32_t>(k)};
      std::sort(places.begin(), places.end());
      for (size_t k = 0; k < kSorted; ++k) order[k] = places[k].index;
    }
  };
  by_library(1);
  if (!std::equal(y.begin(), y.end(), order.begin())) throw std::runtime_error("argsort: harp and std::sort do not agree");
  const Candidate candidates[] = {[&](size_t repeats) { harp(repeats); }, by_library};
  return {compared("sort.argsort.f32.1e6", elements_sorted(), compare(candidates, session.effort), "std::sort of pairs", 1)};
}

}  // namespace

std::vector<Benchmark> rearrangement_benchmarks() {
  std::vector<Benchmark> benchmarks;
  for (const Permutation& permutation : permutations())
    benchmarks.push_back({{permutation.name}, [permutation](Session& session) { return run_permutation(session, permutation); }});
  benchmarks.push_back({{"sort.f32.1e6"}, run_sort});
  benchmarks.push_back({{"sort.argsort.f32.1e6"}, run_argsort});
  return benchmarks;
}

}  // namespace bench
