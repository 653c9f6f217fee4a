// Chooses the target of a test, as an entry (row) of the machine table (base/machine.h). Tests that expect a certain schedule or certain
// generated text name their row: row("x86-64-v4"). All other tests use machine(): the row that HARP_MACHINE names, by default the row of
// this CPU. If this CPU cannot run code for that row, these tests check text, schedules and compilation, and tests that would run code
// count as skipped.
#pragma once

#include <stdexcept>
#include <string_view>
#include <vector>

#include "base/machine.h"
#include "base/text.h"
#include "support/skip.h"

namespace harp::testing {

/// The row of the machine table with this name. Every build of harp contains all rows.
inline Machine row(std::string_view name) {
  const std::optional<Machine> target = machine_from_name(name);
  if (!target) throw std::invalid_argument(cat("there is no machine row ", name));
  return *target;
}

/// The row of the machine table for tests that do not name one.
inline Machine machine() { return machine_name() != nullptr ? row(machine_name()) : host_machine(); }

/// All rows of the machine table, including those of other architectures, for tests that do not depend on the machine.
inline std::vector<Machine> all_rows() {
  std::vector<Machine> rows(machines().begin(), machines().end());
  rows.insert(rows.end(), foreign_machines().begin(), foreign_machines().end());
  return rows;
}

/// Ends the test case if no compiler on this machine generates code for `target`.
inline void must_compile(const Machine& target) {
  for (const Machine& native : machines())
    if (native == target) return;
  throw Skip{cat("the compilers here make no code for ", target.name)};
}

/// Ends the test case if this CPU cannot run code for `target`.
inline void must_run(const Machine& target) {
  if (!can_run(target)) throw Skip{cat("this CPU cannot run ", target.name)};
}

/// Counts the test case as skipped if this CPU cannot run code for machine(). The test case continues, but only compiles.
inline void note_what_cannot_run() {
  if (!can_run(machine())) note_skip(cat("this CPU cannot run ", machine().name, ": compiled only"));
}

}  // namespace harp::testing
