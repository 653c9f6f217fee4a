// The overhead of front ends. C++: an assignment of an expression template against the same loop written by hand; and the time that a warm
// assignment, a lazy graph and a call of jit need in addition to their kernels. Peers of the last three are the same programs, called
// through their entry points. Rust: the time of a call over harp_program_call.
#include <cstring>
#include <harp.hpp>
#include <stdexcept>

#include "bench/peer_process.h"
#include "bench/session.h"

namespace bench {
namespace {

harp::Context context_of(const Session& session) { return {harp_context_retain(session.context.get()), 1}; }

harp::Field<float> numbers(int64_t n, unsigned seed, const harp::Context& context) {
  harp::Field<float> field({n}, 0, context);
  fill(std::span<float>(field.data(), field.size()), -4, 4, seed);
  return field;
}

/// Compiles a b + c for one size, to be called as a plain function.
Kernel product_sum(const Session& session, const harp::Field<float>& a, const harp::Field<float>& b, const harp::Field<float>& c,
                   float* y) {
  const Graph graph = session.new_graph();
  const harp_dim n = harp_dim_var(graph.get(), "n", 0, int64_t{1} << 40);
  harp_node* x[3];
  const char* names[] = {"a", "b", "c"};
  for (int i = 0; i < 3; ++i) x[i] = harp_input(graph.get(), names[i], HARP_F32, 1, &n);
  harp_output(graph.get(), "y", harp_add(harp_mul(x[0], x[1]), x[2]));
  const auto address = [](const harp::Field<float>& field) { return const_cast<float*>(field.data()); };
  return Kernel(graph.get(), {address(a), address(b), address(c)}, {y}, {a.size()});
}

std::vector<Row> run_assign(Session& session) {
  constexpr int64_t kElements = 1 << 20;
  const harp::Context context = context_of(session);
  const harp::Field<float> a = numbers(kElements, 1, context), b = numbers(kElements, 2, context), c = numbers(kElements, 3, context);
  harp::Field<float> d = a * b + c, expected(d);
  const peer_chain by_hand = session.by_hand->product_sum;
  by_hand(a.data(), b.data(), c.data(), expected.data(), expected.size());
  if (std::memcmp(d.data(), expected.data(), d.size() * sizeof(float)) != 0)
    throw std::runtime_error("an expression template and the hand-written loop do not give the same bits");
  const Candidate candidates[] = {
      [&](size_t repeats) {
        for (size_t i = 0; i < repeats; ++i) d = a * b + c;
      },
      [&](size_t repeats) {
        for (size_t i = 0; i < repeats; ++i) by_hand(a.data(), b.data(), c.data(), d.data(), d.size());
      },
  };
  const Comparison times = compare(candidates, session.effort);
  const auto rate = [&](size_t candidate) { return 4.0 * sizeof(float) * kElements / times.seconds(candidate) / 1e9; };
  return {{"front.cpp.assign.1m", rate(0), "GB/s", "loop by hand", rate(1), times.ratio(0, 1)}};
}

std::vector<Row> run_overhead(Session& session) {
  constexpr int64_t kElements = 16;
  const harp::Context context = context_of(session);
  const harp::Field<float> a = numbers(kElements, 1, context), b = numbers(kElements, 2, context), c = numbers(kElements, 3, context);
  harp::Field<float> d = a * b + c, same(d);
  Kernel kernel = product_sum(session, a, b, c, same.data());
  const Candidate candidates[] = {
      [&](size_t repeats) {
        for (size_t i = 0; i < repeats; ++i) d = a * b + c;
      },
      [&](size_t repeats) { kernel(repeats); },
  };
  const Comparison times = compare(candidates, session.effort);
  if (std::memcmp(d.data(), same.data(), d.size() * sizeof(float)) != 0)
    throw std::runtime_error("an expression template and the program it is made into do not give the same bits");
  const double raw = times.seconds(1) * 1e9;
  return {{"front.cpp.assign.overhead", times.seconds(0) * 1e9 - raw, "ns", "the entry point itself", raw, {}}};
}

/// A chain of 20 operations; it is measured on 16 elements.
template <class T>
T twenty(const T& x, const T& w) {
  T y = x * w + x;
  for (int i = 0; i < 6; ++i) y = (y - w) * x + 0.25F;
  return y;
}

std::vector<Row> run_lazy(Session& session) {
  const harp::Context context = context_of(session);
  const std::vector<float> xs(16, 0.5F), ws(16, 1.5F);
  const harp::Tensor x(xs, 16, context), w(ws, 16, context);
  const auto compiled = harp::jit([](const harp::Tensor& u, const harp::Tensor& v) { return twenty(u, v); });
  const std::vector<float> expected = twenty(x, w).to_vector<float>();

  const Graph graph = session.new_graph();
  const harp_dim n = 16;
  const harp::Node u = harp_input(graph.get(), "x", HARP_F32, 1, &n), v = harp_input(graph.get(), "w", HARP_F32, 1, &n);
  harp_output(graph.get(), "y", twenty(u, v).get());
  std::vector<float> y(16);
  Kernel kernel(graph.get(), {const_cast<float*>(xs.data()), const_cast<float*>(ws.data())}, {y.data()}, {});

  const Candidate candidates[] = {
      [&](size_t repeats) {
        for (size_t i = 0; i < repeats; ++i) keep(twenty(x, w).realize().data<float>()[0]);
      },
      [&](size_t repeats) {
        for (size_t i = 0; i < repeats; ++i) keep(compiled(x, w).data<float>()[0]);
      },
      [&](size_t repeats) { kernel(repeats); },
  };
  const Comparison times = compare(candidates, session.effort);
  if (y != expected || compiled(x, w).to_vector<float>() != expected)
    throw std::runtime_error("a lazy graph, jit and the explicit graph do not give the same bits");
  const double raw = times.seconds(2);
  return {{"front.cpp.lazy.20", (times.seconds(0) - raw) * 1e6, "us", "the entry point itself", raw * 1e6, {}},
          {"front.cpp.jit", (times.seconds(1) - raw) * 1e9, "ns", "the entry point itself", raw * 1e9, {}}};
}

/// y = a b + 1 on 16 elements from Rust (bindings/rust/harp/benches/call.rs), over harp_program_call: a program called with slices, and a
/// tensor whose structure was compiled before.
std::vector<Row> run_rust(Session& session) {
  constexpr int64_t kElements = 16;
  const std::vector<float> a(kElements, 0.5F), b(kElements, 2.0F);
  std::vector<float> y(kElements);
  const Graph graph = session.new_graph();
  harp_node* const product =
      harp_mul(harp_input(graph.get(), "a", HARP_F32, 1, &kElements), harp_input(graph.get(), "b", HARP_F32, 1, &kElements));
  harp_output(graph.get(), "y", harp_add(product, harp_constant(graph.get(), HARP_F32, 1)));
  Err err;
  const Program program(harp_compile(graph.get(), nullptr, err));
  err.check("compiling");
  const harp_const_array inputs[] = {{a.data(), &kElements, HARP_F32, 1}, {b.data(), &kElements, HARP_F32, 1}};
  const harp_array output = {y.data(), &kElements, HARP_F32, 1};
  harp_status status = HARP_OK;
  std::vector<Candidate> candidates = {[&](size_t repeats) {
    for (size_t i = 0; i < repeats; ++i) status |= harp_program_call(program.get(), 2, inputs, 1, &output, nullptr, nullptr);
  }};
  const std::unique_ptr<PeerProcess> call = PeerProcess::start(session, "rust", {"call"}),
                                     tensor = PeerProcess::start(session, "rust", {"tensor"});
  if (!call || !tensor) {
    std::vector<Row> missing;
    for (const char* name : {"front.rust.call", "front.rust.tensor"}) {
      missing.push_back({name, 0, "ns", "harp_bench_rust: not there", {}, {}});
      missing.back().peer_missing = true;
    }
    return missing;
  }
  candidates.push_back(call->candidate());
  candidates.push_back(tensor->candidate());
  const Comparison times = compare(candidates, session.effort);
  if (status != HARP_OK) throw std::runtime_error("harp_program_call failed");
  call->check("front.rust.call", std::span<const float>(y));
  const double raw = times.seconds(0) * 1e9;
  return {{"front.rust.call", times.seconds(1) * 1e9 - raw, "ns", "harp_program_call", raw, {}},
          {"front.rust.tensor", times.seconds(2) * 1e9 - raw, "ns", "harp_program_call", raw, {}}};
}

}  // namespace

std::vector<Benchmark> front_benchmarks() {
  return {{{"front.cpp.assign.1m"}, run_assign},
          {{"front.cpp.assign.overhead"}, run_overhead},
          {{"front.cpp.lazy.20", "front.cpp.jit"}, run_lazy},
          {{"front.rust.call", "front.rust.tensor"}, run_rust}};
}

}  // namespace bench
