// Measures the machine at hand for `harp info --measure`. The measured loops are compiled like generated code, by the context's C compiler
// and for the host's row of the table of machines, so they use the same vectors and instructions as kernels.
//
// Of several times the shortest is used, because other activity of the machine only makes them longer. Numbers that schedules read are
// rounded so coarsely that two measurements of an idle machine agree: sizes to 2^k or 3 * 2^k bytes, rates to whole instructions a cycle.
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

/// Takes a few seconds and 256 MiB of `hooks.allocator`. "All threads" are hooks.width workers of hooks.parallel_for. Errors: those of
/// CompileService::compile and of loading; kOutOfMemory.
Measurement measure(System system, CompileService& service, const HostHooks& hooks, const Machine& host);

// --- Functions that derive numbers from measured times alone

/// The time of one load in a chain in which each load gives the address of the next, anywhere in an array of this size.
struct LatencySample {
  int64_t bytes;
  double ns;
};
/// Returns the sizes of the caches from samples in the order of their sizes, 2^k and 3 * 2^k bytes: the ends of the ranges in which the
/// latency stays about the same. The third is 0 if its end is not seen: there is none, or it is larger than all samples. Nothing if not
/// even two caches can be told apart.
std::optional<Caches> caches_from(std::vector<LatencySample> samples);

/// The times of storing an array and reading it once, with ordinary and with non-temporal stores.
struct StoreSample {
  int64_t bytes;
  double ordinary, nontemporal;
};
/// Returns the array size at which non-temporal stores begin to be used, from samples in the order of their sizes: the size for which the
/// wrong choices, summed over all samples, cost least. Twice the largest size if no sample should use non-temporal stores.
int64_t stream_bytes_from(std::span<const StoreSample> samples);

}  // namespace harp::tune
