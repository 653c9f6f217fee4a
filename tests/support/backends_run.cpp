#include "support/backends_run.h"

#include <cstring>

#include "support/unoptimised.h"

namespace capi_test {
bool same_bits(const harp_buffer* a, const harp_buffer* b) {
  const void *x = harp_buffer_const_data(a), *y = harp_buffer_const_data(b);
  const size_t bytes = harp_buffer_size(a);
  switch (harp_buffer_dtype(a)) {
    case HARP_F32:
    case HARP_COMPLEX64: return same_numbers<float>(x, y, bytes);
    case HARP_F64:
    case HARP_COMPLEX128: return same_numbers<double>(x, y, bytes);
    default: return bytes == 0 || std::memcmp(x, y, bytes) == 0;
  }
}

void compile_quickly(harp_compile_options& o) {
  o.compiler = "clang", o.n_flags = std::size(harp::testing::kUnoptimised), o.flags = harp::testing::kUnoptimised;
}

bool is_sampled(std::string_view key) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return (hash >> 32) % 8 == 0;
}

Program compile_way(const harp_graph* graph, const Way& way, bool quick) {
  return compile(graph, way.backend, [&](harp_compile_options& o) {
    o.plain_text = way.plain;
    o.simd_width = way.width;
    if (quick || way.plain != 0 || way.width != 0) compile_quickly(o);
  });
}

std::vector<Buffer> run_everywhere(const harp_graph* graph, const std::vector<harp_buffer*>& inputs, bool quick) {
  std::vector<Buffer> expected;
  for (const Way& way : kWays) {
    CAPTURE(way.backend);
    CAPTURE(way.plain);
    const Program program = compile_way(graph, way, quick);
    REQUIRE(program != nullptr);
    if (is_not_for_this_cpu(program.get())) continue;
    std::vector<Buffer> outputs = capi_test::run(program.get(), inputs);
    if (expected.empty()) {
      expected = std::move(outputs);
      continue;
    }
    REQUIRE(outputs.size() == expected.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      REQUIRE(dims(outputs[i].get()) == dims(expected[i].get()));
      CHECK_MESSAGE(same_bits(outputs[i].get(), expected[i].get()), "output ", i);
    }
  }
  return expected;
}

std::vector<Buffer> Backends::run_text(const std::string& text, const std::vector<Buffer>& inputs) const {
  CAPTURE(text);
  const Graph graph = parse(context_.get(), "harp 1\n" + text);
  REQUIRE(graph != nullptr);
  std::vector<harp_buffer*> handles;
  for (const Buffer& buffer : inputs) handles.push_back(buffer.get());
  return run_everywhere(graph.get(), handles, !is_sampled(text));
}

Backends::Cost Backends::cost(const std::string& text, const std::vector<int64_t>& sizes) const {
  CAPTURE(text);
  const Graph graph = parse(context_.get(), "harp 1\n" + text);
  REQUIRE(graph != nullptr);
  const Program program = compile_way(graph.get(), {"c", 0}, !is_sampled(text));
  REQUIRE(program != nullptr);
  harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
  REQUIRE(harp_program_stats(program.get(), &stats, nullptr) == HARP_OK);
  const size_t n = harp_program_shape_var_count(program.get());
  REQUIRE(n <= sizes.size());
  size_t one = 0, two = 0;  // workspace size with one worker and with two; the difference is the scratch memory of one worker
  REQUIRE(harp_program_workspace_size(program.get(), n, sizes.data(), 1, &one, nullptr) == HARP_OK);
  REQUIRE(harp_program_workspace_size(program.get(), n, sizes.data(), 2, &two, nullptr) == HARP_OK);
  return {stats.kernels, one - (two - one), two - one};
}

}  // namespace capi_test
