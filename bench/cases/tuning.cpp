// Measures the gain from tuning: each program is measured once more with the configuration that harp_tune has found, interleaved with the
// untuned program. The report has each gain and their geometric mean. A large gain means that one of harp's default heuristics should be
// improved.
#include <cstring>
#include <stdexcept>

#include "bench/harness/session.h"

namespace bench {
namespace {

struct Tuned {
  const char* name;
  const char* text;  // the graph; its inputs are f32 and i32, its only output is f32
};

constexpr Tuned kPrograms[] = {
    {"matmul.127", "graph tuned(a: f32[127, 127], b: f32[127, 127]) {\n  return y = a @ b\n}"},
    {"matmul.512", "graph tuned(a: f32[512, 512], b: f32[512, 512]) {\n  return y = a @ b\n}"},
    {"matmul.1000x17x333", "graph tuned(a: f32[1000, 17], b: f32[17, 333]) {\n  return y = a @ b\n}"},
    {"conv.3x3", "graph tuned(x: f32[1, 64, 56, 56], w: f32[64, 64, 3, 3]) {\n  return y = conv2d(x, w, padding=[1, 1])\n}"},
    {"transpose.1000", "graph tuned(x: f32[1000, 1000]) {\n  return y = contiguous(transpose(x))\n}"},
    {"softmax.1024", "graph tuned(x: f32[2048, 1024]) {\n  return y = softmax(x, axis=1)\n}"},
    {"sum.first", "graph tuned(x: f32[2000, 1000]) {\n  return y = sum(x, axes=[0])\n}"},
    {"cumsum.first", "graph tuned(x: f32[1000, 1000]) {\n  return y = cumsum(x, axis=0)\n}"},
    {"gelu", "graph tuned(x: f32[100000]) {\n  return y = gelu(x)\n}"},
    {"sum.all", "graph tuned(x: f32[1000000]) {\n  return y = sum(x)\n}"},
    {"sort", "graph tuned(x: f32[100000]) {\n  return y = sort(x, axis=0)\n}"},
    {"rfft", "graph tuned(x: f32[256, 1024]) {\n  return y = view_as_real(rfft(x))\n}"},
    {"take", "graph tuned(x: f32[4096, 64], i: i32[4096]) {\n  return y = take(x, i, axis=0)\n}"},
    {"attention",
     "graph tuned(q: f32[512, 64], k: f32[512, 64], v: f32[512, 64]) {\n  return y = softmax(q @ transpose(k) / 8, axis=1) @ v\n}"},
};

std::string row_name(const Tuned& tuned) { return std::string("tune.") + tuned.name; }
constexpr const char* kMean = "tune.geometric_mean";

/// Fills an f32 input with numbers, and an i32 input of n elements with the indices 0 to n - 1 in scattered order.
void fill_array(std::span<float> array, harp_dtype dtype, size_t input) {
  if (dtype == HARP_F32) return fill(array, -1, 1, static_cast<unsigned>(input) * 977);
  constexpr size_t kStride = 31161;
  auto* indices = reinterpret_cast<int32_t*>(array.data());
  for (size_t i = 0; i < array.size(); ++i) indices[i] = static_cast<int32_t>(i * kStride % array.size());
}

void tune(const Session& session, const harp_graph* graph, const std::vector<std::span<float>>& inputs, const harp_program* program) {
  Err err;
  std::vector<Buffer> buffers;
  std::vector<harp_buffer*> handles;
  for (size_t i = 0; i < inputs.size(); ++i) {
    harp_array_info info = HARP_ARRAY_INFO_INIT;
    harp_program_input(program, i, &info, err);
    buffers.emplace_back(
        harp_buffer_wrap(session.context.get(), info.dtype, info.rank, info.dims, inputs[i].data(), nullptr, nullptr, err));
    err.check("wrapping an array");
    handles.push_back(buffers.back().get());
  }
  harp_tune_options options = HARP_TUNE_OPTIONS_INIT;
  options.seconds = 2.5 * session.effort.patience_seconds;
  harp_tune_result_release(harp_tune(graph, &options, handles.size(), handles.data(), err));
  err.check("tuning");
}

Row run(Session& session, const Tuned& tuned) {
  Err err;
  const Graph graph(harp_graph_parse(session.context.get(), std::strlen(tuned.text), tuned.text, err));
  err.check("parsing a graph");
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.tuning = HARP_TUNING_OFF;
  const Program program(harp_compile(graph.get(), &options, err));
  err.check("compiling");
  const std::vector<ProgramArray> arrays = arrays_of(program.get(), harp_program_input_count(program.get()), harp_program_input);
  const size_t results = arrays_of(program.get(), 1, harp_program_output)[0].count;
  size_t room = Memory::room(2, results * sizeof(float));
  for (const ProgramArray& array : arrays) room += Memory::room(1, array.count * sizeof(float));
  session.memory.reserve(room);
  std::vector<std::span<float>> inputs;
  std::vector<void*> addresses;
  for (size_t i = 0; i < arrays.size(); ++i) {
    inputs.push_back(session.memory.take(arrays[i].count));
    fill_array(inputs.back(), arrays[i].dtype, i);
    addresses.push_back(inputs.back().data());
  }
  const std::span<float> y = session.memory.take(results), expected = session.memory.take(results);
  tune(session, graph.get(), inputs, program.get());
  ProgramRun best(session, graph.get(), addresses, {y.data()}),
      untuned(session, graph.get(), addresses, {expected.data()}, Call::kRun, &options);
  best(1), untuned(1);
  if (std::memcmp(y.data(), expected.data(), y.size_bytes()) != 0)
    throw std::runtime_error(row_name(tuned) + ": tuning changed the result");
  const Candidate candidates[] = {[&](size_t repeats) { best(repeats); }, [&](size_t repeats) { untuned(repeats); }};
  return compared(row_name(tuned), {"ms", 1e-3, false}, compare(candidates, session.effort), "harp untuned", 1);
}

}  // namespace

std::vector<Benchmark> tuning_benchmarks() {
  Benchmark all;
  for (const Tuned& tuned : kPrograms) all.rows.push_back(row_name(tuned));
  all.rows.emplace_back(kMean);
  all.run = [](Session& session) {
    std::vector<Row> rows;
    std::vector<double> ratios;
    for (const Tuned& tuned : kPrograms) ratios.push_back(*rows.emplace_back(run(session, tuned)).ratio);
    const double mean = geometric_mean(ratios);
    rows.push_back({kMean, mean, "x", "harp untuned", 1.0, mean});
    return rows;
  };
  return {all};
}

}  // namespace bench
