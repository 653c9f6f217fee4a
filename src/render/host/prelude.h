// The fixed parts of generated sources: types, the runtime's interface, the floating-point environment, and the functions that call
// kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace harp::render {

/// The integer types, and the runtime struct with the layout of harp_runtime in harp.h (tests/render/render_test.cpp compares the two).
extern const std::string_view kRuntimeText;
/// harp_enter and harp_leave, which set and restore the floating-point environment around kernels.
extern const std::string_view kEnvironmentText;
/// Returns the text of harp_has_workers and harp_share, which the functions below use. harp_has_workers tests whether there is more than
/// one worker. harp_share is the least work for which one more worker saves time, in units of half a nanosecond.
std::string workers_text(int64_t share);
/// harp_run_pieces, which runs the iterations of a kernel in pieces and tests the cancel flag before each piece. harp_for and
/// harp_for_least call it.
extern const std::string_view kPiecesText;
/// harp_for, which runs the iterations of a kernel. It uses several workers if the work is more than harp_share.
extern const std::string_view kForText;
/// harp_run_chain, which runs all kernels of a chain on one block of data, then all of them on the next block. For harp_for it is the body
/// of a loop over the blocks.
extern const std::string_view kChainText;
/// harp_for_least, which is like harp_for, but gives each worker at least a minimum number of iterations.
extern const std::string_view kForLeastText;
/// harp_run_together, which runs the kernels of one generation concurrently. It uses several workers if that saves time.
extern const std::string_view kTogetherText;
/// harp_clear_faults and harp_first_fault. They clear the workers' fault records, and find the index out of range that a run reports.
extern const std::string_view kFaultText;
/// harp_allocate and harp_release, which allocate and free the workspace.
extern const std::string_view kWorkspaceText;

/// Returns the text of harp_native_failed, which stores the number of the failed native call and its status in a failure record. In
/// the runtime's array the addresses of the `natives` native functions come first, and the address of the failure record follows them.
std::string native_failed_text(size_t natives);

}  // namespace harp::render
