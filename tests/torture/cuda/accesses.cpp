#include "torture/cuda/accesses.h"

#include <stdarg.h>
#include <stdio.h>

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start, _end;  // begin and end of this library in memory

namespace {

constexpr unsigned kWarp = 32, kBanks = 32, kBankBytes = 4, kSectorBytes = 32;

struct Moment {
  uint32_t block = 0;  // the number of the block, counted from 1 since the reset; 0: there was no access
  uint16_t thread = 0, barriers = 0, exchanges = 0;
};

/// The last accesses to one cell, which is a byte or a few bytes (harp_watch_array).
struct Cell {
  Moment write, read, update;  // the last store, load and atomic operation (which counts as neither store nor load)
  bool is_written = false;     // ever
  // Whether the cell was also read by a thread other than that of `read`: by another lane of the same warp, by another warp of the same
  // block, or by another block.
  bool has_lanes = false, has_warps = false, has_blocks = false;
};

struct Array {
  std::string name;
  uintptr_t begin = 0, end = 0;
  size_t cell = 1;
  std::vector<Cell> cells;
};

struct Access {
  uint32_t warp, instruction, number;
  uint16_t array;
  bool writes;
  uint8_t bytes;
  uint64_t offset;
  bool operator<(const Access& other) const {
    if (warp != other.warp) return warp < other.warp;
    if (instruction != other.instruction) return instruction < other.instruction;
    return number < other.number;
  }
  bool is_same_request(const Access& other) const {
    return warp == other.warp && instruction == other.instruction && number == other.number && array == other.array;
  }
};

struct Launch {
  std::map<std::pair<int, int>, HarpWatchCounts> counts;  // key: (index of the array, whether the accesses write it)
  HarpWatchShared shared{};
  unsigned writers = 0;  // see harp_watch_writers
  // for each array, the state of its cells (a cell is one byte or a few bytes): 1 if it is read, 2 if it is written, 3 if both
  std::vector<std::vector<uint8_t>> touched;
};

struct ThreadState {
  uint16_t barriers = 0, exchanges = 0;
  std::vector<uint32_t> executed;  // for each instruction: number of times that the thread has executed it
};

constexpr size_t kFirstGlobal = 2;  // arrays 0 and 1 are the static and the dynamic shared memory of the block

struct Watch {
  bool has_counts = false;
  std::vector<Array> arrays = std::vector<Array>(kFirstGlobal);
  std::map<int, Launch> launches;
  Launch* launch = nullptr;
  uint32_t block = 0, first_block = 1;
  std::vector<ThreadState> threads;
  unsigned thread = 0;
  uintptr_t stack = 0, stack_end = 0;
  std::unordered_map<uintptr_t, uint32_t> instructions;
  std::vector<Access> accesses;
  std::string error, conflict;
};
Watch watch;

__attribute__((format(printf, 1, 2))) void report(const char* format, ...) {
  if (!watch.error.empty()) return;
  char text[400];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  watch.error = text;
}

/// Tests whether the current access of this thread is ordered after the access at `then` of the same launch: by program order, by a barrier
/// of the block, or by an exchange of the warp.
bool is_after(const Moment& then) {
  const ThreadState& own = watch.threads[watch.thread];
  if (then.block != watch.block) return false;
  if (then.thread == watch.thread || then.barriers != own.barriers) return true;
  return then.thread / kWarp == watch.thread / kWarp && then.exchanges != own.exchanges;
}

void report_race(const Array& array, size_t cell, const Moment& then, const char* what) {
  if (then.block != watch.block)
    report("race: blocks %u and %u access byte %zu of %s, %s", then.block - watch.first_block, watch.block - watch.first_block,
           cell * array.cell, array.name.c_str(), what);
  else
    report("race: threads %u and %u of a block access byte %zu of %s, %s", then.thread, watch.thread, cell * array.cell, array.name.c_str(),
           what);
}

constexpr const char* kFirstUpdates = "which the first updates by an atomic operation";

void read_cell(Array& array, size_t at) {
  Cell& cell = array.cells[at];
  const ThreadState& own = watch.threads[watch.thread];
  if (!cell.is_written) report("poison: byte %zu of %s is read, but nothing has written it", at * array.cell, array.name.c_str());
  if (cell.write.block >= watch.first_block && !is_after(cell.write)) report_race(array, at, cell.write, "which the first writes");
  if (cell.update.block >= watch.first_block && !is_after(cell.update)) report_race(array, at, cell.update, kFirstUpdates);
  const Moment now{watch.block, static_cast<uint16_t>(watch.thread), own.barriers, own.exchanges};
  if (cell.read.block < watch.first_block) {
    cell.has_lanes = cell.has_warps = cell.has_blocks = false;
  } else if (cell.read.block != watch.block) {
    cell.has_blocks = true;
    cell.has_lanes = cell.has_warps = false;
  } else if (cell.read.barriers != own.barriers) {
    cell.has_lanes = cell.has_warps = false;
  } else if (cell.read.thread != watch.thread) {
    (cell.read.thread / kWarp == watch.thread / kWarp ? cell.has_lanes : cell.has_warps) = true;
  }
  cell.read = now;
}

void write_cell(Array& array, size_t at) {
  Cell& cell = array.cells[at];
  const ThreadState& own = watch.threads[watch.thread];
  if (cell.write.block >= watch.first_block && !is_after(cell.write)) report_race(array, at, cell.write, "which both write");
  if (cell.update.block >= watch.first_block && !is_after(cell.update)) report_race(array, at, cell.update, kFirstUpdates);
  if (cell.read.block >= watch.first_block) {
    const bool is_same_round = cell.read.block == watch.block && cell.read.barriers == own.barriers;
    if (cell.has_blocks || !is_after(cell.read) || (is_same_round && cell.has_warps) ||
        (is_same_round && cell.has_lanes && cell.read.exchanges == own.exchanges))
      report_race(array, at, cell.read, "which the second writes");
  }
  cell.write = {watch.block, static_cast<uint16_t>(watch.thread), own.barriers, own.exchanges};
  cell.is_written = true;
}

/// Records an atomic operation, or the load with which the emulator begins such an operation. Atomic operations of different threads on the
/// same bytes do not race with each other.
void update_cell(Array& array, size_t at) {
  Cell& cell = array.cells[at];
  const ThreadState& own = watch.threads[watch.thread];
  if (!cell.is_written) report("poison: byte %zu of %s is updated, but nothing has written it", at * array.cell, array.name.c_str());
  for (const Moment& then : {cell.write, cell.read})
    if (then.block >= watch.first_block && !is_after(then)) report_race(array, at, then, "which the second updates by an atomic operation");
  cell.update = {watch.block, static_cast<uint16_t>(watch.thread), own.barriers, own.exchanges};
}

void access(const void* address, size_t bytes, bool writes, const void* instruction, bool is_atomic = false) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  if (watch.launch == nullptr || (at >= watch.stack && at < watch.stack_end)) return;
  const auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (frame < watch.stack || frame >= watch.stack_end) return;  // the emulator's own code makes this access, not a thread of the block
  size_t index = watch.arrays.size();
  for (size_t i = 0; i < watch.arrays.size() && index == watch.arrays.size(); ++i)
    if (at >= watch.arrays[i].begin && at < watch.arrays[i].end) index = i;
  if (index == watch.arrays.size()) {
    const bool is_in_library = at >= reinterpret_cast<uintptr_t>(&__ehdr_start) && at < reinterpret_cast<uintptr_t>(&_end);
    if (is_in_library && !writes) return;  // reads of the kernel's constant tables and of the emulator's variables are not checked
    const Array* nearest = nullptr;
    for (const Array& array : watch.arrays)
      if (array.end > array.begin && at >= array.begin - 65536 && at < array.end + 65536) nearest = &array;
    if (is_in_library || nearest == nullptr)
      report("outside: %zu bytes are %s outside of every array", bytes, writes ? "written" : "read");
    else
      report("outside: byte %lld of %s is %s, which has %zu bytes", static_cast<long long>(at - nearest->begin), nearest->name.c_str(),
             writes ? "written" : "read", static_cast<size_t>(nearest->end - nearest->begin));
    return;
  }
  Array& array = watch.arrays[index];
  if (array.name.empty()) return;
  if (writes) watch.launch->writers = std::max(watch.launch->writers, watch.thread + 1);
  if (at + bytes > array.end) report("outside: an access of %zu bytes crosses the end of %s", bytes, array.name.c_str());
  const size_t last = std::min(at + bytes, array.end) - 1 - array.begin;
  for (size_t cell = (at - array.begin) / array.cell; cell <= last / array.cell; ++cell) {
    if (is_atomic)
      update_cell(array, cell);
    else if (writes)
      write_cell(array, cell);
    else
      read_cell(array, cell);
  }
  if (!watch.has_counts) return;
  const uint32_t number = watch.instructions.try_emplace(reinterpret_cast<uintptr_t>(instruction), watch.instructions.size()).first->second;
  std::vector<uint32_t>& executed = watch.threads[watch.thread].executed;
  if (executed.size() <= number) executed.resize(number + 1);
  watch.accesses.push_back({watch.thread / kWarp, number, executed[number]++, static_cast<uint16_t>(index), writes,
                            static_cast<uint8_t>(bytes), at - array.begin});
}

/// Counts the passes that a request of a warp makes over the banks of shared memory. 8-byte accesses are served for half a warp at a time,
/// 16-byte accesses for a quarter of a warp.
void count_passes(const Access* begin, const Access* end) {
  HarpWatchShared& shared = watch.launch->shared;
  ++shared.requests;
  const size_t together = begin->bytes <= kBankBytes ? kWarp : kWarp * kBankBytes / begin->bytes;
  for (const Access* first = begin; first < end; first += std::min<size_t>(together, static_cast<size_t>(end - first))) {
    std::vector<uint64_t> words;
    for (const Access* a = first; a < end && a < first + together; ++a)
      for (uint64_t word = a->offset / kBankBytes; word <= (a->offset + a->bytes - 1) / kBankBytes; ++word) words.push_back(word);
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    uint64_t in_bank[kBanks] = {}, most = 0;
    for (const uint64_t word : words) most = std::max(most, ++in_bank[word % kBanks]);
    shared.passes += most;
    ++shared.least_passes;
  }
}

void count_request(const Access* begin, const Access* end) {
  if (begin->array < kFirstGlobal) return count_passes(begin, end);
  HarpWatchCounts& counts = watch.launch->counts[{begin->array, begin->writes}];
  ++counts.requests;
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  std::vector<uint64_t> sectors;
  for (const Access* a = begin; a < end; ++a) {
    counts.widest = std::max<uint64_t>(counts.widest, a->bytes);
    ranges.emplace_back(a->offset, a->offset + a->bytes);
    for (uint64_t s = a->offset / kSectorBytes; s <= (a->offset + a->bytes - 1) / kSectorBytes; ++s) sectors.push_back(s);
  }
  std::sort(ranges.begin(), ranges.end());
  uint64_t bytes = 0, reached = 0;  // `bytes` counts a byte once even if several lanes access it
  for (const auto& [from, to] : ranges) {
    if (to > reached) bytes += to - std::max(from, reached);
    reached = std::max(reached, to);
  }
  std::sort(sectors.begin(), sectors.end());
  const auto distinct = static_cast<uint64_t>(std::unique(sectors.begin(), sectors.end()) - sectors.begin());
  counts.bytes += bytes;
  counts.sectors += distinct;
  counts.least_sectors += (bytes + kSectorBytes - 1) / kSectorBytes;
}

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

extern "C" {

void harp_watch_block(unsigned threads, const void* dynamic_shared, size_t dynamic_bytes, const void* shared_begin,
                      const void* shared_end) {
  ++watch.block;
  watch.threads.assign(threads, {});
  const auto set = [](Array& array, const char* name, const void* begin, size_t bytes) {
    array.name = name;
    array.begin = reinterpret_cast<uintptr_t>(begin);
    array.end = array.begin + bytes;
    array.cells.assign(bytes, {});
  };
  set(watch.arrays[0], "shared memory", shared_begin,
      static_cast<size_t>(static_cast<const char*>(shared_end) - static_cast<const char*>(shared_begin)));
  set(watch.arrays[1], "dynamic shared memory", dynamic_shared, dynamic_bytes);
}

void harp_watch_block_end() {
  std::stable_sort(watch.accesses.begin(), watch.accesses.end());
  const Access* const end = watch.accesses.data() + watch.accesses.size();
  for (const Access* first = watch.accesses.data(); first < end;) {
    const Access* last = first + 1;
    while (last < end && last->is_same_request(*first)) ++last;
    count_request(first, last);
    first = last;
  }
  watch.accesses.clear();
}

void harp_watch_thread(unsigned number, const void* stack, size_t bytes) {
  watch.thread = number;
  watch.stack = reinterpret_cast<uintptr_t>(stack);
  watch.stack_end = watch.stack + bytes;
}
void harp_watch_barrier(unsigned number) { ++watch.threads[number].barriers; }
void harp_watch_exchange(unsigned number) { ++watch.threads[number].exchanges; }
}

EXPORTED void harp_watch_reset(int counts) {
  watch = Watch();
  watch.has_counts = counts != 0;
}

EXPORTED int harp_watch_array(const char* name, const void* begin, size_t bytes, size_t cell, int is_written) {
  Array array;
  array.name = name;
  array.begin = reinterpret_cast<uintptr_t>(begin);
  array.end = array.begin + bytes;
  array.cell = cell;
  if (!array.name.empty()) array.cells.assign((bytes + cell - 1) / cell, {});
  for (Cell& c : array.cells) c.is_written = is_written != 0;
  watch.arrays.push_back(std::move(array));
  return static_cast<int>(watch.arrays.size()) - 1;
}

EXPORTED void harp_watch_launch(int step) {
  watch.launch = &watch.launches[step];
  watch.first_block = watch.block + 1;
  watch.instructions.clear();
}

EXPORTED void harp_watch_launch_end() {
  Launch& launch = *watch.launch;
  for (size_t i = 0; i < watch.arrays.size(); ++i) {
    const Array& array = watch.arrays[i];
    std::vector<uint8_t>& touched = launch.touched.emplace_back(i < kFirstGlobal ? 0 : array.cells.size());
    for (size_t c = 0; c < touched.size(); ++c) {
      const bool updates = array.cells[c].update.block >= watch.first_block;
      const bool reads = updates || array.cells[c].read.block >= watch.first_block;
      const bool writes = updates || array.cells[c].write.block >= watch.first_block;
      touched[c] = static_cast<uint8_t>(reads | writes << 1);
      if (!watch.has_counts) continue;
      if (reads) launch.counts[{static_cast<int>(i), 0}].distinct_bytes += array.cell;
      if (writes) launch.counts[{static_cast<int>(i), 1}].distinct_bytes += array.cell;
    }
  }
  watch.launch = nullptr;
}

EXPORTED const char* harp_watch_error() { return watch.error.empty() ? nullptr : watch.error.c_str(); }

EXPORTED const char* harp_watch_conflict(int step, int other) {
  const auto a = watch.launches.find(step), b = watch.launches.find(other);
  if (a == watch.launches.end() || b == watch.launches.end()) return nullptr;
  for (size_t i = kFirstGlobal; i < watch.arrays.size(); ++i) {
    if (i >= a->second.touched.size() || i >= b->second.touched.size()) continue;
    const auto &first = a->second.touched[i], &second = b->second.touched[i];
    for (size_t c = 0; c < first.size() && c < second.size(); ++c) {
      if (first[c] == 0 || second[c] == 0 || ((first[c] | second[c]) & 2) == 0) continue;
      char text[300];
      snprintf(text, sizeof text, "race: steps %d and %d, which nothing orders, access byte %zu of %s, and one writes", step, other,
               c * watch.arrays[i].cell, watch.arrays[i].name.c_str());
      watch.conflict = text;
      return watch.conflict.c_str();
    }
  }
  return nullptr;
}

EXPORTED unsigned harp_watch_writers(int step) { return watch.launches[step].writers; }
EXPORTED void harp_watch_counts(int step, int array, int writes, HarpWatchCounts* counts) {
  *counts = watch.launches[step].counts[{array, writes}];
}
EXPORTED void harp_watch_shared(int step, HarpWatchShared* counts) { *counts = watch.launches[step].shared; }

// gcc inserts calls of these functions into code that it compiles with -fsanitize=thread.

#define HERE __builtin_return_address(0)
#define WATCHED_ACCESS(bytes)                                                                \
  extern "C" void __tsan_read##bytes(void* at) { access(at, bytes, false, HERE); }           \
  extern "C" void __tsan_write##bytes(void* at) { access(at, bytes, true, HERE); }           \
  extern "C" void __tsan_unaligned_read##bytes(void* at) { access(at, bytes, false, HERE); } \
  extern "C" void __tsan_unaligned_write##bytes(void* at) { access(at, bytes, true, HERE); }
WATCHED_ACCESS(1)
WATCHED_ACCESS(2)
WATCHED_ACCESS(4)
WATCHED_ACCESS(8)
WATCHED_ACCESS(16)

#define WATCHED_ATOMIC(bits, type)                                                                                        \
  extern "C" type __tsan_atomic##bits##_load(const volatile type* at, int) {                                              \
    access(const_cast<const type*>(at), sizeof(type), false, HERE, true);                                                 \
    return __atomic_load_n(at, __ATOMIC_RELAXED);                                                                         \
  }                                                                                                                       \
  extern "C" int __tsan_atomic##bits##_compare_exchange_strong(volatile type* at, type* expected, type value, int, int) { \
    access(const_cast<const type*>(at), sizeof(type), true, HERE, true);                                                  \
    return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);                   \
  }
WATCHED_ATOMIC(32, uint32_t)
WATCHED_ATOMIC(64, uint64_t)

extern "C" {
void __tsan_read_range(void* at, size_t bytes) { access(at, bytes, false, HERE); }
void __tsan_write_range(void* at, size_t bytes) { access(at, bytes, true, HERE); }
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_init() {}
}
