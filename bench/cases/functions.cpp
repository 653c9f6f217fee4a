// Measures functions of one f32 number, in nanoseconds per element, on arrays that fit the L1 cache. harp's kernel is called through its
// entry point: at 0.3 ns per element, the overhead of harp_program_run would be a tenth of the time; call.overhead measures this overhead.
// The report states the greatest error over the measured arguments. docs/semantics.md promises no accuracy for composites (sigmoid ...):
// near -5 the result of gelu, x / 2 * (1 + erf(x / sqrt(2))), consists mostly of rounding error.
//
// The goals are relative to other libraries (peers): SLEEF's functions with an error of at most 1.0 ulp, or a combination of them if SLEEF
// lacks the function; and the functions of the GNU C library (libmvec), which promise only 4 ulp. A function that is a division or a root
// has no such peer; its goal is an absolute time on a CPU with AVX-512. The time of a function of one or two instructions is limited by
// memory: its peer is the same loop written by hand, on arrays that fit the L2 cache.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>

#include "bench/harness/peer_process.h"
#include "bench/peers/served.h"
#include "vector_functions.h"

namespace bench {
namespace {

/// What a function of harp is compared with: nothing; a combination of functions of the library SLEEF; SLEEF and the library libmvec; or a
/// loop written by hand (peers.h).
enum class Peers { kNone, kParts, kBoth, kLoop };

struct Function {
  const char* name;
  harp_node* (*build)(harp_node* x);
  float low, high;            // range of the arguments
  double (*exact)(double x);  // reference in double; nullptr: the error is not measured
  Peers peers = Peers::kBoth;
  harp_dtype dtype = HARP_F32;  // the dtype of the argument; if it is not f32, the array has the bits of the f32 values

  const Footprint& footprint() const { return peers == Peers::kLoop ? kL2 : kL1; }
};

harp_node* gelu(harp_node* x) { return harp_gelu(x, "none"); }
harp_node* gelu_tanh(harp_node* x) { return harp_gelu(x, "tanh"); }

constexpr Function kFunctions[] = {
    {"neg", harp_neg, -4, 4, [](double x) { return -x; }, Peers::kLoop},
    {"abs", harp_abs, -4, 4, std::fabs, Peers::kLoop},
    {"sign", harp_sign, -4, 4, [](double x) { return x > 0   ? 1.0
                                                     : x < 0 ? -1.0
                                                             : x; }, Peers::kLoop},
    {"square", harp_square, -4, 4, [](double x) { return x * x; }, Peers::kLoop},
    {"floor", harp_floor, -4, 4, std::floor, Peers::kLoop},
    {"ceil", harp_ceil, -4, 4, std::ceil, Peers::kLoop},
    {"round", harp_round, -4, 4, std::nearbyint, Peers::kLoop},
    {"trunc", harp_trunc, -4, 4, std::trunc, Peers::kLoop},
    {"relu", harp_relu, -4, 4, [](double x) { return std::max(x, 0.0); }, Peers::kLoop},
    {"isnan", harp_isnan, -4, 4, nullptr, Peers::kLoop},
    {"isinf", harp_isinf, -4, 4, nullptr, Peers::kLoop},
    {"isfinite", harp_isfinite, -4, 4, nullptr, Peers::kLoop},
    {"logical_not", harp_logical_not, -4, 4, nullptr, Peers::kLoop},
    {"bitwise_not", harp_bitwise_not, -4, 4, nullptr, Peers::kLoop, HARP_I32},
    {"recip", harp_recip, 1, 100, [](double x) { return 1 / x; }, Peers::kNone},
    {"sqrt", harp_sqrt, 0, 100, std::sqrt, Peers::kNone},
    {"rsqrt", harp_rsqrt, 1, 100, [](double x) { return 1 / std::sqrt(x); }, Peers::kNone},
    {"cbrt", harp_cbrt, -100, 100, std::cbrt},
    {"exp", harp_exp, -10, 10, std::exp},
    {"exp2", harp_exp2, -10, 10, std::exp2},
    {"expm1", harp_expm1, -10, 10, std::expm1},
    {"log", harp_log, 0.01F, 100, std::log},
    {"log2", harp_log2, 0.01F, 100, std::log2},
    {"log10", harp_log10, 0.01F, 100, std::log10},
    {"log1p", harp_log1p, -0.9F, 100, std::log1p},
    {"sin", harp_sin, -10, 10, std::sin},
    {"cos", harp_cos, -10, 10, std::cos},
    {"tan", harp_tan, -10, 10, std::tan},
    {"asin", harp_asin, -1, 1, std::asin},
    {"acos", harp_acos, -1, 1, std::acos},
    {"atan", harp_atan, -10, 10, std::atan},
    {"sinh", harp_sinh, -10, 10, std::sinh},
    {"cosh", harp_cosh, -10, 10, std::cosh},
    {"tanh", harp_tanh, -5, 5, std::tanh},
    {"asinh", harp_asinh, -100, 100, std::asinh},
    {"acosh", harp_acosh, 1, 100, std::acosh},
    {"atanh", harp_atanh, -0.99F, 0.99F, std::atanh},
    {"erf", harp_erf, -4, 4, std::erf},
    {"erfc", harp_erfc, -4, 4, std::erfc},
    {"sigmoid", harp_sigmoid, -10, 10, [](double x) { return 1 / (1 + std::exp(-x)); }, Peers::kParts},
    {"silu", harp_silu, -10, 10, [](double x) { return x / (1 + std::exp(-x)); }, Peers::kParts},
    {"softplus", harp_softplus, -10, 10, [](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }, Peers::kParts},
    {"gelu", gelu, -5, 5, nullptr, Peers::kParts},
    {"gelu_tanh", gelu_tanh, -5, 5, nullptr, Peers::kParts},
};

/// Returns the greatest error of the results y, in units in the last place of the exact result.
double max_ulp(const Function& function, std::span<const float> x, std::span<const float> y) {
  double most = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double exact = function.exact(static_cast<double>(x[i]));
    const double unit = std::ldexp(1.0, std::max(exact == 0 ? -126 : std::ilogb(exact), -126) - 23);
    most = std::max(most, std::fabs(static_cast<double>(y[i]) - exact) / unit);
  }
  return most;
}

/// Compiles the function, makes arrays of arguments and results that together fit a cache, and passes kernel and arrays to `use`.
void with_kernel(Session& session, const Function& function, const std::function<void(Kernel&, std::span<float>, std::span<float>)>& use) {
  const size_t n = function.footprint().bytes / sizeof(float) / 2;
  session.memory.reserve(Memory::room(3, n * sizeof(float)));
  const std::span<float> x = session.memory.take(n), y = session.memory.take(n);
  fill(x, function.low, function.high, seed_of(0));
  const Graph graph = session.new_graph();
  const harp_dim size = harp_dim_var(graph.get(), "n", 0, int64_t{1} << 40);
  harp_output(graph.get(), "y", function.build(harp_input(graph.get(), "x", function.dtype, 1, &size)));
  Kernel kernel(graph.get(), {x.data()}, {y.data()}, {n});
  kernel(1);
  use(kernel, x, y);
}

std::vector<Row> run(Session& session, const Function& function, const std::string& name) {
  Row row;
  with_kernel(session, function, [&](Kernel& kernel, std::span<float> x, std::span<float> y) {
    std::vector<Candidate> candidates = {[&kernel](size_t repeats) { kernel(repeats); }};
    std::unique_ptr<PeerProcess> sleef;
    if (function.peers != Peers::kNone)
      sleef = PeerProcess::start(
          session, "sleef",
          {session.target(), function.name, std::to_string(x.size()), std::to_string(function.low), std::to_string(function.high)});
    if (sleef) {
      sleef->check(name, std::span<const float>(y));
      candidates.push_back(sleef->candidate());
    }
    const Comparison times = compare(candidates, session.effort);
    const Scale scale = Scale::nanoseconds_each(x.size());
    row = function.peers != Peers::kNone ? compared(name, scale, times, "SLEEF", sleef ? std::optional<size_t>(1) : std::nullopt)
                                         : Row{name, scale.of(times.seconds(0)), scale.unit, "", {}, {}};
    if (function.exact != nullptr) row.max_ulp = max_ulp(function, x, y);
  });
  return {row};
}

/// Returns libmvec's function for the CPU level that harp compiles for; null if libmvec does not have the function.
const vector_function* libmvec(const std::string& target, const char* name) {
  for (const vector_level* const* level = libmvec_levels; *level != nullptr; ++level)
    for (const vector_function* f = (*level)->functions; f->name != nullptr; ++f)
      if (target == (*level)->target && std::strcmp(f->name, name) == 0) return f;
  return nullptr;
}

std::vector<Row> run_libmvec(Session& session, const Function& function, const std::string& name) {
  Row row;
  with_kernel(session, function, [&](Kernel& kernel, std::span<float> x, std::span<float> y) {
    std::vector<Candidate> candidates = {[&kernel](size_t repeats) { kernel(repeats); }};
    const vector_function* peer = libmvec(session.target(), function.name);
    const std::span<float> theirs = session.memory.take(x.size());
    std::string label = "libmvec";
    if (peer != nullptr) {
      peer->apply(x.data(), theirs.data(), x.size());
      char error[32];
      std::snprintf(error, sizeof error, " (%.2f ulp)", max_ulp(function, x, theirs));
      label += error;
      candidates.push_back([&](size_t repeats) {
        for (size_t i = 0; i < repeats; ++i) peer->apply(x.data(), theirs.data(), x.size());
      });
    }
    const Comparison times = compare(candidates, session.effort);
    row = compared(name, Scale::nanoseconds_each(x.size()), times, label, peer ? std::optional<size_t>(1) : std::nullopt);
    row.max_ulp = max_ulp(function, x, y);
  });
  return {row};
}

std::vector<Row> run_loop(Session& session, const Function& function, const std::string& name) {
  Row row;
  with_kernel(session, function, [&](Kernel& kernel, std::span<float> x, std::span<float> y) {
    const peer_function* by_hand = session.by_hand->functions;
    while (std::strcmp(by_hand->name, function.name) != 0) ++by_hand;
    const std::span<float> theirs = session.memory.take(x.size());
    std::memset(y.data(), 0xff, y.size_bytes()), std::memset(theirs.data(), 0xff, theirs.size_bytes());
    kernel(1), by_hand->apply(x.data(), nullptr, nullptr, theirs.data(), x.size());
    if (std::memcmp(y.data(), theirs.data(), y.size_bytes()) != 0)
      throw std::runtime_error(name + ": harp and the hand-written loop do not give the same bits");
    const Candidate candidates[] = {[&kernel](size_t repeats) { kernel(repeats); },
                                    [&](size_t repeats) {
                                      for (size_t i = 0; i < repeats; ++i) by_hand->apply(x.data(), nullptr, nullptr, y.data(), x.size());
                                    }};
    row = compared(name, Scale::nanoseconds_each(x.size()), compare(candidates, session.effort), "loop by hand", 1);
    if (function.exact != nullptr) row.max_ulp = max_ulp(function, x, theirs);
  });
  return {row};
}

}  // namespace

std::vector<Benchmark> function_benchmarks() {
  std::vector<Benchmark> benchmarks;
  for (const Function& function : kFunctions) {
    const std::string name = std::string("function.") + function.name;
    const auto measure = function.peers == Peers::kLoop ? run_loop : run;
    benchmarks.push_back({{name}, [&function, measure, name](Session& session) { return measure(session, function, name); }});
    if (function.peers != Peers::kBoth) continue;
    const std::string other = name + ".libmvec";
    benchmarks.push_back({{other}, [&function, other](Session& session) { return run_libmvec(session, function, other); }});
  }
  return benchmarks;
}

}  // namespace bench
