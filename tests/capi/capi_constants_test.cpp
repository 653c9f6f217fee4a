// Tests large constant arrays, which are hidden inputs of the generated code: results, cache keys, entry points, and the generated text.
#include <doctest/doctest.h>

#include <cstring>
#include <numeric>

#include "support/capi_support.h"

using namespace capi_test;

namespace {

// number of f32 elements; an array of this size exceeds the 4 KiB up to which constants are written into the text
constexpr int64_t kSize = 3000;

harp_node* constant_of(harp_graph* graph, const std::vector<float>& values, std::vector<harp_dim> dims = {}) {
  if (dims.empty()) dims = {static_cast<int64_t>(values.size())};
  return harp_constant_array(graph, HARP_F32, static_cast<int32_t>(dims.size()), dims.data(), values.size() * sizeof(float), values.data());
}

std::vector<float> ramp(size_t size, float first) {
  std::vector<float> values(size);
  std::iota(values.begin(), values.end(), first);
  return values;
}

/// Returns a graph that computes y = x * w, where w is a constant.
Graph scaled(harp_context* context, const std::vector<float>& w) {
  Graph graph = make_graph(context, HARP_GRAPH_BROADCAST);
  const harp_dim dims[] = {static_cast<int64_t>(w.size())};
  harp_output(graph.get(), "y", harp_mul(harp_input(graph.get(), "x", HARP_F32, 1, dims), constant_of(graph.get(), w)));
  return graph;
}

harp_program_stats_info stats_of(const Program& program) {
  harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
  CHECK(harp_program_stats(program.get(), &stats, nullptr) == HARP_OK);
  return stats;
}

}  // namespace

TEST_CASE("X3.hidden_inputs/c: a large constant is data of the program, not text of its source") {
  const Context context = make_context();
  const std::vector<float> w = ramp(kSize, 1);
  const Graph graph = scaled(context.get(), w);
  const Program program = compile(graph.get(), "c");
  CHECK(stats_of(program).constant_bytes == kSize * sizeof(float));
  const std::string source = take(harp_program_source(program.get(), nullptr));
  CHECK(source.size() < 12'000);
  CHECK(source.find("inputs[1] is 3000 elements of f32, digest ") != std::string::npos);
  CHECK(source.find("constant0[") == std::string::npos);

  const std::vector<float> few = ramp(1024, 1);  // an array of exactly 4 KiB, which is written into the text
  const Program small = compile(scaled(context.get(), few).get(), "c");
  CHECK(stats_of(small).constant_bytes == 0);
  CHECK(take(harp_program_source(small.get(), nullptr)).find("constant0[1024]") != std::string::npos);
}

TEST_CASE("X3.hidden_inputs/c,interp: both backends compute the same bits, whatever the host does with its array afterwards") {
  const Context context = make_context();
  std::vector<float> w = ramp(kSize, 0.3f), x = ramp(kSize, -700.1f);
  Graph graph = scaled(context.get(), w);
  const std::vector<float> original = w;
  std::vector<Program> programs;
  for (const char* backend : {"interp", "c"}) programs.push_back(compile(graph.get(), backend));
  std::fill(w.begin(), w.end(), -1.0f);
  graph.reset();  // programs keep what they need of the graph, so the graph may be destroyed before they run
  const Buffer input = wrap(context.get(), x, {kSize});
  for (const Program& program : programs) {
    const std::vector<Buffer> outputs = run(program.get(), {input.get()});
    REQUIRE(outputs.size() == 1);
    const std::vector<float> y = values<float>(outputs[0].get());
    for (size_t i = 0; i < y.size(); ++i) CHECK(y[i] == x[i] * original[i]);
  }
}

TEST_CASE("X3.hidden_inputs/c: programs that differ in the data alone are different programs with one artifact") {
  const Context context = make_context();
  std::vector<float> x(kSize, 2.0f);
  const Buffer input = wrap(context.get(), x, {kSize});
  const std::vector<float> a = ramp(kSize, 1), b = [&] {
    std::vector<float> changed = a;
    changed.back() += 1;
    return changed;
  }();
  const Graph graph_a = scaled(context.get(), a), graph_b = scaled(context.get(), b);
  const Program first = compile(graph_a.get(), "c"), second = compile(graph_b.get(), "c"), again = compile(graph_a.get(), "c");
  CHECK(stats_of(first).cache == HARP_CACHE_NONE);
  CHECK(stats_of(again).cache == HARP_CACHE_MEMORY);
  harp_digest digests[2];
  harp_node* const nodes[] = {constant_of(graph_a.get(), a), constant_of(graph_a.get(), b)};
  for (int i = 0; i < 2; ++i) CHECK(harp_nodes_digest(1, &nodes[i], &digests[i], nullptr) == HARP_OK);
  CHECK(std::memcmp(&digests[0], &digests[1], sizeof digests[0]) != 0);
  must_run(first.get());
  for (const auto& [program, w] : {std::pair(first.get(), &a), std::pair(second.get(), &b), std::pair(again.get(), &a)})
    CHECK(values<float>(run(program, {input.get()})[0].get()).back() == 2 * w->back());
  harp_cache_stats_info cache = HARP_CACHE_STATS_INFO_INIT;
  CHECK(harp_cache_stats(context.get(), &cache, nullptr) == HARP_OK);
  CHECK(cache.misses == 1);  // the programs differ only in their constants, so only one was compiled
}

TEST_CASE("X3.hidden_inputs/c: the cache forgets a program with more than 4 MiB of constants when its last user does") {
  const Context context = make_context();
  const std::vector<float> w(1'500'000, 3.0f);
  const Graph graph = scaled(context.get(), w);
  {
    const Program first = compile(graph.get(), "c"), second = compile(graph.get(), "c");
    CHECK(stats_of(second).cache == HARP_CACHE_MEMORY);
  }
  CHECK(stats_of(compile(graph.get(), "c")).pipeline_ms > 0);
  const Program third = compile(graph.get(), "c");
  CHECK(stats_of(third).constant_bytes == w.size() * sizeof(float));
}

TEST_CASE("X3.entry_point/c,interp: the entry points of a program pass its large constants themselves") {
  const Context context = make_context();
  const std::vector<float> w = ramp(kSize, 1);
  std::vector<float> x(kSize, 0.5f);
  for (const char* backend : {"interp", "c"}) {
    CAPTURE(backend);
    const Program program = compile(scaled(context.get(), w).get(), backend);
    must_run(program.get());
    ErrorSlot err;
    const harp_entry_point entry = harp_program_entry(program.get(), err);
    const harp_entry_point_ex entry_ex = harp_program_entry_ex(program.get(), err);
    REQUIRE_MESSAGE((entry != nullptr && entry_ex != nullptr), err.message());
    std::vector<float> y(kSize), z(kSize);
    void *in[] = {x.data()}, *out[] = {y.data()}, *out_ex[] = {z.data()};
    entry(in, out, nullptr);
    CHECK(entry_ex(in, out_ex, nullptr, nullptr) == HARP_OK);
    CHECK(y.back() == 0.5f * w.back());
    CHECK(z == y);
    int32_t flag = 1;
    harp_runtime runtime = {};
    runtime.struct_size = sizeof runtime;
    runtime.cancel = &flag;
    CHECK(entry_ex(in, out_ex, nullptr, &runtime) == HARP_ERROR_CANCELLED);
  }
}

TEST_CASE("X3.hidden_inputs/c: many constants, constants without elements, bools, and outputs that are constants") {
  const Context context = make_context();
  const Graph graph = make_graph(context.get(), HARP_GRAPH_BROADCAST);
  const harp_dim dims[] = {kSize}, none[] = {0, 5}, rows[] = {2, kSize};
  harp_node* sum = harp_input(graph.get(), "x", HARP_F32, 1, dims);
  constexpr int kMany = 100;
  for (int i = 0; i < kMany; ++i) sum = harp_add(sum, constant_of(graph.get(), ramp(kSize, static_cast<float>(i))));
  harp_output(graph.get(), "sum", sum);
  harp_output(graph.get(), "none", harp_constant_array(graph.get(), HARP_F64, 2, none, 0, nullptr));
  std::vector<uint8_t> bools(2 * kSize);
  for (size_t i = 0; i < bools.size(); ++i) bools[i] = static_cast<uint8_t>(i % 3);  // as a bool, 2 is true
  harp_node* const mask = harp_constant_array(graph.get(), HARP_BOOL, 2, rows, bools.size(), bools.data());
  harp_output(graph.get(), "mask", mask);
  harp_output(graph.get(), "chosen", harp_where(mask, constant_of(graph.get(), ramp(kSize, 5)), constant_of(graph.get(), ramp(kSize, 9))));
  std::vector<float> x(kSize, 0.25f);
  const Buffer input = wrap(context.get(), x, {kSize});
  std::vector<std::vector<Buffer>> all;
  for (const char* backend : {"interp", "c"}) all.push_back(run(compile(graph.get(), backend).get(), {input.get()}));
  REQUIRE(all[0].size() == 4);
  REQUIRE(all[1].size() == 4);
  for (size_t i = 0; i < 4; ++i) CHECK(values<uint8_t>(all[0][i].get()) == values<uint8_t>(all[1][i].get()));
  CHECK(values<float>(all[1][0].get())[7] == 0.25f + kMany * 7 + kMany * (kMany - 1) / 2);
}

TEST_CASE("X3.hidden_inputs/c: symbolic sizes, several small kernels, and the caller's workspace") {
  const Context context = make_context();
  const Graph graph = make_graph(context.get(), HARP_GRAPH_BROADCAST);
  const harp_dim n = harp_dim_var(graph.get(), "n", 0, 1000), dims[] = {n, 50}, square[] = {50, 50};
  harp_node* x = harp_input(graph.get(), "x", HARP_F32, 2, dims);
  for (int layer = 0; layer < 10; ++layer) {
    std::vector<float> w(50 * 50);
    for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>((i * 31 + static_cast<size_t>(layer) * 7) % 100) / 1000 - 0.05f;
    x = harp_tanh(harp_matmul(x, constant_of(graph.get(), w, {square[0], square[1]})));
  }
  harp_output(graph.get(), "y", x);
  std::vector<float> data(7 * 50, 0.5f), out(7 * 50);
  const Buffer input = wrap(context.get(), data, {7, 50}), output = wrap(context.get(), out, {7, 50});
  const std::vector<Buffer> expected = run(compile(graph.get(), "interp").get(), {input.get()});
  const Program program = compile(graph.get(), "c");
  must_run(program.get());
  const int64_t sizes[] = {7};
  size_t bytes = 0;
  REQUIRE(harp_program_workspace_size(program.get(), 1, sizes, 1, &bytes, nullptr) == HARP_OK);
  void* const workspace = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  harp_run_options options = HARP_RUN_OPTIONS_INIT;
  options.workspace = workspace;
  options.workspace_size = bytes;
  harp_buffer* const inputs[] = {input.get()};
  harp_buffer* outputs[] = {output.get()};
  CHECK(harp_program_run(program.get(), 1, inputs, 1, outputs, &options, nullptr) == HARP_OK);
  std::free(workspace);
  CHECK(out == values<float>(expected[0].get()));
  CHECK(values<float>(run(program.get(), {input.get()})[0].get()) == out);
}
