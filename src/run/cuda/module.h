// Loads the kernels of a compiled program into the driver. An image (cubin or PTX) is loaded once in a process. The driver copies it to
// each GPU on which one of its kernels runs.
#pragma once

#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "run/cuda/device.h"

namespace harp::cuda {

/// Thrown if the driver or the GPU cannot load the image. Compiling again, or with another compiler, may help.
class ImageError : public Error {
 public:
  using Error::Error;
  explicit ImageError(const Error& error) : Error(error) {}
};

class Module {
 public:
  /// Loads an image and finds its kernels by their names; kernel numbers are indices of `kernels`. The driver loads lazily. To find out now
  /// whether the GPU can run the image, this looks up all functions on `device`. Throws ImageError, or Error{kDevice} or
  /// Error{kOutOfMemory}.
  Module(const CudaDevice& device, std::span<const std::byte> image, std::span<const std::string> kernels);
  /// Waits for the work on all devices that use the module, because kernels of the module may still run there.
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// Returns the functions of all kernels on a device. The device's context must be current.
  std::vector<FunctionHandle> functions(const CudaDevice& device) const;

 private:
  void unload() const noexcept;

  const CudaDevice& device_;
  LibraryHandle library_ = nullptr;
  std::vector<KernelHandle> kernels_;
  mutable std::mutex mutex_;                      // guards users_
  mutable std::vector<const CudaDevice*> users_;  // devices for which functions() was called
};

}  // namespace harp::cuda
