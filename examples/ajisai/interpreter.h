// Executes tokens on a stack of values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine.h"
#include "reader.h"

namespace ajisai {

class Interpreter {
 public:
  /// Reads and executes a text. If it throws a Mistake, the stack is the same as before the text.
  void execute(std::string_view text);
  /// The stack as text that gives the same stack when it is executed, the newest value last; "" if it is empty.
  std::string stack_text() const;
  /// The output of PRINT since the last call.
  std::string take_output();
  size_t programs() const { return engine_.programs(); }

 private:
  void execute(const Token& token);
  void compute(const Operation& operation, size_t at);
  bool rearrange(const Token& token);
  void reshape(size_t at);
  void gather(size_t at);
  void spread(Value value, size_t at);
  void end_stack_mode(size_t at);

  void need(size_t count, std::string_view word, size_t at) const;
  Value pop();
  int64_t whole_number(const Value& value, const char* what, size_t at) const;

  Engine engine_;
  std::vector<Value> stack_;
  std::string output_;
};

}  // namespace ajisai
