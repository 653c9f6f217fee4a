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
/// harp_run_chain: kernels in turn for each block, for harp_for.
extern const std::string_view kChainText;
/// harp_for_least: a kernel's iterations, in portions of no fewer than a number.
extern const std::string_view kForLeastText;
/// harp_run_together: kernels of one generation, likewise.
extern const std::string_view kTogetherText;
/// harp_clear_faults and harp_first_fault: which index that names no element a run reports.
extern const std::string_view kFaultText;
/// The end of a kernel that stores past the caches.
extern const std::string_view kStreamedText;
/// harp_allocate and harp_release: the workspace.
extern const std::string_view kWorkspaceText;

}  // namespace harp::render
