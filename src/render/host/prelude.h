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
/// harp_has_workers tests whether there is more than one worker; harp_share is the least work, in units of half a nanosecond, for which it
/// pays to use one more worker. The functions below use both.
std::string workers_text(int64_t share);
/// harp_run_pieces: runs the iterations of a kernel in pieces, and polls the cancel flag before each piece. harp_for and harp_for_least use
/// it.
extern const std::string_view kPiecesText;
/// harp_for: runs the iterations of a kernel, on several workers if there is at least harp_share of work.
extern const std::string_view kForText;
/// harp_run_chain: runs all kernels of a chain on one block, then on the next block. harp_for calls it like the body of a loop over the
/// blocks.
extern const std::string_view kChainText;
/// harp_for_least: like harp_for, but a worker never gets fewer than a minimum number of iterations.
extern const std::string_view kForLeastText;
/// harp_run_together: runs the kernels of one generation concurrently, on several workers if that pays.
extern const std::string_view kTogetherText;
/// harp_clear_faults and harp_first_fault: determine which out-of-range index a run reports.
extern const std::string_view kFaultText;
/// harp_allocate and harp_release: allocate and free the workspace.
extern const std::string_view kWorkspaceText;

/// harp_native_failed: stores which native call failed, and its status, in a failure record. In the runtime's array of native functions,
/// the address of that record follows the addresses of the functions.
std::string native_failed_text(size_t natives);

}  // namespace harp::render
