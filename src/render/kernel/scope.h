// Describes the context in which a line of a kernel or of a math function is written: the unit (the generated source), the kernel, and the
// names that are visible at this line.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "render/kernel/layouts.h"
#include "render/kernel/position.h"
#include "render/kernel/sizes.h"
#include "render/kernel/unit.h"
#include "render/text/names.h"

namespace harp::render {

/// The kernel or math function that is being written. A math function is written for values with a certain number of lanes.
struct Subject {
  const ir::Kernel* kernel = nullptr;        // null if a math function is being written
  ir::Arena* arena = nullptr;                // arena of the kernel's module
  int lanes = 1;                             // in a math function, the number of lanes of every value
  bool holds_constants = false;              // in a math function, whether float constants are kept in registers
  std::vector<std::string> parameters = {};  // names of a kernel's buffers, or of a math function's parameters
  std::vector<AccumulatorLayout> accumulators = {};
};

struct Scope {
  /// `shape_name` returns the name of a shape variable in the text.
  Scope(Unit& the_unit, Subject the_subject, std::function<std::string(const SymAtom*)> shape_name);
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  const ir::Accumulator& accumulator(int i) const { return subject.kernel->accumulators[static_cast<size_t>(i)]; }
  const AccumulatorLayout& layout(int accumulator) const { return subject.accumulators[static_cast<size_t>(accumulator)]; }
  const ir::Param& parameter(int buffer) const { return subject.kernel->params[static_cast<size_t>(buffer)]; }
  const std::string& name_of_parameter(int buffer) const { return subject.parameters[static_cast<size_t>(buffer)]; }

  Unit& unit;
  const Subject subject;
  Names names;
  Sizes sizes;
  const Positions position;
  // If each thread executes one iteration of a group loop (GroupEntries): the number of threads in a group, and the number of groups in a
  // block. Both are 0 if a group loop is an ordinary loop.
  const int64_t group_threads, groups;
  std::optional<Sym> thread;  // variable of the innermost group loop, if one is open
};

}  // namespace harp::render
