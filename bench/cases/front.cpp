// Measures the overhead of the bindings. In C++, the assignment of an expression template is compared with the same loop written by hand. A
// repeated assignment, a repeated lazy graph and a call of a jit function are compared with the same programs called through their entry
// points; the difference is the overhead. For Rust, Go and Python, the overhead is the time that a call takes beyond harp_program_call.
// Python is also compared with other array libraries.
#include <cstring>
#include <harp.hpp>
#include <stdexcept>

#include "bench/harness/peer_process.h"
#include "bench/harness/session.h"

namespace bench {
namespace {

harp::Context context_of(const Session& session) { return {harp_context_retain(session.context.get()), 1}; }

harp::Field<float> numbers(int64_t n, unsigned seed, const harp::Context& context) {
  harp::Field<float> field({n}, 0, context);
  fill(std::span<float>(field.data(), field.size()), -4, 4, seed);
  return field;
}

/// Compiles a * b + c and binds it to these arrays, so that it can be called as a plain function.
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
    throw std::runtime_error("an expression template and the program compiled from it do not give the same bits");
  const double raw = times.seconds(1) * 1e9;
  return {{"front.cpp.assign.overhead", times.seconds(0) * 1e9 - raw, "ns", "the entry point itself", raw, {}}};
}

/// Returns a chain of 20 operations on x and w, which are arrays of 16 elements.
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

/// Computes y = a * b + 1 on arrays of 16 elements by harp_program_call, the function of the C interface that the bindings for other
/// languages call.
class SmallProduct {
 public:
  explicit SmallProduct(const Session& session) : graph_(session.new_graph()) {
    harp_node* const product =
        harp_mul(harp_input(graph_.get(), "a", HARP_F32, 1, &kElements), harp_input(graph_.get(), "b", HARP_F32, 1, &kElements));
    harp_output(graph_.get(), "y", harp_add(product, harp_constant(graph_.get(), HARP_F32, 1)));
    Err err;
    program_ = Program(harp_compile(graph_.get(), nullptr, err));
    err.check("compiling");
  }
  Candidate candidate() {
    return [this](size_t repeats) {
      const harp_const_array inputs[] = {{a_.data(), &kElements, HARP_F32, 1}, {b_.data(), &kElements, HARP_F32, 1}};
      const harp_array output = {y_.data(), &kElements, HARP_F32, 1};
      harp_status status = HARP_OK;
      for (size_t i = 0; i < repeats; ++i) status |= harp_program_call(program_.get(), 2, inputs, 1, &output, nullptr, nullptr);
      if (status != HARP_OK) throw std::runtime_error("harp_program_call failed");
    };
  }
  /// The result y; valid after a candidate has run.
  std::span<const float> result() const { return y_; }

 private:
  static constexpr int64_t kElements = 16;
  Graph graph_;
  Program program_;
  std::vector<float> a_ = std::vector<float>(kElements, 0.5F), b_ = std::vector<float>(kElements, 2.0F), y_ = std::vector<float>(kElements);
};

/// The rows of the report for a binding whose benchmark program is not installed. Their goals count as missed.
std::vector<Row> missing_rows(const std::vector<std::string>& names, const std::string& unit, const std::string& program) {
  std::vector<Row> rows;
  for (const std::string& name : names) {
    rows.push_back({name, 0, unit, program + ": not installed", {}, {}});
    rows.back().peer_missing = true;
  }
  return rows;
}

/// Measures the Rust binding (bindings/rust/harp/benches/call.rs): a program called with slices, and a lazy tensor whose graph is in the
/// cache.
std::vector<Row> run_rust(Session& session) {
  SmallProduct product(session);
  std::vector<Candidate> candidates = {product.candidate()};
  const std::unique_ptr<PeerProcess> call = PeerProcess::start(session, "rust", {"call"}),
                                     tensor = PeerProcess::start(session, "rust", {"tensor"});
  if (!call || !tensor) return missing_rows({"front.rust.call", "front.rust.tensor"}, "ns", "harp_bench_rust");
  candidates.push_back(call->candidate());
  candidates.push_back(tensor->candidate());
  const Comparison times = compare(candidates, session.effort);
  call->check("front.rust.call", product.result());
  const double raw = times.seconds(0) * 1e9;
  return {{"front.rust.call", times.seconds(1) * 1e9 - raw, "ns", "harp_program_call", raw, {}},
          {"front.rust.tensor", times.seconds(2) * 1e9 - raw, "ns", "harp_program_call", raw, {}}};
}

/// Measures the Go binding (bindings/go/internal/benchmark): a program called with slices.
std::vector<Row> run_go(Session& session) {
  SmallProduct product(session);
  const std::unique_ptr<PeerProcess> call = PeerProcess::start(session, "go", {});
  if (!call) return missing_rows({"front.go.call"}, "ns", "harp_bench_go");
  const Candidate candidates[] = {product.candidate(), call->candidate()};
  const Comparison times = compare(candidates, session.effort);
  call->check("front.go.call", product.result());
  const double raw = times.seconds(0) * 1e9;
  return {{"front.go.call", times.seconds(1) * 1e9 - raw, "ns", "harp_program_call", raw, {}}};
}

/// Measures harp's Python binding (bench/peers/python.py) and other libraries that do the same work, each in its own process. The first row
/// of the report is the binding's overhead: its time minus that of `raw`, which calls the same program without the binding. The other rows
/// compare the whole call with each library.
std::vector<Row> python_rows(Session& session, const std::string& name, const std::string& what, const Scale& scale, Candidate raw,
                             std::span<const float> result, const std::vector<std::string>& peers) {
  std::vector<std::string> names = {name};
  for (const std::string& peer : peers) names.push_back(name + "." + peer);
  const std::unique_ptr<PeerProcess> harp = PeerProcess::start(session, "python", {what});
  if (!harp) return missing_rows(names, scale.unit, "harp_bench_python");
  harp->check(name, result);
  std::vector<Candidate> candidates = {harp->candidate(), std::move(raw)};
  std::vector<std::unique_ptr<PeerProcess>> processes;
  for (const std::string& peer : peers) {
    processes.push_back(PeerProcess::start(session, peer, {what}));
    if (!processes.back()) continue;
    processes.back()->check(name + "." + peer, result);
    candidates.push_back(processes.back()->candidate());
  }
  const Comparison times = compare(candidates, session.effort);
  const double under = scale.of(times.seconds(1));
  std::vector<Row> rows = {{name, scale.of(times.seconds(0)) - under, scale.unit, "the program itself", under, {}}};
  size_t next = 2;
  for (size_t i = 0; i < peers.size(); ++i)
    rows.push_back(compared(names[i + 1], scale, times, peers[i], processes[i] ? std::optional<size_t>(next++) : std::nullopt));
  return rows;
}

const std::vector<std::string> kCallPeers = {"numexpr", "torch", "mlx"}, kLazyPeers = {"torch", "mlx"};

/// Measures a function compiled by harp.jit that takes NumPy arrays and returns a NumPy array.
std::vector<Row> run_python_call(Session& session) {
  SmallProduct product(session);
  Candidate raw = product.candidate();
  raw.seconds(1);
  return python_rows(session, "front.python.call", "call", {"ns", 1e-9, false}, std::move(raw), product.result(), kCallPeers);
}

/// Measures 20 lazy operations of the Python binding whose graph is in the cache.
std::vector<Row> run_python_lazy(Session& session) {
  const Graph graph = session.new_graph();
  const harp_dim n = 16;
  const harp::Node x = harp_input(graph.get(), "x", HARP_F32, 1, &n), w = harp_input(graph.get(), "w", HARP_F32, 1, &n);
  harp_output(graph.get(), "y", twenty(x, w).get());
  std::vector<float> xs(16, 0.5F), ws(16, 2.0F), y(16);
  Kernel kernel(graph.get(), {xs.data(), ws.data()}, {y.data()}, {});
  kernel(1);
  return python_rows(
      session, "front.python.lazy.20", "lazy", {"us", 1e-6, false}, [&kernel](size_t repeats) { kernel(repeats); },
      std::span<const float>(y), kLazyPeers);
}

/// Measures `import harp` in a process that has already imported NumPy.
std::vector<Row> run_python_import(Session& session) {
  const std::unique_ptr<PeerProcess> harp = PeerProcess::start(session, "python", {"import"});
  if (!harp) return missing_rows({"front.python.import"}, "ms", "harp_bench_python");
  const Candidate candidates[] = {harp->candidate()};
  return {{"front.python.import", compare(candidates, session.effort).seconds(0) * 1e3, "ms", "", {}, {}}};
}

}  // namespace

std::vector<Benchmark> front_benchmarks() {
  return {{{"front.cpp.assign.1m"}, run_assign},
          {{"front.cpp.assign.overhead"}, run_overhead},
          {{"front.cpp.lazy.20", "front.cpp.jit"}, run_lazy},
          {{"front.rust.call", "front.rust.tensor"}, run_rust},
          {{"front.go.call"}, run_go},
          {{"front.python.call", "front.python.call.numexpr", "front.python.call.torch", "front.python.call.mlx"}, run_python_call},
          {{"front.python.lazy.20", "front.python.lazy.20.torch", "front.python.lazy.20.mlx"}, run_python_lazy},
          {{"front.python.import"}, run_python_import}};
}

}  // namespace bench
