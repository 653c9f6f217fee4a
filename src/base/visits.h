// A measure of the work of a compilation that does not depend on the clock or the machine: the number of nodes, buffers and IR values that
// are visited or created, plus the number of terms of the size expressions built. All graphs of a compilation share one SymTable, which
// stores the count. Tests check that the count grows in proportion to the size of the graph.
#pragma once

#include <cstdint>

#include "base/symbolic.h"

namespace harp {

void count_visits(const SymTable& table, uint64_t visits);
uint64_t visits(const SymTable& table);

}  // namespace harp
