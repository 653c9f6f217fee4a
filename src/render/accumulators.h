// The lines of a kernel that accumulate: accumulators are declared, set and updated, folded into one element, and scanned.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ir/linearize.h"
#include "render/expression.h"

namespace harp::render {

class AccumulatorLines {
 public:
  /// `out` takes each line as it is written.
  AccumulatorLines(Unit& unit, const ExpressionContext& context, ir::Arena* arena, Names& names, const Positions& positions,
                   const Expressions& expressions, std::function<void(std::string_view)> out)
      : unit_(unit),
        context_(context),
        arena_(arena),
        names_(names),
        position_(positions),
        expression_(expressions),
        out_(std::move(out)) {}

  void declare(const ir::AccDeclare& s);
  void set(const ir::AccSet& s);
  void update(const ir::AccUpdate& s);
  void fold(const ir::Line& l);
  /// Are these two folds of vectors, one after the other, that are alike? What is left of both is halved together then.
  bool fold_alike(const ir::Line& a, const ir::Line& b) const;
  void fold_two(const ir::Line& a, const ir::Line& b);
  void scan(const ir::AccScan& s);
  /// target = combine(target, value), by an operator where `function` is null.
  void combined(const std::string& target, Op combine, const ir::Function* function, int lanes, const std::string& value);
  /// What combines two values; null: an operator.
  const ir::Function* combine_function(Op combine, DType dtype) const;

 private:
  /// How many elements of so many bytes after `room` the accumulator begins: a quarter of a page in front of where the parameter does.
  std::string beside(const ir::Accumulator& a, std::string_view room, int64_t bytes) const;
  Unit::FoldForm fold_form(const ir::AccFold& s) const;
  void scan_part(const ir::AccScan& s, const ir::Accumulator& a, int lanes);
  const ir::Function* combine_function(const ir::Accumulator& a) const;

  Unit& unit_;
  const ExpressionContext& context_;
  ir::Arena* arena_;
  Names& names_;
  const Positions& position_;
  const Expressions& expression_;
  std::function<void(std::string_view)> out_;
};

}  // namespace harp::render
