// A run evaluates the plan's sizes, launches its kernels in order on the device's stream, and waits. The state of a run is on its thread,
// so runs of several threads overlap on the host and follow each other on the stream.
#include "run/cuda/executable.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "interp/sizes.h"
#include "run/closure_executable.h"
#include "run/cuda/host_call.h"
#include "run/device_array.h"

namespace harp::cuda {

namespace {

constexpr int64_t kDefaultSharedBytes = int64_t{48} << 10;  // dynamic shared memory that a kernel has without being asked
constexpr int64_t kMaxBlocksYZ = 65535;                     // of a grid along y and along z, on every device

/// What a GPU holds of a program from its first run there on: the kernels' functions and the constants.
class OnDevice {
 public:
  OnDevice(const CudaDevice& device, const Plan& plan, const Module& module) : device_(device), functions_(module.functions(device)) {
    try {
      for (const auto& constant : plan.constants) {
        constants_.push_back(constant->empty() ? 0 : device.allocate(constant->size()));
        if (!constant->empty())
          device.call(device.driver().copy_to_device, constants_.back(), static_cast<const void*>(constant->data()), constant->size(),
                      device.stream());
      }
    } catch (...) {
      release();
      throw;
    }
    shared_.resize(functions_.size(), kDefaultSharedBytes);
  }
  ~OnDevice() {
    device_.release_with([this] { release(); });
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  const CudaDevice& device() const { return device_; }
  FunctionHandle function(size_t kernel) const { return functions_[kernel]; }
  DeviceAddress constant(size_t i) const { return constants_[i]; }

  /// Lets a launch of the kernel have `bytes` of dynamic shared memory, and returns how many of its blocks a multiprocessor holds then.
  int64_t prepare(size_t kernel, int threads, int64_t bytes) {
    const std::lock_guard guard(mutex_);
    const auto known = blocks_.find({kernel, bytes});
    if (known != blocks_.end()) return known->second;
    if (bytes > shared_[kernel]) {
      device_.call(device_.driver().function_set_attribute, functions_[kernel], FunctionAttribute::kMaxDynamicSharedBytes,
                   static_cast<int>(bytes));
      shared_[kernel] = bytes;
    }
    int blocks = 0;
    device_.call(device_.driver().occupancy, &blocks, functions_[kernel], threads, static_cast<size_t>(bytes));
    return blocks_[{kernel, bytes}] = std::max(blocks, 1);
  }

 private:
  void release() const noexcept {
    for (const DeviceAddress constant : constants_)
      if (constant != 0) device_.free(constant);
  }

  const CudaDevice& device_;
  std::vector<FunctionHandle> functions_;
  std::vector<DeviceAddress> constants_;
  std::mutex mutex_;                                  // guards the members below
  std::vector<int64_t> shared_;                       // dynamic shared memory that each kernel may have
  std::map<std::pair<size_t, int64_t>, int> blocks_;  // on a multiprocessor, by kernel and dynamic shared memory
};

/// One run. The caller holds a CudaDevice::Current of its device.
class Run {
 public:
  Run(const Program& program, OnDevice& on_device, void** inputs, void** outputs, const size_t* shape_vars, const harp_runtime& runtime)
      : program_(program),
        plan_(*program.plan),
        device_(on_device.device()),
        driver_(device_.driver()),
        on_device_(on_device),
        inputs_(inputs),
        outputs_(outputs),
        runtime_(runtime),
        values_(plan_.values(std::vector<int64_t>(shape_vars, shape_vars + plan_.shape_variables.size()), device_.facts().processors, 1)),
        arena_(device_, static_cast<size_t>(plan_.arena.evaluate(values_))) {}

  /// Runs the steps of the plan. When it returns, or throws, the device has finished with the caller's arrays.
  void run() {
    try {
      if (plan_.sites > 0) device_.call(driver_.fill, records(), static_cast<unsigned char>(0xff), record_bytes(), device_.stream());
      for (const Step& step : plan_.steps) {
        check_cancelled();
        if (const auto* launch = std::get_if<Launch>(&step.what)) this->launch(*launch);
        if (const auto* call = std::get_if<HostCall>(&step.what)) this->call(*call);
      }
      finish();
    } catch (...) {
      if (!device_.is_lost()) driver_.stream_synchronize.address(device_.stream());
      throw;
    }
  }

 private:
  void check_cancelled() const {
    HARP_CHECK(runtime_.cancel == nullptr || __atomic_load_n(runtime_.cancel, __ATOMIC_RELAXED) == 0, Code::kCancelled,
               interp::kRunCancelled);
  }

  DeviceAddress address(const Location& at) const {
    const auto offset = static_cast<DeviceAddress>(at.offset.evaluate(values_));
    const auto index = static_cast<size_t>(at.index);
    switch (at.base) {
      case Location::Base::kInput: return address_of(inputs_[index]) + offset;
      case Location::Base::kOutput: return address_of(outputs_[index]) + offset;
      case Location::Base::kConstant: return on_device_.constant(index) + offset;
      case Location::Base::kArena: return arena_.address() + offset;
    }
    return 0;
  }

  void launch(const Launch& launch) {
    if (launch.guard.evaluate(values_) < 0) return;
    const auto number = static_cast<size_t>(launch.kernel);
    const Kernel& kernel = plan_.kernels[number];
    const DeviceFacts& facts = device_.facts();
    const int64_t shared = launch.shared.evaluate(values_);
    HARP_CHECK(shared <= facts.shared_bytes, Code::kUnsupported, "the kernel ", kernel.name, " needs ", shared,
               " bytes of shared memory, but a block on ", device_.name(), " has ", facts.shared_bytes);
    values_.back() = on_device_.prepare(number, kernel.block[0] * kernel.block[1] * kernel.block[2], shared);
    int64_t grid[3];
    for (size_t i = 0; i < 3; ++i) grid[i] = launch.grid[i].evaluate(values_);
    if (std::any_of(grid, grid + 3, [](int64_t extent) { return extent < 1; })) return;
    HARP_CHECK(grid[0] <= facts.grid_x && grid[1] <= kMaxBlocksYZ && grid[2] <= kMaxBlocksYZ, Code::kUnsupported, "the kernel ",
               kernel.name, " needs a grid of [", join(grid, ", "), "] blocks, but ", device_.name(), " has at most [", facts.grid_x, ", ",
               kMaxBlocksYZ, ", ", kMaxBlocksYZ, "]");
    std::vector<uint64_t> arguments(launch.arguments.size());
    std::vector<void*> parameters(launch.arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      const auto* at = std::get_if<Location>(&launch.arguments[i]);
      arguments[i] = at != nullptr ? address(*at) : static_cast<uint64_t>(std::get<SizeCode>(launch.arguments[i]).evaluate(values_));
      parameters[i] = &arguments[i];
    }
    const auto extent = [&](size_t axis) { return static_cast<unsigned>(grid[axis]); };
    device_.call(driver_.launch, on_device_.function(number), extent(0), extent(1), extent(2), unsigned{kernel.block[0]},
                 unsigned{kernel.block[1]}, unsigned{kernel.block[2]}, static_cast<unsigned>(shared), device_.stream(), parameters.data(),
                 static_cast<void**>(nullptr));
  }

  /// Copies the arrays that the function reads to the host's memory, calls it, and copies what it wrote back.
  void call(const HostCall& call) {
    if (call.elements.evaluate(values_) == 0) return;
    finish();
    std::vector<Memory> arrays;
    std::vector<size_t> array_of(call.arguments.size());
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      const HostCall::Argument& argument = call.arguments[i];
      if (argument.kind != HostCall::Argument::kArray) continue;
      array_of[i] = arrays.size();
      const Memory& array = arrays.emplace_back(Allocator::standard(), static_cast<size_t>(argument.bytes.evaluate(values_)));
      if (!argument.written && array.size() > 0)
        device_.call(driver_.copy_to_host, array.data(), address(argument.array), array.size(), device_.stream());
    }
    device_.synchronize();
    check_cancelled();
    call_host_function(plan_, call, values_, [&](size_t i) { return arrays[array_of[i]].data(); });
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      const HostCall::Argument& argument = call.arguments[i];
      if (argument.kind != HostCall::Argument::kArray || !argument.written) continue;
      const Memory& array = arrays[array_of[i]];
      if (array.size() > 0)
        device_.call(driver_.copy_to_device, address(argument.array), static_cast<const void*>(array.data()), array.size(),
                     device_.stream());
    }
    device_.synchronize();
  }

  DeviceAddress records() const { return arena_.address() + static_cast<DeviceAddress>(plan_.records.evaluate(values_)); }
  size_t record_bytes() const { return static_cast<size_t>(plan_.sites) * sizeof(IndexRecord); }

  /// Waits for all launches, and reports an index out of range that they found.
  void finish() {
    std::vector<IndexRecord> found(static_cast<size_t>(plan_.sites));
    if (!found.empty()) device_.call(driver_.copy_to_host, static_cast<void*>(found.data()), records(), record_bytes(), device_.stream());
    device_.synchronize();
    if (const std::optional<IndexFault> fault = first_fault(found))
      throw IndexError(program_.sites[static_cast<size_t>(fault->site)], *fault);
  }

  const Program& program_;
  const Plan& plan_;
  const CudaDevice& device_;
  const Driver& driver_;
  OnDevice& on_device_;
  void** inputs_;
  void** outputs_;
  const harp_runtime& runtime_;
  std::vector<int64_t> values_;  // the values that a SizeCode reads; the last one is set for each launch
  DeviceMemory arena_;
};

class CudaExecutable final : public ClosureExecutable {
 public:
  explicit CudaExecutable(Program program) : program_(std::move(program)) {
    for (const std::vector<ArraySignature>* arrays : {&program_.signature->inputs, &program_.signature->outputs})
      for (const ArraySignature& array : *arrays) {
        Sizes& sizes = sizes_.emplace_back();
        for (const Dim& dim : array.shape) sizes.axes.emplace_back(dim, program_.signature->variable_syms);
      }
  }

  void execute(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime& runtime) const override {
    const CudaDevice& device = device_of(inputs, outputs);
    const CudaDevice::Current current(device);
    Run(program_, on(device), inputs, outputs, shape_vars, runtime).run();
  }

  int64_t workspace_bytes(std::span<const int64_t>, size_t) const override { return 0; }

 protected:
  /// A host may pass addresses of its own memory: those arrays are copied to the device, and the outputs among them back. Its memory on
  /// another GPU than the run's is an error.
  void enter(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime& runtime) const override {
    const size_t n_inputs = program_.plan->inputs.size(), n_outputs = program_.plan->outputs.size();
    const CudaDevice& device = device_of(inputs, outputs);
    const CudaDevice::Current current(device);
    const std::vector<int64_t> values(shape_vars, shape_vars + program_.plan->shape_variables.size());
    std::vector<DeviceArray> copies;
    std::vector<void*> addresses(n_inputs + n_outputs);
    struct Result {
      void* to;
      const DeviceArray* from;
    };
    copies.reserve(addresses.size());
    std::vector<Result> results;
    for (size_t i = 0; i < addresses.size(); ++i) {
      void* const given = i < n_inputs ? inputs[i] : outputs[i - n_inputs];
      const std::vector<int64_t> dims = sizes_[i].dims(values);
      addresses[i] = given;
      if (byte_count(dtype(i), dims) == 0) continue;
      const std::optional<DeviceIndex> gpu = device.gpu_of(given);
      HARP_CHECK(!gpu || *gpu == device.index(), Code::kDevice, "an entry point got an array on cuda:", *gpu, " and another one on ",
                 device.name(), "; all arrays on GPUs must be on one");
      if (gpu) continue;
      const DeviceArray& copy = copies.emplace_back(DeviceArray::allocate(device, Allocator::standard(), dtype(i), dims));
      addresses[i] = copy.data();
      if (i < n_inputs)
        device.write(copy.data(), given, copy.bytes());
      else
        results.push_back({given, &copy});
    }
    Run(program_, on(device), addresses.data(), addresses.data() + n_inputs, shape_vars, runtime).run();
    for (const Result& result : results) device.read(result.to, result.from->data(), result.from->bytes());
  }

 private:
  /// The sizes of one array.
  struct Sizes {
    std::vector<SizeCode> axes;

    std::vector<int64_t> dims(std::span<const int64_t> values) const {
      std::vector<int64_t> all;
      for (const SizeCode& axis : axes) all.push_back(axis.evaluate(values));
      return all;
    }
  };

  DType dtype(size_t array) const {
    const Signature& signature = *program_.signature;
    return array < signature.inputs.size() ? signature.inputs[array].dtype : signature.outputs[array - signature.inputs.size()].dtype;
  }

  /// The device of the arrays of a run; the first one that is not lost if it has none there. That one is also asked where the arrays are.
  const CudaDevice& device_of(void** inputs, void** outputs) const {
    if (program_.devices.size() == 1) return *program_.devices.front();
    const auto usable = std::ranges::find_if(program_.devices, [](const CudaDevice* device) { return !device->is_lost(); });
    const CudaDevice& first = usable != program_.devices.end() ? **usable : *program_.devices.front();
    const CudaDevice::Current current(first);
    const auto find = [&](std::span<void* const> addresses) -> const CudaDevice* {
      for (const void* address : addresses) {
        const std::optional<DeviceIndex> gpu = address != nullptr ? first.gpu_of(address) : std::nullopt;
        if (!gpu) continue;
        const auto found = std::find_if(program_.devices.begin(), program_.devices.end(),
                                        [&](const CudaDevice* device) { return device->index() == *gpu; });
        if (found != program_.devices.end()) return *found;
      }
      return nullptr;
    };
    const CudaDevice* found = find({inputs, program_.plan->inputs.size()});
    if (found == nullptr) found = find({outputs, program_.plan->outputs.size()});
    return found != nullptr ? *found : first;
  }

  OnDevice& on(const CudaDevice& device) const {
    const std::lock_guard guard(mutex_);
    std::unique_ptr<OnDevice>& known = on_devices_[&device];
    if (!known) known = std::make_unique<OnDevice>(device, *program_.plan, *program_.module);
    return *known;
  }

  Program program_;
  std::vector<Sizes> sizes_;  // of inputs, then outputs
  mutable std::mutex mutex_;  // guards the map below; its elements stay where they are
  mutable std::map<const CudaDevice*, std::unique_ptr<OnDevice>> on_devices_;
};

}  // namespace

std::unique_ptr<Executable> make_executable(Program program) { return std::make_unique<CudaExecutable>(std::move(program)); }

}  // namespace harp::cuda
