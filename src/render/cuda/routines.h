// Writes the statements of those kernels that execute one phase of a routine on a GPU (schedule/grid_routine.h): sort, argsort or Fourier
// transform. The statements call generated functions. All threads of a block call such a function together; the function contains the
// barriers.
#pragma once

#include <string>
#include <string_view>

#include "render/kernel/scope.h"

namespace harp::render {

/// Name of a kernel parameter: the number of the phase, if one generated function serves several phases.
inline constexpr std::string_view kRoutinePhase = "routine_phase";

/// Returns the statement that executes a phase of Sort or ArgSort. (sort.cpp)
std::string sort_phase_call(const Scope& scope, const ir::Routine& routine);
/// Returns the statement that executes a phase of Dft. (fourier.cpp)
std::string transform_phase_call(const Scope& scope, const ir::Routine& routine);

}  // namespace harp::render
