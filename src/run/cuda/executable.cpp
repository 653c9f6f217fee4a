// A run evaluates the sizes of the launch plan. Then it launches the plan's kernels in order on the device's stream, or all at once as a
// CUDA graph (replay.h). It waits until they are complete, unless the caller allows it to return earlier. The state of a run is local to
// its thread: runs of several threads overlap on the CPU, and execute one after the other on the stream.
#include "run/cuda/executable.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/error.h"
#include "interp/sizes.h"
#include "run/closure_executable.h"
#include "run/cuda/host_call.h"
#include "run/cuda/replay.h"
#include "run/device_array.h"

namespace harp::cuda {

namespace {

/// The data of a program on one of its devices.
struct Loaded {
  Loaded(const CudaDevice& device, const Plan& plan, const Module& module) : on_device(device, plan, module), replays(plan) {}

  OnDevice on_device;
  Replays replays;
};

/// One run of a program. The caller keeps the device's context current (CudaDevice::Current).
class Run {
 public:
  Run(const Program& program, Loaded& loaded, void** inputs, void** outputs, const size_t* shape_vars, const harp_runtime& runtime)
      : program_(program),
        plan_(*program.plan),
        device_(loaded.on_device.device()),
        driver_(device_.driver()),
        replays_(loaded.replays),
        sizes_(plan_, loaded.on_device, shape_vars),
        arrays_{inputs, outputs, 0},
        runtime_(runtime) {}

  /// Executes the run. Waits until it is complete if `waits` is set or if the program checks indices. After an error it also waits, so that
  /// the device does not use the caller's arrays any more.
  void run(bool waits) {
    const bool finishes = waits || plan_.sites > 0;
    try {
      check_cancelled();
      if (!replay(finishes)) launch(finishes);
    } catch (...) {
      if (!device_.is_lost()) device_.drain();
      throw;
    }
  }

  /// Adds the run to the graph that the host application captures from the stream. The run's arena becomes memory of that graph.
  void capture(StreamHandle stream) {
    const auto can_capture = [&](bool can, std::string_view why_not) {
      HARP_CHECK(can, Code::kUnsupported, "a run cannot be captured as a CUDA graph if it ", why_not);
    };
    can_capture(plan_.sites == 0, "checks indices");
    const auto calls_host = [](const Step& step) { return std::holds_alternative<HostCall>(step.what); };
    can_capture(std::ranges::none_of(plan_.steps, calls_host), "calls functions of the host application");
    const DeviceMemory arena(device_, sizes_.arena_bytes(), stream);
    arrays_.arena = arena.address();
    put_steps_on(stream);
  }

 private:
  /// Launches the CUDA graph for the run's sizes. Returns false if there is no such graph, if another run uses it, or if the launch fails.
  bool replay(bool finishes) {
    Replays::Lease replay = replays_.lease(sizes_, arrays_.inputs, arrays_.outputs);
    if (!replay) return false;
    arrays_.arena = replay->arena();
    try {
      clear_records();
      replay->launch(arrays_.inputs, arrays_.outputs);
    } catch (const Error&) {
      if (device_.is_lost()) throw;
      replays_.forget(replay);
      return false;
    }
    if (plan_.sites == 0) replay.give_back();  // other runs may launch the graph now: their launches execute after this one
    if (finishes) finish();
    return true;
  }

  /// Launches the kernels one after the other.
  void launch(bool finishes) {
    const DeviceMemory arena(device_, sizes_.arena_bytes());
    arrays_.arena = arena.address();
    clear_records();
    put_steps_on(device_.stream());
    if (finishes) finish();
  }

  void check_cancelled() const {
    HARP_CHECK(runtime_.cancel == nullptr || __atomic_load_n(runtime_.cancel, __ATOMIC_RELAXED) == 0, Code::kCancelled,
               interp::kRunCancelled);
  }

  void put_steps_on(StreamHandle stream) {
    for (const Step& step : plan_.steps) {
      check_cancelled();
      if (const auto* launch = std::get_if<Launch>(&step.what))
        if (std::optional<KernelLaunch> ready = sizes_.launch(*launch, arrays_)) ready->put_on(stream, device_);
      if (const auto* call = std::get_if<HostCall>(&step.what)) this->call(*call);
    }
  }

  /// Copies the arrays that the host application's function reads to host memory, calls the function, and copies the arrays that the
  /// function has written back to the device.
  void call(const HostCall& call) {
    if (sizes_.evaluate(call.elements) == 0) return;
    finish();
    std::vector<Memory> arrays;
    std::vector<size_t> array_of(call.arguments.size());
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      const HostCall::Argument& argument = call.arguments[i];
      if (argument.kind != HostCall::Argument::kArray) continue;
      array_of[i] = arrays.size();
      const Memory& array = arrays.emplace_back(Allocator::standard(), static_cast<size_t>(sizes_.evaluate(argument.bytes)));
      if (!argument.written && array.size() > 0)
        device_.call(driver_.copy_to_host, array.data(), sizes_.address(argument.array, arrays_), array.size(), device_.stream());
    }
    device_.synchronize();
    check_cancelled();
    call_host_function(plan_, call, sizes_.values(), [&](size_t i) { return arrays[array_of[i]].data(); });
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      const HostCall::Argument& argument = call.arguments[i];
      if (argument.kind != HostCall::Argument::kArray || !argument.written) continue;
      const Memory& array = arrays[array_of[i]];
      if (array.size() > 0)
        device_.call(driver_.copy_to_device, sizes_.address(argument.array, arrays_), static_cast<const void*>(array.data()), array.size(),
                     device_.stream());
    }
    device_.synchronize();
  }

  DeviceAddress records() const { return arrays_.arena + static_cast<DeviceAddress>(sizes_.evaluate(plan_.records)); }
  size_t record_bytes() const { return static_cast<size_t>(plan_.sites) * sizeof(IndexRecord); }
  void clear_records() const {
    if (plan_.sites > 0) device_.call(driver_.fill, records(), static_cast<unsigned char>(0xff), record_bytes(), device_.stream());
  }

  /// Waits for all launches. Throws an IndexError if a kernel has found an index out of range.
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
  Replays& replays_;
  PlanSizes sizes_;
  RunArrays arrays_;
  const harp_runtime& runtime_;
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
    const CudaDevice::Working working(device);
    Run(program_, on(device), inputs, outputs, shape_vars, runtime).run(true);
  }

  void enqueue(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime& runtime, void* captured) const override {
    const CudaDevice& device = device_of(inputs, outputs);
    if (captured == nullptr) {
      const CudaDevice::Working working(device);
      return Run(program_, on(device), inputs, outputs, shape_vars, runtime).run(false);
    }
    const CudaDevice::Current current(device);
    Run(program_, known_on(device), inputs, outputs, shape_vars, runtime).capture(static_cast<StreamHandle>(captured));
  }

  int64_t workspace_bytes(std::span<const int64_t>, size_t) const override { return 0; }

 protected:
  /// The body of the entry points. The host application may pass addresses in host memory: these arrays are copied to the device, and
  /// outputs are copied back after the run. Addresses in the memory of another GPU are an error.
  void enter(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime& runtime) const override {
    const size_t n_inputs = program_.plan->inputs.size(), n_outputs = program_.plan->outputs.size();
    const CudaDevice& device = device_of(inputs, outputs);
    const CudaDevice::Working working(device);
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
    Run(program_, on(device), addresses.data(), addresses.data() + n_inputs, shape_vars, runtime).run(true);
    for (const Result& result : results) device.read(result.to, result.from->data(), result.from->bytes());
  }

 private:
  /// The size expressions of one array.
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

  /// Returns the device whose memory contains an array of the run, or any_usable() if no array is on a device of the program. To find the
  /// device of an array, asks the driver while the context of any_usable() is current.
  const CudaDevice& device_of(void** inputs, void** outputs) const {
    if (program_.devices.size() == 1) return *program_.devices.front();
    const CudaDevice& any = any_usable(program_.devices);
    const CudaDevice::Current current(any);
    const auto find = [&](std::span<void* const> addresses) -> const CudaDevice* {
      for (const void* address : addresses) {
        const std::optional<DeviceIndex> gpu = address != nullptr ? any.gpu_of(address) : std::nullopt;
        if (!gpu) continue;
        const auto found = std::find_if(program_.devices.begin(), program_.devices.end(),
                                        [&](const CudaDevice* device) { return device->index() == *gpu; });
        if (found != program_.devices.end()) return *found;
      }
      return nullptr;
    };
    const CudaDevice* found = find({inputs, program_.plan->inputs.size()});
    if (found == nullptr) found = find({outputs, program_.plan->outputs.size()});
    return found != nullptr ? *found : any;
  }

  Loaded& on(const CudaDevice& device) const {
    const std::lock_guard guard(mutex_);
    std::unique_ptr<Loaded>& known = loaded_[&device];
    if (!known) known = std::make_unique<Loaded>(device, *program_.plan, *program_.module);
    return *known;
  }

  /// Returns the program's data on the device, for a run that is captured. Throws an error if the program has not been loaded there yet,
  /// because nothing can be loaded during a capture.
  Loaded& known_on(const CudaDevice& device) const {
    const std::lock_guard guard(mutex_);
    const auto known = loaded_.find(&device);
    HARP_CHECK(known != loaded_.end() && known->second != nullptr, Code::kUnsupported, "the first run of a program on ", device.name(),
               " loads it, which cannot be captured as a CUDA graph; run the program once before the capture");
    return *known->second;
  }

  Program program_;
  std::vector<Sizes> sizes_;  // one element for each input, followed by one for each output
  mutable std::mutex mutex_;  // guards loaded_, whose elements are never moved
  mutable std::map<const CudaDevice*, std::unique_ptr<Loaded>> loaded_;
};

}  // namespace

std::unique_ptr<Executable> make_executable(Program program) { return std::make_unique<CudaExecutable>(std::move(program)); }

}  // namespace harp::cuda
