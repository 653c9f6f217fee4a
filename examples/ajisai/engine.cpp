#include "engine.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ajisai {
namespace {

class Error {
 public:
  ~Error() { harp_error_release(error_); }
  harp_error** slot() { return &error_; }
  std::string message() const { return harp_error_message(error_); }

 private:
  harp_error* error_ = nullptr;
};

constexpr const char* kInputs[] = {"a", "b", "c"};

std::string described(const Operation& operation, std::span<const Value> operands) {
  std::string text;
  for (size_t i = 0; i < operands.size(); ++i) text += (i > 0 ? (operands.size() > 2 ? ", " : " and ") : "") + text_of(operands[i].shape);
  return std::string(operation.name) + " of " + text;
}

Shape broadcast(const Shape& a, const Shape& b, size_t at) {
  Error error;
  Shape result(std::max(a.size(), b.size()));
  if (harp_broadcast_shapes(static_cast<int32_t>(a.size()), a.data(), static_cast<int32_t>(b.size()), b.data(), result.data(),
                            error.slot()) != HARP_OK) {
    throw Mistake(at, error.message());
  }
  return result;
}

Shape result_shape(const Operation& operation, std::span<const Value> operands, int axis, size_t at) {
  Shape shape = operands[0].shape;
  switch (operation.gives) {
    case Gives::kBroadcast:
      for (const Value& operand : operands.subspan(1)) shape = broadcast(shape, operand.shape, at);
      return shape;
    case Gives::kOuter: shape.insert(shape.end(), operands[1].shape.begin(), operands[1].shape.end()); return shape;
    case Gives::kReversed: std::reverse(shape.begin(), shape.end()); return shape;
    case Gives::kScalar: return {};
    case Gives::kWithoutAxis: shape.erase(shape.begin() + axis); return shape;
  }
  return shape;
}

/// The operands that determine the dtype of the result: all, except the condition of WHERE.
std::span<const Value> chosen(const Operation& operation, std::span<const Value> operands) {
  return operation.takes == Takes::kChoice ? operands.subspan(1) : operands;
}

bool all_truths(std::span<const Value> operands) {
  return std::all_of(operands.begin(), operands.end(), [](const Value& operand) { return operand.dtype == HARP_BOOL; });
}

harp_dtype result_dtype(const Operation& operation, std::span<const Value> operands) {
  if (operation.result != HARP_UNKNOWN) return operation.result;
  return all_truths(chosen(operation, operands)) ? HARP_BOOL : HARP_F64;
}

/// Gives each size of the operands a number for the key of a program: -1 for size 1, which may broadcast. Other sizes are numbered from 0
/// in the order of their first occurrence, and equal sizes have the same number.
class SizeClasses {
 public:
  int of(int64_t size) {
    if (size == 1) return -1;
    const auto found = std::find(sizes_.begin(), sizes_.begin() + count_, size);
    if (found == sizes_.begin() + count_) sizes_[count_++] = size;
    return static_cast<int>(found - sizes_.begin());
  }

 private:
  std::array<int64_t, 3 * HARP_MAX_RANK> sizes_;
  int count_ = 0;
};

}  // namespace

Engine::Engine() {
  harp_context_options options = HARP_CONTEXT_OPTIONS_INIT;
  Error error;
  context_.reset(harp_context_new(&options, error.slot()));
  if (context_ == nullptr) throw std::runtime_error(error.message());
  backend_ = harp_backend_available(context_.get(), "c") != 0 ? "c" : "interp";
}

Value Engine::run(const Operation& operation, std::span<const Value> operands, int axis, size_t at) {
  Shape shape = result_shape(operation, operands, axis, at);
  Value result = make(result_dtype(operation, operands), std::move(shape), at);
  const Program& program = program_for(operation, operands, axis, at);

  std::array<harp_const_array, std::size(kInputs)> inputs{};
  for (size_t i = 0; i < operands.size(); ++i) {
    const Value& operand = operands[i];
    inputs[i] = {operand.data.get(), operand.shape.data(), operand.dtype, static_cast<int32_t>(operand.shape.size())};
  }
  const harp_array output{result.data.get(), result.shape.data(), result.dtype, static_cast<int32_t>(result.shape.size())};
  Error error;
  if (harp_program_call(program.get(), operands.size(), inputs.data(), 1, &output, nullptr, error.slot()) != HARP_OK) {
    throw Mistake(at, described(operation, operands) + ": " + error.message());
  }
  return result;
}

const Engine::Program& Engine::program_for(const Operation& operation, std::span<const Value> operands, int axis, size_t at) {
  SizeClasses classes;
  key_.assign(operation.name);
  for (const Value& operand : operands) {
    key_ += operand.dtype == HARP_BOOL ? " ?" : " .";
    for (const int64_t size : operand.shape) key_ += static_cast<char>('b' + classes.of(size));
  }
  key_ += static_cast<char>('0' + axis);
  const auto found = programs_.find(key_);
  if (found != programs_.end()) return found->second;
  return programs_.emplace(key_, compile(operation, operands, axis, at)).first->second;
}

Engine::Program Engine::compile(const Operation& operation, std::span<const Value> operands, int axis, size_t at) {
  const auto fail = [&](const std::string& message) { throw Mistake(at, described(operation, operands) + ": " + message); };
  Error error;
  const Handle<harp_graph, harp_graph_release> graph(harp_graph_new(context_.get(), HARP_GRAPH_BROADCAST, error.slot()));
  if (graph == nullptr) fail(error.message());
  SizeClasses classes;
  std::array<harp_node*, std::size(kInputs)> nodes{};
  const bool to_numbers = operation.takes == Takes::kNumbers || result_dtype(operation, operands) == HARP_F64;
  for (size_t i = 0; i < operands.size(); ++i) {
    std::array<harp_dim, HARP_MAX_RANK> dims{};
    for (size_t a = 0; a < operands[i].shape.size(); ++a) {
      const int size = classes.of(operands[i].shape[a]);
      dims[a] = size < 0 ? 1 : harp_dim_var(graph.get(), ("n" + std::to_string(size)).c_str(), 0, kMostElements);
    }
    nodes[i] = harp_input(graph.get(), kInputs[i], operands[i].dtype, static_cast<int32_t>(operands[i].shape.size()), dims.data());
    const bool is_choice = operation.takes == Takes::kChoice && i == 0;
    if (to_numbers && operands[i].dtype == HARP_BOOL && !is_choice) nodes[i] = harp_cast(nodes[i], HARP_F64);
  }
  harp_output(graph.get(), "y", operation.build(graph.get(), nodes.data(), axis));
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.backend = backend_;
  Program program(harp_compile(graph.get(), &options, error.slot()));
  if (program == nullptr) fail(error.message());
  return program;
}

}  // namespace ajisai
