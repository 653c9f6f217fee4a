#include "run/cuda/replay.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace harp::cuda {

namespace {

constexpr size_t kGraphs = 4;  // maximum number of graphs for one program on one device
// number of recent combinations of sizes that are remembered after one run; a second run with the same sizes makes a graph
constexpr size_t kSeenSizes = 4;
/// Smallest number of kernel launches for which a graph is made: launching a graph costs more than launching one kernel.
constexpr int kMinLaunches = 2;
/// Largest arena (memory that a run allocates) for which a graph is made, in bytes: each graph keeps its arena, and kernels on more memory
/// take longer than their launches anyway.
constexpr size_t kMaxArena = size_t{64} << 20;

bool is_for_graphs(const Plan& plan) {
  const auto is_call = [](const Step& step) { return std::holds_alternative<HostCall>(step.what); };
  const auto is_launch = [](const Step& step) { return std::holds_alternative<Launch>(step.what); };
  return std::ranges::none_of(plan.steps, is_call) && std::ranges::count_if(plan.steps, is_launch) >= kMinLaunches;
}

KernelNodeParameters parameters_of(const KernelLaunch& launch, std::vector<void*>& arguments) {
  KernelNodeParameters made;
  made.function = launch.function;
  std::copy(launch.grid, launch.grid + 3, made.grid);
  std::copy(launch.block, launch.block + 3, made.block);
  made.shared = launch.shared;
  made.arguments = arguments.data();
  return made;
}

}  // namespace

Replay::Replay(PlanSizes& sizes, void** inputs, void** outputs) : device_(sizes.device()), arena_bytes_(sizes.arena_bytes()) {
  HARP_CHECK(device_.reserve_for_graphs(arena_bytes_), Code::kOutOfMemory, "graphs hold as much memory as they may");
  try {
    if (arena_bytes_ > 0) arena_ = device_.allocate(arena_bytes_);
    build(sizes, {inputs, outputs, arena_});
  } catch (...) {
    release();
    device_.return_from_graphs(arena_bytes_);
    throw;
  }
}

Replay::~Replay() {
  device_.release_with([this] { release(); });
  device_.return_from_graphs(arena_bytes_);
}

/// Destroys the graph and frees its arena. If the driver is still executing the graph, the driver itself keeps the graph until the
/// execution is complete. The arena is freed in stream order.
void Replay::release() const noexcept {
  if (device_.is_lost()) return;
  const Driver& driver = device_.driver();
  if (executable_ != nullptr) driver.graph_exec_destroy.address(executable_);
  if (graph_ != nullptr) driver.graph_destroy.address(graph_);
  if (arena_ != 0) device_.free(arena_);
}

void Replay::build(PlanSizes& sizes, const RunArrays& arrays) {
  const Driver& driver = device_.driver();
  device_.call(driver.graph_create, &graph_, 0u);
  std::vector<GraphNodeHandle> nodes;  // one node for each step so far
  for (const Step& step : sizes.plan().steps) {
    std::vector<GraphNodeHandle> after;
    for (const int earlier : step.after) after.push_back(nodes[static_cast<size_t>(earlier)]);
    std::optional<KernelLaunch> launch;
    const auto* planned = std::get_if<Launch>(&step.what);
    if (planned != nullptr) launch = sizes.launch(*planned, arrays);
    if (launch) {
      nodes.push_back(add_kernel(sizes, *planned, std::move(*launch), after));
    } else {  // a Join, or a launch that is skipped for these sizes, becomes an empty node
      device_.call(driver.graph_add_empty_node, &nodes.emplace_back(), graph_, after.data(), after.size());
    }
  }
  device_.call(driver.graph_instantiate, &executable_, graph_, 0ull);
}

GraphNodeHandle Replay::add_kernel(PlanSizes& sizes, const Launch& step, KernelLaunch launch, const std::vector<GraphNodeHandle>& after) {
  std::vector<void*> arguments = launch.parameters();
  const KernelNodeParameters parameters = parameters_of(launch, arguments);
  GraphNodeHandle made = nullptr;
  device_.call(device_.driver().graph_add_kernel_node, &made, graph_, after.data(), after.size(), &parameters);
  std::vector<Pointer> pointers;
  for (size_t i = 0; i < step.arguments.size(); ++i) {
    const auto* at = std::get_if<Location>(&step.arguments[i]);
    if (at == nullptr || (at->base != Location::Base::kInput && at->base != Location::Base::kOutput)) continue;
    pointers.push_back({i, at->base, static_cast<size_t>(at->index), static_cast<DeviceAddress>(sizes.evaluate(at->offset))});
  }
  if (!pointers.empty()) kernels_.push_back({made, std::move(launch), std::move(pointers)});
  return made;
}

void Replay::launch(void** inputs, void** outputs) {
  const Driver& driver = device_.driver();
  for (KernelNode& node : kernels_) {
    bool is_new = false;
    for (const Pointer& pointer : node.pointers) {
      void** const arrays = pointer.base == Location::Base::kInput ? inputs : outputs;
      const uint64_t address = address_of(arrays[pointer.index]) + pointer.offset;
      is_new = is_new || address != node.launch.arguments[pointer.argument];
      node.launch.arguments[pointer.argument] = address;
    }
    if (!is_new) continue;
    std::vector<void*> arguments = node.launch.parameters();
    const KernelNodeParameters parameters = parameters_of(node.launch, arguments);
    device_.call(driver.graph_exec_set_kernel, executable_, node.handle, &parameters);
  }
  device_.call(driver.graph_launch, executable_, device_.stream());
}

Replays::Replays(const Plan& plan) : is_replayed_(is_for_graphs(plan)) {}

/// Returns the entry for these sizes. If there is none and the sizes have been used once before, makes an entry without a graph. Returns
/// null if the sizes are used for the first time.
std::shared_ptr<Replays::Entry> Replays::find(std::span<const int64_t> values) {
  const auto known = std::ranges::find_if(entries_, [&](const auto& entry) { return std::ranges::equal(entry->values, values); });
  if (known != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, known);
    return entries_.front();
  }
  const auto once = std::ranges::find_if(seen_, [&](const auto& sizes) { return std::ranges::equal(sizes, values); });
  if (once == seen_.end()) {
    seen_.emplace_front(values.begin(), values.end());
    if (seen_.size() > kSeenSizes) seen_.pop_back();
    return nullptr;
  }
  entries_.push_front(std::make_shared<Entry>(values));
  seen_.erase(once);
  return entries_.front();
}

Replays::Lease Replays::lease(PlanSizes& sizes, void** inputs, void** outputs) {
  if (!is_replayed_ || sizes.arena_bytes() > kMaxArena) return {};
  Lease lease;
  std::shared_ptr<Entry> oldest;  // destroyed, with its graph, after mutex_ is unlocked
  bool is_new = false;
  {
    const std::lock_guard guard(mutex_);
    const size_t before = entries_.size();
    lease.entry_ = find(sizes.shape_values());
    if (lease.entry_ == nullptr) return {};
    is_new = entries_.size() > before;
    lease.lock_ = std::unique_lock(lease.entry_->busy, std::try_to_lock);
    if (entries_.size() > kGraphs) {
      oldest = std::move(entries_.back());
      entries_.pop_back();
    }
  }
  if (!lease.lock_) return {};
  if (is_new) make(lease, sizes, inputs, outputs);
  return lease.entry_->replay != nullptr ? std::move(lease) : Lease();
}

/// Makes a graph. If that fails, the run launches its kernels one by one; a graph only saves time.
void Replays::make(Lease& lease, PlanSizes& sizes, void** inputs, void** outputs) {
  try {
    lease.entry_->replay = std::make_unique<Replay>(sizes, inputs, outputs);
  } catch (const Error&) {
    forget(lease);
    if (sizes.device().is_lost()) throw;
  }
}

void Replays::forget(const Lease& lease) {
  const std::lock_guard guard(mutex_);
  entries_.remove(lease.entry_);
}

}  // namespace harp::cuda
