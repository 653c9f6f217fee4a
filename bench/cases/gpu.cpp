// Measures programs on the first GPU, with arrays in the GPU's memory. They are compared with PyTorch on the same GPU: with its copy of the
// same number of bytes, with its version of the same function, which calls CUB, cuBLAS or cuDNN, or with that function compiled by
// torch.compile. Times are measured by the GPU's clock, around runs on a stream of the host. gpu.small consists of ten small kernels, so
// that it measures launches. Kernels that may be slow come last. On a machine without a GPU these benchmarks are skipped.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>

#include "bench/harness/gpu_host.h"
#include "bench/harness/peer_process.h"
#include "bench/peers/served.h"

namespace bench {
namespace {

constexpr const char* kDevice = "cuda:0";
constexpr size_t kCount = size_t{1} << 26;  // number of elements of a large array
constexpr size_t kFloat = sizeof(float);
// In seconds. A program whose run takes longer is not run again to warm up. A measurement leaves out rounds that would take longer in
// total.
constexpr double kSlowRun = 0.5;

/// What is timed for comparison: a copy of the same number of bytes, or the same function of another library.
enum class Against { kCopy, kFunction };
/// kEnqueued: the call that is timed only puts the run on a stream; kComplete: the run is complete when the call returns.
enum class Runs { kEnqueued, kComplete };

struct Work {
  const char* row;
  std::string graph;  // text of the graph, from the parameter list on
  std::string peer;   // the name and the arguments of the function of bench/peers/torch_cuda.py that does the same work for comparison
  Scale scale;
  size_t bytes = 0;  // bytes that harp must at least read and write
  Against against = Against::kFunction;
  const char* label = "torch";
  float low = -1;                    // float inputs are in [low, 1)
  int64_t integers = 1, stride = 1;  // integer inputs are 0, 1, 2 ... times `stride` modulo `integers`
  Runs runs = Runs::kEnqueued;
};

/// Describes a program whose time is limited by the bandwidth of the GPU's memory.
Work moving(const char* row, const std::string& graph, const std::string& peer, size_t bytes, Against against, float low = -1) {
  const bool is_copy = against == Against::kCopy;
  return {row, graph, peer, Scale::bytes(bytes), bytes, against, is_copy ? "torch copy, same bytes" : "torch", low};
}

Work computing(const char* row, const std::string& graph, const std::string& peer, double operations, const char* label = "torch") {
  return {row, graph, peer, Scale::flops(operations), 0, Against::kFunction, label};
}

/// Describes five pairs of a product and a softmax of 64 x 64 matrices: ten kernels, each of which needs the result of the one before.
Work small(const char* row, const char* peer, const char* label, Runs runs) {
  std::string graph = "(x0: f32[64,64], w: f32[64,64]) {\n";
  for (int i = 0; i < 4; ++i) graph += "  x" + std::to_string(i + 1) + " = softmax(x" + std::to_string(i) + " @ w)\n";
  graph += "  return y = softmax(x4 @ w)\n}";
  Work work{row, graph, std::string(peer) + " 64 5", {"us", 1e-6, false}};
  work.label = label;
  work.runs = runs;
  return work;
}

/// Describes the same work as `work`, compared with its function compiled by torch.compile. The function of bench/peers/torch_cuda.py has
/// the name of the other one, followed by _compiled.
Work against_compiled(Work work, const char* row) {
  work.row = row, work.label = "torch.compile";
  work.peer.insert(work.peer.find(' '), "_compiled");
  return work;
}

/// Describes a gather, which reads rows of 256 columns from a table, and its gradient, which adds rows to the rows of a table.
std::vector<Work> embeddings() {
  constexpr size_t kLookups = size_t{1} << 18, kWidth = 256;
  constexpr int64_t kRows = 1 << 18, kFewRows = 1 << 16, kStride = 100003;
  Work gather = moving("gpu.gather", "(table: f32[262144,256], i: i32[262144]) {\n  return y = take(table, i, axis=0)\n}",
                       "gather 262144 256 262144 100003", 2 * kLookups * kWidth * kFloat, Against::kFunction);
  Work scatter = moving("gpu.scatter_add",
                        "(table: f32[65536,256], i: i32[262144], g: f32[262144,256]) {\n  y = take(table, i, axis=0)\n"
                        "  return dtable = grad(y, table, grad_output=g)\n}",
                        "scatter_add 65536 256 262144 100003", (kLookups + kFewRows) * kWidth * kFloat, Against::kFunction);
  gather.integers = kRows, scatter.integers = kFewRows;
  gather.stride = scatter.stride = kStride;
  return {gather, scatter};
}

std::vector<Work> works() {
  constexpr size_t kLarge = kCount * kFloat;
  constexpr double kFftSize = 1 << 22;
  const std::string vector = "(x: f32[67108864]) {\n  return y = ", matrix = "(x: f32[16384,4096]) {\n  return y = ",
                    rows = "(x: f32[16384,1024]", end = "\n}";
  std::vector<Work> all = {
      moving("gpu.elementwise", "(a: f32[67108864], b: f32[67108864], c: f32[67108864]) {\n  return y = a * b + c\n}",
             "elementwise 67108864", 4 * kLarge, Against::kCopy),
      moving("gpu.gelu", vector + "gelu(x)" + end, "gelu 67108864", 2 * kLarge, Against::kCopy),
      moving("gpu.sum.full", vector + "sum(x)" + end, "sum 67108864", kLarge, Against::kFunction, 0),
      moving("gpu.sum.rows", matrix + "sum(x, axes=[1])" + end, "row_sums 16384 4096", kLarge, Against::kCopy, 0),
      moving("gpu.sum.columns", matrix + "sum(x, axes=[0])" + end, "column_sums 16384 4096", kLarge, Against::kCopy, 0),
      moving("gpu.sum.pairs", "(x: f32[33554432,2]) {\n  return y = sum(x, axes=[0])\n}", "column_sums 33554432 2", kLarge, Against::kCopy,
             0),
      moving("gpu.argmax.rows", matrix + "argmax(x, axis=1)" + end, "argmax 16384 4096", kLarge, Against::kFunction),
      moving("gpu.transpose", "(x: f32[8192,8192]) {\n  return y = transpose(x)\n}", "transpose 8192 8192", 2 * kLarge, Against::kCopy),
      moving("gpu.softmax.1024", rows + ") {\n  return y = softmax(x)\n}", "softmax 16384 1024", 2 * 16384 * 1024 * kFloat,
             Against::kFunction),
      moving("gpu.softmax.8192", "(x: f32[4096,8192]) {\n  return y = softmax(x)\n}", "softmax 4096 8192", 2 * 4096 * 8192 * kFloat,
             Against::kFunction),
      moving("gpu.layer_norm.1024", rows + ", w: f32[1024], b: f32[1024]) {\n  return y = layer_norm(x, weight=w, bias=b)\n}",
             "layer_norm 16384 1024", 2 * 16384 * 1024 * kFloat, Against::kFunction),
      small("gpu.small", "small", "torch, eager", Runs::kEnqueued),
      against_compiled(small("gpu.small", "small", "torch", Runs::kEnqueued), "gpu.small.compiled"),
      small("gpu.small.wait", "small_wait", "torch, eager, each waits", Runs::kComplete),
      small("gpu.small.graph", "small_graph", "torch, CUDA graph", Runs::kEnqueued),
      computing("gpu.matmul.1024", "(a: f32[1024,1024], b: f32[1024,1024]) {\n  return y = a @ b\n}", "matmul 1024", 2 * std::pow(1024, 3),
                "torch, no TF32"),
      computing("gpu.matmul.4096", "(a: f32[4096,4096], b: f32[4096,4096]) {\n  return y = a @ b\n}", "matmul 4096", 2 * std::pow(4096, 3),
                "torch, no TF32"),
      // The product has few results, each with many terms. Its tiles are too few for all multiprocessors, unless the terms are split.
      computing("gpu.matmul.many_terms", "(a: f32[256,65536], b: f32[65536,256]) {\n  return y = a @ b\n}", "matmul_of 256 65536 256",
                2.0 * 256 * 65536 * 256, "torch, no TF32"),
      computing("gpu.matmul.f64.2048", "(a: f64[2048,2048], b: f64[2048,2048]) {\n  return y = a @ b\n}", "matmul_f64 2048",
                2 * std::pow(2048, 3)),
      computing("gpu.conv", "(x: f32[32,64,56,56], w: f32[64,64,3,3]) {\n  return y = conv2d(x, w, padding=1)\n}", "conv 32 64 56",
                2.0 * 32 * 64 * 56 * 56 * 64 * 9, "torch, no TF32"),
      computing("gpu.attention",
                "(q: f32[1,16,1024,64], k: f32[1,16,1024,64], v: f32[1,16,1024,64]) {\n"
                "  return y = scaled_dot_product_attention(q, k, v)\n}",
                "attention 16 1024 64", 4.0 * 16 * 1024 * 1024 * 64),
      moving("gpu.scan", vector + "cumsum(x, axis=0)" + end, "cumsum 67108864", 2 * kLarge, Against::kFunction, 0),
      moving("gpu.scan.pairs", "(x: f32[1048576,2]) {\n  return y = cumsum(x, axis=0)\n}", "column_scan 1048576 2", kLarge / 16,
             Against::kFunction, 0),
      moving("gpu.sort", "(x: f32[16777216]) {\n  return y = sort(x)\n}", "sort 16777216", kLarge / 2, Against::kFunction),
      computing("gpu.fft", "(x: complex64[4194304]) {\n  return y = fft(x)\n}", "fft 4194304", 5 * std::log2(kFftSize) * kFftSize),
  };
  const std::vector<Work> more = embeddings();
  all.insert(all.end(), more.begin(), more.end());
  for (const auto& [row, compiled] :
       {std::pair("gpu.softmax.1024", "gpu.softmax.1024.compiled"), std::pair("gpu.softmax.8192", "gpu.softmax.8192.compiled"),
        std::pair("gpu.layer_norm.1024", "gpu.layer_norm.1024.compiled")}) {
    const std::string_view name = row;
    const auto work = std::find_if(all.begin(), all.end(), [&](const Work& w) { return w.row == name; });
    all.push_back(against_compiled(*work, compiled));
  }
  // 65,536 updates of each of the 256 bins of a histogram
  const std::string sums = "index_add(bins, i, i, axis=0)";
  Work histogram = moving("gpu.histogram", "(bins: i32[256], i: i32[16777216]) {\n  return y = cast(" + sums + ", dtype=i64)\n}",
                          "histogram 16777216 256 100003", kLarge / 4, Against::kFunction);
  histogram.integers = 256, histogram.stride = 100003;
  all.push_back(histogram);
  return all;
}

/// What the benchmarks of the GPU share: the host's use of CUDA, a context of harp on the host's stream, and the process of PyTorch, with
/// which harp is compared.
class Gpu {
 public:
  explicit Gpu(const Session& session) {
    std::printf("gpu: %s\n", host.describe().c_str());
    harp_cuda_options cuda = HARP_CUDA_OPTIONS_INIT;
    cuda.context = host.context();
    cuda.stream = host.stream();
    harp_context_options options = HARP_CONTEXT_OPTIONS_INIT;
    options.cache_dir = session.directory.path().c_str();
    options.cuda = &cuda;
    Err err;
    context.reset(harp_context_new(&options, err));
    err.check("making a context for the GPU");
  }

  /// The process of PyTorch, started by the first call. NULL if PyTorch is missing or finds no GPU.
  PeerProcess* peer(const Session& session) {
    if (!peer_was_started_) peer_ = PeerProcess::start(session, "torch_cuda", {});
    peer_was_started_ = true;
    return peer_.get();
  }
  /// Ends the process of PyTorch, because its answers cannot be trusted after a failure. The next benchmark starts a new one.
  void end_peer() {
    peer_.reset();
    peer_was_started_ = false;
  }

  const GpuHost host;
  Context context;  // destroyed before `host`, because it uses the host's CUDA context

 private:
  bool peer_was_started_ = false;
  std::unique_ptr<PeerProcess> peer_;
};

template <class T>
void fill_input(std::span<T> values, const Work& work, size_t number) {
  if constexpr (std::is_floating_point_v<T>)
    fill(values, work.low, 1, seed_of(number));
  else
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(static_cast<int64_t>(i) * work.stride % work.integers);
}

/// A compiled graph with its arrays on the GPU.
class GpuProgram {
 public:
  GpuProgram(Session& session, Gpu& gpu, const Work& work) : session_(session), gpu_(gpu) {
    Err err;
    const std::string text = "harp 1\ngraph gpu" + work.graph;
    const Graph graph(harp_graph_parse(gpu.context.get(), text.size(), text.c_str(), err));
    err.check(text.c_str());
    harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
    options.backend = "cuda";
    program_.reset(harp_compile(graph.get(), &options, err));
    err.check("compiling");
    for (size_t i = 0; i < harp_program_input_count(program_.get()); ++i) {
      add_buffer(harp_program_input, i);
      inputs_.push_back(buffers_.back().get());
      upload(work, i);
    }
    add_buffer(harp_program_output, 0);
    output_ = buffers_.back().get();
  }

  /// Puts runs on the host's stream. Returns before they are complete.
  void enqueue(size_t repeats) {
    harp_run_options options = HARP_RUN_OPTIONS_INIT;
    options.stream = gpu_.host.stream();
    run(repeats, &options);
  }
  /// Runs the program. Each run is complete before the next one begins.
  void run_complete(size_t repeats) { run(repeats, nullptr); }

  /// Runs the program three times, or fewer times if a run takes longer than kSlowRun. In the second run harp makes a CUDA graph of the
  /// launches; later runs launch this graph.
  void warm_up() {
    for (int i = 0; i < 3; ++i) {
      const double begin = now();
      run_complete(1);
      if (now() - begin > kSlowRun) break;
    }
  }

  void check(PeerProcess& peer, const std::string& row) {
    const harp_dtype dtype = harp_buffer_dtype(output_);
    if (dtype == HARP_F32 || dtype == HARP_COMPLEX64) return peer.check(row, std::span<const float>(download<float>()));
    if (dtype == HARP_F64) return peer.check(row, std::span<const double>(download<double>()));
    if (dtype != HARP_I64) throw std::runtime_error(row + ": results of this type cannot be compared");
    const std::span<const int64_t> integers = download<int64_t>();
    const std::vector<double> numbers(integers.begin(), integers.end());
    peer.check(row, std::span<const double>(numbers));
  }

 private:
  void run(size_t repeats, const harp_run_options* options) {
    Err err;
    harp_buffer* outputs[] = {output_};
    for (size_t i = 0; i < repeats; ++i) harp_program_run(program_.get(), inputs_.size(), inputs_.data(), 1, outputs, options, err);
    err.check("running");
  }

  void add_buffer(harp_status (*describe)(const harp_program*, size_t, harp_array_info*, harp_error**), size_t number) {
    Err err;
    harp_array_info info = HARP_ARRAY_INFO_INIT;
    describe(program_.get(), number, &info, err);
    err.check("describing an array");
    buffers_.emplace_back(harp_buffer_new(gpu_.context.get(), kDevice, info.dtype, info.rank, info.dims, err));
    err.check("allocating on the GPU");
  }

  void upload(const Work& work, size_t number) {
    switch (harp_buffer_dtype(inputs_[number])) {
      case HARP_F32:
      case HARP_COMPLEX64: return upload_as<float>(work, number);
      case HARP_F64: return upload_as<double>(work, number);
      case HARP_I32: return upload_as<int32_t>(work, number);
      default: throw std::runtime_error("expected inputs of type f32, f64, complex64 or i32: " + work.graph);
    }
  }

  template <class T>
  void upload_as(const Work& work, size_t number) {
    const std::span<T> values = host_array<T>(inputs_[number]);
    fill_input(values, work, number);
    Err err;
    harp_buffer_write(inputs_[number], values.size_bytes(), values.data(), err);
    err.check("writing to the GPU");
  }

  template <class T>
  std::span<const T> download() {
    const std::span<T> values = host_array<T>(output_);
    Err err;
    harp_buffer_read(output_, values.size_bytes(), values.data(), err);
    err.check("reading from the GPU");
    return values;
  }

  /// Returns host memory for the elements of an array. The next call reuses the memory.
  template <class T>
  std::span<T> host_array(const harp_buffer* buffer) {
    const size_t bytes = harp_buffer_size(buffer);
    session_.memory.reserve(Memory::room(1, bytes));
    return session_.memory.take_as<T>(bytes / sizeof(T));
  }

  Session& session_;
  Gpu& gpu_;
  Program program_;
  std::vector<Buffer> buffers_;
  std::vector<harp_buffer*> inputs_;
  harp_buffer* output_ = nullptr;
};

/// Samples are longer than on a CPU, so that launches and the wait at the end do not distort them. Fewer rounds suffice, because the GPU's
/// clock rate hardly varies.
Effort effort_on_gpu(const Effort& effort) {
  Effort own = effort;
  own.sample_seconds *= 2.5;
  own.budget_seconds = std::min(effort.budget_seconds, 0.4);
  own.patience_seconds = std::min(effort.patience_seconds, kSlowRun);
  own.min_rounds = std::min(effort.min_rounds, 5);
  return own;
}

Candidate candidate_of(GpuProgram& harp, const Gpu& gpu, Runs runs) {
  if (runs == Runs::kEnqueued) return [&](size_t repeats) -> double { return gpu.host.seconds([&] { harp.enqueue(repeats); }); };
  return [&harp](size_t repeats) -> double {
    const double begin = now();
    harp.run_complete(repeats);
    return now() - begin;
  };
}

/// Makes the process of PyTorch prepare the same work, and compares its result with harp's. Returns false if PyTorch lacks software for it.
bool prepare(PeerProcess& peer, const Work& work, GpuProgram& harp) {
  const size_t copied = work.against == Against::kCopy ? work.bytes : 0;
  const size_t end_of_name = work.peer.find(' ');
  if (!peer.select(work.peer.substr(0, end_of_name) + " " + std::to_string(copied) + " " + std::to_string(work.low) +
                   work.peer.substr(end_of_name)))
    return false;
  harp.check(peer, work.row);
  return true;
}

std::vector<Row> run(Session& session, std::optional<Gpu>& gpu, const Work& work) {
  if (!gpu) gpu.emplace(session);
  GpuProgram harp(session, *gpu, work);
  harp.warm_up();
  std::vector<Candidate> candidates = {candidate_of(harp, *gpu, work.runs)};
  PeerProcess* const peer = gpu->peer(session);
  try {
    const bool is_compared = peer != nullptr && prepare(*peer, work, harp);
    if (is_compared) candidates.push_back(peer->candidate());
    const Comparison times = compare(candidates, effort_on_gpu(session.effort));
    return {compared(work.row, work.scale, times, work.label, is_compared ? std::optional<size_t>(1) : std::nullopt)};
  } catch (...) {
    gpu->end_peer();
    throw;
  }
}

}  // namespace

std::vector<Benchmark> gpu_benchmarks() {
  const auto gpu = std::make_shared<std::optional<Gpu>>();  // created by the first benchmark that runs, and shared by all
  std::vector<Benchmark> benchmarks;
  for (const Work& work : works()) benchmarks.push_back({{work.row}, [gpu, work](Session& session) { return run(session, *gpu, work); }});
  return benchmarks;
}

}  // namespace bench
