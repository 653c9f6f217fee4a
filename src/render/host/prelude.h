// The fixed parts of every generated source: types, the runtime's interface, the floating-point environment, and the functions that call
// kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace harp::render {

/// Integer types and the runtime struct, with the layout of harp_runtime of harp.h (tests/render/render_test.cpp compares them).
extern const std::string_view kRuntimeText;
/// harp_enter and harp_leave: set and restore the floating-point environment around kernels.
extern const std::string_view kEnvironmentText;
/// harp_has_workers tests whether there is more than one worker; harp_share is the work, in half nanoseconds, that is worth another worker.
/// The functions below use both.
std::string workers_text(int64_t share);
/// harp_run_pieces: runs the iterations of a kernel in pieces, and polls the cancel flag before each piece. harp_for and harp_for_least use
/// it.
extern const std::string_view kPiecesText;
/// harp_for: runs the iterations of a kernel, on several workers if there is at least harp_share of work.
extern const std::string_view kForText;
/// harp_run_chain: for each block runs the kernels of a chain one after the other; it is called as a body by harp_for.
extern const std::string_view kChainText;
/// harp_for_least: like harp_for, but a worker never gets fewer than a minimum number of iterations.
extern const std::string_view kForLeastText;
/// harp_run_together: runs the kernels of one generation concurrently, on several workers if that pays.
extern const std::string_view kTogetherText;
/// harp_clear_faults and harp_first_fault: determine which out-of-range index a run reports.
extern const std::string_view kFaultText;
/// harp_allocate and harp_release: allocate and free the workspace.
extern const std::string_view kWorkspaceText;

/// harp_native_failed: records which native call failed. The array of native functions holds the address of the record after their own
/// addresses.
std::string native_failed_text(size_t natives);

}  // namespace harp::render
