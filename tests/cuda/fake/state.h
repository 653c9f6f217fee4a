// Declares what the parts of the fake driver share: its objects, its state, and the code with which each of its functions begins.
// devices.cpp, streams.cpp, memory.cpp, kernels.cpp and graphs.cpp define the driver's functions, with the names and parameters of CUDA's
// driver API. driver.cpp finds these functions by name, and defines the functions that tests call to learn what has happened. One lock
// protects all state, so that the work of all streams has an order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "cuda/emulator/kernels.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace fake {

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
  kCaptureUnsupported = 900,
  kCaptureInvalidated = 901,
  kCaptureIsolation = 905,
  kCaptureImplicit = 906,
};

struct Context {
  int device = 0, references = 0;
  CUresult sticky = kSuccess;  // the error that every call returns after a kernel has faulted
};
struct Kernel;
/// A part of a graph. It runs after the nodes in `after`.
struct Node {
  std::vector<Node*> after;
  std::function<CUresult()> run = {};  // empty: the node does nothing
  Kernel* kernel = nullptr;            // the kernel that the node launches, or NULL
};
/// Memory that nodes of a graph allocate. It exists as long as the graph, or an executable graph that was made from it.
struct GraphMemory {
  GraphMemory() = default;
  ~GraphMemory();
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;

  std::set<CUdeviceptr> addresses;
};
struct Graph {
  std::vector<std::unique_ptr<Node>> nodes = {};
  std::shared_ptr<GraphMemory> memory = std::make_shared<GraphMemory>();
};
struct ExecutableGraph {
  struct Step {
    const Node* node;           // the node of the graph from which this executable graph was made
    std::vector<size_t> after;  // other steps
    std::function<CUresult()> run;
    Kernel* kernel;
  };
  Context* context;
  const Graph* source;
  std::vector<Step> steps;
  std::shared_ptr<GraphMemory> memory;
};
struct Stream {
  Context* context;
  std::deque<std::function<CUresult()>> work = {};
  int launches = 0;     // number of kernel launches in `work`
  uint64_t number = 0;  // an id that no other stream has had
  size_t done = 0;      // number of items of work that have run since the stream was created
  // The graph into which the stream is being captured, or NULL. During the capture, work becomes nodes of this graph instead of running.
  Graph* capture = nullptr;
  Node* captured = nullptr;         // the last node of the capture
  bool is_capture_global = false;   // whether the capture forbids, in the whole process, calls that are not work on a stream
  bool is_capture_invalid = false;  // whether a call was made that is not allowed during the capture
};
/// An event. It stands for the work that was on the stream when the event was recorded: all items up to number `position`.
struct Event {
  Context* context;
  Stream* stream = nullptr;
  uint64_t number = 0;  // the number of `stream` (Stream::number)
  size_t position = 0;
  bool is_captured = false;  // whether the event was recorded during a capture
};
struct Pool {
  int device;
  size_t kept = 0, threshold = 0;  // kept: bytes of free memory in the pool; threshold: how many of them it keeps when the CPU synchronises
};
struct Allocation {
  size_t bytes;
  int device;
  Pool* pool;  // the pool of the allocation; NULL if it was made by cuMemAlloc
};
struct Library {
  void* handle;
  bool is_ptx;
};
struct Kernel {
  Library* library;
  const harp::cuda_test::EmulatedKernel* code;
  int dynamic_shared = 48 * 1024;  // the largest dynamic shared memory that a launch may request, in bytes
};

inline constexpr size_t kAddressSpace = size_t{4} << 30, kRedZone = 256, kGranule = 512;
inline constexpr int kSharedLimit = 227 * 1024;
inline constexpr unsigned char kFresh = 0xFF, kFreed = 0xFE, kRed = 0xA5;

struct State {
  std::recursive_mutex lock;
  bool is_initialised = false;
  int devices = 1, version = 13000, order = 0;
  std::array<int, 8> capabilities = {90, 90, 90, 90, 90, 90, 90, 90};  // of the devices
  std::array<int, 8> processors = {4, 4, 4, 4, 4, 4, 4, 4};            // number of multiprocessors of each device
  bool has_pools = true;
  size_t memory = size_t{1} << 30;
  std::array<Context, 8> contexts;   // primary ones
  std::deque<Context> own_contexts;  // contexts that the host application has created
  std::array<size_t, 8> used{};      // bytes of live allocations on each device
  std::set<Stream*> streams;
  std::map<Context*, Stream> legacy;  // the default stream of each context
  uint64_t streams_made = 0;
  std::set<Event*> events;
  std::set<Pool*> pools;
  std::map<CUdeviceptr, Allocation> allocations;
  std::map<size_t, size_t> holes;  // free ranges of the address space: offset, size
  std::set<Library*> libraries;
  std::set<Kernel*> kernels;
  std::set<Graph*> graphs;
  std::set<ExecutableGraph*> executable_graphs;
  // two mappings of the same memory; the device addresses are addresses in device_view
  char *device_view = nullptr, *host_view = nullptr;
  std::map<std::string, int> calls;
  std::string fault_in, live, mistakes, functions;
  int fault_at = 0;
  CUresult fault = kSuccess;
};
extern State state;
extern thread_local std::vector<Context*> current;  // the contexts that this thread has pushed; the last one is current

inline void mistake(const std::string& text) { state.mistakes += text + "\n"; }

inline char* host_address(CUdeviceptr address) { return state.host_view + (reinterpret_cast<char*>(address) - state.device_view); }

/// Appends the failure to the file that HARP_FAKE_CUDA_FAULTS names, from which `./dev torture cuda` counts the failures.
inline void note_fault(const char* name, CUresult status) {
  if (const char* path = std::getenv("HARP_FAKE_CUDA_FAULTS")) std::ofstream(path, std::ios::app) << name << ' ' << status << '\n';
}

/// One call of a function of the driver: takes the lock, counts the call, and decides whether it has to fail.
class Call {
 public:
  explicit Call(const char* name, bool needs_context = false) : guard_(state.lock) {
    const int number = ++state.calls[name];
    if (state.fault_in == name && state.fault_at > 0 && number >= state.fault_at) {
      state.fault_at = 0;
      status_ = state.fault;
      note_fault(name, status_);
      if (!current.empty() && status_ >= 700 && status_ < 720) current.back()->sticky = status_;
    } else if (!state.is_initialised) {
      status_ = kNotInitialized;
    } else if (needs_context) {
      status_ = current.empty() ? kInvalidContext : current.back()->sticky;
    }
  }
  CUresult status() const { return status_; }
  /// Returns status_, but success instead of kNotInitialized. It is for functions that may be called before the driver is initialised, such
  /// as cuInit.
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

// Streams

/// Runs the work of a stream in order, up to item number `end`.
CUresult drain(Stream& stream, size_t end = SIZE_MAX);
/// Does what a wait for the stream does: runs its work, and lets each pool release the free memory above its threshold.
CUresult wait_for(Stream& stream);
/// Puts work on the stream or, during a capture, into the graph. `kernel` is the kernel that the work launches, or NULL.
CUresult enqueue(Stream& stream, std::function<CUresult()> run, Kernel* kernel = nullptr);
/// Records that a call that is not allowed during a capture was made, and returns the error for it.
CUresult break_capture(Stream& stream, const char* name);
/// Does the same as break_capture() if any stream is being captured in the mode "global"; otherwise returns success.
CUresult check_no_capture(const char* name);
/// Returns the stream of a handle; NULL and 1 (CU_STREAM_LEGACY) are the default stream of the current context. Returns NULL if the handle
/// is unknown.
Stream* known(Stream* stream);
/// Like known(), but returns NULL if the stream belongs to another context than the current one.
Stream* usable(Stream* handle);

// Memory

/// Reserves the address space of all devices. Later calls do nothing.
void open_memory();
/// Tests whether the whole range is in a live allocation.
bool is_live(CUdeviceptr address, size_t bytes);
/// Frees memory at once, if the address is that of an allocation.
void release_now(CUdeviceptr address);

// Kernels

struct LaunchShape {
  unsigned grid[3], block[3], shared;
};
/// Makes the work of a launch. It reads the parameters now, but the memory that they point to only when the work runs.
CUresult make_launch(const Kernel* function, const LaunchShape& shape, void** parameters, std::function<CUresult()>& run);

/// A function of the driver, as cuGetProcAddress finds it. `version` is the version of CUDA that introduced this interface.
struct Row {
  const char* name;
  int version;
  void* address;
};
#define ROW(name, version, function) \
  { name, version, reinterpret_cast<void*>(&function) }
std::vector<Row> device_functions();
std::vector<Row> stream_functions();
std::vector<Row> memory_functions();
std::vector<Row> kernel_functions();
std::vector<Row> graph_functions();

}  // namespace fake
