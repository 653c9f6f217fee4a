// The lines of a kernel that operate on accumulators: declare, set, update, fold into one element, and scan.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ir/linearize.h"
#include "render/kernel/expression.h"

namespace harp::render {

class AccumulatorLines {
 public:
  /// `out` receives each line of text.
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
  /// Tests whether two consecutive folds of vectors have the same form. Once each is reduced to one vector, the remaining halving steps of
  /// both can then share vectors.
  bool fold_alike(const ir::Line& a, const ir::Line& b) const;
  void fold_two(const ir::Line& a, const ir::Line& b);
  void scan(const ir::AccScan& s);
  /// Writes target = combine(target, value); if `function` is null, with an operator.
  void combined(const std::string& target, Op combine, const ir::Function* function, int lanes, const std::string& value);
  /// Returns the function that combines two values; null: C has an operator for it.
  const ir::Function* combine_function(Op combine, DType dtype) const;

 private:
  /// Returns C text: the offset, in elements of `bytes` bytes, from `room` to the start of the accumulator. It places the accumulator a
  /// quarter of a page below the page offset of the parameter that it must not alias (Accumulator::beside).
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
