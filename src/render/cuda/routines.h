// The statements of kernels that are a phase of a routine (schedule/grid_routine.h), and the functions of the unit that they call. All
// threads of a block call such a function together; its text has the barriers.
#pragma once

#include <string>
#include <string_view>

#include "render/kernel/scope.h"

namespace harp::render {

/// The parameter of a kernel with the number of its phase, if one function of the unit serves several phases.
inline constexpr std::string_view kRoutinePhase = "routine_phase";

/// A phase of Sort or ArgSort. (sort.cpp)
std::string sort_phase_call(const Scope& scope, const ir::Routine& routine);
/// A phase of Dft. (fourier.cpp)
std::string transform_phase_call(const Scope& scope, const ir::Routine& routine);

}  // namespace harp::render
