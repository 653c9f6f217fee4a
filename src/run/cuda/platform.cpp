#include "run/cuda/platform.h"

#include <algorithm>
#include <numeric>

namespace harp::cuda {

namespace {

constexpr int kOldestCapability = 80;  // sm_80
constexpr int kOldestNvrtc = 12;       // oldest major version of NVRTC that harp can use
constexpr int kNewestNvrtc = 13;       // newest major version of NVRTC that harp looks for
constexpr size_t kKeptModules = 32;

}  // namespace

const std::vector<const CudaDevice*>& Platform::devices() {
  const std::lock_guard guard(mutex_);
  if (devices_.empty()) open();
  return devices_;
}

const Driver& Platform::driver() { return devices().front()->driver(); }

/// Returns the indices of the GPUs that the host application allows harp to use: the GPU of the host application's context if it gives one,
/// else all.
std::vector<DeviceIndex> Platform::candidates(const Driver& driver) const {
  if (device_.context != nullptr) {
    DeviceIndex index = 0;
    ContextHandle popped = nullptr;
    constexpr std::string_view kWhere = "for harp_cuda_options.context";
    driver.call(kWhere, driver.context_push, device_.context);
    const Status status = driver.context_device.address(&index);
    driver.context_pop.address(&popped);
    if (status != Status::kSuccess) throw driver.error(kWhere, driver.context_device.name, status);
    return {index};
  }
  int count = 0;
  driver.call("", driver.device_count, &count);
  HARP_CHECK(count > 0, Code::kDevice, "the CUDA driver finds no GPU");
  std::vector<DeviceIndex> all(static_cast<size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void Platform::open() {
  auto driver = std::make_unique<Driver>(system_.process, options_.driver);
  std::vector<std::unique_ptr<CudaDevice>> found;
  std::vector<std::string> too_old;
  for (const DeviceIndex i : candidates(*driver)) {
    auto device = std::make_unique<CudaDevice>(*driver, i, device_);
    const DeviceFacts& facts = device->facts();
    if (facts.capability >= kOldestCapability)
      found.push_back(std::move(device));
    else
      too_old.push_back(cat(device->name(), " (", facts.model, ") is sm_", facts.capability));
  }
  HARP_CHECK(!found.empty(), Code::kDevice, "no GPU is new enough: ", join(too_old, ", "), ", and harp needs sm_", kOldestCapability,
             " or newer");
  driver_ = std::move(driver);
  owned_ = std::move(found);
  for (const auto& device : owned_) devices_.push_back(device.get());
}

std::shared_ptr<const NvrtcLibrary> Platform::nvrtc(int newest, std::vector<std::string>& tried) {
  const std::lock_guard guard(compilers_mutex_);
  if (nvrtc_ && nvrtc_->major() <= newest) return nvrtc_;
  nvrtc_ = nullptr;
  const auto consider = [&](const std::string& file, int major) {
    std::string why_not;
    const std::shared_ptr<const NvrtcLibrary> library = NvrtcLibrary::open(system_, file, major, why_not);
    if (!library)
      tried.push_back(std::move(why_not));
    else if (library->major() > newest)
      tried.push_back(cat(file, ": NVRTC ", library->major(), " is newer than the driver, which supports CUDA ", newest));
    else if (!nvrtc_ || library->major() > nvrtc_->major())
      nvrtc_ = library;
  };
  for (const std::string& file : options_.nvrtc) consider(file, 0);
  for (int major = newest; major >= kOldestNvrtc && !nvrtc_ && options_.nvrtc.empty(); --major)
    for (const char* folder : {"", "/usr/local/cuda/lib64/"})
      if (!nvrtc_) consider(cat(folder, "libnvrtc.so.", major), major);
  return nvrtc_;
}

std::shared_ptr<const NvccProgram> Platform::nvcc(const std::string& command, int newest, std::vector<std::string>& tried,
                                                  TimeLimit& limit) {
  {
    const std::lock_guard guard(compilers_mutex_);
    if (const auto known = nvcc_.find(command); known != nvcc_.end()) return known->second;
  }
  std::string why_not;
  std::shared_ptr<const NvccProgram> found = NvccProgram::find(system_, command, limit, why_not);
  if (found && found->major > newest) {
    why_not = cat(found->identity.program, ": nvcc ", found->major, " is newer than the driver, which supports CUDA ", newest);
    found = nullptr;
  }
  if (!found) {
    tried.push_back(std::move(why_not));
    return nullptr;
  }
  const std::lock_guard guard(compilers_mutex_);
  return nvcc_.emplace(command, std::move(found)).first->second;
}

std::unique_ptr<const Compiler> Platform::compiler(const std::string& command, CudaOutput output, TimeLimit& limit) {
  return find_compiler(command, output, driver().version() / 1000, limit);
}

std::unique_ptr<const Compiler> Platform::any_compiler(const std::string& command, CudaOutput output, TimeLimit& limit) {
  return find_compiler(command, output, kNewestNvrtc, limit);
}

std::unique_ptr<const Compiler> Platform::find_compiler(const std::string& command, CudaOutput output, int newest, TimeLimit& limit) {
  std::vector<std::string> tried;
  if (command.empty())
    if (std::shared_ptr<const NvrtcLibrary> library = nvrtc(newest, tried))
      return std::make_unique<NvrtcCompiler>(std::move(library), output);
  if (std::shared_ptr<const NvccProgram> program = nvcc(command.empty() ? options_.nvcc : command, newest, tried, limit))
    return std::make_unique<NvccCompiler>(system_, std::move(program), output);
  fail(Code::kCompiler, "no CUDA compiler found; tried: ", join(tried, "; "));
}

std::shared_ptr<const Module> Platform::module(const Artifact& artifact, std::span<const std::string> kernels) {
  const CudaDevice& device = any_usable(devices());
  const std::lock_guard guard(modules_mutex_);
  std::weak_ptr<const Module>& known = loaded_[artifact.digest()];
  std::shared_ptr<const Module> module = known.lock();
  if (!module) {
    module = std::make_shared<const Module>(device, artifact.payload(), kernels);
    known = module;
  }
  if (const auto at = std::find(kept_.begin(), kept_.end(), module); at != kept_.end())
    kept_.splice(kept_.begin(), kept_, at);
  else
    kept_.push_front(module);
  if (kept_.size() > kKeptModules) kept_.pop_back();
  std::erase_if(loaded_, [](const auto& entry) { return entry.second.expired(); });
  return module;
}

}  // namespace harp::cuda
