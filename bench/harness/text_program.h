// Makes a program for a benchmark from the text of a graph: the graph is parsed and compiled, and the arrays on which the program runs are
// allocated and filled.
#pragma once

#include "bench/harness/session.h"

namespace bench {

struct TextOptions {
  float low = -1, high = 1;  // Range of float inputs. Integer inputs are 0, 1, 2 ... times `stride` modulo `integers`.
  int64_t integers = 64;
  int threads = 1;
  Call call = Call::kRun;
  const harp_compile_options* compile = nullptr;
  int64_t stride = 1;
};

class TextProgram {
 public:
  /// The graph may have f32, i32 and i64 inputs and must have one output.
  TextProgram(const Session& session, const std::string& text, const TextOptions& options = {});
  void operator()(size_t repeats) { (*run_)(repeats); }
  void run_by_default(size_t repeats) { run_->run_by_default(repeats); }
  bool equals_default_run() { return run_->equals_default_run(); }
  harp_status run_with_flag(const volatile int32_t* cancel) { return run_->run_with_flag(cancel); }
  /// Compiles the same graph with other options. The returned program uses the same arrays.
  std::unique_ptr<ProgramRun> compiled_with(const Session& session, const harp_compile_options& options) const;
  const std::vector<std::span<const float>>& inputs() const { return inputs_; }  // the f32 inputs
  std::span<const float> output() const { return output_; }                      // the bytes of the output, which may have any dtype

 private:
  std::string text_;
  TextOptions options_;
  Memory memory_;
  std::vector<void*> addresses_;  // addresses of the arrays of the inputs
  std::vector<std::span<const float>> inputs_;
  std::span<float> output_;
  std::unique_ptr<ProgramRun> run_;
};

/// Parses a graph in the session's context for programs on this many threads.
Graph parsed(const Session& session, const std::string& text, int threads = 1);

}  // namespace bench
