// Writes the two functions that a generated source exports, entry_point and entry_point_ex. They get or allocate the workspace, set the
// floating-point environment, call kernel_main, and convert a failure to a status. This file also finds the fault records in the workspace,
// in which workers record an index out of range.
#pragma once

#include <string>

#include "ir/ir.h"
#include "render/kernel/position.h"

namespace harp::render {

/// The properties of the source on which the text of the entry points depends.
struct EntryPoints {
  // whether kernel_main receives inputs and outputs as arrays of pointers, as it does if the source has a launch table (launch_table.h)
  bool table;
  bool workspace;      // whether kernel_main has a parameter for the workspace
  bool failing_calls;  // whether kernel_main returns a status, because some call in it may fail
  bool polls;          // whether some code in the source tests the cancel flag
};
std::string entry_points(const ir::Module& module, const Positions& host, const EntryPoints& has);

/// Returns a C expression for the address of the first worker's fault record.
std::string faults_text(const ir::Module& module, const Positions& host);
/// Returns a C expression that is true if any worker has recorded a fault.
std::string first_fault_text(const ir::Module& module, const Positions& host);

}  // namespace harp::render
