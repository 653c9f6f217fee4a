// CUDA graphs of a program's launches. A run of many small kernels takes the host longer to launch than the GPU to execute; a graph of all
// of them is launched at once. The first run of certain sizes launches its kernels one by one, the second one makes a graph, and later ones
// launch that graph after they have set the pointers to the caller's arrays in it.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "run/cuda/launch.h"

namespace harp::cuda {

/// The launches of a plan for certain sizes on one device, as an executable graph with an arena of its own. Not thread-safe.
class Replay {
 public:
  /// Makes a node for each step, with the plan's edges. Inside a Current. Error{kDevice, kUnsupported}; Error{kOutOfMemory} also if graphs
  /// hold as much memory as they may.
  Replay(PlanSizes& sizes, void** inputs, void** outputs);
  ~Replay();
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  DeviceAddress arena() const { return arena_; }
  /// Puts the graph on the device's stream, with these arrays of the caller; inside a Current. Launches that are on the stream already keep
  /// theirs. After an Error{kDevice} the object can only be destroyed.
  void launch(void** inputs, void** outputs);

 private:
  /// An argument of a kernel that is an address in an array of the caller.
  struct Pointer {
    size_t argument;
    Location::Base base;  // kInput, kOutput
    size_t index;
    DeviceAddress offset;
  };
  struct KernelNode {
    GraphNodeHandle handle;
    KernelLaunch launch;  // as it is in the executable graph
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
  std::vector<KernelNode> kernels_;  // those with pointers
};

/// The graphs of a program on one device: of the four sizes that were used last. Thread-safe.
class Replays {
  struct Entry {
    explicit Entry(std::span<const int64_t> sizes) : values(sizes.begin(), sizes.end()) {}
    const std::vector<int64_t> values;  // of the shape variables
    std::mutex busy;                    // held by the run that uses or makes the graph
    std::unique_ptr<Replay> replay;     // null: it could not be made
  };

 public:
  /// The plan must outlive the object.
  explicit Replays(const Plan& plan);

  /// The right to use a graph, until it is destroyed or given back.
  class Lease {
   public:
    Lease() = default;
    explicit operator bool() const { return entry_ != nullptr; }
    Replay* operator->() const { return entry_->replay.get(); }
    /// Lets other runs use the graph.
    void give_back() { lock_.unlock(); }

   private:
    friend class Replays;
    std::shared_ptr<Entry> entry_;
    std::unique_lock<std::mutex> lock_;
  };
  /// The graph for the sizes of a run; inside a Current. Empty if the run has to launch its kernels one by one: its sizes are new, another
  /// run uses the graph now, the graph would not save time, or it could not be made. Error{kDevice} if the device is lost.
  Lease lease(PlanSizes& sizes, void** inputs, void** outputs);
  /// Forgets a graph that failed.
  void forget(const Lease& lease);

 private:
  std::shared_ptr<Entry> find(std::span<const int64_t> values);
  void make(Lease& lease, PlanSizes& sizes, void** inputs, void** outputs);

  const bool is_replayed_;  // the plan is one that graphs help
  std::mutex mutex_;        // guards the lists below, most recently used first
  std::list<std::shared_ptr<Entry>> entries_;
  std::list<std::vector<int64_t>> seen_;  // sizes of one run so far
};

}  // namespace harp::cuda
