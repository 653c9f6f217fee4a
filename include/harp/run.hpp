// Runs of plans, which are compiled programs of tensor operations (plan.hpp): the memory that runs reuse, the sizes that replace symbolic
// ones, and the counts of what was launched. Part of harp.hpp.
#ifndef HARP_RUN_HPP
#define HARP_RUN_HPP

#include <harp/plan.hpp>

namespace harp {
inline namespace HARP_CPP_NAMESPACE {

/// Counts of what this thread has launched through tensors, jit and expressions since it started.
struct Launches {
  uint64_t runs = 0;     ///< runs of programs
  uint64_t kernels = 0;  ///< kernels in these runs
  uint64_t bytes = 0;    ///< bytes of inputs and outputs of the programs
};
namespace detail {
inline thread_local Launches launched;
}
inline const Launches& launches() { return detail::launched; }

namespace detail {

/// An object of type T that the thread keeps for the next use, so that its memory is reused. While the kept object is in use, a nested use
/// gets a new object.
template <class T>
class Reused {
 public:
  Reused() : object_(std::move(kept())) {}
  ~Reused() { kept() = std::move(object_); }
  Reused(const Reused&) = delete;
  Reused& operator=(const Reused&) = delete;
  T* operator->() { return &object_; }

 private:
  static T& kept() {
    static thread_local T kept;
    return kept;
  }
  T object_;
};

/// Memory for the workspaces of programs. It grows when a larger workspace is needed, and is reused.
class Workspace {
 public:
  Workspace() = default;
  Workspace(Workspace&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Workspace& operator=(Workspace&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Workspace() { std::free(memory_); }
  void* reserve(size_t bytes) {
    if (bytes > size_) {
      std::free(memory_);
      size_ = (bytes + 63) / 64 * 64;
      memory_ = std::aligned_alloc(64, size_);
      if (memory_ == nullptr) size_ = 0;  // out of memory: the run then allocates its workspace itself, and reports an error if that fails
    }
    return memory_;
  }
  size_t size() const { return size_; }

 private:
  void* memory_ = nullptr;
  size_t size_ = 0;
};

/// The descriptions of inputs and outputs, and the workspace, of a run of a plan.
struct Run {
  std::vector<harp_const_array> inputs;
  std::vector<harp_array> outputs;
  Workspace workspace;
};

/// Replaces the symbolic sizes in `types` by the sizes of this run. Does not check the sizes of the inputs: the run reports wrong ones.
inline void find_sizes(const Plan& plan, const std::vector<harp_const_array>& inputs, const Type** types, size_t count, Out& err) {
  std::vector<int64_t> values;
  for (const Plan::Variable& variable : plan.variables)
    values.push_back((inputs[variable.input].dims[variable.axis] - variable.offset) / variable.factor);
  for (size_t i = 0; i < count && *static_cast<harp_error**>(err) == nullptr; ++i) {
    if (!types[i]->symbolic) continue;
    int64_t dims[HARP_MAX_RANK] = {};
    harp_program_output_dims(plan.program.get(), i, values.size(), values.data(), types[i]->rank, dims, err);
    types[i] = type_of(types[i]->dtype, dims, types[i]->rank);
  }
}

/// Runs a plan on the arrays `leaves` and makes new arrays for the results. `types` are the types of the results; symbolic sizes in them
/// are replaced by the sizes of this run. After an error returns false and makes no array.
inline bool run_plan(Session* session, const Plan& plan, Value* const* leaves, const Type** types, size_t count, harp_buffer** buffers) {
  Reused<Run> run;
  run->inputs.clear(), run->outputs.clear();
  uint64_t bytes = 0;
  for (const uint32_t i : plan.inputs) {
    const Value* leaf = leaves[i];
    run->inputs.push_back({leaf->data, leaf->type->dims, raw(leaf->type->dtype), leaf->type->rank});
    bytes += leaf->type->bytes;
  }
  Out err;
  size_t made = 0;
  if (!plan.variables.empty()) find_sizes(plan, run->inputs, types, count, err);
  for (; made < count && *static_cast<harp_error**>(err) == nullptr; ++made) {
    const Type* type = types[made];
    buffers[made] = harp_buffer_new(session->context, nullptr, raw(type->dtype), type->rank, type->dims, err);
    if (buffers[made] == nullptr) break;
    run->outputs.push_back({harp_buffer_data(buffers[made]), type->dims, raw(type->dtype), type->rank});
    bytes += type->bytes;
  }
  if (made == count && *static_cast<harp_error**>(err) == nullptr) {
    RunOptions options;
    options.workspace = plan.workspace_bytes != 0 ? run->workspace.reserve(plan.workspace_bytes) : nullptr;
    options.workspace_size = options.workspace != nullptr ? run->workspace.size() : 0;
    options.flags = plan.staged ? HARP_RUN_STAGE : 0;
    harp_program_call(plan.program.get(), run->inputs.size(), run->inputs.data(), count, run->outputs.data(), &options, err);
  }
  if (*static_cast<harp_error**>(err) != nullptr) {
    for (size_t i = 0; i < made; ++i) harp_buffer_release(buffers[i]);
    err.raised();
    return false;
  }
  ++launched.runs;
  launched.kernels += plan.kernels;
  launched.bytes += bytes;
  return true;
}

}  // namespace detail
}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#endif  // HARP_RUN_HPP
