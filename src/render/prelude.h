// The fixed pieces of every generated unit: types, the run time's interface, floating-point environment, calling kernels.
#pragma once

#include <string_view>

namespace harp::render {

/// Integer types and the run time's struct; the same layout as harp_runtime of harp.h (tests/render_test.cpp compares them).
extern const std::string_view kRuntimeText;
/// harp_enter and harp_leave: the default floating-point environment around kernels.
extern const std::string_view kEnvironmentText;
/// harp_run_pieces: iterations of a kernel, in pieces between which a run can be cancelled. The others use it.
extern const std::string_view kPiecesText;
/// harp_for: a kernel's iterations, on several workers when that pays: when there are harp_share of work or more.
extern const std::string_view kForText;
