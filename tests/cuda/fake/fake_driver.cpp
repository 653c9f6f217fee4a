// A libcuda.so.1 without a GPU. fake_driver.h says how it differs from the real one; the functions below have the names and parameters of
// CUDA's driver API. One lock protects all state, and thereby also orders the work of all streams.
#include "cuda/fake/fake_driver.h"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "cuda/emulator/kernels.h"
#include "cuda/fake/fake_image.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

using harp::cuda_test::EmulatedKernel;
using harp::cuda_test::ThreadOrder;

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;

enum : CUresult {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinaryForGpu = 209,
  kUnsupportedPtxVersion = 222,
  kInvalidHandle = 400,
  kNotFound = 500,
  kLaunchFailed = 719,
  kNotSupported = 801,
};

struct Context {
  int device = 0, references = 0;
  CUresult sticky = kSuccess;  // the error of every later call after a kernel has faulted
};
struct Stream {
  Context* context;
  std::deque<std::function<CUresult()>> work = {};
  int launches = 0;     // kernels among `work`
  uint64_t number = 0;  // differs from the numbers of all other streams
  size_t done = 0;      // number of items of `work` that have run
};
/// The state of a stream when the event was recorded: all its work up to number `position`.
struct Event {
  Context* context;
  Stream* stream = nullptr;
  uint64_t number = 0;  // number of the stream
  size_t position = 0;
};
struct Pool {
  int device;
  size_t kept = 0, threshold = 0;  // bytes that are free but held by the pool, and how many of them it keeps at a synchronisation
};
struct Allocation {
  size_t bytes;
  int device;
  Pool* pool;  // NULL: allocated by cuMemAlloc
};
struct Library {
  void* handle;
};
struct Kernel {
  Library* library;
  const EmulatedKernel* code;
  int dynamic_shared = 48 * 1024;  // dynamic shared memory that a launch may request, in bytes
};

namespace {

constexpr size_t kAddressSpace = size_t{4} << 30, kRedZone = 256, kGranule = 512;
constexpr int kSharedLimit = 227 * 1024;
constexpr unsigned char kFresh = 0xFF, kFreed = 0xFE, kRed = 0xA5;

struct State {
  std::recursive_mutex lock;
  bool is_initialised = false;
  int devices = 1, capability = 90, version = 13000, order = 0;
  bool has_pools = true;
  size_t memory = size_t{1} << 30;
  std::array<Context, 8> contexts;   // primary ones
  std::deque<Context> own_contexts;  // other contexts, which the host made
  std::array<size_t, 8> used{};      // bytes of live allocations of each device
  std::set<Stream*> streams;
  std::map<Context*, Stream> legacy;  // the default stream of each context
  uint64_t streams_made = 0;
  std::set<Event*> events;
  std::set<Pool*> pools;
  std::map<CUdeviceptr, Allocation> allocations;
  std::map<size_t, size_t> holes;  // free ranges of the address space: offset, size
  std::set<Library*> libraries;
  std::set<Kernel*> kernels;
  char *device_view = nullptr, *host_view = nullptr;  // two mappings of the same memory; the first is the devices' addresses
  std::map<std::string, int> calls;
  std::string fault_in, live, mistakes, functions;
  int fault_at = 0;
  CUresult fault = kSuccess;
};
State state;
thread_local std::vector<Context*> current;

void mistake(const std::string& text) { state.mistakes += text + "\n"; }

char* host_address(CUdeviceptr address) { return state.host_view + (reinterpret_cast<char*>(address) - state.device_view); }

/// One call of a driver function: takes the lock, counts the call, and decides whether it has to fail.
class Call {
 public:
  explicit Call(const char* name, bool needs_context = false) : guard_(state.lock) {
    const int number = ++state.calls[name];
    if (state.fault_in == name && state.fault_at > 0 && number >= state.fault_at) {
      state.fault_at = 0;
      status_ = state.fault;
      if (!current.empty() && status_ >= 700 && status_ < 720) current.back()->sticky = status_;
    } else if (!state.is_initialised) {
      status_ = kNotInitialized;
    } else if (needs_context) {
      status_ = current.empty() ? kInvalidContext : current.back()->sticky;
    }
  }
  CUresult status() const { return status_; }
  /// The status of cuInit, which may be called before the driver is initialised.
  CUresult status_of_init() const { return status_ == kNotInitialized ? kSuccess : status_; }

 private:
  std::lock_guard<std::recursive_mutex> guard_;
  CUresult status_ = kSuccess;
};

#define ENTER(name)      \
  const Call call(name); \
  if (call.status() != kSuccess) return call.status()
#define ENTER_WITH_CONTEXT(name) \
  const Call call(name, true);   \
  if (call.status() != kSuccess) return call.status()

void open_memory() {
  if (state.device_view != nullptr) return;
  const int fd = memfd_create("fake device memory", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, kAddressSpace) != 0) abort();
  state.device_view = static_cast<char*>(mmap(nullptr, kAddressSpace, PROT_NONE, MAP_SHARED | MAP_NORESERVE, fd, 0));
  state.host_view = static_cast<char*>(mmap(nullptr, kAddressSpace, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0));
  close(fd);
  if (state.device_view == MAP_FAILED || state.host_view == MAP_FAILED) abort();
  state.holes = {{0, kAddressSpace}};
}

/// Runs the work of a stream in order, up to number `end`. While a kernel runs, device addresses are valid.
CUresult drain(Stream& stream, size_t end = SIZE_MAX) {
  while (!stream.work.empty() && stream.done < end) {
    const std::function<CUresult()> work = std::move(stream.work.front());
    stream.work.pop_front();
    ++stream.done;
    if (stream.context->sticky != kSuccess) continue;
    if (const CUresult status = work(); status != kSuccess) stream.context->sticky = status;
  }
  return stream.context->sticky;
}

CUresult wait_for(Stream& stream) {
  if (state.order & 4)
    for (Stream* other : state.streams)
      if (other != &stream) drain(*other);
  const CUresult status = drain(stream);
  for (Pool* pool : state.pools) pool->kept = std::min(pool->kept, pool->threshold);
  return status;
}

/// Returns the stream of a handle. NULL and 1 (CU_STREAM_LEGACY) are the default stream of the current context.
Stream* known(Stream* stream) {
  if (reinterpret_cast<uintptr_t>(stream) <= 1 && !current.empty())
    return &state.legacy.try_emplace(current.back(), Stream{current.back()}).first->second;
  return state.streams.count(stream) != 0 ? stream : nullptr;
}

/// Returns the stream of a call if it belongs to the current context.
Stream* usable(Stream* handle) {
  Stream* const stream = known(handle);
  return stream != nullptr && stream->context == current.back() ? stream : nullptr;
}

bool is_live(CUdeviceptr address, size_t bytes) {
  auto found = state.allocations.upper_bound(address);
  if (found == state.allocations.begin()) return false;
  --found;
  return address + bytes <= found->first + found->second.bytes;
}

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

}  // namespace

// ---- The driver

EXPORTED CUresult cuInit(unsigned) {
  const Call call("cuInit");
  if (call.status_of_init() != kSuccess) return call.status_of_init();
  if (state.devices == 0) return kNoDevice;
  open_memory();
  for (int i = 0; i < static_cast<int>(state.contexts.size()); ++i) state.contexts[i].device = i;
  state.is_initialised = true;
  return kSuccess;
}

EXPORTED CUresult cuDriverGetVersion(int* version) {
  const Call call("cuDriverGetVersion");
  *version = state.version;
  return call.status_of_init();
}

EXPORTED CUresult cuGetErrorName(CUresult status, const char** name) {
  const Call call("cuGetErrorName");
  if (call.status_of_init() != kSuccess) return call.status_of_init();
  static const std::map<CUresult, const char*> kNames = {
      {1, "CUDA_ERROR_INVALID_VALUE"},       {2, "CUDA_ERROR_OUT_OF_MEMORY"},   {3, "CUDA_ERROR_NOT_INITIALIZED"},
      {100, "CUDA_ERROR_NO_DEVICE"},         {200, "CUDA_ERROR_INVALID_IMAGE"}, {201, "CUDA_ERROR_INVALID_CONTEXT"},
      {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"}, {218, "CUDA_ERROR_INVALID_PTX"},   {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
      {400, "CUDA_ERROR_INVALID_HANDLE"},    {500, "CUDA_ERROR_NOT_FOUND"},     {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {719, "CUDA_ERROR_LAUNCH_FAILED"},     {801, "CUDA_ERROR_NOT_SUPPORTED"}, {999, "CUDA_ERROR_UNKNOWN"}};
  const auto found = kNames.find(status);
  *name = found != kNames.end() ? found->second : nullptr;
  return *name != nullptr ? kSuccess : kInvalidValue;
}

EXPORTED CUresult cuDeviceGetCount(int* count) {
  ENTER("cuDeviceGetCount");
  *count = state.devices;
  return kSuccess;
}

EXPORTED CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  ENTER("cuDeviceGet");
  if (ordinal < 0 || ordinal >= state.devices) return kInvalidDevice;
  *device = ordinal;
  return kSuccess;
}

EXPORTED CUresult cuDeviceGetName(char* name, int size, CUdevice device) {
  ENTER("cuDeviceGetName");
  snprintf(name, static_cast<size_t>(size), "Fake GPU %d", device);
  return kSuccess;
}

EXPORTED CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice) {
  ENTER("cuDeviceGetAttribute");
  switch (attribute) {
    case 1: *value = 1024; break;                       // MAX_THREADS_PER_BLOCK
    case 5: *value = 0x7fffffff; break;                 // MAX_GRID_DIM_X
    case 16: *value = 4; break;                         // MULTIPROCESSOR_COUNT
    case 75: *value = state.capability / 10; break;     // COMPUTE_CAPABILITY_MAJOR
    case 76: *value = state.capability % 10; break;     // COMPUTE_CAPABILITY_MINOR
    case 97: *value = kSharedLimit; break;              // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
    case 115: *value = state.has_pools ? 1 : 0; break;  // MEMORY_POOLS_SUPPORTED
    default: mistake("an attribute that the fake does not know: " + std::to_string(attribute)); return kInvalidValue;
  }
  return kSuccess;
}

EXPORTED CUresult cuDevicePrimaryCtxRetain(Context** context, CUdevice device) {
  ENTER("cuDevicePrimaryCtxRetain");
  *context = &state.contexts[device];
  ++(*context)->references;
  return kSuccess;
}

EXPORTED CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  const Call call("cuDevicePrimaryCtxRelease");
  if (state.contexts[device].references-- <= 0) mistake("a primary context is released more often than retained");
  return call.status();
}

EXPORTED CUresult cuCtxPushCurrent_v2(Context* context) {
  ENTER("cuCtxPushCurrent");
  if (context == nullptr || context->references == 0) return kInvalidContext;
  current.push_back(context);
  return kSuccess;
}

EXPORTED CUresult cuCtxPopCurrent_v2(Context** context) {
  const Call call("cuCtxPopCurrent");
  if (current.empty()) return kInvalidContext;
  *context = current.back();
  current.pop_back();
  return call.status();
}

EXPORTED CUresult cuCtxGetCurrent(Context** context) {
  ENTER("cuCtxGetCurrent");
  *context = current.empty() ? nullptr : current.back();
  return kSuccess;
}

EXPORTED CUresult cuCtxGetDevice(CUdevice* device) {
  ENTER_WITH_CONTEXT("cuCtxGetDevice");
  *device = current.back()->device;
  return kSuccess;
}

EXPORTED CUresult cuStreamCreate(Stream** stream, unsigned flags) {
  ENTER_WITH_CONTEXT("cuStreamCreate");
  if (flags > 1) return kInvalidValue;
  *stream = *state.streams.insert(new Stream{current.back()}).first;
  (*stream)->number = ++state.streams_made;
  return kSuccess;
}

EXPORTED CUresult cuStreamGetCtx(Stream* handle, Context** context) {
  ENTER_WITH_CONTEXT("cuStreamGetCtx");
  Stream* const stream = known(handle);
  if (stream == nullptr) return kInvalidHandle;
  *context = stream->context;
  return kSuccess;
}

EXPORTED CUresult cuEventCreate(Event** event, unsigned) {
  ENTER_WITH_CONTEXT("cuEventCreate");
  *event = *state.events.insert(new Event{current.back()}).first;
  return kSuccess;
}

EXPORTED CUresult cuEventDestroy_v2(Event* event) {
  const Call call("cuEventDestroy");
  if (state.events.erase(event) == 0) return kInvalidHandle;
  delete event;
  return call.status();
}

EXPORTED CUresult cuEventRecord(Event* event, Stream* handle) {
  ENTER_WITH_CONTEXT("cuEventRecord");
  Stream* const stream = known(handle);
  if (state.events.count(event) == 0 || stream == nullptr || stream->context != event->context) return kInvalidHandle;
  event->stream = stream;
  event->number = stream->number;
  event->position = stream->done + stream->work.size();
  return kSuccess;
}

/// The stream waits for the event as it is recorded now, even if it is recorded again later.
EXPORTED CUresult cuStreamWaitEvent(Stream* handle, Event* event, unsigned flags) {
  ENTER_WITH_CONTEXT("cuStreamWaitEvent");
  Stream* const stream = usable(handle);
  if (state.events.count(event) == 0 || stream == nullptr) return kInvalidHandle;
  if (flags != 0) return kInvalidValue;
  stream->work.push_back([awaited = *event, stream] {
    if (awaited.stream == nullptr || awaited.stream == stream) return static_cast<CUresult>(kSuccess);
    const bool is_there = awaited.number == 0 || (state.streams.count(awaited.stream) != 0 && awaited.stream->number == awaited.number);
    return is_there ? drain(*awaited.stream, awaited.position) : static_cast<CUresult>(kSuccess);
  });
  return kSuccess;
}

EXPORTED CUresult cuStreamDestroy_v2(Stream* stream) {
  const Call call("cuStreamDestroy");
  if (state.streams.count(stream) == 0) return kInvalidHandle;
  drain(*stream);
  state.streams.erase(stream);
  delete stream;
  return call.status();
}

EXPORTED CUresult cuStreamSynchronize(Stream* stream) {
  ENTER_WITH_CONTEXT("cuStreamSynchronize");
  return known(stream) != nullptr ? wait_for(*known(stream)) : kInvalidHandle;
}

EXPORTED CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  ENTER_WITH_CONTEXT("cuMemAlloc");
  if (bytes == 0) return kInvalidValue;
  *address = allocate(bytes, nullptr);
  if (*address == 0) return kOutOfMemory;
  memset(host_address(*address), kFresh, bytes);
  return kSuccess;
}

EXPORTED CUresult cuMemFree_v2(CUdeviceptr address) {
  const Call call("cuMemFree", true);
  for (Stream* stream : state.streams) drain(*stream);
  for (auto& [context, stream] : state.legacy) drain(stream);
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
  stream->work.push_back([at = host_address(*address), bytes] {
    memset(at, kFresh, bytes);
    return kSuccess;
  });
  return kSuccess;
}

EXPORTED CUresult cuMemFreeAsync(CUdeviceptr address, Stream* handle) {
  const Call call("cuMemFreeAsync");
  Stream* const stream = known(handle);
  if (stream == nullptr) return kInvalidHandle;
  Allocation allocation{};
  if (const CUresult status = forget(address, allocation); status != kSuccess) return status;
  if (state.order & 8) {
    stream->work.push_back([=] {
      memset(host_address(address), kFreed, allocation.bytes);
      return kSuccess;
    });
    give_back(address, allocation.bytes, allocation.pool);
  } else {
    stream->work.push_back([=] {
      memset(host_address(address), kFreed, allocation.bytes);
      give_back(address, allocation.bytes, allocation.pool);
      return kSuccess;
    });
  }
  return call.status();
}

/// Host memory is pageable, so the driver has read it when the call returns.
EXPORTED CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, Stream* handle) {
  ENTER_WITH_CONTEXT("cuMemcpyHtoDAsync");
  Stream* const stream = usable(handle);
  if (stream == nullptr) return kInvalidHandle;
  if (!is_live(to, bytes)) return kInvalidValue;
  const auto* begin = static_cast<const char*>(from);
  stream->work.push_back([to, staged = std::vector<char>(begin, begin + bytes)] {
    memcpy(host_address(to), staged.data(), staged.size());
    return kSuccess;
  });
  return kSuccess;
}

/// Host memory is pageable, so the driver has written it when the call returns.
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
  stream->work.push_back([=] {
    memcpy(host_address(to), host_address(from), bytes);
    return kSuccess;
  });
  return kSuccess;
}

EXPORTED CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, Stream* handle) {
  ENTER_WITH_CONTEXT("cuMemsetD8Async");
  Stream* const stream = usable(handle);
  if (stream == nullptr) return kInvalidHandle;
  if (!is_live(to, bytes)) return kInvalidValue;
  stream->work.push_back([=] {
    memset(host_address(to), value, bytes);
    return kSuccess;
  });
  return kSuccess;
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

// ---- Modules and kernels

namespace {

/// Size of a shared object, which ends with its section headers.
size_t elf_size(const void* image) {
  const auto* header = static_cast<const Elf64_Ehdr*>(image);
  return header->e_shoff + static_cast<size_t>(header->e_shnum) * header->e_shentsize;
}

/// Loads the bytes of a shared object under a name that is new in this process, because dlopen knows libraries by their names.
void* open_image(const void* bytes, size_t size) {
  char path[] = "/tmp/fake-cubin-XXXXXX";
  const int fd = mkstemp(path);
  if (fd < 0) return nullptr;
  const bool written = write(fd, bytes, size) == static_cast<ssize_t>(size);
  close(fd);
  void* const handle = written ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (handle == nullptr) fprintf(stderr, "fake CUDA driver: %s\n", dlerror());
  unlink(path);
  return handle;
}

CUresult check_image(void* handle, bool is_ptx) {
  const auto* facts = static_cast<const FakeImageFacts*>(dlsym(handle, kFakeImageFacts));
  if (facts == nullptr) return kInvalidImage;
  if (facts->toolkit / 1000 > state.version / 1000) return is_ptx ? kUnsupportedPtxVersion : kInvalidImage;
  const bool same_family = facts->arch / 10 == state.capability / 10;
  const bool runs = is_ptx ? facts->arch <= state.capability : same_family && facts->arch <= state.capability;
  return runs ? kSuccess : kNoBinaryForGpu;
}

}  // namespace

EXPORTED CUresult cuLibraryLoadData(Library** library, const void* image, void*, void*, unsigned, void*, void*, unsigned) {
  ENTER("cuLibraryLoadData");
  const bool is_ptx = memcmp(image, kFakePtx, sizeof kFakePtx - 1) == 0;
  std::vector<char> bytes;
  if (is_ptx) {
    bytes = fake_ptx_bytes(static_cast<const char*>(image));
    image = bytes.data();
  }
  const auto* header = static_cast<const Elf64_Ehdr*>(image);
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return kInvalidImage;
  if (header->e_machine != EM_X86_64) return kNoBinaryForGpu;
  void* const handle = open_image(image, elf_size(image));
  if (handle == nullptr) return kInvalidImage;
  if (const CUresult status = check_image(handle, is_ptx); status != kSuccess) {
    dlclose(handle);
    return status;
  }
  *library = *state.libraries.insert(new Library{handle}).first;
  return kSuccess;
}

EXPORTED CUresult cuLibraryUnload(Library* library) {
  const Call call("cuLibraryUnload");
  if (state.libraries.erase(library) == 0) return kInvalidHandle;
  for (Stream* stream : state.streams)
    if (stream->launches > 0 && stream->context->sticky == kSuccess) mistake("a library is unloaded while launches of kernels are pending");
  for (auto kernel = state.kernels.begin(); kernel != state.kernels.end();) {
    if ((*kernel)->library == library) {
      delete *kernel;
      kernel = state.kernels.erase(kernel);
    } else {
      ++kernel;
    }
  }
  dlclose(library->handle);
  delete library;
  return call.status();
}

EXPORTED CUresult cuLibraryGetKernel(Kernel** kernel, Library* library, const char* name) {
  ENTER("cuLibraryGetKernel");
  if (state.libraries.count(library) == 0) return kInvalidHandle;
  const auto list = reinterpret_cast<harp::cuda_test::EmulatedKernelsFunction>(dlsym(library->handle, harp::cuda_test::kEmulatedKernels));
  size_t count = 0;
  const EmulatedKernel* const codes = list != nullptr ? list(&count) : nullptr;
  const EmulatedKernel* const code =
      std::find_if(codes, codes + count, [&](const EmulatedKernel& one) { return std::string(one.name) == name; });
  if (code == codes + count) return kNotFound;
  *kernel = *state.kernels.insert(new Kernel{library, code}).first;
  return kSuccess;
}

/// Returns the function of a kernel in the current context; here one object is both.
EXPORTED CUresult cuKernelGetFunction(Kernel** function, Kernel* kernel) {
  ENTER_WITH_CONTEXT("cuKernelGetFunction");
  if (state.kernels.count(kernel) == 0) return kInvalidHandle;
  *function = kernel;
  return kSuccess;
}

EXPORTED CUresult cuFuncGetAttribute(int* value, int attribute, Kernel* function) {
  ENTER_WITH_CONTEXT("cuFuncGetAttribute");
  if (state.kernels.count(function) == 0) return kInvalidHandle;
  switch (attribute) {
    case 0: *value = static_cast<int>(function->code->most_threads); break;  // MAX_THREADS_PER_BLOCK
    case 1: *value = 0; break;                                               // SHARED_SIZE_BYTES
    case 8: *value = function->dynamic_shared; break;                        // MAX_DYNAMIC_SHARED_SIZE_BYTES
    default: return kInvalidValue;
  }
  return kSuccess;
}

EXPORTED CUresult cuFuncSetAttribute(Kernel* function, int attribute, int value) {
  ENTER_WITH_CONTEXT("cuFuncSetAttribute");
  if (state.kernels.count(function) == 0) return kInvalidHandle;
  if (attribute != 8 || value < 0 || value > kSharedLimit) return kInvalidValue;
  function->dynamic_shared = value;
  return kSuccess;
}

EXPORTED CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel* function, int threads, size_t shared) {
  ENTER_WITH_CONTEXT("cuOccupancyMaxActiveBlocksPerMultiprocessor");
  if (state.kernels.count(function) == 0) return kInvalidHandle;
  if (threads <= 0 || threads > 1024) return kInvalidValue;
  const size_t by_shared = shared == 0 ? 32 : (size_t{228} << 10) / (shared + 1024);
  *blocks = static_cast<int>(std::min<size_t>({32, 2048u / static_cast<unsigned>(threads), by_shared}));
  return kSuccess;
}

/// Parameters are read when the kernel is launched, memory when the kernel runs.
EXPORTED CUresult cuLaunchKernel(Kernel* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned shared, Stream* handle, void** parameters, void**) {
  ENTER_WITH_CONTEXT("cuLaunchKernel");
  Stream* const stream = usable(handle);
  if (state.kernels.count(function) == 0 || stream == nullptr) return kInvalidHandle;
  const bool fits = grid_x - 1 < 0x7fffffff && grid_y - 1 < 65535 && grid_z - 1 < 65535 && block_x - 1 < 1024 && block_y - 1 < 1024 &&
                    block_z - 1 < 64 && block_x * block_y * block_z <= function->code->most_threads &&
                    static_cast<int>(shared) <= function->dynamic_shared;
  if (!fits) return kInvalidValue;
  std::vector<std::vector<char>> values;
  for (uint32_t i = 0; i < function->code->n_parameters; ++i) {
    const auto* begin = static_cast<const char*>(parameters[i]);
    values.emplace_back(begin, begin + function->code->parameter_bytes[i]);
  }
  ++stream->launches;
  stream->work.push_back([=, code = function->code]() mutable -> CUresult {
    --stream->launches;
    std::vector<void*> addresses;
    for (std::vector<char>& value : values) addresses.push_back(value.data());
    const uint32_t grid[3] = {grid_x, grid_y, grid_z}, block[3] = {block_x, block_y, block_z};
    mprotect(state.device_view, kAddressSpace, PROT_READ | PROT_WRITE);
    const char* const fault = code->launch(grid, block, shared, addresses.data(), static_cast<ThreadOrder>(state.order & 3));
    mprotect(state.device_view, kAddressSpace, PROT_NONE);
    if (fault == nullptr) return kSuccess;
    mistake("kernel " + std::string(code->name) + ": " + fault);
    return kLaunchFailed;
  });
  return kSuccess;
}

// ---- Looking functions up

namespace {

struct Row {
  const char* name;
  int version;
  void* address;
};

#define ROW(name, version, function) \
  { name, version, reinterpret_cast<void*>(&function) }
const Row kRows[] = {
    ROW("cuInit", 2000, cuInit),
    ROW("cuDriverGetVersion", 2020, cuDriverGetVersion),
    ROW("cuGetErrorName", 6000, cuGetErrorName),
    ROW("cuDeviceGetCount", 2000, cuDeviceGetCount),
    ROW("cuDeviceGet", 2000, cuDeviceGet),
    ROW("cuDeviceGetName", 2000, cuDeviceGetName),
    ROW("cuDeviceGetAttribute", 2000, cuDeviceGetAttribute),
    ROW("cuDevicePrimaryCtxRetain", 7000, cuDevicePrimaryCtxRetain),
    ROW("cuDevicePrimaryCtxRelease", 11000, cuDevicePrimaryCtxRelease_v2),
    ROW("cuCtxPushCurrent", 4000, cuCtxPushCurrent_v2),
    ROW("cuCtxPopCurrent", 4000, cuCtxPopCurrent_v2),
    ROW("cuCtxGetCurrent", 4000, cuCtxGetCurrent),
    ROW("cuCtxGetDevice", 2000, cuCtxGetDevice),
    ROW("cuStreamCreate", 2000, cuStreamCreate),
    ROW("cuStreamDestroy", 4000, cuStreamDestroy_v2),
    ROW("cuStreamSynchronize", 2000, cuStreamSynchronize),
    ROW("cuStreamGetCtx", 9020, cuStreamGetCtx),
    ROW("cuStreamWaitEvent", 3020, cuStreamWaitEvent),
    ROW("cuEventCreate", 2000, cuEventCreate),
    ROW("cuEventRecord", 2000, cuEventRecord),
    ROW("cuEventDestroy", 4000, cuEventDestroy_v2),
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
    ROW("cuLibraryLoadData", 12000, cuLibraryLoadData),
    ROW("cuLibraryUnload", 12000, cuLibraryUnload),
    ROW("cuLibraryGetKernel", 12000, cuLibraryGetKernel),
    ROW("cuKernelGetFunction", 12000, cuKernelGetFunction),
    ROW("cuFuncGetAttribute", 2020, cuFuncGetAttribute),
    ROW("cuFuncSetAttribute", 9000, cuFuncSetAttribute),
    ROW("cuOccupancyMaxActiveBlocksPerMultiprocessor", 6050, cuOccupancyMaxActiveBlocksPerMultiprocessor),
    ROW("cuLaunchKernel", 4000, cuLaunchKernel),
};

}  // namespace

EXPORTED CUresult cuGetProcAddress_v2(const char* name, void** address, int version, unsigned long long flags, int*) {
  const Call call("cuGetProcAddress");
  if (call.status_of_init() != kSuccess) return call.status_of_init();
  if (flags != 0) return kInvalidValue;
  for (const Row& row : kRows) {
    // A version other than the row's would have another interface of the function, or none.
    if (name != std::string(row.name) || version != row.version || version > state.version) continue;
    *address = row.address;
    return kSuccess;
  }
  *address = nullptr;
  return kNotFound;
}

// ---- For tests

EXPORTED void fake_cuda_fail(const char* name, int nth, int status) {
  const std::lock_guard guard(state.lock);
  state.fault_in = name;
  state.fault_at = nth == 0 ? 0 : state.calls[name] + nth;
  state.fault = status;
}

EXPORTED int fake_cuda_calls(const char* name) {
  const std::lock_guard guard(state.lock);
  return state.calls[name];
}

EXPORTED const char* fake_cuda_functions() {
  const std::lock_guard guard(state.lock);
  state.functions = "cuGetProcAddress\n";
  for (const Row& row : kRows) state.functions += std::string(row.name) + "\n";
  return state.functions.c_str();
}

EXPORTED void fake_cuda_set_machine(int devices, int capability, int driver_version, int has_pools) {
  const std::lock_guard guard(state.lock);
  state.devices = devices, state.capability = capability, state.version = driver_version, state.has_pools = has_pools != 0;
}

EXPORTED void fake_cuda_set_memory(size_t bytes) {
  const std::lock_guard guard(state.lock);
  state.memory = bytes;
}

EXPORTED void fake_cuda_set_order(int order) {
  const std::lock_guard guard(state.lock);
  state.order = order;
}

EXPORTED const char* fake_cuda_live() {
  const std::lock_guard guard(state.lock);
  size_t contexts = 0;
  for (const Context& context : state.contexts) contexts += static_cast<size_t>(std::max(context.references, 0));
  state.live.clear();
  const std::pair<size_t, const char*> counts[] = {{state.allocations.size(), "allocations"}, {state.streams.size(), "streams"},
                                                   {state.events.size(), "events"},           {state.pools.size(), "pools"},
                                                   {state.libraries.size(), "libraries"},     {contexts, "contexts"},
                                                   {current.size(), "current contexts"}};
  for (const auto& [count, what] : counts)
    if (count > 0) state.live += (state.live.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  return state.live.c_str();
}

EXPORTED void* fake_cuda_new_context(int device) {
  const std::lock_guard guard(state.lock);
  return &state.own_contexts.emplace_back(Context{device, 1});
}

EXPORTED int fake_cuda_is_device_address(const void* address) {
  const std::lock_guard guard(state.lock);
  return is_live(reinterpret_cast<CUdeviceptr>(address), 1) ? 1 : 0;
}

EXPORTED const char* fake_cuda_mistakes() {
  const std::lock_guard guard(state.lock);
  return state.mistakes.c_str();
}

EXPORTED void fake_cuda_reset() {
  const std::lock_guard guard(state.lock);
  state.calls.clear();
  state.fault_at = 0;
  state.mistakes.clear();
  state.order = 0;
  state.memory = size_t{1} << 30;
  state.is_initialised = false;
  for (Context& context : state.contexts) context = {};
  state.legacy.clear(), state.own_contexts.clear();
  // Objects that a test with a lost device left behind: harp forgets them without driver calls, and the end of the process would release
  // them.
  for (Event* event : state.events) delete event;
  for (Stream* stream : state.streams) delete stream;
  for (Pool* pool : state.pools) delete pool;
  for (Kernel* kernel : state.kernels) delete kernel;
  for (Library* library : state.libraries) {
    dlclose(library->handle);
    delete library;
  }
  state.events.clear(), state.streams.clear(), state.pools.clear(), state.kernels.clear(), state.libraries.clear(),
      state.allocations.clear();
  state.used = {};
  if (state.device_view != nullptr) state.holes = {{0, kAddressSpace}};
  current.clear();
  fake_cuda_set_machine(1, 90, 13000, 1);
}
