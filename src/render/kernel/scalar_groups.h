// Folds and scans of a few values in memory, element by element: the texts of functions that every dialect can use.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "render/kernel/unit.h"

namespace harp::render {

/// Writes the combination of two values.
using Combined = std::function<std::string(std::string_view a, std::string_view b)>;

/// The combination of two values of one element by a function of the IR, or if that is null by an operator (Add or Mul).
std::string combined_text(Unit& unit, Op combine, const ir::Function* function, DType dtype, std::string_view a, std::string_view b);
Combined scalar_combination(Unit& unit, Op combine, const ir::Function* function, DType dtype);

/// The name of a fold, without its size and type: of the function or of the operation.
std::string fold_name(const FoldForm& form);
/// The name of a scan of single elements.
std::string scan_name(const ScanForm& form, std::string_view stored);

/// The definition of Dialect::fold for stored values of any number of lanes, each of which is folded by itself: the type of a stored value,
/// and the type and number of the results.
std::string fold_text(Unit& unit, const FoldForm& form, const std::string& name, const std::string& stored, const std::string& result,
                      const Combined& combined);
/// The definition of Dialect::scan for single elements.
std::string scan_text(Unit& unit, const ScanForm& form, const std::string& name, const Combined& combined);

}  // namespace harp::render
