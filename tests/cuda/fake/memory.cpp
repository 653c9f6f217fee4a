// Implements the fake driver's memory: allocations with guard bytes behind them, pools, and copies. Device memory is mapped twice. The
// mapping at device addresses is accessible only while a kernel runs, so that code on the CPU faults if it uses a device address as its
// own; the driver's own code uses the other mapping.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "cuda/fake/state.h"

using namespace fake;

void fake::open_memory() {
  if (state.device_view != nullptr) return;
  const int fd = memfd_create("fake device memory", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, kAddressSpace) != 0) abort();
  state.device_view = static_cast<char*>(mmap(nullptr, kAddressSpace, PROT_NONE, MAP_SHARED | MAP_NORESERVE, fd, 0));
  state.host_view = static_cast<char*>(mmap(nullptr, kAddressSpace, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0));
  close(fd);
  if (state.device_view == MAP_FAILED || state.host_view == MAP_FAILED) abort();
  state.holes = {{0, kAddressSpace}};
}

bool fake::is_live(CUdeviceptr address, size_t bytes) {
  auto found = state.allocations.upper_bound(address);
  if (found == state.allocations.begin()) return false;
  --found;
  return address + bytes <= found->first + found->second.bytes;
}

namespace {

CUdeviceptr allocate(size_t bytes, Pool* pool) {
  const int device = current.back()->device;
  size_t kept = 0;
  for (Pool* other : state.pools)
    if (other->device == device && other != pool) kept += other->kept;
  if (state.used[device] + kept + bytes > state.memory) return 0;
  const size_t size = (bytes + kRedZone + kGranule - 1) / kGranule * kGranule;
  for (const auto& [offset, room] : state.holes) {
    if (room < size) continue;
    const size_t begin = offset, left = room - size;
    state.holes.erase(begin);
    if (left > 0) state.holes[begin + size] = left;
    const auto address = reinterpret_cast<CUdeviceptr>(state.device_view + begin);
    state.allocations[address] = {bytes, device, pool};
    state.used[device] += bytes;
    if (pool != nullptr) pool->kept -= std::min(pool->kept, bytes);
    memset(host_address(address) + bytes, kRed, kRedZone);
    return address;
  }
  return 0;
}

void give_back(CUdeviceptr address, size_t bytes, Pool* pool) {
  const char* red = host_address(address) + bytes;
  if (std::any_of(red, red + kRedZone, [](char byte) { return static_cast<unsigned char>(byte) != kRed; }))
    mistake("a write beyond an allocation of " + std::to_string(bytes) + " bytes");
  if (state.pools.count(pool) != 0) pool->kept += bytes;
  size_t begin = static_cast<size_t>(reinterpret_cast<char*>(address) - state.device_view);
  size_t size = (bytes + kRedZone + kGranule - 1) / kGranule * kGranule;
  auto next = state.holes.lower_bound(begin);
  if (next != state.holes.end() && next->first == begin + size) size += next->second, next = state.holes.erase(next);
  if (next != state.holes.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == begin) begin = before->first, size += before->second;
  }
  state.holes[begin] = size;
}

CUresult forget(CUdeviceptr address, Allocation& allocation) {
  const auto found = state.allocations.find(address);
  if (found == state.allocations.end()) {
    mistake("a free of an address that is not allocated");
    return kInvalidValue;
  }
  allocation = found->second;
  state.used[allocation.device] -= allocation.bytes;
  state.allocations.erase(found);
  return kSuccess;
}

/// Frees, during a capture, memory that the captured graph allocated. Such memory stays allocated as long as the graph exists, because each
/// launch uses it again. So the captured operation only fills the memory with kFreed.
CUresult free_in_capture(CUdeviceptr address, Stream& stream) {
  const auto found = state.allocations.find(address);
  if (found == state.allocations.end() || stream.capture->memory->addresses.count(address) == 0) {
    mistake("a capture frees memory that it did not allocate");
    return kInvalidValue;
  }
  return enqueue(stream, [address, bytes = found->second.bytes] {
    memset(host_address(address), kFreed, bytes);
    return kSuccess;
  });
}

}  // namespace

void fake::release_now(CUdeviceptr address) {
  if (state.allocations.count(address) == 0) return;
  Allocation allocation{};
  forget(address, allocation);
  memset(host_address(address), kFreed, allocation.bytes);
  give_back(address, allocation.bytes, allocation.pool);
}

EXPORTED CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  ENTER_WITH_CONTEXT("cuMemAlloc");
  if (bytes == 0) return kInvalidValue;
  if (const CUresult status = check_no_capture("cuMemAlloc"); status != kSuccess) return status;
  *address = allocate(bytes, nullptr);
  if (*address == 0) return kOutOfMemory;
  memset(host_address(*address), kFresh, bytes);
  return kSuccess;
}

/// Frees memory at once. A real driver may first wait for work that uses the memory.
EXPORTED CUresult cuMemFree_v2(CUdeviceptr address) {
  const Call call("cuMemFree", true);
  Allocation allocation{};
  if (const CUresult status = forget(address, allocation); status != kSuccess) return status;
  memset(host_address(address), kFreed, allocation.bytes);
  give_back(address, allocation.bytes, nullptr);
  return call.status();
}

struct PoolProperties {
  int allocation_type, handle_types, location_type, location_id;
  void* unused;
  unsigned char reserved[64];
};

EXPORTED CUresult cuMemPoolCreate(Pool** pool, const PoolProperties* properties) {
  ENTER("cuMemPoolCreate");
  if (!state.has_pools) return kNotSupported;
  if (properties->allocation_type != 1 || properties->location_type != 1) return kInvalidValue;
  *pool = *state.pools.insert(new Pool{properties->location_id}).first;
  return kSuccess;
}

EXPORTED CUresult cuMemPoolDestroy(Pool* pool) {
  const Call call("cuMemPoolDestroy");
  if (state.pools.erase(pool) == 0) return kInvalidHandle;
  delete pool;
  return call.status();
}

EXPORTED CUresult cuMemPoolSetAttribute(Pool* pool, int attribute, void* value) {
  ENTER("cuMemPoolSetAttribute");
  if (state.pools.count(pool) == 0 || attribute != 4) return kInvalidValue;  // RELEASE_THRESHOLD
  memcpy(&pool->threshold, value, sizeof pool->threshold);
  return kSuccess;
}

EXPORTED CUresult cuMemPoolTrimTo(Pool* pool, size_t bytes) {
  ENTER("cuMemPoolTrimTo");
  if (state.pools.count(pool) == 0) return kInvalidValue;
  if (const CUresult status = check_no_capture("cuMemPoolTrimTo"); status != kSuccess) return status;
  pool->kept = std::min(pool->kept, bytes);
  return kSuccess;
}

EXPORTED CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, size_t bytes, Pool* pool, Stream* handle) {
  ENTER_WITH_CONTEXT("cuMemAllocFromPoolAsync");
  if (bytes == 0 || state.pools.count(pool) == 0) return kInvalidValue;
  Stream* const stream = usable(handle);
  if (stream == nullptr) return kInvalidHandle;
  *address = allocate(bytes, pool);
  if (*address == 0) return kOutOfMemory;
  if (stream->capture != nullptr) stream->capture->memory->addresses.insert(*address);
  return enqueue(*stream, [at = host_address(*address), bytes] {
    memset(at, kFresh, bytes);
    return kSuccess;
  });
}

EXPORTED CUresult cuMemFreeAsync(CUdeviceptr address, Stream* handle) {
  const Call call("cuMemFreeAsync");
  Stream* const stream = known(handle);
  if (stream == nullptr) return kInvalidHandle;
  if (stream->capture != nullptr) {
    const CUresult status = free_in_capture(address, *stream);
    return call.status() != kSuccess ? call.status() : status;
  }
  Allocation allocation{};
  if (const CUresult status = forget(address, allocation); status != kSuccess) return status;
  const bool at_once = (state.order & 8) != 0;
  enqueue(*stream, [=] {
    memset(host_address(address), kFreed, allocation.bytes);
    if (!at_once) give_back(address, allocation.bytes, allocation.pool);
    return kSuccess;
  });
  if (at_once) give_back(address, allocation.bytes, allocation.pool);
  return call.status();
}

/// Copies from host memory to the device. Host memory is treated as pageable: the source is copied to a staging buffer before the call
/// returns.
EXPORTED CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, Stream* handle) {
  ENTER_WITH_CONTEXT("cuMemcpyHtoDAsync");
  Stream* const stream = usable(handle);
  if (stream == nullptr) return kInvalidHandle;
  if (!is_live(to, bytes)) return kInvalidValue;
  const auto* begin = static_cast<const char*>(from);
  return enqueue(*stream, [to, staged = std::vector<char>(begin, begin + bytes)] {
    memcpy(host_address(to), staged.data(), staged.size());
    return kSuccess;
  });
}

/// Copies from the device to host memory. Host memory is treated as pageable: the copy is complete when the call returns.
EXPORTED CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, Stream* handle) {
  ENTER_WITH_CONTEXT("cuMemcpyDtoHAsync");
  Stream* const stream = usable(handle);
  if (stream == nullptr) return kInvalidHandle;
  if (!is_live(from, bytes)) return kInvalidValue;
  if (const CUresult status = wait_for(*stream); status != kSuccess) return status;
  memcpy(to, host_address(from), bytes);
  return kSuccess;
}

EXPORTED CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, Stream* handle) {
  ENTER_WITH_CONTEXT("cuMemcpyDtoDAsync");
  Stream* const stream = usable(handle);
  if (stream == nullptr) return kInvalidHandle;
  if (!is_live(to, bytes) || !is_live(from, bytes)) return kInvalidValue;
  if (to < from + bytes && from < to + bytes) mistake("a copy within the device between ranges that overlap");
  return enqueue(*stream, [=] {
    memcpy(host_address(to), host_address(from), bytes);
    return kSuccess;
  });
}

EXPORTED CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, Stream* handle) {
  ENTER_WITH_CONTEXT("cuMemsetD8Async");
  Stream* const stream = usable(handle);
  if (stream == nullptr) return kInvalidHandle;
  if (!is_live(to, bytes)) return kInvalidValue;
  return enqueue(*stream, [=] {
    memset(host_address(to), value, bytes);
    return kSuccess;
  });
}

EXPORTED CUresult cuPointerGetAttribute(void* value, int attribute, CUdeviceptr address) {
  ENTER("cuPointerGetAttribute");
  if (!is_live(address, 1)) return kInvalidValue;
  const Allocation& allocation = std::prev(state.allocations.upper_bound(address))->second;
  if (attribute == 2)  // MEMORY_TYPE
    *static_cast<unsigned*>(value) = 2;
  else if (attribute == 9)  // DEVICE_ORDINAL
    *static_cast<int*>(value) = allocation.device;
  else
    return kInvalidValue;
  return kSuccess;
}

std::vector<Row> fake::memory_functions() {
  return {
      ROW("cuMemAlloc", 3020, cuMemAlloc_v2),
      ROW("cuMemFree", 3020, cuMemFree_v2),
      ROW("cuMemPoolCreate", 11020, cuMemPoolCreate),
      ROW("cuMemPoolDestroy", 11020, cuMemPoolDestroy),
      ROW("cuMemPoolSetAttribute", 11020, cuMemPoolSetAttribute),
      ROW("cuMemPoolTrimTo", 11020, cuMemPoolTrimTo),
      ROW("cuMemAllocFromPoolAsync", 11020, cuMemAllocFromPoolAsync),
      ROW("cuMemFreeAsync", 11020, cuMemFreeAsync),
      ROW("cuMemcpyHtoDAsync", 3020, cuMemcpyHtoDAsync_v2),
      ROW("cuMemcpyDtoHAsync", 3020, cuMemcpyDtoHAsync_v2),
      ROW("cuMemcpyDtoDAsync", 3020, cuMemcpyDtoDAsync_v2),
      ROW("cuMemsetD8Async", 3020, cuMemsetD8Async),
      ROW("cuPointerGetAttribute", 4000, cuPointerGetAttribute),
  };
}
