// TEST ONLY. Watches every memory access of emulated kernels (tests/cuda/emulator/runtime.h with HARP_EMULATOR_WATCHED). With
// -fsanitize=thread gcc inserts a function call before each access. accesses.cpp defines these functions, in place of ThreadSanitizer's
// library.
//
// It finds accesses outside of the arrays, reads of memory that nothing has written, and races: two threads access a byte, one of them
// writes it, and nothing orders the accesses. A barrier orders accesses of threads of a block, an exchange those of a warp; nothing orders
// blocks of a launch, or launches that the plan does not order. Atomic operations of two threads are no race, but an atomic operation and
// another access are.
//
// It counts, for each launch and array, the requests of warps, the bytes that the lanes ask for and the 32-byte sectors that contain them;
// for shared memory it counts the passes over its 32 banks. A request consists of the accesses of a warp's lanes when each lane executes
// the same load or store for the k-th time.
//
// The accesses are those of the code that g++ -O1 makes of the kernel. nvcc may remove, merge or repeat some. Caches are not emulated.
#pragma once

#include <stddef.h>
#include <stdint.h>

extern "C" {

// Functions that the emulator calls.

/// A block of this many threads begins.
void harp_watch_block(unsigned threads, const void* dynamic_shared, size_t dynamic_bytes, const void* shared_begin, const void* shared_end);
void harp_watch_block_end();
/// From now on, the emulator runs the thread with this number, on this stack.
void harp_watch_thread(unsigned number, const void* stack, size_t bytes);
/// The thread has passed a barrier of its block, or an exchange of its warp.
void harp_watch_barrier(unsigned number);
void harp_watch_exchange(unsigned number);

// Functions for the program that runs a launch plan. They are exported. Only one plan can run at a time.

/// Counts of the accesses of the warps of a launch to an array. `least_sectors` is the sum, over all requests, of the smallest number of
/// sectors that can contain the request's bytes.
struct HarpWatchCounts {
  uint64_t requests, bytes, sectors, least_sectors, distinct_bytes, widest;
};
/// `passes` counts the passes over the banks of shared memory; `least_passes` is what this number would be without bank conflicts.
struct HarpWatchShared {
  uint64_t requests, passes, least_passes;
};

/// Forgets everything.
void harp_watch_reset(int counts);
/// Adds an array and returns its index. Accesses are recorded for units of `cell` bytes, the cells. `is_written` tells whether the array
/// already has contents. An array with the name "" may be accessed, but its accesses are not recorded.
int harp_watch_array(const char* name, const void* begin, size_t bytes, size_t cell, int is_written);
/// A launch begins.
void harp_watch_launch(int step);
/// The launch is over.
void harp_watch_launch_end();
/// Returns a description of the first mistake since the reset, or NULL.
const char* harp_watch_error();
/// Returns a description of a race between two launches that may run at the same time, or NULL.
const char* harp_watch_conflict(int step, int other);
/// Returns 1 + the highest index, within its block, of a thread that stored something in this launch; 0 if no thread did.
unsigned harp_watch_writers(int step);
void harp_watch_counts(int step, int array, int writes, HarpWatchCounts* counts);
void harp_watch_shared(int step, HarpWatchShared* counts);
}
