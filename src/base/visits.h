// How much work a compile does, as a number that no clock and no machine changes: the nodes its walks visit and the size expressions it
// builds. Every graph of a compile shares one table of sizes, which keeps the count; tests see that it grows as the graph does.
#pragma once

#include <cstdint>

#include "base/symbolic.h"

namespace harp {

void count_visits(const SymTable& table, uint64_t visits);
uint64_t visits(const SymTable& table);

}  // namespace harp
