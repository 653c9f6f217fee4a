// Makes CUDA graphs that launch all kernels of a program at once. If kernels are small, launching them one by one takes the CPU longer than
// the GPU takes to execute them. The first run with certain sizes launches its kernels one by one. The second run with the same sizes makes
// a graph and launches it. Later runs set the pointers to the caller's arrays in this graph and launch it.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "run/cuda/launch.h"

namespace harp::cuda {

/// The launches of a plan with certain sizes on one device, as an executable CUDA graph. It owns its arena, the memory that a run
/// allocates. Not thread-safe.
class Replay {
 public:
  /// Makes a graph with one node for each step and the plan's edges. The device's context must be current. Throws Error{kDevice} or
  /// Error{kUnsupported}. Throws Error{kOutOfMemory} also if all graphs together would keep too much memory.
  Replay(PlanSizes& sizes, void** inputs, void** outputs);
  ~Replay();
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  DeviceAddress arena() const { return arena_; }
  /// Adds the graph to the device's stream, with the addresses of these arrays; the context must be current. Launches that are already on
  /// the stream keep the addresses of their own arrays. After an Error{kDevice} the object can only be destroyed.
  void launch(void** inputs, void** outputs);

 private:
  /// A kernel argument that is an address in an array of the caller.
  struct Pointer {
    size_t argument;
    Location::Base base;  // kInput, kOutput
    size_t index;
    DeviceAddress offset;
  };
  struct KernelNode {
    GraphNodeHandle handle;
    KernelLaunch launch;  // the launch, with the arguments that it has in the executable graph at present
    std::vector<Pointer> pointers;
  };
  void build(PlanSizes& sizes, const RunArrays& arrays);
  GraphNodeHandle add_kernel(PlanSizes& sizes, const Launch& step, KernelLaunch launch, const std::vector<GraphNodeHandle>& after);
  void release() const noexcept;

  const CudaDevice& device_;
  const size_t arena_bytes_;
  DeviceAddress arena_ = 0;
  GraphHandle graph_ = nullptr;
  ExecutableGraphHandle executable_ = nullptr;
  std::vector<KernelNode> kernels_;  // the kernel nodes whose arguments include addresses in arrays of the caller
};

/// The graphs of a program on one device, for the four combinations of sizes that were used last. Thread-safe.
class Replays {
  struct Entry {
    explicit Entry(std::span<const int64_t> sizes) : values(sizes.begin(), sizes.end()) {}
    const std::vector<int64_t> values;  // values of the shape variables
    std::mutex busy;                    // locked by the run that makes or uses the graph
    std::unique_ptr<Replay> replay;     // null: making the graph has failed
  };

 public:
  /// The plan must outlive this object.
  explicit Replays(const Plan& plan);

  /// The right of one run to use a graph. It ends with this object or with give_back().
  class Lease {
   public:
    Lease() = default;
    explicit operator bool() const { return entry_ != nullptr; }
    Replay* operator->() const { return entry_->replay.get(); }
    /// Ends the right to use the graph, so that other runs can use it.
    void give_back() { lock_.unlock(); }

   private:
    friend class Replays;
    std::shared_ptr<Entry> entry_;
    std::unique_lock<std::mutex> lock_;
  };
  /// Returns the graph for the sizes of a run; the device's context must be current. Returns an empty Lease if the run has to launch its
  /// kernels one by one: these sizes are used for the first time, another run is using the graph, a graph would not save time, or making it
  /// has failed. Throws Error{kDevice} if the device is lost.
  Lease lease(PlanSizes& sizes, void** inputs, void** outputs);
  /// Removes a graph whose launch has failed.
  void forget(const Lease& lease);

 private:
  std::shared_ptr<Entry> find(std::span<const int64_t> values);
  void make(Lease& lease, PlanSizes& sizes, void** inputs, void** outputs);

  const bool is_replayed_;  // whether graphs save time for this plan
  std::mutex mutex_;        // guards the lists below, whose first element is the most recently used
  std::list<std::shared_ptr<Entry>> entries_;
  std::list<std::vector<int64_t>> seen_;  // sizes that have been used in one run only
};

}  // namespace harp::cuda
