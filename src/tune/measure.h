// Measures the machine at hand for `harp info --measure`. The measured loops are compiled like generated code, by the context's C compiler
// and for this machine's entry in harp's table of CPUs (base/machine.h), so they use the same vectors and instructions as kernels.
//
// Each time is the shortest of several samples, because other activity of the machine only makes them longer. The numbers that schedules
// read are rounded so coarsely that two measurements of an idle machine give the same numbers: sizes are rounded to 2^k or 3 * 2^k bytes,
// and rates to whole instructions per cycle.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/machine.h"
#include "base/process.h"
#include "compile/service.h"
#include "run/program.h"
#include "tune/measurement.h"

namespace harp::tune {

/// Measures the machine. Takes a few seconds and allocates 256 MiB by `hooks.allocator`. Measurements with all threads use hooks.width
/// workers of hooks.parallel_for. Throws the errors of CompileService::compile and of loading the compiled code, and Error{kOutOfMemory}.
Measurement measure(System system, CompileService& service, const HostHooks& hooks, const Machine& host);

// --- Functions that compute numbers from measured times; they measure nothing themselves

/// The time of one load from an array of this size. The loads form a chain, each one returning the address of the next, and are spread over
/// the whole array.
struct LatencySample {
  int64_t bytes;
  double ns;
};
/// Returns the sizes of the caches. The samples are in ascending order of sizes, which are 2^k and 3 * 2^k bytes. The size of a cache is
/// the end of a range of sizes in which the latency is about the same. The third size is 0 if no end of a third range is found: there is no
/// third cache, or it is larger than all samples. Returns nullopt if not even two caches are found.
std::optional<Caches> caches_from(std::vector<LatencySample> samples);

/// The time of storing an array of this size once and then reading it once, with ordinary and with non-temporal stores.
struct StoreSample {
  int64_t bytes;
  double ordinary, nontemporal;
};
/// Returns the array size from which on non-temporal stores should be used. The samples are in ascending order of sizes. The result is the
/// threshold for which the time lost by wrong choices, summed over all samples, is least. If ordinary stores are better in all samples, it
/// is twice the largest size.
int64_t stream_bytes_from(std::span<const StoreSample> samples);

}  // namespace harp::tune
