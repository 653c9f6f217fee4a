// The machine row that a test is about. Tests that expect a schedule or generated text name their row: row("x86-64-v4"). All others are
// about machine(): the row that HARP_MACHINE names, by default that of this CPU. On a row that this CPU cannot run they check text,
// schedules and compilation; what would have to run code counts as skipped.
#pragma once

#include <stdexcept>
#include <string_view>
#include <vector>

#include "base/target.h"
#include "base/text.h"
#include "skip.h"

namespace harp::testing {

/// The row called `name`. Every build knows all rows.
inline Target row(std::string_view name) {
  const std::optional<Target> target = target_from_name(name);
  if (!target) throw std::invalid_argument(cat("there is no machine row ", name));
  return *target;
}

/// The row of tests that name none.
inline Target machine() { return machine_name() != nullptr ? row(machine_name()) : host_target(); }

/// All rows of tests that hold on every machine; those of other architectures, too.
inline std::vector<Target> all_rows() {
  std::vector<Target> rows(targets().begin(), targets().end());
  rows.insert(rows.end(), foreign_targets().begin(), foreign_targets().end());
  return rows;
}

/// Ends the test case where the compilers of this machine make no code for `target`.
inline void must_compile(const Target& target) {
  for (const Target& native : targets())
    if (native == target) return;
  throw Skip{cat("the compilers here make no code for ", target.name)};
}

/// Ends the test case where this CPU cannot run code for `target`.
inline void must_run(const Target& target) {
  if (!can_run(target)) throw Skip{cat("this CPU cannot run ", target.name)};
}

/// Counts the test case as skipped where this CPU cannot run code for machine(). It goes on: what it does is then compiled only.
inline void note_what_cannot_run() {
  if (!can_run(machine())) note_skip(cat("this CPU cannot run ", machine().name, ": compiled only"));
}

}  // namespace harp::testing
