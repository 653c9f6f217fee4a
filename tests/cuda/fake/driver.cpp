// Implements a libcuda.so.1 that needs no GPU. fake_driver.h says how it differs from a real one. This file finds the driver's functions by
// name, and has the functions with which tests control the fake driver and ask what has happened.
#include "cuda/fake/fake_driver.h"

#include <dlfcn.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cuda/fake/state.h"

using namespace fake;

State fake::state;
thread_local std::vector<Context*> fake::current;

namespace {

/// All functions of the driver.
const std::vector<Row>& all_functions() {
  static const std::vector<Row> all = [] {
    std::vector<Row> rows;
    for (const std::vector<Row>& part : {device_functions(), stream_functions(), memory_functions(), kernel_functions(), graph_functions()})
      rows.insert(rows.end(), part.begin(), part.end());
    return rows;
  }();
  return all;
}

}  // namespace

EXPORTED CUresult cuGetProcAddress_v2(const char* name, void** address, int version, unsigned long long flags, int*) {
  const Call call("cuGetProcAddress");
  if (call.status_of_init() != kSuccess) return call.status_of_init();
  if (flags != 0) return kInvalidValue;
  for (const Row& row : all_functions()) {
    // A function is found only at the exact version of its table row. At other versions its interface differs, or it does not exist.
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
  for (const Row& row : all_functions()) state.functions += std::string(row.name) + "\n";
  return state.functions.c_str();
}

EXPORTED void fake_cuda_set_machine(int devices, int capability, int driver_version, int has_pools) {
  const std::lock_guard guard(state.lock);
  state.devices = devices, state.version = driver_version, state.has_pools = has_pools != 0;
  state.capabilities.fill(capability);
  state.processors.fill(4);
}

EXPORTED void fake_cuda_set_capability(int device, int capability) {
  const std::lock_guard guard(state.lock);
  state.capabilities[static_cast<size_t>(device)] = capability;
}

EXPORTED void fake_cuda_set_processors(int device, int processors) {
  const std::lock_guard guard(state.lock);
  state.processors[static_cast<size_t>(device)] = processors;
}

EXPORTED void fake_cuda_set_memory(size_t bytes) {
  const std::lock_guard guard(state.lock);
  state.memory = bytes;
}

EXPORTED void fake_cuda_set_order(int order) {
  const std::lock_guard guard(state.lock);
  state.order = order;
}

EXPORTED size_t fake_cuda_pending() {
  const std::lock_guard guard(state.lock);
  size_t pending = 0;
  for (const Stream* stream : state.streams) pending += stream->work.size();
  for (const auto& [context, stream] : state.legacy) pending += stream.work.size();
  return pending;
}

EXPORTED const char* fake_cuda_live() {
  const std::lock_guard guard(state.lock);
  size_t contexts = 0;
  for (const Context& context : state.contexts) contexts += static_cast<size_t>(std::max(context.references, 0));
  state.live.clear();
  const std::pair<size_t, const char*> counts[] = {{state.allocations.size(), "allocations"},
                                                   {state.streams.size(), "streams"},
                                                   {state.events.size(), "events"},
                                                   {state.pools.size(), "pools"},
                                                   {state.libraries.size(), "libraries"},
                                                   {contexts, "contexts"},
                                                   {current.size(), "current contexts"},
                                                   {state.graphs.size(), "graphs"},
                                                   {state.executable_graphs.size(), "executable graphs"}};
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
  // Deletes the objects that remain after a test with a lost device: harp forgets such objects and does not call the driver. A real driver
  // would release them at the end of the process.
  for (ExecutableGraph* graph : state.executable_graphs) delete graph;
  for (Graph* graph : state.graphs) delete graph;
  state.executable_graphs.clear(), state.graphs.clear();
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
