// Access to the time limit of a compilation. All nodes, size expressions and loops of a compilation refer to one SymTable, so the table
// holds the limit. Code that creates any of these calls check_time(), and so does every long loop that creates none.
#pragma once

#include <string_view>

#include "base/symbolic.h"
#include "base/time_limit.h"

namespace harp {

/// Sets the limit of the table's compilation; null removes it.
void set_limit(SymTable& table, TimeLimit* limit);
/// Records that a step of the work begins; the timeout message names the step. Throws as TimeLimit::check() does.
void enter_step(SymTable& table, std::string_view step);
/// Throws as TimeLimit::check() does; only one call in 64 reads the clock.
void check_time(SymTable& table);

}  // namespace harp
