// Measures the time of compilations: the additional time for each further kernel of a graph, the time for a whole network and for the
// gradient of an LSTM, and the time to the result of the first call of a small function without any cache. The first call is measured from
// the arrays to the result; for harp it includes making a context. It is compared with other compilers: tinygrad, JAX and torch.compile.
// Every sample of harp has a new context and a new cache directory. A peer's first call happens in a new process, and the time of its
// imports does not count.
#include <chrono>
#include <stdexcept>
#include <thread>

#include "bench/cases/lstm.h"
#include "bench/harness/peer_process.h"
#include "bench/harness/text_program.h"
#include "bench/peers/served.h"

namespace bench {
namespace {

int samples(const Session& session, int full) { return session.effort.max_rounds < 20 ? 1 : full; }

struct Compiled {
  double seconds;
  int kernels;
};

Compiled compile(const std::string& text) {
  const TemporaryDirectory fresh;
  const Context context = new_context(fresh.path());
  Err err;
  const Graph graph(harp_graph_parse(context.get(), text.size(), text.c_str(), err));
  err.check("parsing a graph");
  const double begin = now();
  const Program program(harp_compile(graph.get(), nullptr, err));
  err.check("compiling");
  const double seconds = now() - begin;
  harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
  harp_program_stats(program.get(), &stats, err);
  err.check("reading statistics");
  return {seconds, stats.kernels};
}

/// The text of a graph with `count` kernels: relu(x * w + b) on arrays of different sizes.
std::string small_kernels(int count) {
  std::string inputs, outputs;
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i), shape = "f32[" + std::to_string(1000 + 10 * i) + "]", comma = i == 0 ? "" : ", ";
    inputs += comma + "x" + n + ": " + shape + ", w" + n + ": " + shape + ", b" + n + ": " + shape;
    outputs += comma + "y" + n + " = relu(x" + n + " * w" + n + " + b" + n + ")";
  }
  return "graph kernels(" + inputs + ") {\n  return " + outputs + "\n}";
}

std::vector<Row> run_per_kernel(Session& session) {
  constexpr int kMore = 16;
  std::vector<double> each;
  for (int i = 0; i < samples(session, 7); ++i) {
    const Compiled one = compile(small_kernels(1)), many = compile(small_kernels(1 + kMore));
    if (many.kernels - one.kernels != kMore)
      throw std::runtime_error("compile.per_kernel: expected " + std::to_string(one.kernels + kMore) + " kernels, got " +
                               std::to_string(many.kernels));
    each.push_back((many.seconds - one.seconds) / kMore);
  }
  return {{"compile.per_kernel", median(each) * 1e3, "ms", "", {}, {}}};
}

/// The text of a network that classifies images: three stages of convolutions and norms. Each stage doubles the channels and halves the
/// image.
std::string network() {
  std::string inputs = "x: f32[1, 3, 64, 64]", body, from = "x";
  int channels = 3, size = 64, layer = 0;
  for (int stage = 0; stage < 3; ++stage) {
    for (int i = 0; i < 8; ++i, ++layer) {
      const int out = 16 << stage;
      const std::string n = std::to_string(layer);
      inputs += ", w" + n + ": f32[" + std::to_string(out) + ", " + std::to_string(channels) + ", 3, 3], b" + n + ": f32[" +
                std::to_string(out) + "]";
      inputs += ", g" + n + ": f32[" + std::to_string(size) + "]";
      body += "  c" + n + " = relu(conv2d(" + from + ", w" + n + ", b" + n + ", padding=[1, 1]))\n";
      body += "  h" + n + " = rms_norm(c" + n + ", axes=-1, weight=g" + n + ")\n";
      from = "h" + n;
      channels = out;
    }
    body += "  p" + std::to_string(stage) + " = max_pool(" + from + ", size=[2, 2])\n";
    from = "p" + std::to_string(stage);
    size /= 2;
  }
  inputs += ", w: f32[" + std::to_string(channels * size * size) + ", 10]";
  body += "  scores = reshape(" + from + ", shape=[1, " + std::to_string(channels * size * size) + "]) @ w\n";
  return "graph network(" + inputs + ") {\n" + body + "  return y = softmax(scores, axis=1)\n}";
}

std::vector<Row> run_network(Session& session) {
  std::vector<double> seconds;
  int kernels = 0;
  for (int i = 0; i < samples(session, 5); ++i) {
    const Compiled compiled = compile(network());
    seconds.push_back(compiled.seconds);
    kernels = compiled.kernels;
  }
  return {{"compile.network", median(seconds) * 1e3, "ms", std::to_string(kernels) + " kernels", {}, {}}};
}

std::vector<Row> run_lstm(Session& session) {
  const std::string text = lstm_gradient(100);
  std::vector<double> seconds;
  int kernels = 0;
  for (int i = 0; i < samples(session, 3); ++i) {
    const Compiled compiled = compile(text);
    seconds.push_back(compiled.seconds);
    kernels = compiled.kernels;
  }
  return {{"compile.lstm", median(seconds) * 1e3, "ms", std::to_string(kernels) + " kernels", {}, {}}};
}

constexpr size_t kCount = 4096;

/// Seconds from the creation of a context to the result of relu(a * b + c) * 2, for arrays of kCount elements.
double first_call(std::span<const float> a, std::span<const float> b, std::span<const float> c, std::span<float> y) {
  const TemporaryDirectory fresh;
  const double begin = now();
  const Context context = new_context(fresh.path());
  const std::string shape = "f32[" + std::to_string(kCount) + "]";
  const std::string text = "graph small(a: " + shape + ", b: " + shape + ", c: " + shape + ") {\n  return y = relu(a * b + c) * 2\n}";
  Err err;
  const Graph graph(harp_graph_parse(context.get(), text.size(), text.c_str(), err));
  const Program program(harp_compile(graph.get(), nullptr, err));
  err.check("compiling");
  const int64_t size = kCount;
  std::vector<Buffer> buffers;
  std::vector<harp_buffer*> handles;
  for (const std::span<const float> array : {a, b, c, std::span<const float>(y)}) {
    buffers.emplace_back(harp_buffer_wrap(context.get(), HARP_F32, 1, &size, const_cast<float*>(array.data()), nullptr, nullptr, err));
    handles.push_back(buffers.back().get());
  }
  harp_program_run(program.get(), 3, handles.data(), 1, handles.data() + 3, nullptr, err);
  err.check("running");
  return now() - begin;
}

std::vector<Row> run_first_call(Session& session, const std::string& name, const std::string& peer) {
  session.memory.reserve(Memory::room(4, kCount * sizeof(float)));
  std::span<float> arrays[4];
  for (size_t i = 0; i < 4; ++i) {
    arrays[i] = session.memory.take(kCount);
    if (i < 3) fill(arrays[i], -1, 1, seed_of(i));
  }
  std::vector<double> own, theirs, ratios;
  // Waits until the operating system has freed the memory of the previous process, which would slow down the measured call.
  const auto settle = [] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); };
  for (int i = 0; i < samples(session, 5); ++i) {
    settle();
    own.push_back(first_call(arrays[0], arrays[1], arrays[2], arrays[3]));
    const std::unique_ptr<PeerProcess> process = PeerProcess::start(session, peer, {"small", std::to_string(kCount)}, kThreads);
    if (!process) continue;
    settle();
    theirs.push_back(process->candidate().seconds(1));
    ratios.push_back(theirs.back() / own.back());
    process->check(name, std::span<const float>(arrays[3]));
  }
  Row row{name, median(own) * 1e3, "ms", peer + (peer == "torch" ? ".compile" : ""), {}, {}};
  if (theirs.empty()) {
    row.peer += ": not installed";
    row.peer_missing = true;
  } else {
    row.peer_value = median(theirs) * 1e3;
    row.ratio = median(ratios);
  }
  return {row};
}

}  // namespace

std::vector<Benchmark> compiling_benchmarks() {
  std::vector<Benchmark> benchmarks = {
      {{"compile.per_kernel"}, run_per_kernel}, {{"compile.network"}, run_network}, {{"compile.lstm"}, run_lstm}};
  for (const std::string peer : {"tinygrad", "jax", "torch"}) {
    const std::string name = "compile.first_call." + peer;
    benchmarks.push_back({{name}, [name, peer](Session& session) { return run_first_call(session, name, peer); }});
  }
  return benchmarks;
}

}  // namespace bench
