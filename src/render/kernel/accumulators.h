// Writes those lines of a kernel's linear form (ir/linearize.h) that operate on accumulators: declare, set, update, fold into one element,
// scan.
#pragma once

#include <string>

#include "render/kernel/scope.h"
#include "render/text/writer.h"

namespace harp::render {

class AccumulatorLines {
 public:
  AccumulatorLines(Scope& scope, Writer& writer) : scope_(scope), writer_(writer) {}

  /// Writes one line of the linear form that is about an accumulator.
  void write(const ir::Line& line);
  /// Writes two consecutive folds together, if both fold vectors of the same form. As soon as each fold is reduced to one vector, the two
  /// occupy the two halves of each vector in the remaining halving steps. Otherwise returns false and writes nothing.
  bool write_two_folds(const ir::Line& a, const ir::Line& b);
  /// Writes target = combine(target, value). `function` is the result of combine_function().
  void combine(const std::string& target, Op combine, DType dtype, const ir::Function* function, int lanes, const std::string& value);
  /// Returns the function that combines two values; null if an operator does.
  const ir::Function* combine_function(Op combine, DType dtype) const;

 private:
  void declare(const ir::AccDeclare& s);
  void declare_shared(int accumulator, const std::string& name, const std::string& type, int64_t count);
  void set(const ir::AccSet& s);
  void update(const ir::AccUpdate& s);
  void fold(const ir::Line& line);
  void scan(const ir::AccScan& s);
  void scan_part(const ir::AccScan& s, const ir::Accumulator& a, int lanes);
  /// Returns C text for the distance, in elements of `bytes` bytes, from `room` (the address of the memory that is reserved for the
  /// accumulator) to the start of the accumulator. The accumulator is thus placed a quarter of a page below the page offset of the
  /// parameter that it must not alias (Accumulator::avoid_alias_with).
  std::string offset_without_alias(const ir::Accumulator& a, std::string_view room, int64_t bytes) const;
  FoldForm fold_form(const ir::AccFold& s) const;
  const ir::Function* combine_function(const ir::Accumulator& a) const;

  Scope& scope_;
  Writer& writer_;
};

/// Returns the operator that combines two values of Add or Mul, for example "+".
std::string_view operator_of(Op combine);

}  // namespace harp::render
