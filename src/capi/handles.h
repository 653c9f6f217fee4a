// Defines the structs behind the opaque handles of harp.h. Contexts, graphs, buffers and programs count their references, and graphs,
// buffers and programs keep their context alive. A node belongs to its graph and is freed with it. A string has a single owner.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backend/table.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/process.h"
#include "capi/compiled_program.h"
#include "capi/dims.h"
#include "capi/error.h"
#include "capi/fork_guard.h"
#include "compile/loader.h"
#include "compile/service.h"
#include "graph/graph.h"
#include "run/device_array.h"
#include "run/memory_pool.h"
#include "run/thread_pool.h"
#include "tune/database.h"
#include "tune/measured_machine.h"

namespace harp::cuda {
struct DeviceOptions;
}

namespace harp::capi {

class Counted {
 public:
  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  /// Drops a reference. Returns true if it was the last one.
  bool release() { return references_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

 private:
  std::atomic<size_t> references_{1};
};

template <class Handle>
Handle* retain(Handle* handle) {
  if (handle != nullptr) handle->retain();
  return handle;
}
template <class Handle>
void release(Handle* handle) {
  if (handle != nullptr && handle->release()) delete handle;
}

/// A reference to a handle, which the destructor releases.
template <class Handle>
class Reference {
 public:
  explicit Reference(Handle* handle) : handle_(capi::retain(handle)) {}
  ~Reference() { capi::release(handle_); }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;
  Handle* operator->() const { return handle_; }
  Handle& operator*() const { return *handle_; }

 private:
  Handle* handle_;
};

}  // namespace harp::capi

struct harp_string {
  std::string text;
};

struct harp_context : harp::capi::Counted {
  harp_context(const harp::HostHooks& host, size_t kept_memory, size_t threads, const harp::Log& log, harp::ServiceOptions options,
               std::string dump, const harp::cuda::DeviceOptions& gpus);
  ~harp_context();

  harp::capi::ForkGuard fork_guard;
  // If set, hooks.allocator takes memory from this pool. Declared before the other members, and thus destroyed after them, because they may
  // own such memory.
  std::optional<harp::MemoryPool> memory;
  std::optional<harp::ThreadPool> pool;  // if set, hooks.parallel_for runs kernels on the threads of this pool
  harp::HostHooks hooks;
  harp::Log log;
  std::string dump;                           // names of the stages to log in every compilation
  bool native_ops = true;                     // true if graphs may call native functions of the host
  harp::Machine host = harp::host_machine();  // this machine, detected once because detection takes microseconds in a virtual machine
  harp::RealFileSystem files;
  harp::RealProcess process;
  harp::System system{files, process};
  std::string compiler;  // command of the compiler that the host chose; empty: the host chose none
  harp::CompileService service;
  harp::capi::ProgramCache programs;
  harp::tune::TuningDatabase tuning;
  harp::tune::MeasuredMachine measured;
  harp::BackendTable backends;
  // The GPUs. The programs in `programs` own modules that are loaded on the GPUs, so the destructor first clears `programs`.
  std::unique_ptr<harp::cuda::Platform> cuda;

  harp::Resources resources() { return {system, service, log, host, *cuda}; }
};

struct harp_node {
  harp_graph* graph;
  const harp::Node* node;
};

struct harp_graph : harp::capi::Counted {
  harp_graph(harp_context* context, std::unique_ptr<harp::Graph> graph) : context(context), graph(std::move(graph)) {}
  ~harp_graph() { harp_error_release(error); }

  /// Returns the handle of a node of this graph, and creates it if this is the first call for the node.
  harp_node* wrap(const harp::Node* node);
  /// Removes the nodes that were created after the graph had `count` nodes, and frees their handles for reuse.
  void roll_back(size_t count) noexcept;
  /// Removes all nodes except those in `kept`, the outputs, and everything that these depend on. Frees the handles of the removed nodes for
  /// reuse.
  void keep_only(std::span<const harp::Node* const> kept);
  /// Takes ownership of the error. Stores it if the graph has no error yet, releases it otherwise.
  void mark(harp_error* first_error) noexcept;

  harp::capi::Reference<harp_context> context;
  std::unique_ptr<harp::Graph> graph;
  harp_error* error = nullptr;  // the error of the first call that failed to extend this graph
  harp::capi::DimHandles dims;

 private:
  std::deque<harp_node> nodes_;
  std::vector<harp_node*> by_id_;
  std::vector<harp_node*> free_;  // pointers to those elements of nodes_ that represent no node at present
};

struct harp_buffer : harp::capi::Counted {
  harp_buffer(harp_context* context, harp::DeviceArray array) : context(context), array(std::move(array)) {}

  harp::capi::Reference<harp_context> context;
  harp::DeviceArray array;
};

namespace harp::capi {
class Specializer;
}

struct harp_program : harp::capi::Counted {
  harp_program(harp_context* context, std::shared_ptr<const harp::capi::CompiledProgram> compiled)
      : context(context), compiled(std::move(compiled)), stats(this->compiled->stats) {}

  // Declared first and thus destroyed last, because unloading the library needs the interface to the operating system (Process) that the
  // context owns.
  harp::capi::Reference<harp_context> context;
  std::shared_ptr<const harp::capi::CompiledProgram> compiled;
  std::shared_ptr<harp::capi::Specializer> specializer;  // null if the program does not count its runs (harp_compile_options.specialize)
  harp_program_stats_info stats;  // statistics of the call that made this handle; `compiled` may come from an earlier call
};
