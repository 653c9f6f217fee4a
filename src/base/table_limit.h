// Access to the time limit of a compilation. Nodes of graphs, size expressions and loops all belong to one SymTable, so the table holds the
// limit. Code that creates one of these calls check_time(), and so does a long loop that creates none.
#pragma once

#include <string_view>

#include "base/symbolic.h"
#include "base/time_limit.h"

namespace harp {

/// Null removes the limit.
void set_limit(SymTable& table, TimeLimit* limit);
/// Records that a step of the work begins; the timeout message names the step. Throws as TimeLimit::check() does.
void enter_step(SymTable& table, std::string_view step);
/// Throws as TimeLimit::check() does; only one call in 64 reads the clock.
void check_time(SymTable& table);

}  // namespace harp
