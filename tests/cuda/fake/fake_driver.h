// What tests ask of the fake CUDA driver beyond the driver's own functions. The library exports these; Driver (fake_cuda.h)
// finds them. The fake computes on the host: a "cubin" is a shared object of kernels that the emulator's header made runnable.
//
// Where CUDA permits several behaviours, the fake has the one that reveals most mistakes: work of a stream runs only when something waits
// for it; device memory can be read and written only while a kernel or a copy of the driver runs, so that host code that takes a device
// address for its own crashes; new memory and freed memory hold NaNs; a write beyond an allocation is noticed when it is freed.
#pragma once

#include <cstddef>

extern "C" {

/// Makes the `nth` next call (from 1) of the function called `name` ("cuMemAlloc", without a suffix like _v2) fail with a CUresult. A
/// function that releases something releases it nevertheless, as the driver does when it reports an earlier error. nth 0: no faults.
void fake_cuda_fail(const char* name, int nth, int status);
/// Returns the number of calls of the function so far.
int fake_cuda_calls(const char* name);
/// Returns the names of all functions of the driver, each with a newline.
const char* fake_cuda_functions();
/// Describes the machine, before cuInit: number of devices, their compute capability (90), the driver's version (13000), whether there are
/// memory pools.
void fake_cuda_set_machine(int devices, int capability, int driver_version, int has_pools);
/// Another compute capability of one device.
void fake_cuda_set_capability(int device, int capability);
/// Another number of multiprocessors of one device. All have 4 otherwise.
void fake_cuda_set_processors(int device, int processors);
/// Bytes of memory of each device.
void fake_cuda_set_memory(size_t bytes);
/// The order of what is not ordered: bits 0 and 1 are the emulator's order of threads (0, 1, 2); with bit 2, a wait for one stream runs the
/// work of all others first; with bit 3, freed memory is given out again at once, in the order of the stream; with bit 4, nodes of a graph
/// run as late as their edges allow, in the opposite of the order in which they were added.
void fake_cuda_set_order(int order);
/// The number of copies, launches and other work on all streams that has not run yet.
size_t fake_cuda_pending();
/// What is not released yet: "2 allocations, 1 stream"; "" if nothing is.
const char* fake_cuda_live();
/// Returns a new context of a device, as cuCtxCreate makes one. It exists until fake_cuda_reset.
void* fake_cuda_new_context(int device);
/// Tests whether the host's code may read this address as a device address of a live allocation.
int fake_cuda_is_device_address(const void* address);
/// Returns mistakes of the caller that the fake noticed, each with a newline: writes beyond an allocation, unknown handles.
const char* fake_cuda_mistakes();
/// Forgets faults, counters, mistakes and lost devices. Nothing may be live.
void fake_cuda_reset();
}
