// The constant tables of a function as the rows of one array: `erf_tables[3][i]` instead of `erf_3[i]`. Tables that are looked up at the same
// index then share the computation of an address, which otherwise is a large part of a function's instructions.
#pragma once

#include "ir/ir.h"
#include "render/kernel/unit.h"

namespace harp::render {

/// Defines the arrays for the tables of the function. Tables of one dtype and size, if there are several, become one array.
void join_tables(Unit& unit, const ir::Function& function);

}  // namespace harp::render
