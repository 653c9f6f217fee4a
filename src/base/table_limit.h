// Access to the time limit of a compilation. All nodes, size expressions and loops of a compilation refer to one SymTable, so the table
// stores the limit. Code that creates a node, a size expression or a loop calls check_time(). Long loops that create nothing call it too.
#pragma once

#include <string_view>

#include "base/symbolic.h"
#include "base/time_limit.h"

namespace harp {

/// Sets the time limit of the compilation that the table belongs to; null removes the limit.
void set_limit(SymTable& table, TimeLimit* limit);
/// Records that a step of the work begins; the timeout message names the step. Throws if the compilation is out of time or cancelled
/// (TimeLimit::check()).
void enter_step(SymTable& table, std::string_view step);
/// Throws if the compilation is out of time or cancelled (TimeLimit::check()). Only one call in 64 reads the clock.
void check_time(SymTable& table);

}  // namespace harp
