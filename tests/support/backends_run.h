// Runs a graph given as text on every backend through harp.h: the interpreter, compiled C, and C without vector types must give the same
// bits.
#pragma once

#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/capi_support.h"

namespace capi_test {

/// An array with its sizes.
template <class T>
struct Values {
  std::vector<T> items;
  std::vector<int64_t> dims;
};

/// Small integers, so that every order of summation gives the same bits.
template <class T>
Values<T> whole(std::vector<int64_t> dims, uint32_t seed) {
  std::mt19937 random(seed);
  int64_t count = 1;
  for (const int64_t d : dims) count *= d;
  Values<T> values{{}, std::move(dims)};
  for (int64_t i = 0; i < count; ++i) values.items.push_back(static_cast<T>(static_cast<int>(random() % 9) - 4));
  return values;
}
/// Numbers of different magnitudes, so that another order of summation gives other bits.
inline Values<float> rough(std::vector<int64_t> dims, uint32_t seed) {
  std::mt19937 random(seed);
  Values<float> values = whole<float>(std::move(dims), seed);
  for (float& x : values.items) x = static_cast<float>(random() % 2000003) / 1000.0f * (random() % 2 ? 1.0f : -1e-3f);
  return values;
}

/// Equal bytes, except that all NaNs are equal (docs/semantics.md).
template <class T>
bool same_numbers(const void* a, const void* b, size_t bytes) {
  const T *x = static_cast<const T*>(a), *y = static_cast<const T*>(b);
  for (size_t i = 0; i < bytes / sizeof(T); ++i)
    if (std::memcmp(&x[i], &y[i], sizeof(T)) != 0 && !(x[i] != x[i] && y[i] != y[i])) return false;
  return true;
}
inline bool same_bits(const harp_buffer* a, const harp_buffer* b) {
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

/// A way to run a graph; all give the same bits.
struct Way {
  const char* backend;
  int32_t plain;      // C without vector types
  int32_t width = 0;  // vector width; 0: the target's
};
inline constexpr Way kWays[] = {{"interp", 0}, {"c", 0}, {"c", 1}};
/// Sets the options of a program that is compiled for its results, not as a user gets it: by clang and without optimisation, in a fifth of
/// the time.
inline void compile_quickly(harp_compile_options& o) {
  static constexpr const char* kFlags[] = {"-O0"};
  o.compiler = "clang", o.n_flags = std::size(kFlags), o.flags = kFlags;
}

/// Whether a program is in the sample that is compiled as users get it: one of eight, because most of a test's time is otherwise gcc's
/// optimiser. `key` is the graph's text, with the schedule or the width if these vary. It alone decides (by its FNV-1a hash), so a test
/// case that runs alone compiles the same programs as in the whole suite.
inline bool is_sampled(std::string_view key) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return (hash >> 32) % 8 == 0;
}

/// Harp's own choice is compiled as users get it, unless `quick`. The other ways test the generated text.
inline Program compile_way(const harp_graph* graph, const Way& way, bool quick = false) {
  return compile(graph, way.backend, [&](harp_compile_options& o) {
    o.plain_text = way.plain;
    o.simd_width = way.width;
    if (quick || way.plain != 0 || way.width != 0) compile_quickly(o);
  });
}

/// The outputs of one run, after a check that all ways give the same bytes. On a machine row that this CPU cannot run, they are the
/// interpreter's, and the test case counts as skipped.
inline std::vector<Buffer> run_everywhere(const harp_graph* graph, const std::vector<harp_buffer*>& inputs, bool quick = false) {
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

/// Runs graphs on arrays of a test. A sample of the graphs is compiled as users get it.
class Backends {
 public:
  Backends() : context_(make_context()) {}
  harp_context* context() const { return context_.get(); }

  /// The outputs of one run, after a check that all backends give the same bytes.
  template <class... T>
  std::vector<Buffer> run(const std::string& text, Values<T>... inputs) const {
    CAPTURE(text);
    const Graph graph = parse(context_.get(), "harp 1\n" + text);
    REQUIRE(graph != nullptr);
    std::vector<Buffer> wrapped;
    (wrapped.push_back(wrap(context_.get(), inputs.items, inputs.dims)), ...);
    std::vector<harp_buffer*> handles;
    for (const Buffer& buffer : wrapped) handles.push_back(buffer.get());
    return run_everywhere(graph.get(), handles, !is_sampled(text));
  }

  /// The number of kernels of the compiled program, and its workspace in bytes for these values of the shape variables: `workspace` for
  /// arrays, plus `scratch` for each worker.
  struct Cost {
    int32_t kernels = 0;
    size_t workspace = 0, scratch = 0;
  };
  Cost cost(const std::string& text, const std::vector<int64_t>& sizes) const {
    CAPTURE(text);
    const Graph graph = parse(context_.get(), "harp 1\n" + text);
    REQUIRE(graph != nullptr);
    const Program program = compile_way(graph.get(), {"c", 0}, !is_sampled(text));
    REQUIRE(program != nullptr);
    harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
    REQUIRE(harp_program_stats(program.get(), &stats, nullptr) == HARP_OK);
    const size_t n = harp_program_shape_var_count(program.get());
    REQUIRE(n <= sizes.size());
    size_t one = 0, two = 0;  // workspace for one and for two workers
    REQUIRE(harp_program_workspace_size(program.get(), n, sizes.data(), 1, &one, nullptr) == HARP_OK);
    REQUIRE(harp_program_workspace_size(program.get(), n, sizes.data(), 2, &two, nullptr) == HARP_OK);
    return {stats.kernels, one - (two - one), two - one};
  }

 private:
  Context context_;
};

}  // namespace capi_test
