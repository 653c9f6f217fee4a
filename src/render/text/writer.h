// Writes lines of text with indentation. The lines between open() and close() are a block, and are indented by two more columns. Blocks can
// be nested.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace harp::render {

class Writer {
 public:
  void line(std::string_view text) { append(text_, cat(std::string(static_cast<size_t>(indent_) * 2, ' '), text, "\n")); }
  /// Writes the line that opens a block, and indents the following lines.
  void open(std::string_view head) {
    line(head);
    ++indent_;
  }
  /// Indents the following lines. To be called after a line that closes one block and opens another.
  void indent() { ++indent_; }
  /// Closes the innermost block with this line.
  void close(std::string_view tail) {
    --indent_;
    line(tail);
  }
  /// Returns the number of open blocks. The body of a function is the first one.
  int depth() const { return indent_; }
  /// Returns the text that has been written so far, and starts an empty text at the same depth.
  std::string take() { return std::exchange(text_, {}); }

 private:
  std::string text_;
  int indent_ = 1;
};

}  // namespace harp::render
