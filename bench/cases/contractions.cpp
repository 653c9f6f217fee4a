// Measures matrix products in GFLOP/s and compares them with OpenBLAS. All run on one thread, large cubes also on two. The products are
// cubes, odd and skinny shapes, batches, f64, complex, and the two einsums of attention. Some f32 products are also compared with oneDNN. A
// product of i8 operands with an i32 result is compared with harp's own f32 product and with oneDNN; a product with i8 weights is compared
// with harp's own with f32 weights. A product that reads its right operand once and does little with it (one row or column, eight rows) is
// also compared with hand-written code that only reads this operand. A product whose data fit registers and caches is also compared with
// the core's peak rate of multiply-adds, because OpenBLAS comes close to it. The smallest cubes are called as plain functions, because
// OpenBLAS needs only 130 ns for size 16.
#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "bench/harness/peer_process.h"
#include "bench/peers/served.h"

namespace bench {
namespace {

struct Product {
  std::string name;
  harp_dtype dtype;
  int64_t m, k, n;
  int64_t batch = 1;
  // True: the report has the rows NAME.blas (against OpenBLAS) and NAME.read (against reading the largest operand) instead of NAME.
  bool read = false;
  bool peak = false;              // true: the report also has the row NAME.peak, against the core's peak rate
  const char* einsum = nullptr;   // the einsum's spec, for operands [1, batch, ...]; nullptr: matmul
  bool right_transposed = false;  // true: the einsum's right operand has the shape [n, k] instead of [k, n]
  int threads = 1;
  bool onednn = false;  // true: the report also has the row NAME.onednn, against oneDNN

  Call call() const { return batch * m * k * n <= 64 * 64 * 64 ? Call::kEntry : Call::kRun; }
  std::vector<std::string> rows() const {
    if (read) return {name + ".blas", name + ".read"};
    std::vector<std::string> all = {name};
    if (peak) all.push_back(name + ".peak");
    if (onednn) all.push_back(name + ".onednn");
    return all;
  }
  size_t left_size() const { return static_cast<size_t>(batch * m * k); }
  size_t right_size() const { return static_cast<size_t>(batch * k * n); }
  size_t result_size() const { return static_cast<size_t>(batch * m * n); }
};

std::vector<Product> products() {
  std::vector<Product> all;
  for (const int64_t n : {16, 32, 64, 127, 128, 256, 512, 1024, 2048})
    all.push_back({"contract.f32." + std::to_string(n), HARP_F32, n, n, n, 1, false, true});
  for (const int64_t n : {512, 1024, 2048})
    all.push_back({"contract.f32." + std::to_string(n) + ".threads2", HARP_F32, n, n, n, 1, false, false, nullptr, false, kThreads});
  all.push_back({"contract.f32.1000x17x333", HARP_F32, 1000, 17, 333});
  all.push_back({"contract.f32.8x4096x4096", HARP_F32, 8, 4096, 4096, 1, true});
  for (const int64_t n : {1024, 4096}) {
    all.push_back({"contract.gemv.xb." + std::to_string(n), HARP_F32, 1, n, n, 1, true});
    all.push_back({"contract.gemv.ax." + std::to_string(n), HARP_F32, n, n, 1, 1, true});
  }
  all.push_back({"contract.batched.64x64", HARP_F32, 64, 64, 64, 64, false, true});
  for (const int64_t n : {64, 128, 512, 1024}) all.push_back({"contract.f64." + std::to_string(n), HARP_F64, n, n, n, 1, false, true});
  all.push_back({"contract.complex64.256", HARP_COMPLEX64, 256, 256, 256, 1, false, true});
  all.push_back({"contract.einsum.scores", HARP_F32, 1024, 64, 1024, 8, false, false, "bhqd,bhkd->bhqk", true});
  all.push_back({"contract.einsum.values", HARP_F32, 1024, 1024, 64, 8, false, false, "bhqk,bhkd->bhqd"});
  for (Product& p : all) {
    static constexpr std::string_view kAlso[] = {"contract.f32.128", "contract.f32.512", "contract.f32.1024", "contract.f32.1000x17x333",
                                                 "contract.batched.64x64"};
    p.onednn = std::ranges::find(kAlso, p.name) != std::end(kAlso);
  }
  return all;
}

/// Declares an operand. A single row, a single column and a batch of one have no axis; for an einsum the shape is [1, batch, rows,
/// columns].
harp_node* operand(harp_graph* graph, const Product& p, const char* name, int64_t rows, int64_t columns) {
  std::vector<harp_dim> dims;
  if (p.einsum != nullptr) dims.push_back(1);
  if (p.einsum != nullptr || p.batch > 1) dims.push_back(p.batch);
  if (rows > 1) dims.push_back(rows);
  if (columns > 1) dims.push_back(columns);
  return harp_input(graph, name, p.dtype, static_cast<int32_t>(dims.size()), dims.data());
}

Graph build(const Session& session, const Product& p) {
  Graph graph = session.new_graph(p.threads);
  harp_node* const operands[] = {operand(graph.get(), p, "a", p.m, p.k),
                                 p.right_transposed ? operand(graph.get(), p, "b", p.n, p.k) : operand(graph.get(), p, "b", p.k, p.n)};
  harp_node* product = p.einsum != nullptr ? harp_einsum(p.einsum, 2, operands) : harp_matmul(operands[0], operands[1]);
  harp_output(graph.get(), "c", product);
  return graph;
}

/// Part is float or double: the type of an element, or of each of the two parts of a complex element.
template <class Part>
std::vector<Row> run(Session& session, const Product& p) {
  const size_t parts = harp_dtype_size(p.dtype) / sizeof(Part);
  session.memory.reserve(Memory::room(1, p.left_size() * parts * sizeof(Part)) + Memory::room(1, p.right_size() * parts * sizeof(Part)) +
                         Memory::room(1, p.result_size() * parts * sizeof(Part)));
  const std::span<Part> a = session.memory.take_as<Part>(p.left_size() * parts), b = session.memory.take_as<Part>(p.right_size() * parts),
                        c = session.memory.take_as<Part>(p.result_size() * parts);
  fill(a, -1, 1, seed_of(0));
  fill(b, -1, 1, seed_of(1));
  const Graph graph = build(session, p);
  ProgramRun harp(session, graph.get(), {a.data(), b.data()}, {c.data()}, p.call(), nullptr, p.threads);
  harp(1);

  std::vector<Candidate> candidates = {on_threads(p.threads, [&harp](size_t repeats) { harp(repeats); })};
  const std::unique_ptr<PeerProcess> blas = PeerProcess::start(session, "openblas",
                                                               {harp_dtype_name(p.dtype), std::to_string(p.batch), std::to_string(p.m),
                                                                std::to_string(p.k), std::to_string(p.n), p.right_transposed ? "nt" : "nn"},
                                                               p.threads);
  if (blas) {
    blas->check(p.name, std::span<const Part>(c));
    candidates.push_back(blas->candidate());
  }
  const size_t reads = candidates.size();
  const std::span<const float> matrix(reinterpret_cast<const float*>(p.n == 1 ? a.data() : b.data()),
                                      std::max(p.left_size(), p.right_size()));
  if (p.read)
    for (const peer_read read : {session.by_hand->read_line, session.by_hand->read_streams})
      candidates.push_back([matrix, read](size_t repeats) {
        for (size_t i = 0; i < repeats; ++i) keep(read(matrix.data(), matrix.size()));
      });
  const double work = (p.dtype == HARP_COMPLEX64 ? 8.0 : 2.0) * static_cast<double>(p.batch * p.m * p.k * p.n);
  // index of the candidate that measures the peak rate; if there is none, oneDNN's candidate has this index
  const size_t most = candidates.size();
  if (p.peak)
    candidates.push_back(
        [&session, steps = work / 2 * sizeof(Part) / sizeof(float) / static_cast<double>(session.by_hand->lanes)](size_t repeats) {
          keep(session.by_hand->multiply_add(static_cast<size_t>(steps * static_cast<double>(repeats))));
        });
  std::unique_ptr<PeerProcess> onednn;
  if (p.onednn)
    onednn = PeerProcess::start(session, "onednn_matmul",
                                {"f32", std::to_string(p.batch), std::to_string(p.m), std::to_string(p.k), std::to_string(p.n)});
  if (onednn) {
    onednn->check(p.rows().back(), std::span<const Part>(c));
    candidates.push_back(onednn->candidate());
  }
  const Comparison times = compare(candidates, session.effort, p.threads);
  const Scale flops = Scale::flops(work);
  std::vector<Row> rows = {compared(p.rows()[0], flops, times, "OpenBLAS", blas ? std::optional<size_t>(1) : std::nullopt)};
  if (p.read) {
    const size_t both[] = {reads, reads + 1};
    const size_t fastest = times.fastest(both);
    rows.push_back(compared(p.rows()[1], Scale::bytes(matrix.size_bytes()), times,
                            fastest == reads ? "read, one stream" : "read, four streams", fastest));
  }
  if (p.peak) rows.push_back(compared(p.rows()[1], flops, times, "products and sums", most));
  if (p.onednn)
    rows.push_back(compared(p.rows().back(), flops, times, "oneDNN", onednn ? std::optional(candidates.size() - 1) : std::nullopt));
  return rows;
}

/// The product of two i8 matrices with an i32 result. It is compared with harp's product of f32 matrices, which needs as many
/// multiplications, and with oneDNN.
constexpr const char *kBytes = "contract.i8.512", *kBytesOfOneDnn = "contract.i8.512.onednn";
std::vector<Row> run_bytes(Session& session) {
  constexpr int64_t n = 512;
  constexpr size_t count = n * n;
  session.memory.reserve(Memory::room(2, count) + Memory::room(4, count * sizeof(float)));
  const std::span<int8_t> a = session.memory.take_as<int8_t>(count), b = session.memory.take_as<int8_t>(count);
  const std::span<int32_t> c = session.memory.take_as<int32_t>(count);
  const std::span<float> d = session.memory.take(count), e = session.memory.take(count), f = session.memory.take(count);
  fill(a, seed_of(0));
  fill(b, seed_of(1));
  fill(d, -1, 1, seed_of(0));
  fill(e, -1, 1, seed_of(1));

  const Graph graph = session.new_graph();
  constexpr harp_dim sizes[] = {n, n};
  const auto factor = [&](const char* name) { return harp_cast(harp_input(graph.get(), name, HARP_I8, 2, sizes), HARP_I32); };
  harp_node* const left = factor("a");
  harp_output(graph.get(), "c", harp_matmul(left, factor("b")));
  ProgramRun bytes(session, graph.get(), {a.data(), b.data()}, {c.data()});
  bytes(1);
  const Graph usual = build(session, {"", HARP_F32, n, n, n});
  ProgramRun floats(session, usual.get(), {d.data(), e.data()}, {f.data()});

  std::vector<Candidate> candidates = {[&bytes](size_t repeats) { bytes(repeats); }, [&floats](size_t repeats) { floats(repeats); }};
  const std::string size = std::to_string(n);
  const std::unique_ptr<PeerProcess> onednn = PeerProcess::start(session, "onednn_matmul", {"i8", "1", size, size, size});
  if (onednn) {
    onednn->check(kBytesOfOneDnn, std::span<const int32_t>(c));
    candidates.push_back(onednn->candidate());
  }
  const Comparison times = compare(candidates, session.effort);
  const Scale operations = Scale::flops(2.0 * n * n * n);
  return {compared(kBytes, operations, times, "harp, f32", std::optional<size_t>(1)),
          compared(kBytesOfOneDnn, operations, times, "oneDNN", onednn ? std::optional<size_t>(2) : std::nullopt)};
}

/// The product of one row of f32 and a matrix of weights of i8, as in decoding with quantised weights. It is compared with harp's product
/// with weights of f32, which reads four times as many bytes of weights.
constexpr const char* kWeights = "contract.i8.weights.4096";
std::vector<Row> run_weights(Session& session) {
  constexpr int64_t n = 4096;
  constexpr size_t count = n * n;
  session.memory.reserve(Memory::room(1, count) + Memory::room(1, count * sizeof(float)) + Memory::room(3, n * sizeof(float)));
  const std::span<int8_t> bytes = session.memory.take_as<int8_t>(count);
  const std::span<float> floats = session.memory.take(count), x = session.memory.take(n), y = session.memory.take(n),
                         z = session.memory.take(n);
  fill(bytes, seed_of(0));
  fill(x, -1, 1, seed_of(1));
  std::copy(bytes.begin(), bytes.end(), floats.begin());

  constexpr harp_dim row[] = {1, n}, matrix[] = {n, n};
  const auto product = [&](harp_dtype dtype) {
    Graph graph = session.new_graph();
    harp_node* const weights = harp_input(graph.get(), "w", dtype, 2, matrix);
    harp_output(graph.get(), "y", harp_matmul(harp_input(graph.get(), "x", HARP_F32, 2, row), harp_cast(weights, HARP_F32)));
    return graph;
  };
  const Graph of_bytes = product(HARP_I8), of_floats = product(HARP_F32);
  ProgramRun narrow(session, of_bytes.get(), {bytes.data(), x.data()}, {y.data()});
  ProgramRun usual(session, of_floats.get(), {floats.data(), x.data()}, {z.data()});
  narrow(1);
  usual(1);
  if (!std::ranges::equal(y, z)) throw std::runtime_error(std::string(kWeights) + ": weights of i8 and of f32 give different results");
  const Candidate candidates[] = {[&narrow](size_t repeats) { narrow(repeats); }, [&usual](size_t repeats) { usual(repeats); }};
  return {compared(kWeights, Scale::flops(2.0 * n * n), compare(candidates, session.effort), "harp, f32", 1)};
}

}  // namespace

std::vector<Benchmark> contraction_benchmarks() {
  std::vector<Benchmark> benchmarks;
  for (const Product& product : products())
    benchmarks.push_back({product.rows(), [product](Session& session) {
                            return product.dtype == HARP_F64 ? run<double>(session, product) : run<float>(session, product);
                          }});
  benchmarks.push_back({{kBytes, kBytesOfOneDnn}, run_bytes});
  benchmarks.push_back({{kWeights}, run_weights});
  return benchmarks;
}

}  // namespace bench
