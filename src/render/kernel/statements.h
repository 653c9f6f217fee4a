// Writes the lines of a kernel's or a math function's linear form (its statements as a list of lines, ir/linearize.h) as statements of C.
#pragma once

#include <span>
#include <string>

#include "render/kernel/accumulators.h"
#include "render/kernel/address.h"
#include "render/kernel/blocks.h"

namespace harp::render {

/// How a math function returns its result: `head` is the text in front of the returned value.
struct Result {
  std::string head = "return ";  // text in front of the returned value
  int mask_bits = 0;             // if the result is a vector of bools: number of bits per lane of its mask (Text::mask_bits)
};

class StatementWriter {
 public:
  StatementWriter(Scope& scope, Result result)
      : scope_(scope), result_(std::move(result)), blocks_(scope, writer_), accumulators_(scope, writer_) {}

  /// Writes lines[0], together with those following lines that must be written with it. Returns the number of written lines.
  size_t write(std::span<const ir::Line> lines);
  /// Returns the text that has been written so far, and starts a new one.
  std::string take() { return writer_.take(); }

 private:
  void write_one(const ir::Line& line, std::span<const ir::Line> rest);
  std::string returned(const ir::UOp* value) const;
  void let(const ir::Line& line);
  void rarely(const ir::Line& line, const std::string& type);
  bool call_two(const ir::Line& a, const ir::Line& b);
  void define(const ir::Line& line, const std::string& value);
  void define_flag(const ir::Line& line);
  void pointer(const ir::Line& line);
  void store(const Address& at, const ir::Store& s);
  size_t store_interleaved(std::span<const ir::Line> lines);
  void scatter(const ir::Scatter& s);
  void prefetch(const ir::Prefetch& s);

  Scope& scope_;
  const Result result_;
  Writer writer_;
  Blocks blocks_;
  AccumulatorLines accumulators_;
};

}  // namespace harp::render
