// Measures two of the NAS Parallel Benchmarks, as in examples/npb. CG: one outer iteration, which consists of 25 steps of conjugate
// gradients. FT: one step, which consists of an inverse Fourier transform of a box of numbers and a sum of 1,024 of its elements. CG's
// matrix of class A is sparse: a custom function loops over the elements of each row. The matrix of class S is also measured as a dense
// one, as in the example.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include "bench/harness/job.h"

namespace bench {
namespace {

// --- CG's matrix ---------------------------------------------------------------------------------------------------------------------

struct Class {
  const char* name;
  int size, nonzeros;
  double shift;
};
constexpr Class kClassS = {"s", 1400, 7, 10}, kClassA = {"a", 14000, 11, 20};
constexpr double kCondition = 0.1;

/// A sparse matrix by rows. Row i has the elements offsets[i] ... offsets[i + 1] - 1, in ascending order of their columns.
struct Sparse {
  std::vector<int64_t> offsets = {0};
  std::vector<int32_t> columns;
  std::vector<double> values;
};

/// The random number generator that the NAS Parallel Benchmarks prescribe.
class Random {
 public:
  double next() {
    state_ = state_ * 1220703125 & ((uint64_t{1} << 46) - 1);
    return std::ldexp(static_cast<double>(state_), -46);
  }

 private:
  uint64_t state_ = 314159265;
};

/// Makes the matrix of CG for a class of problem sizes: the sum of outer products of sparse random vectors, with weights that fall
/// geometrically from 1 to kCondition, plus (kCondition - shift) times the identity.
Sparse matrix_of(const Class& c) {
  std::vector<std::map<int, double>> rows(static_cast<size_t>(c.size));
  Random random;
  random.next();  // the NAS benchmark discards the first random number
  const double ratio = std::pow(kCondition, 1.0 / c.size);
  int power = 2;
  while (power < c.size) power *= 2;
  double weight = 1;
  for (int i = 0; i < c.size; ++i, weight *= ratio) {
    std::map<int, double> vector;
    while (static_cast<int>(vector.size()) < c.nonzeros) {
      const double value = random.next();
      const int place = static_cast<int>(power * random.next());
      if (place < c.size) vector.emplace(place, value);
    }
    vector[i] = 0.5;
    for (const auto& [row, left] : vector)
      for (const auto& [column, right] : vector) rows[static_cast<size_t>(row)][column] += right * (weight * left);
    rows[static_cast<size_t>(i)][i] += kCondition - c.shift;
  }
  Sparse matrix;
  for (const std::map<int, double>& row : rows) {
    for (const auto& [column, value] : row) matrix.columns.push_back(column), matrix.values.push_back(value);
    matrix.offsets.push_back(static_cast<int64_t>(matrix.columns.size()));
  }
  return matrix;
}

// --- CG ------------------------------------------------------------------------------------------------------------------------------

/// Adds 25 steps of conjugate gradients to the graph; `times` multiplies a vector by the matrix. The graph's only output is next_x, the
/// normalised solution.
void conjugate_gradients(harp_graph* graph, harp_node* x, const std::function<harp_node*(harp_node*)>& times) {
  constexpr int kSteps = 25;
  harp_node *z = nullptr, *r = x, *p = x, *rho = harp_dot(r, r);  // z = NULL stands for the vector z = 0
  for (int i = 0; i < kSteps; ++i) {
    harp_node* q = times(p);
    harp_node* alpha = harp_div(rho, harp_dot(p, q));
    harp_node* step = harp_mul(alpha, p);
    z = z != nullptr ? harp_add(z, step) : step;
    r = harp_sub(r, harp_mul(alpha, q));
    harp_node* before = rho;
    rho = harp_dot(r, r);
    p = harp_add(r, harp_mul(harp_div(rho, before), p));
  }
  harp_output(graph, "next_x", harp_div(z, harp_sqrt(harp_dot(z, z))));
}

constexpr const char* kRowTimesVector = R"(
  let sum = f64(0)
  for k in input0[ridx0] .. input0[ridx0 + 1] { sum = sum + input2[k] * input3[input1[k]] }
  output = sum
)";

template <class T>
void store(const Session& session, const char* name, const std::vector<T>& values) {
  std::ofstream(session.directory.path() + "/" + name, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
}

Problem sparse_cg(Session& session, int threads) {
  static const Sparse matrix = matrix_of(kClassA);
  store(session, "offsets", matrix.offsets), store(session, "columns", matrix.columns), store(session, "values", matrix.values);
  const size_t n = kClassA.size, nonzeros = matrix.values.size();
  session.memory.reserve(Memory::room(2, nonzeros * sizeof(double)) + Memory::room(3, (n + 1) * sizeof(double)));
  const std::span<int64_t> offsets = session.memory.take_as<int64_t>(n + 1);
  const std::span<int32_t> columns = session.memory.take_as<int32_t>(nonzeros);
  const std::span<double> values = session.memory.take_as<double>(nonzeros), x = session.memory.take_as<double>(n),
                          next = session.memory.take_as<double>(n);
  std::copy(matrix.offsets.begin(), matrix.offsets.end(), offsets.begin());
  std::copy(matrix.columns.begin(), matrix.columns.end(), columns.begin());
  std::copy(matrix.values.begin(), matrix.values.end(), values.begin());
  std::fill(x.begin(), x.end(), 1);

  Problem problem{
      session.new_graph(threads, HARP_GRAPH_BROADCAST), {offsets.data(), columns.data(), values.data(), x.data()}, {next.data()}, {}, next};
  harp_graph* graph = problem.graph.get();
  const auto rows = static_cast<harp_dim>(n), ends = rows + 1, stored = static_cast<harp_dim>(nonzeros);
  harp_node* const inputs[] = {harp_input(graph, "offsets", HARP_I64, 1, &ends), harp_input(graph, "columns", HARP_I32, 1, &stored),
                               harp_input(graph, "values", HARP_F64, 1, &stored)};
  harp_node* start = harp_input(graph, "x", HARP_F64, 1, &rows);
  harp_custom_function_desc product = HARP_CUSTOM_FUNCTION_DESC_INIT;
  product.body = kRowTimesVector;
  product.dtype = HARP_F64;
  product.rank = 1;
  product.dims = &rows;
  conjugate_gradients(graph, start, [&](harp_node* vector) {
    harp_node* const operands[] = {inputs[0], inputs[1], inputs[2], vector};
    return harp_custom_function(4, operands, &product);
  });
  return problem;
}

Problem dense_cg(Session& session, int threads) {
  const Sparse matrix = matrix_of(kClassS);
  const size_t n = kClassS.size;
  session.memory.reserve(Memory::room(1, n * n * sizeof(double)) + Memory::room(2, n * sizeof(double)));
  const std::span<double> a = session.memory.take_as<double>(n * n), x = session.memory.take_as<double>(n),
                          next = session.memory.take_as<double>(n);
  std::fill(a.begin(), a.end(), 0);
  std::fill(x.begin(), x.end(), 1);
  for (size_t row = 0; row < n; ++row)
    for (auto k = static_cast<size_t>(matrix.offsets[row]); k < static_cast<size_t>(matrix.offsets[row + 1]); ++k)
      a[row * n + static_cast<size_t>(matrix.columns[k])] = matrix.values[k];
  std::ofstream(session.directory.path() + "/dense", std::ios::binary)
      .write(reinterpret_cast<const char*>(a.data()), static_cast<std::streamsize>(a.size_bytes()));

  Problem problem{session.new_graph(threads, HARP_GRAPH_BROADCAST), {a.data(), x.data()}, {next.data()}, {}, next};
  const harp_dim dims[] = {kClassS.size, kClassS.size};
  harp_node* left = harp_input(problem.graph.get(), "a", HARP_F64, 2, dims);
  conjugate_gradients(problem.graph.get(), harp_input(problem.graph.get(), "x", HARP_F64, 1, dims),
                      [left](harp_node* vector) { return harp_matmul(left, vector); });
  return problem;
}

// --- FT ------------------------------------------------------------------------------------------------------------------------------

constexpr harp_dim kX = 128, kY = 128, kZ = 32, kSummed = 1024;  // the sizes of problem class W

Problem ft(Session& session, int threads) {
  constexpr size_t kPoints = kX * kY * kZ;
  session.memory.reserve(Memory::room(5, kPoints * sizeof(double)) + Memory::room(2, kSummed * sizeof(int64_t)));
  const std::span<double> spectrum = session.memory.take_as<double>(2 * kPoints), left = session.memory.take_as<double>(kPoints),
                          next = session.memory.take_as<double>(2 * kPoints), sum = session.memory.take_as<double>(2);
  const std::span<int64_t> chosen = session.memory.take_as<int64_t>(kSummed);
  fill(spectrum, 0, 1, seed_of(0));
  fill(left, 0, 1, seed_of(1));
  for (int64_t j = 1; j <= kSummed; ++j) chosen[static_cast<size_t>(j - 1)] = ((5 * j % kZ) * kY + 3 * j % kY) * kX + j % kX;

  Problem problem{
      session.new_graph(threads, HARP_GRAPH_BROADCAST), {spectrum.data(), left.data(), chosen.data()}, {next.data(), sum.data()}, {}, sum};
  harp_graph* graph = problem.graph.get();
  const harp_dim box[] = {kZ, kY, kX};
  harp_node *frequencies = harp_input(graph, "spectrum", HARP_COMPLEX128, 3, box), *share = harp_input(graph, "left", HARP_F64, 3, box),
            *summed = harp_input(graph, "chosen", HARP_I64, 1, &kSummed);
  harp_node* later = harp_mul(frequencies, harp_cast(share, HARP_COMPLEX128));
  harp_output(graph, "next", later);
  harp_node* field = later;
  for (int32_t axis = 2; axis >= 0; --axis) field = harp_ifft(field, 0, axis, "forward");
  harp_node* total = harp_sum(harp_take(field, summed, HARP_AXIS_NONE), 0, nullptr, 0);
  harp_output(graph, "sum", harp_mul(total, harp_cast(harp_constant(graph, HARP_F64, 1.0 / kPoints), HARP_COMPLEX128)));
  return problem;
}

}  // namespace

std::vector<Benchmark> npb_benchmarks() {
  const std::vector<JobPeer> all = {{"numpy", "numpy", "NumPy"},
                                    {"torch", "torch", "torch"},
                                    {"tinygrad", "tinygrad", "tinygrad"},
                                    {"threads2.torch", "torch", "torch", kThreads},
                                    {"threads2.jax", "jax", "JAX", kThreads}};
  std::vector<JobPeer> sparse = all;
  sparse[0].label = "NumPy and SciPy";
  const auto in_files = [](const char* job) {
    return [job](const Session& session) { return std::vector<std::string>{job, session.directory.path()}; };
  };
  return joined({job_benchmarks("job.cg.a", sparse_cg, sparse, in_files("cg")),
                 job_benchmarks("job.cg.dense.s", dense_cg, all, in_files("cg_dense")),
                 job_benchmarks("job.ft.w", ft, all, [](const Session&) { return std::vector<std::string>{"ft"}; })});
}

}  // namespace bench
