// Declares the functions with which tests control the fake CUDA driver and ask it what has happened. The library exports them; Driver
// (fake_cuda.h) finds them by name. The fake computes on the CPU: a "cubin" is a shared object of kernels that the emulator's header made
// runnable.
//
// Where CUDA permits several behaviours, the fake has the one that reveals most mistakes. Work on a stream runs only when something waits
// for it. Device memory can be accessed only while a kernel or a copy of the driver runs, so that code on the CPU crashes if it uses a
// device address as its own. New memory and freed memory contain NaNs. A write beyond an allocation is noticed when the allocation is
// freed.
#pragma once

#include <cstddef>

extern "C" {

/// Makes the `nth` future call of the driver function `name` return the CUresult `status`. Calls are counted from 1; with 0 no call fails.
/// `name` has no version suffix, for example "cuMemAlloc", not "cuMemAlloc_v2". A function that releases something releases it even if it
/// returns the error, as the real driver does when it reports an earlier error.
void fake_cuda_fail(const char* name, int nth, int status);
/// Returns the number of calls of the function so far.
int fake_cuda_calls(const char* name);
/// Returns the names of all functions of the driver, each followed by a newline.
const char* fake_cuda_functions();
/// Describes the machine. Call it before cuInit. Parameters: the number of devices, their compute capability (90 means 9.0), the driver's
/// version (13000 means 13.0), and whether there are memory pools.
void fake_cuda_set_machine(int devices, int capability, int driver_version, int has_pools);
/// Sets the compute capability of one device.
void fake_cuda_set_capability(int device, int capability);
/// Sets the number of multiprocessors of one device; the default is 4.
void fake_cuda_set_processors(int device, int processors);
/// Sets the memory of each device, in bytes.
void fake_cuda_set_memory(size_t bytes);
/// Chooses the order of work where CUDA leaves it open. Bits 0 and 1 are the emulator's order of threads (0, 1, 2). Bit 2: a wait for one
/// stream first runs the work of all other streams. Bit 3: freed memory is given out again at once, in the order of the stream. Bit 4:
/// nodes of a graph run as late as their edges allow, in the opposite of the order in which they were added.
void fake_cuda_set_order(int order);
/// Returns the number of copies, launches and other operations that have been enqueued on any stream but have not run yet.
size_t fake_cuda_pending();
/// Returns a list of what has not been released yet, for example "2 allocations, 1 stream"; "" if everything has been released.
const char* fake_cuda_live();
/// Returns a new context of a device, as cuCtxCreate makes one. It exists until fake_cuda_reset.
void* fake_cuda_new_context(int device);
/// Tests whether a live allocation in device memory contains this address.
int fake_cuda_is_device_address(const void* address);
/// Returns the mistakes of the caller that the fake has noticed, for example writes beyond an allocation and unknown handles, each followed
/// by a newline.
const char* fake_cuda_mistakes();
/// Forgets faults, counters, mistakes and lost devices. Everything must have been released before.
void fake_cuda_reset();
}
