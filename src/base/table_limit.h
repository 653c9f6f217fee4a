// The time limit of a compilation, where all that it makes meets it: nodes of graphs, expressions and loops belong to one table of
// positions. What makes something calls check_time(), and so does a loop that makes nothing for long.
#pragma once

#include <string_view>

#include "base/symbolic.h"
#include "base/time_limit.h"

namespace harp {

/// Null: there is none.
void set_limit(SymTable& table, TimeLimit* limit);
/// The step of the work that begins, for the message. Throws as TimeLimit::check() does.
void enter_step(SymTable& table, std::string_view step);
/// Throws likewise; only some calls look at the clock.
void check_time(SymTable& table);

}  // namespace harp
