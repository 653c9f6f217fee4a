// Parses the graph and allocates its arrays.
#include "bench/harness/text_program.h"

#include <stdexcept>

#include "bench/peers/served.h"

namespace bench {
namespace {

template <class T>
void count_up(std::span<T> values, const TextOptions& options) {
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(static_cast<int64_t>(i) * options.stride % options.integers);
}

}  // namespace

Graph parsed(const Session& session, const std::string& text, int threads) {
  Err err;
  Graph graph(harp_graph_parse(session.context_of(threads), text.size(), text.c_str(), err));
  err.check(text.c_str());
  return graph;
}

TextProgram::TextProgram(const Session& session, const std::string& text, const TextOptions& options) : text_(text), options_(options) {
  const Graph graph = parsed(session, text, options.threads);
  Err err;
  const Program program(harp_compile(graph.get(), options.compile, err));
  err.check("compiling");
  const std::vector<ProgramArray> inputs = arrays_of(program.get(), harp_program_input_count(program.get()), harp_program_input);
  const ProgramArray output = arrays_of(program.get(), 1, harp_program_output)[0];
  size_t room = Memory::room(1, output.count * harp_dtype_size(output.dtype));
  for (const ProgramArray& input : inputs) room += Memory::room(1, input.count * harp_dtype_size(input.dtype));
  memory_.reserve(room);
  for (const ProgramArray& input : inputs) {
    const std::span<float> words = memory_.take((input.count * harp_dtype_size(input.dtype) + sizeof(float) - 1) / sizeof(float));
    void* data = words.data();
    if (input.dtype == HARP_F32)
      fill(words, options.low, options.high, seed_of(addresses_.size()));
    else if (input.dtype == HARP_I32)
      count_up(std::span(static_cast<int32_t*>(data), input.count), options);
    else if (input.dtype == HARP_I64)
      count_up(std::span(static_cast<int64_t*>(data), input.count), options);
    else
      throw std::runtime_error("expected inputs of type f32, i32 or i64: " + text);
    if (input.dtype == HARP_F32) inputs_.emplace_back(words);
    addresses_.push_back(data);
  }
  const std::span<float> result = memory_.take((output.count * harp_dtype_size(output.dtype) + sizeof(float) - 1) / sizeof(float));
  output_ = result;
  run_ = std::make_unique<ProgramRun>(session, graph.get(), addresses_, std::vector<void*>{result.data()}, options.call, options.compile,
                                      options.threads);
}

std::unique_ptr<ProgramRun> TextProgram::compiled_with(const Session& session, const harp_compile_options& options) const {
  const Graph graph = parsed(session, text_, options_.threads);
  const std::vector<void*> outputs = {output_.data()};
  return std::make_unique<ProgramRun>(session, graph.get(), addresses_, outputs, options_.call, &options, options_.threads);
}

}  // namespace bench
