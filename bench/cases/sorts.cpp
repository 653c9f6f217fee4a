// Measures sorting of arrays and of rows, and the permutations that sort them, compared with std::sort and with NumPy (in its own process).
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <type_traits>

#include "bench/harness/peer_process.h"
#include "bench/harness/session.h"
#include "bench/peers/served.h"

namespace bench {
namespace {

enum class Wanted { kSorted, kOrder };

/// Element i of the input; bench/peers/numpy.py computes the same values. f32 inputs are filled by fill(), whose values have 24
/// pseudo-random bits; elements of the other types have as many pseudo-random bits as the type can represent.
template <class T>
T element(size_t i) {
  uint64_t bits = (static_cast<uint64_t>(i) + 1) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
  bits ^= bits >> 31;
  if constexpr (std::is_same_v<T, double>) return std::ldexp(static_cast<double>(bits >> 11), -52) - 1;
  return static_cast<T>(bits >> (64 - 8 * sizeof(T)));
}
template <class T>
void fill_elements(std::span<T> x) {
  if constexpr (std::is_same_v<T, float>)
    fill(x, -1, 1, seed_of(0));
  else
    for (size_t i = 0; i < x.size(); ++i) x[i] = element<T>(i);
}

template <class T>
constexpr const char* kName = std::is_same_v<T, float>    ? "f32"
                              : std::is_same_v<T, double> ? "f64"
                              : sizeof(T) == 4            ? "i32"
                                                          : "i64";
template <class T>
constexpr harp_dtype kType = std::is_same_v<T, float>    ? HARP_F32
                             : std::is_same_v<T, double> ? HARP_F64
                             : sizeof(T) == 4            ? HARP_I32
                                                         : HARP_I64;

/// An element with its index. Sorting such pairs is faster than sorting indices by the elements to which they point, and is just as stable.
template <class T>
struct IndexedValue {
  T value;
  uint32_t index;
  bool operator<(const IndexedValue& other) const { return value < other.value || (value == other.value && index < other.index); }
};
template <class T>
void sort_row(std::span<const T> x, std::span<T> sorted) {
  std::copy(x.begin(), x.end(), sorted.begin());  // copies the row first, because harp does not overwrite its input either
  std::sort(sorted.begin(), sorted.end());
}
template <class T>
void order_row(std::span<const T> x, std::span<int64_t> order, std::span<IndexedValue<T>> pairs) {
  for (size_t k = 0; k < x.size(); ++k) pairs[k] = {x[k], static_cast<uint32_t>(k)};
  std::sort(pairs.begin(), pairs.end());
  for (size_t k = 0; k < x.size(); ++k) order[k] = pairs[k].index;
}

template <class T, Wanted kWanted>
std::vector<Row> run(Session& session, const std::vector<std::string>& names, size_t rows, size_t n) {
  using Result = std::conditional_t<kWanted == Wanted::kSorted, T, int64_t>;
  const size_t count = rows * n;
  session.memory.reserve(Memory::room(1, count * sizeof(T)) + Memory::room(2, count * sizeof(Result)) +
                         Memory::room(1, n * sizeof(IndexedValue<T>)));
  const std::span<T> x = session.memory.take_as<T>(count);
  const std::span<Result> y = session.memory.take_as<Result>(count), expected = session.memory.take_as<Result>(count);
  const std::span<IndexedValue<T>> pairs = session.memory.take_as<IndexedValue<T>>(n);
  fill_elements(x);
  const Graph graph = session.new_graph();
  const harp_dim dims[] = {static_cast<harp_dim>(rows), static_cast<harp_dim>(n)};
  harp_node* input = harp_input(graph.get(), "x", kType<T>, 2, dims);
  harp_output(graph.get(), "y", kWanted == Wanted::kSorted ? harp_sort(input, 1, 0) : harp_argsort(input, 1, 0));
  ProgramRun harp(session, graph.get(), {x.data()}, {y.data()});
  harp(1);
  const auto by_library = [&](size_t repeats) {
    for (size_t i = 0; i < repeats; ++i)
      for (size_t begin = 0; begin < count; begin += n) {
        const std::span<const T> row = x.subspan(begin, n);
        if constexpr (kWanted == Wanted::kSorted)
          sort_row(row, expected.subspan(begin, n));
        else
          order_row(row, expected.subspan(begin, n), pairs);
      }
  };
  by_library(1);
  if (!std::equal(y.begin(), y.end(), expected.begin())) throw std::runtime_error(names[0] + ": harp's result differs from std::sort's");

  std::vector<Candidate> candidates = {[&](size_t repeats) { harp(repeats); }, by_library};
  const char* verb = kWanted == Wanted::kSorted ? "sort" : "argsort";
  const std::unique_ptr<PeerProcess> numpy =
      PeerProcess::start(session, "numpy", {verb, kName<T>, std::to_string(rows), std::to_string(n)});
  if (numpy) {
    const std::vector<double> result(y.begin(), y.end());
    numpy->check(names[1], std::span<const double>(result));
    candidates.push_back(numpy->candidate());
  }
  const Comparison times = compare(candidates, session.effort);
  const Scale scale{"Me/s", static_cast<double>(count) * 1e-6};
  return {compared(names[0], scale, times, kWanted == Wanted::kSorted ? "std::sort" : "std::sort of pairs", 1),
          compared(names[1], scale, times, "NumPy", numpy ? std::optional<size_t>(2) : std::nullopt)};
}

template <class T, Wanted kWanted = Wanted::kSorted>
Benchmark benchmark(const std::string& shape, size_t rows, size_t n) {
  const std::string name = std::string(kWanted == Wanted::kSorted ? "sort." : "sort.argsort.") + kName<T> + "." + shape;
  const std::vector<std::string> names = {name, name + ".numpy"};
  return {names, [names, rows, n](Session& session) { return run<T, kWanted>(session, names, rows, n); }};
}

}  // namespace

std::vector<Benchmark> sort_benchmarks() {
  return {benchmark<float>("1e6", 1, 1000000),        benchmark<float, Wanted::kOrder>("1e6", 1, 1000000),
          benchmark<int32_t>("1e6", 1, 1000000),      benchmark<int64_t>("1e6", 1, 1000000),
          benchmark<double>("1e6", 1, 1000000),       benchmark<float>("1000x1000", 1000, 1000),
          benchmark<double>("1000x1000", 1000, 1000), benchmark<float>("16384x64", 16384, 64)};
}

}  // namespace bench
