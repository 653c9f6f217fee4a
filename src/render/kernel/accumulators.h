// Writes those lines of a kernel's linear form (its statements as a list of lines, ir/linearize.h) that operate on accumulators: declare,
// set, update, fold into one element, and scan.
#pragma once

#include <string>
#include <vector>

#include "render/kernel/scope.h"
#include "render/text/writer.h"

namespace harp::render {

class AccumulatorLines {
 public:
  AccumulatorLines(Scope& scope, Writer& writer);

  /// Writes one line that operates on an accumulator.
  void write(const ir::Line& line);
  /// Writes two consecutive folds together, if both have the same form and fold vectors. First each fold is reduced to one vector. The
  /// remaining steps are executed for both folds at once: each fold uses one half of a vector. Returns false, and writes nothing, if the
  /// folds cannot be written together.
  bool write_two_folds(const ir::Line& a, const ir::Line& b);
  /// Writes the statement target = combine(target, value). `function` is the result of combine_function().
  void combine(const std::string& target, Op combine, DType dtype, const ir::Function* function, int lanes, const std::string& value);
  /// Returns the function that combines two values; null if an operator of C combines them.
  const ir::Function* combine_function(Op combine, DType dtype) const;

 private:
  void declare(const ir::AccDeclare& s);
  /// Tests whether a declared accumulator is only another name for the result of a fold, and needs no variable of its own: both keep their
  /// values.
  bool is_name_of_fold(const ir::AccDeclare& s) const;
  void declare_shared(int accumulator, const std::string& name, const std::string& type, int64_t count);
  void set(const ir::AccSet& s);
  /// Returns the type of one stored value of the accumulator in the generated code; it is a vector type if the accumulator is stored as
  /// vectors.
  std::string stored_type(int accumulator) const;
  /// Returns an expression for the value in the form in which the accumulator stores it: a vector of bools is stored as a mask.
  std::string elements(int accumulator, const ir::UOp* value) const;
  void update(const ir::AccUpdate& s);
  void fold(const ir::Line& line);
  void scan(const ir::AccScan& s);
  void scan_part(const ir::AccScan& s, const ir::Accumulator& a, int lanes);
  FoldForm fold_form(const ir::AccFold& s) const;
  const ir::Function* combine_function(const ir::Accumulator& a) const;

  Scope& scope_;
  Writer& writer_;
  std::vector<int> changes_, folds_;  // for each accumulator of the kernel: how many statements change it, and how many of these are folds
};

/// Returns the C operator that combines two values for Add or Mul, for example "+".
std::string_view operator_of(Op combine);

}  // namespace harp::render
