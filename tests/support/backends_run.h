// Runs a graph given as text on every backend through harp.h: the interpreter, compiled C, and C without vector types must give the same
// bits.
#pragma once

#include <cstring>
#include <map>
#include <random>

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
/// Harp's own choice is compiled with a user's flags, unless `quick`. The other ways test the generated text, so clang compiles them
/// without optimisation in a fifth of the time. (gcc's -O0 is slower than its -O1 if many functions are always inlined.)
inline Program compile_way(const harp_graph* graph, const Way& way, bool quick = false) {
  return compile(graph, way.backend, [&](harp_compile_options& o) {
    static constexpr const char* kQuick[] = {"-O0"};
    o.plain_text = way.plain;
    o.simd_width = way.width;
    if (quick || way.plain != 0 || way.width != 0) o.compiler = "clang", o.n_flags = std::size(kQuick), o.flags = kQuick;
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

/// Runs graphs on arrays of a test. The graphs of a test case are similar, so only the first and every fourth after it are compiled with a
/// user's flags: most of a test's time is gcc's optimiser.
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
    const size_t number = numbers_.emplace(text, numbers_.size()).first->second;
    return run_everywhere(graph.get(), handles, number % 4 != 0);
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
    const auto known = numbers_.find(text);  // this text was compiled before
    const Program program = compile_way(graph.get(), {"c", 0}, known == numbers_.end() || known->second % 4 != 0);
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
  mutable std::map<std::string, size_t> numbers_;  // index of each text, in the order of the first runs
};

}  // namespace capi_test
