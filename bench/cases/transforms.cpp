// Compares Fourier transforms with those of FFTW (planned with FFTW_ESTIMATE): rows of complex numbers whose lengths are a power of two, a
// product of small factors, or a prime, as many rows as fit the L2 cache together with their results; more rows than that; rows of real
// numbers; and all axes of a cube, as in NPB FT. A transform of n complex numbers counts as 5 n log2 n operations, as in FFTW's benchmark,
// and one of n real numbers as half of that.
#include <algorithm>
#include <cmath>

#include "bench/harness/peer_process.h"
#include "bench/peers/served.h"

namespace bench {
namespace {

enum class Kind { kComplex, kReal, kCube };

struct Transform {
  const char* name;
  Kind kind;
  bool is_double;
  size_t n, rows;  // n: length of a row; rows: number of rows; a cube has n * n rows along each axis
};
constexpr Transform kTransforms[] = {
    {"fft.1024", Kind::kComplex, false, 1024, 32},        {"fft.65536", Kind::kComplex, false, 65536, 1},
    {"fft.1000", Kind::kComplex, false, 1000, 32},        {"fft.997", Kind::kComplex, false, 997, 32},
    {"fft.1024.rows", Kind::kComplex, false, 1024, 1024}, {"fft.4096", Kind::kComplex, false, 4096, 8},
    {"fft.1048576", Kind::kComplex, false, 1048576, 1},   {"fft.256.f64", Kind::kComplex, true, 256, 64},
    {"fft.real.1024", Kind::kReal, false, 1024, 32},      {"fft.cube.128.f64", Kind::kCube, true, 128, 128 * 128},
};

template <class Real>
std::vector<Row> run(Session& session, const Transform& t) {
  const bool is_real = t.kind == Kind::kReal, is_cube = t.kind == Kind::kCube;
  const size_t count = (is_real ? 1 : 2) * t.n * t.rows, stored = is_real ? 2 * (t.n / 2 + 1) * t.rows : count;
  session.memory.reserve(Memory::room(2, std::max(count, stored) * sizeof(Real)));
  const std::span<Real> x = session.memory.take_as<Real>(count), y = session.memory.take_as<Real>(stored);
  fill(x, -1, 1, seed_of(0));
  const Graph graph = session.new_graph();
  const auto n = static_cast<harp_dim>(t.n), rows = static_cast<harp_dim>(t.rows);
  const harp_dim matrix[] = {rows, n}, cube[] = {n, n, n};
  const harp_dtype real = t.is_double ? HARP_F64 : HARP_F32, complex = t.is_double ? HARP_COMPLEX128 : HARP_COMPLEX64;
  harp_node* node = harp_input(graph.get(), "x", is_real ? real : complex, is_cube ? 3 : 2, is_cube ? cube : matrix);
  if (is_real) {
    node = harp_rfft(node, 0, 1, nullptr);
  } else {
    for (int32_t axis = is_cube ? 2 : 1; axis >= (is_cube ? 0 : 1); --axis) node = harp_fft(node, 0, axis, nullptr);
  }
  harp_output(graph.get(), "y", node);
  ProgramRun harp(session, graph.get(), {x.data()}, {y.data()});
  const double operations = 5 * std::log2(static_cast<double>(t.n)) * static_cast<double>(t.n * t.rows) * (is_real ? 0.5 : is_cube ? 3 : 1);
  const char* kind = is_cube ? "cube" : is_real ? "real" : "complex";
  return {against(session, t.name, Scale::flops(operations), harp, std::span<const Real>(y), "fftw",
                  {kind, t.is_double ? "f64" : "f32", std::to_string(t.n), std::to_string(t.rows)}, "FFTW")};
}

}  // namespace

std::vector<Benchmark> transform_benchmarks() {
  std::vector<Benchmark> benchmarks;
  for (const Transform& t : kTransforms)
    benchmarks.push_back({{t.name}, [&t](Session& session) { return t.is_double ? run<double>(session, t) : run<float>(session, t); }});
  return benchmarks;
}

}  // namespace bench
