// Writes generated functions that fold an accumulator, that is, reduce all its elements to one. render/kernel/dialect.h describes their
// parameters (Dialect::fold and Dialect::fold_two).
#pragma once

#include <string>

#include "render/c/vectors.h"

namespace harp::render {

std::string fold_function(Unit& unit, const FoldForm& form, bool each_lane);
std::string fold_two_function(Unit& unit, const FoldForm& form);

}  // namespace harp::render
