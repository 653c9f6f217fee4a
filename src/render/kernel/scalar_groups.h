// Contains folds and scans of a few values in memory, element by element and without vectors. They are texts of generated functions, which
// all dialects can use.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "render/kernel/unit.h"

namespace harp::render {

/// A function that returns an expression which combines the values a and b.
using Combined = std::function<std::string(std::string_view a, std::string_view b)>;

/// Return an expression that combines two scalars. It is a call of `function`, or if that is null, an expression with the operator of Add
/// or Mul.
std::string combined_text(Unit& unit, Op combine, const ir::Function* function, DType dtype, std::string_view a, std::string_view b);
Combined scalar_combination(Unit& unit, Op combine, const ir::Function* function, DType dtype);

/// Returns the first part of the name of a generated function for a fold, which names the combining function or operation. Size and type
/// follow it.
std::string fold_name(const FoldForm& form);
/// Returns the name of the generated function for a scan that processes one element at a time.
std::string scan_name(const ScanForm& form, std::string_view stored);

/// Returns the definition of a generated function, called `name`, that folds stored values one by one, for dialects whose function
/// Dialect::fold returns this name. `stored` is the type of a stored value. It may have several lanes, which are folded separately.
/// `result` is the type of the result.
std::string fold_text(Unit& unit, const FoldForm& form, const std::string& name, const std::string& stored, const std::string& result,
                      const Combined& combined);
/// Returns the definition of a generated function, called `name`, that computes a scan of one group of elements in memory, one element at a
/// time and without vectors, for dialects whose function Dialect::scan returns this name.
std::string scan_text(Unit& unit, const ScanForm& form, const std::string& name, const Combined& combined);

}  // namespace harp::render
