#include "run/cuda/module.h"

#include <algorithm>

namespace harp::cuda {

Module::Module(const CudaDevice& device, std::span<const std::byte> image, std::span<const std::string> kernels) : device_(device) {
  const CudaDevice::Current current(device);
  const Driver& driver = device.driver();
  const auto check = [&](const char* function, Status status) {
    if (status == Status::kSuccess) return;
    const Error error = device.failure(function, status);
    if (library_ != nullptr) unload();
    if (is_image_error(status)) throw ImageError(error);
    throw error;
  };
  check(driver.library_load.name, driver.library_load.address(&library_, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  kernels_.resize(kernels.size());
  for (size_t i = 0; i < kernels.size(); ++i) {
    check(driver.library_kernel.name, driver.library_kernel.address(&kernels_[i], library_, kernels[i].c_str()));
    FunctionHandle function = nullptr;
    check(driver.kernel_function.name, driver.kernel_function.address(&function, kernels_[i]));
  }
}

/// Waits until no kernel of the module runs, and unloads it. If a wait fails, kernels may still run; then the module stays loaded until the
/// process ends.
Module::~Module() {
  bool is_idle = !device_.is_lost() && device_.driver().is_usable_here();
  for (const CudaDevice* user : users_) {
    bool is_drained = false;
    user->release_with([&] { is_drained = user->drain(); });
    is_idle = is_idle && is_drained;
  }
  if (is_idle) unload();
}

void Module::unload() const noexcept { device_.driver().library_unload.address(library_); }

std::vector<FunctionHandle> Module::functions(const CudaDevice& device) const {
  {
    const std::lock_guard guard(mutex_);
    if (std::ranges::find(users_, &device) == users_.end()) users_.push_back(&device);
  }
  std::vector<FunctionHandle> found(kernels_.size());
  for (size_t i = 0; i < kernels_.size(); ++i) device.call(device.driver().kernel_function, &found[i], kernels_[i]);
  return found;
}

}  // namespace harp::cuda
