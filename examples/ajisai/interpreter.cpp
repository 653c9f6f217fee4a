#include "interpreter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

namespace ajisai {

void Interpreter::execute(std::string_view text) {
  std::vector<Value> before = stack_;  // cheap, because copies of a value share their elements
  const size_t written = output_.size();
  try {
    for (const Token& token : read(text)) execute(token);
    end_stack_mode(text.size());
  } catch (...) {
    stack_ = std::move(before);
    output_.resize(written);
    throw;
  }
}

std::string Interpreter::stack_text() const {
  std::string text;
  for (const Value& value : stack_) {
    if (!text.empty()) text += ' ';
    print(value, text);
  }
  return text;
}

std::string Interpreter::take_output() { return std::exchange(output_, {}); }

void Interpreter::execute(const Token& token) {
  if (token.name.empty()) {
    stack_.push_back(token.literal);
  } else if (const Operation* operation = find_operation(token.name)) {
    compute(*operation, token.at);
  } else if (!rearrange(token)) {
    throw Mistake(token.at, "there is no word " + shown(token.name));
  }
}

void Interpreter::compute(const Operation& operation, size_t at) {
  const bool along = operation.gives == Gives::kWithoutAxis;
  const auto count = static_cast<size_t>(operation.operands);
  need(count + (along ? 1 : 0), operation.name, at);
  int axis = 0;
  if (along) {
    const auto rank = static_cast<int64_t>(stack_.end()[-2].shape.size());
    const int64_t given = whole_number(stack_.back(), "an axis", at);
    axis = static_cast<int>(given < 0 ? given + rank : given);
    if (given < -rank || given >= rank) {
      throw Mistake(at, std::string(operation.name) + ": there is no axis " + std::to_string(given) + " in an array of shape " +
                            text_of(stack_.end()[-2].shape));
    }
    stack_.pop_back();
  }
  const std::span<const Value> operands(stack_.data() + stack_.size() - count, count);
  const size_t truths = operation.takes == Takes::kTruths ? count : operation.takes == Takes::kChoice ? 1 : 0;
  for (const Value& operand : operands.first(truths)) {
    if (operand.dtype != HARP_BOOL) {
      throw Mistake(at, std::string(operation.name) + " takes truths (TRUE, FALSE), but an array of shape " + text_of(operand.shape) +
                            " holds numbers");
    }
  }
  Value result = engine_.run(operation, operands, axis, at);
  const bool is_stack = std::any_of(operands.begin(), operands.end(), [](const Value& operand) { return operand.is_stack; });
  stack_.resize(stack_.size() - count);
  if (is_stack) {
    spread(std::move(result), at);
  } else {
    stack_.push_back(std::move(result));
  }
}

/// Executes a word that computes nothing. Returns false if there is no such word of this name.
bool Interpreter::rearrange(const Token& token) {
  const std::string& name = token.name;
  const size_t at = token.at;
  if (name == "SHAPE") {
    need(1, name, at);
    const Value value = pop();
    const std::vector<double> sizes(value.shape.begin(), value.shape.end());
    stack_.push_back(make_numbers(sizes, {static_cast<int64_t>(sizes.size())}, at));
  } else if (name == "RESHAPE") {
    reshape(at);
  } else if (name == "IOTA") {
    need(1, name, at);
    const int64_t count = whole_number(stack_.back(), "a count", at);
    if (count < 0) throw Mistake(at, "IOTA: " + std::to_string(count) + " numbers, expected 0 or more");
    Value value = make(HARP_F64, {count}, at);
    auto* numbers = reinterpret_cast<double*>(value.data.get());
    std::iota(numbers, numbers + count, 0.0);
    stack_.back() = std::move(value);
  } else if (name == "..") {
    gather(at);
  } else if (name == "DUP") {
    need(1, name, at);
    stack_.push_back(stack_.back());
  } else if (name == "DROP") {
    need(1, name, at);
    stack_.pop_back();
  } else if (name == "SWAP") {
    need(2, name, at);
    std::swap(stack_.end()[-1], stack_.end()[-2]);
  } else if (name == "OVER") {
    need(2, name, at);
    stack_.push_back(stack_.end()[-2]);
  } else if (name == "CLEAR") {
    stack_.clear();
  } else if (name == "PRINT") {
    need(1, name, at);
    print(pop(), output_);
    output_ += '\n';
  } else {
    return false;
  }
  return true;
}

void Interpreter::reshape(size_t at) {
  need(2, "RESHAPE", at);
  const Value& sizes = stack_.back();
  const Value& value = stack_.end()[-2];
  if (sizes.dtype != HARP_F64 || sizes.shape.size() > 1) {
    throw Mistake(at, "RESHAPE: the shape is a vector of numbers, but it has shape " + text_of(sizes.shape));
  }
  Shape shape(elements(sizes.shape, at));
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const double size = sizes.numbers()[axis];
    if (!(size >= 0 && size < 1e15 && size == std::trunc(size))) {
      std::string text;
      print(sizes, text);
      throw Mistake(at, "RESHAPE: sizes are whole numbers from 0 on, but they are " + text);
    }
    shape[axis] = static_cast<int64_t>(size);
  }
  if (elements(shape, at) != elements(value.shape, at)) {
    throw Mistake(at, "RESHAPE: cannot give shape " + text_of(shape) + " to an array of shape " + text_of(value.shape) + ": " +
                          std::to_string(elements(shape, at)) + " elements, not " + std::to_string(elements(value.shape, at)));
  }
  if (shape.size() > HARP_MAX_RANK) make(value.dtype, shape, at);  // make() throws a Mistake
  Value result = value;
  result.shape = std::move(shape);
  result.is_stack = false;
  const bool is_stack = value.is_stack || sizes.is_stack;
  stack_.resize(stack_.size() - 2);
  if (is_stack) {
    spread(std::move(result), at);
  } else {
    stack_.push_back(std::move(result));
  }
}

/// Replaces the stack by one array, whose items along a new first axis are the values of the stack.
void Interpreter::gather(size_t at) {
  end_stack_mode(at);
  if (stack_.empty()) throw Mistake(at, "..: the stack is empty");
  const Value& first = stack_.front();
  Shape shape{static_cast<int64_t>(stack_.size())};
  shape.insert(shape.end(), first.shape.begin(), first.shape.end());
  for (const Value& value : stack_) {
    if (value.shape != first.shape) {
      throw Mistake(at,
                    "..: the values of the stack have one shape, but there are " + text_of(first.shape) + " and " + text_of(value.shape));
    }
    if (value.dtype != first.dtype) throw Mistake(at, "..: the stack holds numbers or truths, not both");
  }
  Value all = make(first.dtype, std::move(shape), at);
  const size_t bytes = elements(first.shape, at) * harp_dtype_size(first.dtype);
  for (size_t i = 0; i < stack_.size() && bytes > 0; ++i) std::memcpy(all.data.get() + i * bytes, stack_[i].data.get(), bytes);
  all.is_stack = true;
  stack_.assign(1, std::move(all));
}

/// Pushes the items along the first axis as separate values of the stack. A value without axes is pushed as it is.
void Interpreter::spread(Value value, size_t at) {
  value.is_stack = false;
  if (value.shape.empty()) {
    stack_.push_back(std::move(value));
    return;
  }
  const Shape shape(value.shape.begin() + 1, value.shape.end());
  const size_t bytes = elements(shape, at) * harp_dtype_size(value.dtype);
  for (int64_t i = 0; i < value.shape[0]; ++i) {
    Value item = make(value.dtype, shape, at);
    if (bytes > 0) std::memcpy(item.data.get(), value.data.get() + static_cast<size_t>(i) * bytes, bytes);
    stack_.push_back(std::move(item));
  }
}

/// The word `..` replaces the stack by one array. At the end of a text, this function splits such arrays, and arrays that were computed
/// from them, into separate values of the stack again.
void Interpreter::end_stack_mode(size_t at) {
  if (std::none_of(stack_.begin(), stack_.end(), [](const Value& value) { return value.is_stack; })) return;
  std::vector<Value> all = std::exchange(stack_, {});
  for (Value& value : all) {
    if (value.is_stack) {
      spread(std::move(value), at);
    } else {
      stack_.push_back(std::move(value));
    }
  }
}

void Interpreter::need(size_t count, std::string_view word, size_t at) const {
  if (stack_.size() >= count) return;
  throw Mistake(at, std::string(word) + " takes " + std::to_string(count) + (count == 1 ? " value" : " values") + ", but the stack holds " +
                        std::to_string(stack_.size()));
}

Value Interpreter::pop() {
  Value value = std::move(stack_.back());
  stack_.pop_back();
  return value;
}

int64_t Interpreter::whole_number(const Value& value, const char* what, size_t at) const {
  const bool one = value.dtype == HARP_F64 && elements(value.shape, at) == 1;
  const double number = one ? value.numbers()[0] : NAN;
  if (!(std::fabs(number) < 1e15) || number != std::trunc(number)) {
    std::string text;
    if (one) {
      print(value, text);
    } else {
      text = std::string(value.dtype == HARP_F64 ? "numbers" : "truths") + " of shape " + text_of(value.shape);
    }
    throw Mistake(at, std::string("expected ") + what + " (a whole number), but the top of the stack is " + text);
  }
  return static_cast<int64_t>(number);
}

}  // namespace ajisai
