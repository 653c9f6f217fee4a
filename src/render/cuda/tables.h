// Joins the constant tables of a function to one array, whose rows they become: `erf_tables[3][i]` instead of `erf_3[i]`. If several tables
// are looked up at the same index, they then share the computation of an address, which otherwise is a large part of a function's
// instructions.
#pragma once

#include "ir/ir.h"
#include "render/kernel/unit.h"

namespace harp::render {

/// Defines an array for each group of two or more tables of the function that have the same dtype and size. The tables are its rows.
void join_tables(Unit& unit, const ir::Function& function);

}  // namespace harp::render
