// The two functions a unit exports: they find or make the workspace, set the floating-point environment, call kernel_main, and turn what
// went wrong into a status. And where in the workspace it stands that an index was wrong.
#pragma once

#include <string>

#include "ir/ir.h"
#include "render/position.h"

namespace harp::render {

/// What the rest of the unit is like.
struct EntryPoints {
  bool table;          // kernel_main takes the arrays as they come, for its launch table
  bool workspace;      // kernel_main takes one
  bool failing_calls;  // kernel_main returns a status
  bool looks;          // something in it looks whether the run was cancelled
};
std::string entry_points(const ir::Module& module, const Positions& host, const EntryPoints& has);

/// Of each worker's fault record, from where its scratch memory begins.
Sym fault_offset(const ir::Module& module);
/// C: where the first worker's fault record is.
std::string faults_text(const ir::Module& module, const Positions& host);
/// C: whether some worker has met a fault.
std::string first_fault_text(const ir::Module& module, const Positions& host);

}  // namespace harp::render
