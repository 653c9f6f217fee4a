// A graph written as text, compiled, with arrays of its own.
#pragma once

#include "bench/session.h"

namespace bench {

struct TextOptions {
  float low = -1, high = 1;  // of the inputs' numbers; those of integer inputs are 0, 1, 2 ... times `stride` modulo `integers`
  int64_t integers = 64;
  int threads = 1;
  Call call = Call::kRun;
  const harp_compile_options* compile = nullptr;
  int64_t stride = 1;
};

class TextProgram {
 public:
  /// f32, i32 and i64 inputs, one output.
  TextProgram(const Session& session, const std::string& text, const TextOptions& options = {});
  void operator()(size_t repeats) { (*run_)(repeats); }
  harp_status run_with_flag(const volatile int32_t* cancel) { return run_->run_with_flag(cancel); }
  /// Another program from the text, compiled with other options, on the same arrays.
  std::unique_ptr<ProgramRun> compiled_with(const Session& session, const harp_compile_options& options) const;
  const std::vector<std::span<const float>>& inputs() const { return inputs_; }  // those of f32
  std::span<const float> output() const { return output_; }                      // of any type: its bytes

 private:
  std::string text_;
  TextOptions options_;
  Memory memory_;
  std::vector<void*> addresses_;  // of the inputs
  std::vector<std::span<const float>> inputs_;
  std::span<float> output_;
  std::unique_ptr<ProgramRun> run_;
};

/// The graph of a text, in the session's context for so many threads.
Graph parsed(const Session& session, const std::string& text, int threads = 1);

}  // namespace bench
