// Contains the fixed parts of generated sources: types, the runtime's interface, the floating-point environment, and the functions that
// call kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace harp::render {

/// The definitions of the integer types, and of the runtime struct with the layout of harp_runtime in harp.h (tests/render/render_test.cpp
/// compares the two layouts).
extern const std::string_view kRuntimeText;
/// The definitions of harp_enter and harp_leave, which set and restore the floating-point environment around kernels.
extern const std::string_view kEnvironmentText;
/// Returns the definitions of harp_has_workers and harp_share, which the functions below use. harp_has_workers tests whether there is more
/// than one worker. harp_share is the least work, in picoseconds, for which one more worker saves time.
std::string workers_text(int64_t share);
/// The definition of harp_run_pieces, which runs the iterations of a kernel in pieces and tests the cancel flag before each piece. harp_for
/// and harp_for_least call it.
extern const std::string_view kPiecesText;
/// The definition of harp_for, which runs the iterations of a kernel. It uses several workers if the work is at least 2 * harp_share, that
/// is, enough for two workers.
extern const std::string_view kForText;
/// The definition of harp_run_chain, which runs all kernels of a chain on one block of data, then all of them on the next block. A loop
/// over the blocks is run by harp_for, which calls harp_run_chain as the loop's body.
extern const std::string_view kChainText;
/// The definition of harp_for_least, which does what harp_for does, but gives each worker at least a minimum number of iterations.
extern const std::string_view kForLeastText;
/// The definition of harp_run_together, which runs the kernels of one generation (kernels that do not depend on each other) concurrently,
/// on several workers if that saves time.
extern const std::string_view kTogetherText;
/// The definitions of harp_clear_faults, which clears the workers' fault records, and of harp_first_fault, which finds the index out of
/// range that a run reports.
extern const std::string_view kFaultText;
/// The definitions of harp_allocate and harp_release, which allocate and free the workspace.
extern const std::string_view kWorkspaceText;

/// Returns the text of harp_native_failed, which stores the number of the failed native call and its status in a failure record. The array
/// harp_runtime::natives contains the addresses of the `natives` native functions, followed by the address of the failure record.
std::string native_failed_text(size_t natives);

}  // namespace harp::render
