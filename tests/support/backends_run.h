// Runs a graph given as text on every backend through harp.h: the interpreter, compiled C, and C without vector types must give the same
// bits.
#pragma once

#include <cstring>
#include <memory>
#include <random>
#include <span>
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
/// Numbers of different magnitudes, so that a sum depends on the order of summation.
inline Values<float> rough(std::vector<int64_t> dims, uint32_t seed) {
  std::mt19937 random(seed);
  Values<float> values = whole<float>(std::move(dims), seed);
  for (float& x : values.items) x = static_cast<float>(random() % 2000003) / 1000.0f * (random() % 2 ? 1.0f : -1e-3f);
  return values;
}

/// Tests whether two arrays have equal elements: the bits must be equal, but any NaN is equal to any other NaN (docs/semantics.md).
template <class T>
bool same_numbers(const void* a, const void* b, size_t bytes) {
  const T *x = static_cast<const T*>(a), *y = static_cast<const T*>(b);
  for (size_t i = 0; i < bytes / sizeof(T); ++i)
    if (std::memcmp(&x[i], &y[i], sizeof(T)) != 0 && !(x[i] != x[i] && y[i] != y[i])) return false;
  return true;
}
bool same_bits(const harp_buffer* a, const harp_buffer* b);

/// One of the ways in which harp can run a graph. All ways must give the same bits.
struct Way {
  const char* backend;
  int32_t plain;      // 1: C text without vector types; 0: with vector types
  int32_t width = 0;  // vector width; 0: the width of the target
};
inline constexpr Way kWays[] = {{"interp", 0}, {"c", 0}, {"c", 1}};

/// Sets options for a program that is compiled only to test its results: clang without optimisation, which takes a tenth of the time of an
/// optimised compilation.
void compile_quickly(harp_compile_options& o);

/// Tests whether a program belongs to the sample that is compiled with the options that users get. The sample has one of eight programs,
/// because otherwise most of a test's time would be spent in gcc's optimiser. `key` is the graph's text, with the schedule or the vector
/// width if these vary. The decision depends only on a hash of `key`, so a test case that runs alone compiles the same programs as in the
/// whole suite.
bool is_sampled(std::string_view key);

/// Compiles the graph for this way of running. A program with harp's default settings is compiled with the options that users get, unless
/// `quick` is true. All others are compiled quickly, because they only test the generated text.
Program compile_way(const harp_graph* graph, const Way& way, bool quick = false);

/// Runs the graph in each of `ways`, checks that all results have the same bytes, and returns the outputs. If this CPU cannot run code for
/// the target, only the interpreter runs the graph, and the test case counts as skipped.
std::vector<Buffer> run_everywhere(const harp_graph* graph, const std::vector<harp_buffer*>& inputs, bool quick = false,
                                   std::span<const Way> ways = kWays);

/// Runs graphs, given as text, on arrays of a test. The interpreter runs each graph at once, and so does the C backend for a sample of the
/// graphs (is_sampled), which are compiled with the options that users get. All other programs of the C backend wait until there are many
/// of them or the object is destroyed. They are then compiled together, because starting a compiler takes longer than compiling one of
/// them, and their results are compared with the interpreter's.
class Backends {
 public:
  Backends();
  ~Backends();
  Backends(const Backends&) = delete;
  Backends& operator=(const Backends&) = delete;
  harp_context* context() const { return context_.get(); }

  /// Runs the graph on the interpreter and on the C backend, and checks that all results have the same bytes. The check of a program that
  /// is compiled later is made when that program runs. Returns the outputs.
  template <class... T>
  std::vector<Buffer> run(const std::string& text, Values<T>... inputs) const {
    std::vector<Buffer> wrapped;
    (wrapped.push_back(wrap(context_.get(), inputs.items, inputs.dims)), ...);
    return run_text(text, wrapped);
  }

  /// The costs of a compiled program for given values of the shape variables: the number of its kernels, and the size of its workspace in
  /// bytes. The workspace consists of `workspace` bytes for arrays that all workers share, and of `scratch` bytes for each worker.
  struct Cost {
    int32_t kernels = 0;
    size_t workspace = 0, scratch = 0;
  };
  Cost cost(const std::string& text, const std::vector<int64_t>& sizes) const;

 private:
  class Waiting;  // the programs that are not compiled yet, and the arrays to run them with
  std::vector<Buffer> run_text(const std::string& text, const std::vector<Buffer>& inputs) const;

  Context context_;
  std::unique_ptr<Waiting> waiting_;
};

}  // namespace capi_test
