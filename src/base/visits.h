// A measure of the work of a compilation that does not depend on the clock or the machine: the number of nodes visited by traversals of
// graphs, plus the number of size expressions built. All graphs of a compilation share one table of sizes, which holds the count. Tests
// check that it grows in proportion to the graph.
#pragma once

#include <cstdint>

#include "base/symbolic.h"

namespace harp {

void count_visits(const SymTable& table, uint64_t visits);
uint64_t visits(const SymTable& table);

}  // namespace harp
