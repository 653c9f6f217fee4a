// Folds and scans of a few values in memory, element by element, without vectors: the text of generated functions that every dialect can
// use.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "render/kernel/unit.h"

namespace harp::render {

/// Returns the expression that combines two values.
using Combined = std::function<std::string(std::string_view a, std::string_view b)>;

/// Returns the expression that combines two values of one element: a call of a function of the IR, or if that is null an operator (Add or
/// Mul).
std::string combined_text(Unit& unit, Op combine, const ir::Function* function, DType dtype, std::string_view a, std::string_view b);
Combined scalar_combination(Unit& unit, Op combine, const ir::Function* function, DType dtype);

/// Returns the first part of the name of a fold's function, without size and type: the name of the function or operation that combines.
std::string fold_name(const FoldForm& form);
/// Returns the name of a scan of single elements.
std::string scan_name(const ScanForm& form, std::string_view stored);

/// Returns the definition of a function for Dialect::fold. `stored` is the type of a stored value, of any number of lanes, each of which is
/// folded separately; `result` is the type of the result.
std::string fold_text(Unit& unit, const FoldForm& form, const std::string& name, const std::string& stored, const std::string& result,
                      const Combined& combined);
/// Returns the definition of a function for Dialect::scan over single elements.
std::string scan_text(Unit& unit, const ScanForm& form, const std::string& name, const Combined& combined);

}  // namespace harp::render
