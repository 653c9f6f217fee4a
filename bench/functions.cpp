// Functions of one f32 number, in nanoseconds per element of arrays that lie in L1, against SLEEF's where it has one. What is one or two
// instructions (neg, abs, floor, relu ...) is in the chains. harp's kernel is called through its entry point: at 0.3 ns a call of
// harp_program_run would be a tenth of what is measured, and it has a row of its own (call.overhead).
//
// The goals are absolute, 0.3 ns for exp and 0.4 for the others, because that is what the design promises, and because SLEEF, which has no
// counterpart for some of these and misses the last half of an ulp elsewhere than harp, is no common measure; its ratio is in the row. They
// are goals for a CPU with AVX-512; on one without, a miss says only that.
#include "bench/peer_process.h"
#include "bench/peers/served.h"

namespace bench {
namespace {

struct Function {
  const char* name;
  harp_node* (*build)(harp_node* x);
  float low, high;  // of the arguments
  bool in_sleef;
};

harp_node* gelu(harp_node* x) { return harp_gelu(x, "none"); }
harp_node* gelu_tanh(harp_node* x) { return harp_gelu(x, "tanh"); }

constexpr Function kFunctions[] = {
    {"recip", harp_recip, 1, 100, false},
    {"sqrt", harp_sqrt, 0, 100, false},
    {"rsqrt", harp_rsqrt, 1, 100, false},
    {"cbrt", harp_cbrt, -100, 100, true},
    {"exp", harp_exp, -10, 10, true},
    {"exp2", harp_exp2, -10, 10, true},
    {"expm1", harp_expm1, -10, 10, true},
    {"log", harp_log, 0.01F, 100, true},
    {"log2", harp_log2, 0.01F, 100, true},
    {"log10", harp_log10, 0.01F, 100, true},
    {"log1p", harp_log1p, -0.9F, 100, true},
    {"sin", harp_sin, -10, 10, true},
    {"cos", harp_cos, -10, 10, true},
    {"tan", harp_tan, -10, 10, true},
    {"asin", harp_asin, -1, 1, true},
    {"acos", harp_acos, -1, 1, true},
    {"atan", harp_atan, -10, 10, true},
    {"sinh", harp_sinh, -10, 10, true},
    {"cosh", harp_cosh, -10, 10, true},
    {"tanh", harp_tanh, -5, 5, true},
    {"asinh", harp_asinh, -100, 100, true},
    {"acosh", harp_acosh, 1, 100, true},
    {"atanh", harp_atanh, -0.99F, 0.99F, true},
    {"erf", harp_erf, -4, 4, true},
    {"erfc", harp_erfc, -4, 4, true},
    {"sigmoid", harp_sigmoid, -10, 10, false},
    {"silu", harp_silu, -10, 10, false},
    {"softplus", harp_softplus, -10, 10, false},
    {"gelu", gelu, -5, 5, false},
    {"gelu_tanh", gelu_tanh, -5, 5, false},
};

std::vector<Row> run(Session& session, const Function& function, const std::string& name) {
  const size_t n = kL1.bytes / sizeof(float) / 2;
  session.memory.reserve(Memory::room(2, n * sizeof(float)));
  const std::span<float> x = session.memory.take(n), y = session.memory.take(n);
  fill(x, function.low, function.high, seed_of(0));
  const Graph graph = session.new_graph();
  const harp_dim size = harp_dim_var(graph.get(), "n", 0, int64_t{1} << 40);
  harp_output(graph.get(), "y", function.build(harp_input(graph.get(), "x", HARP_F32, 1, &size)));
  Kernel kernel(graph.get(), {x.data()}, {y.data()}, {n});
  kernel(1);

  std::vector<Candidate> candidates = {[&kernel](size_t repeats) { kernel(repeats); }};
  std::unique_ptr<PeerProcess> sleef;
  if (function.in_sleef)
    sleef = PeerProcess::start(
        session, "sleef",
        {session.target(), function.name, std::to_string(n), std::to_string(function.low), std::to_string(function.high)});
  if (sleef) {
    sleef->check(name, std::span<const float>(y));
    candidates.push_back(sleef->candidate());
  }
  const Comparison times = compare(candidates, session.effort);
  const Scale scale = Scale::nanoseconds_each(n);
  if (!function.in_sleef) return {{name, scale.of(times.seconds(0)), scale.unit, "", {}, {}}};
  return {compared(name, scale, times, "SLEEF", sleef ? std::optional<size_t>(1) : std::nullopt)};
}

}  // namespace

std::vector<Benchmark> function_benchmarks() {
  std::vector<Benchmark> benchmarks;
  for (const Function& function : kFunctions) {
    const std::string name = std::string("function.") + function.name;
    benchmarks.push_back({{name}, [&function, name](Session& session) { return run(session, function, name); }});
  }
  return benchmarks;
}

}  // namespace bench
