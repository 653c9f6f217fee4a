// Writes the bodies of kernels and of math functions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "render/kernel/sizes.h"
#include "render/kernel/unit.h"

namespace harp::render {

struct Body {
  std::string text;
  UsedSizes sizes;
};

/// Writes the body of a math function. Its values have `lanes` lanes, and its parameters have the names `parameters`. With
/// `holds_constants`, float constants are kept in registers.
Body render_function_body(Unit& unit, const ir::Function& function, int lanes, std::vector<std::string> parameters, bool holds_constants);
/// Writes the body of a function that evaluates a math function for two vectors, with interleaved statements. It stores the results to *r0
/// and *r1. Names of parameters and values end in the number of the vector, 0 or 1.
Body render_function_of_two(Unit& unit, const ir::Function& function, int lanes, const std::vector<std::string>& parameters,
                            bool holds_constants);
/// Writes the body of a kernel. `shape_name` returns the name of a shape variable in the text.
Body render_kernel_body(Unit& unit, const ir::Module& module, const ir::Kernel& kernel,
                        const std::function<std::string(const SymAtom*)>& shape_name);

}  // namespace harp::render
