// The two functions that a unit exports. They locate or allocate the workspace, set the floating-point environment, call kernel_main, and
// convert a failure to a status. Also: the location of the index-fault records in the workspace.
#pragma once

#include <string>

#include "ir/ir.h"
#include "render/kernel/position.h"

namespace harp::render {

/// Properties of the rest of the unit.
struct EntryPoints {
  bool table;          // kernel_main takes the arrays of pointers, for its launch table
  bool workspace;      // kernel_main takes a workspace
  bool failing_calls;  // kernel_main returns a status
  bool polls;          // some code polls the cancel flag
};
std::string entry_points(const ir::Module& module, const Positions& host, const EntryPoints& has);

/// Returns a C expression: the address of the first worker's fault record.
std::string faults_text(const ir::Module& module, const Positions& host);
/// Returns a C expression that is true if some worker has met a fault.
std::string first_fault_text(const ir::Module& module, const Positions& host);

}  // namespace harp::render
