// Writes the two functions that a generated source exports. They locate or allocate the workspace, set the floating-point environment, call
// kernel_main, and convert a failure to a status. This file also locates the fault records (of out-of-range indices) in the workspace.
#pragma once

#include <string>

#include "ir/ir.h"
#include "render/kernel/position.h"

namespace harp::render {

/// What the entry points must know about the rest of the source.
struct EntryPoints {
  bool table;          // kernel_main receives inputs and outputs as arrays of pointers, because the source has a launch table
  bool workspace;      // kernel_main receives a workspace
  bool failing_calls;  // kernel_main returns a status
  bool polls;          // some code polls the cancel flag
};
std::string entry_points(const ir::Module& module, const Positions& host, const EntryPoints& has);

/// Returns a C expression: the address of the first worker's fault record.
std::string faults_text(const ir::Module& module, const Positions& host);
/// Returns a C expression that is true if a worker has recorded a fault.
std::string first_fault_text(const ir::Module& module, const Positions& host);

}  // namespace harp::render
