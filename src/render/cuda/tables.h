// Joins the constant tables of a function to one array, whose rows they become: `erf_tables[3][i]` instead of `erf_3[i]`. If several tables
// are looked up at the same index, they then share the computation of an address, which otherwise is a large part of a function's
// instructions.
#pragma once

#include "ir/ir.h"
#include "render/kernel/unit.h"

namespace harp::render {

/// Defines the arrays for the tables of the function. If there are several tables with the same dtype and size, they become one array.
void join_tables(Unit& unit, const ir::Function& function);

}  // namespace harp::render
