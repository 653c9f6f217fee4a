#include "tune/measure.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "run/memory_pool.h"
#include "tune/machine.h"
#include "tune/measure_loops.h"

namespace harp::tune {
namespace {

constexpr int64_t kLargest = int64_t{256} << 20;  // bytes of the largest array that is measured; it exceeds all caches
constexpr int64_t kSmallestSet = int64_t{8} << 10, kSmallestStored = int64_t{2} << 20;
// Shortest duration of a sample, in seconds. kSampleOfAllSeconds is for loops on all threads; it is longer, so that the time to wake the
// threads does not matter.
constexpr double kSampleSeconds = 1e-3, kSampleOfAllSeconds = 10e-3;
constexpr int kSamples = 5;

/// Returns all sizes of the form 2^k or 3 * 2^k from `least` to `most`. `least` is a power of two.
std::vector<int64_t> sizes_between(int64_t least, int64_t most) {
  std::vector<int64_t> sizes;
  for (int64_t power = least; power <= most; power *= 2) {
    sizes.push_back(power);
    if (power / 2 * 3 <= most) sizes.push_back(power / 2 * 3);
  }
  return sizes;
}

/// Stores a pointer in each cache line of the first `bytes` bytes, such that the pointers form a cycle through all lines in random order.
/// Prefetchers cannot predict this order.
void link_lines(std::byte* memory, int64_t bytes) {
  std::vector<uint32_t> order(static_cast<size_t>(bytes / kLineBytes));
  std::iota(order.begin(), order.end(), uint32_t{0});
  uint64_t random = 0x9e3779b97f4a7c15u;
  for (size_t i = order.size() - 1; i > 0; --i) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;  // xorshift64
    std::swap(order[i], order[random % (i + 1)]);
  }
  const auto line = [&](size_t i) { return memory + order[i] * static_cast<size_t>(kLineBytes); };
  for (size_t i = 0; i < order.size(); ++i) {
    const std::byte* next = line(i + 1 < order.size() ? i + 1 : 0);
    std::memcpy(line(i), &next, sizeof next);
  }
}

class Meter {
 public:
  Meter(System system, CompileService& service, const HostHooks& hooks, const Machine& host)
      : process_(system.process),
        hooks_(hooks),
        vector_bytes_(host.cpu().vector_bytes),
        library_(loaded(service, host)),
        pool_(without_pool(hooks.allocator), 0),
        memory_({nullptr, nullptr, nullptr, &pool_}, static_cast<size_t>(kLargest)) {
    std::memset(memory_.data(), 0, memory_.size());  // before its first write, the system may map all pages to one page of zeros
  }

  std::byte* memory() const { return static_cast<std::byte*>(memory_.data()); }

  /// Returns the seconds that one call of the loop takes.
  double seconds(MeasuredLoop loop, int64_t bytes, size_t repeats) const {
    const Deadline begin = process_.now();
    run(loop, memory(), bytes, repeats);
    return seconds_since(begin);
  }

  /// Returns the seconds of one repetition of the loop: the least of several samples.
  double seconds_of(MeasuredLoop loop, int64_t bytes = 0) const {
    return least_of([&](size_t repeats) { return seconds(loop, bytes, repeats); }, kSampleSeconds);
  }

  /// Returns how many operations the loop performs in one clock cycle; one repetition of the loop performs `count` operations. The clock
  /// rate and the load of the machine vary. Therefore this function measures the loop and a loop that counts cycles alternately, and uses
  /// the least time of each, which belongs to the highest clock rate.
  double per_cycle(MeasuredLoop loop, double count, int64_t bytes = 0) const {
    double cycle = std::numeric_limits<double>::infinity(), time = cycle;
    for (int i = 0; i < kSamples; ++i) {
      cycle = std::min(cycle, seconds_of(MeasuredLoop::kCycles) / kLoopSteps);
      time = std::min(time, seconds_of(loop, bytes));
    }
    return count * cycle / time;
  }

  double loads_a_cycle() const { return per_cycle(MeasuredLoop::kLoads, static_cast<double>(kSmallestSet) / vector_bytes_, kSmallestSet); }

  /// Returns the nanoseconds of one load from an array of this size. The loads form a chain: each one returns the address of the next.
  double latency(int64_t bytes) const {
    link_lines(memory(), bytes);
    const std::byte* at = memory();
    const auto chase = [&](size_t repeats) {
      const Deadline begin = process_.now();
      // Starts where the last sample ended, so that it reads lines that have not been read recently.
      at = run(MeasuredLoop::kChase, at, bytes, repeats);
      return seconds_since(begin);
    };
    return least_of(chase, kSampleSeconds) / kLoopSteps * 1e9;
  }

  /// Returns the GB/s at which one thread reads an array of `bytes` bytes again and again.
  double reads(int64_t bytes) const { return static_cast<double>(bytes) / seconds_of(MeasuredLoop::kLoads, bytes) * 1e-9; }
  /// Returns the GB/s at which all workers together read, each from an array of its own of `bytes` bytes.
  double reads_by_all(int64_t bytes) const {
    // Arrays of two workers have no page in common.
    bytes = std::max(std::min(bytes, kLargest / workers()) / kPageBytes, int64_t{1}) * kPageBytes;
    const auto read = [&](size_t repeats) {
      const Deadline begin = process_.now();
      AllWorkers all{this, bytes, repeats};
      hooks_.parallel_for(hooks_.parallel_for_user, static_cast<size_t>(workers()), 1, &read_parts, &all);
      return seconds_since(begin);
    };
    return static_cast<double>(bytes * workers()) / least_of(read, kSampleOfAllSeconds) * 1e-9;
  }
  /// Returns how many workers take part in measurements. Each of them gets at least one page of the memory.
  int64_t workers() const { return static_cast<int64_t>(std::min(hooks_.width, static_cast<size_t>(kLargest / kPageBytes))); }
  bool has_workers() const { return hooks_.parallel_for != nullptr && workers() > 1; }

  /// Returns the seconds of storing an array once and then reading it once.
  double stores_and_reads(MeasuredLoop stores, int64_t bytes) const {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kSamples; ++i) least = std::min(least, seconds(stores, bytes, 1) + seconds(MeasuredLoop::kLoads, bytes, 1));
    return least;
  }

 private:
  struct AllWorkers {
    const Meter* meter;
    int64_t bytes;
    size_t repeats;
  };

  static Allocator without_pool(Allocator allocator) {
    allocator.pool = nullptr;
    return allocator;
  }

  static std::shared_ptr<const LoadedLibrary> loaded(CompileService& service, const Machine& host) {
    CompileRequest request;
    request.source = measured_loops(host.cpu());
    request.signature = "harp info --measure";
    request.target = host;
    return service.loader().load(*service.compile(request));
  }

  double seconds_since(Deadline begin) const { return std::chrono::duration<double>(process_.now() - begin).count(); }

  /// Calls the loop and returns its result, which is an address if the loop is kChase.
  const std::byte* run(MeasuredLoop loop, const std::byte* array, int64_t bytes, size_t repeats) const {
    alignas(kLineBytes) std::array<std::byte, kLineBytes> result = {};
    void *inputs[] = {const_cast<std::byte*>(array)}, *outputs[] = {result.data()};
    size_t sizes[] = {static_cast<size_t>(loop), static_cast<size_t>(bytes), repeats};
    library_->entry_point()(inputs, outputs, sizes);
    const std::byte* address = nullptr;
    std::memcpy(&address, result.data(), sizeof address);
    return address;
  }

  static void read_parts(void* arg, size_t begin, size_t end, size_t) {
    const auto& all = *static_cast<const AllWorkers*>(arg);
    for (size_t part = begin; part < end; ++part)
      all.meter->run(MeasuredLoop::kLoads, all.meter->memory() + part * static_cast<size_t>(all.bytes), all.bytes, all.repeats);
  }

  /// Returns the least time of one repetition. Calls `sample(repeats)`, which returns seconds, and doubles `repeats` until a call takes at
  /// least `long_enough` seconds. Then calls it several times with that number.
  template <class Sample>
  static double least_of(Sample sample, double long_enough) {
    size_t repeats = 1;
    while (sample(repeats) < long_enough) repeats *= 2;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kSamples; ++i) least = std::min(least, sample(repeats));
    return least / static_cast<double>(repeats);
  }

  Process& process_;
  const HostHooks& hooks_;
  const int vector_bytes_;
  const std::shared_ptr<const LoadedLibrary> library_;
  MemoryPool pool_;  // a pool that keeps no blocks; it is used because it allocates large memory in huge pages
  const Memory memory_;
};

void set_caches(Measurement& measurement, const Caches& caches) {
  measurement.set(Quantity::kFirstCache, static_cast<double>(caches.first));
  measurement.set(Quantity::kSecondCache, static_cast<double>(caches.second));
  measurement.set(Quantity::kThirdCache, static_cast<double>(caches.third));
}

}  // namespace

std::optional<Caches> caches_from(std::vector<LatencySample> samples) {
  // Disturbances only make a sample longer, and a load from a larger array is never faster. Therefore a sample that is longer than one for
  // a larger array is replaced by the latter.
  for (size_t i = samples.size(); i-- > 1;) samples[i - 1].ns = std::min(samples[i - 1].ns, samples[i].ns);
  // Samples belong to the same cache as long as the latency is at most kSame times that of the first sample. Within a cache the latency
  // grows a little, because its parts are at different distances and address translation takes longer. From one cache to the next it grows
  // at least threefold. The three samples after the last one of a cache are skipped, because many loads from these arrays still hit the
  // cache. With an array four times as large as the cache, few loads hit it.
  constexpr double kSame[] = {1.3, 1.6, 1.6};
  constexpr size_t kFourTimes = 4;
  std::array<int64_t, 3> ends = {};
  size_t begin = 0;
  for (size_t level = 0; level < ends.size() && begin < samples.size(); ++level) {
    size_t end = begin;
    while (end + 1 < samples.size() && samples[end + 1].ns <= kSame[level] * samples[begin].ns) ++end;
    if (end + 1 == samples.size()) break;
    ends[level] = samples[end].bytes;
    begin = end + kFourTimes;
  }
  if (ends[1] == 0) return std::nullopt;
  return Caches{ends[0], ends[1], ends[2]};
}

int64_t stream_bytes_from(std::span<const StoreSample> samples) {
  // `lost` is the time that is lost if arrays from samples[i] on are stored by non-temporal stores: the sum of log2(non-temporal /
  // ordinary) over these samples. A negative sum means that time is gained.
  double lost = 0, least = 0;
  int64_t found = 2 * samples.back().bytes;
  for (size_t i = samples.size(); i-- > 0;) {
    // the clamp limits the influence of samples that something disturbed
    lost += std::clamp(std::log2(samples[i].nontemporal / samples[i].ordinary), -1.0, 1.0);
    if (lost < least) least = lost, found = samples[i].bytes;
  }
  return found;
}

Measurement measure(System system, CompileService& service, const HostHooks& hooks, const Machine& host) {
  const Meter meter(system, service, hooks, host);
  Measurement measurement;
  measurement.machine = machine_name(system.files, host);

  measurement.set(Quantity::kLoads, meter.loads_a_cycle());
  measurement.set(Quantity::kMultiplyAdds, meter.per_cycle(MeasuredLoop::kMultiplyAdds, kLoopVectors));
  measurement.set(Quantity::kAdditions, meter.per_cycle(MeasuredLoop::kAdditions, kLoopVectors));
  measurement.set(Quantity::kAdditionLatency, 1 / meter.per_cycle(MeasuredLoop::kChainedAdditions, kLoopSteps));

  std::vector<LatencySample> latencies;
  for (const int64_t bytes : sizes_between(kSmallestSet, kLargest)) latencies.push_back({bytes, meter.latency(bytes)});
  const std::optional<Caches> found = caches_from(latencies);
  if (found) set_caches(measurement, *found);
  const Caches& usual = host.cpu().caches;
  Caches caches = found.value_or(usual);
  if (caches.third == 0) caches.third = std::max(usual.third, caches.second);

  if (host.cpu().non_temporal_stores) {
    std::vector<StoreSample> stores;
    for (const int64_t bytes : sizes_between(kSmallestStored, kLargest / 2)) {
      const double ordinary = meter.stores_and_reads(MeasuredLoop::kStores, bytes);
      stores.push_back({bytes, ordinary, meter.stores_and_reads(MeasuredLoop::kStreams, bytes)});
    }
    measurement.set(Quantity::kStream, static_cast<double>(stream_bytes_from(stores)));
  }

  // Each cache is measured with an array of half its size: the array fits that cache, and is too large for the next smaller one. Main
  // memory is measured with the largest array. The workers share the third cache, so each of them gets a part of its size.
  struct Level {
    int64_t bytes, bytes_of_worker;
    Quantity latency, read, read_by_all;
  };
  const int64_t third = std::min(caches.third / 2, kLargest);
  const Level levels[] = {
      {caches.first / 2, caches.first / 2, Quantity::kFirstLatency, Quantity::kFirstRead, Quantity::kFirstReadByAll},
      {caches.second / 2, caches.second / 2, Quantity::kSecondLatency, Quantity::kSecondRead, Quantity::kSecondReadByAll},
      {third, third / meter.workers(), Quantity::kThirdLatency, Quantity::kThirdRead, Quantity::kThirdReadByAll},
      {kLargest, kLargest / meter.workers(), Quantity::kMemoryLatency, Quantity::kMemoryRead, Quantity::kMemoryReadByAll}};
  measurement.set(Quantity::kThreads, static_cast<double>(meter.workers()));
  for (const Level& level : levels) {
    const auto at_least = std::find_if(latencies.begin(), latencies.end(), [&](const LatencySample& s) { return s.bytes >= level.bytes; });
    measurement.set(level.latency, at_least->ns);
    measurement.set(level.read, meter.reads(level.bytes));
    if (meter.has_workers()) measurement.set(level.read_by_all, meter.reads_by_all(level.bytes_of_worker));
  }
  return measurement;
}

}  // namespace harp::tune
