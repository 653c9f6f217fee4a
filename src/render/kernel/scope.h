// The context in which a line of a kernel or of a math function is written: the unit (the generated source), the kernel, and the names that
// are visible there.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "render/kernel/layouts.h"
#include "render/kernel/position.h"
#include "render/kernel/unit.h"
#include "render/text/names.h"

namespace harp::render {

/// What is being written: a kernel, or a math function of vectors of some number of lanes.
struct Subject {
  const ir::Kernel* kernel = nullptr;        // null: a math function is being written
  ir::Arena* arena = nullptr;                // the arena of the kernel's module
  int lanes = 1;                             // number of lanes of every value in a math function
  bool holds_constants = false;              // whether a math function keeps its float constants in registers
  std::vector<std::string> parameters = {};  // names of the buffers of a kernel, or of the parameters of a function
  std::vector<AccumulatorLayout> accumulators = {};
};

struct Scope {
  /// `shape_name` returns the name of a shape variable.
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
  std::set<const SymAtom*> shape_variables;  // shape variables that occur in the text so far
  const Positions position;
  // If each thread of a block executes one iteration of a group loop (GroupEntries): the number of threads of a group, and of groups of a
  // block. 0: a group loop is an ordinary loop.
  const int64_t group_threads, groups;
  std::optional<Sym> thread;  // the variable of the innermost group loop
};

}  // namespace harp::render
