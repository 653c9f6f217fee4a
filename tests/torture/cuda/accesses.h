// TEST ONLY. Watches every access to memory of emulated kernels (tests/cuda/emulator/runtime.h with HARP_EMULATOR_WATCHED). With
// -fsanitize=thread gcc puts a call before each access; accesses.cpp is what these calls go to, instead of ThreadSanitizer's library.
//
// It finds accesses outside of the arrays, reads of memory that nothing has written, and races: two threads access a byte, one of them
// writes, and no barrier (in a warp: no exchange) orders them; blocks of a launch, and launches that the plan does not order, likewise.
// It counts, for each launch and array, requests of warps, the bytes that the lanes ask for and the 32-byte sectors that hold them; in
// shared memory the passes over its 32 banks. A request is what the lanes of a warp do when each executes one load or store the k-th time.
//
// The accesses are those of the code that g++ -O1 makes of the kernel. nvcc may remove, merge or repeat some, and caches are not emulated.
#pragma once

#include <stddef.h>
#include <stdint.h>

extern "C" {

// For the emulator.

/// A block of this many threads begins.
void harp_watch_block(unsigned threads, const void* dynamic_shared, size_t dynamic_bytes, const void* shared_begin, const void* shared_end);
void harp_watch_block_end();
/// This thread runs from now on, on this stack.
void harp_watch_thread(unsigned number, const void* stack, size_t bytes);
/// The thread has passed a barrier; an exchange within its warp.
void harp_watch_barrier(unsigned number);
void harp_watch_exchange(unsigned number);

// For the program that runs a plan. Functions are exported; one plan at a time.

/// What the warps of a launch did with an array. `least_sectors` adds, for each request, the sectors that its bytes fill at least.
struct HarpWatchCounts {
  uint64_t requests, bytes, sectors, least_sectors, distinct_bytes, widest;
};
/// `passes` are over the banks of shared memory; `least_passes` are those without a conflict.
struct HarpWatchShared {
  uint64_t requests, passes, least_passes;
};

/// Forgets everything.
void harp_watch_reset(int counts);
/// Adds an array and returns its number. Bytes are told apart by `cell`s. `is_written`: it has a content. With the name "" accesses are not
/// watched, but allowed.
int harp_watch_array(const char* name, const void* begin, size_t bytes, size_t cell, int is_written);
/// A launch begins.
void harp_watch_launch(int step);
/// The launch is over.
void harp_watch_launch_end();
/// What is wrong: the first mistake since the reset, or NULL.
const char* harp_watch_error();
/// The race between two launches that may run at the same time, or NULL.
const char* harp_watch_conflict(int step, int other);
/// 1 + the highest number of a thread that stored something in this launch, in its block; 0: none did.
unsigned harp_watch_writers(int step);
void harp_watch_counts(int step, int array, int writes, HarpWatchCounts* counts);
void harp_watch_shared(int step, HarpWatchShared* counts);
}
