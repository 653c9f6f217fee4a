// The lines of a kernel or a math function as C statements.
#pragma once

#include <set>
#include <span>
#include <string>

#include "render/expression.h"

namespace harp::render {

struct Body {
  std::string text;
  std::set<const SymAtom*> shape_variables;  // those it mentions
};

/// Body of a math function over `lanes` lanes; parameters are called as given. Constants are Unit::held or as they are.
Body render_function_body(Unit& unit, const ir::Function& function, int lanes, std::vector<std::string> parameters, bool holds_constants);
/// The same of two vectors, line by line in turn; results go to *r0 and *r1. Parameters and values end in the number of the vector.
Body render_function_of_two(Unit& unit, const ir::Function& function, int lanes, const std::vector<std::string>& parameters,
                            bool holds_constants);
/// Body of a kernel. `shape_names` are the names of shape variables in it.
Body render_kernel_body(Unit& unit, const ir::Module& module, const ir::Kernel& kernel,
                        const std::function<std::string(const SymAtom*)>& shape_name);

}  // namespace harp::render
