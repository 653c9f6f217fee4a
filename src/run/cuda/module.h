// The kernels of a compiled program, loaded into the driver. A cubin or PTX is loaded once for the process; the driver moves it to each GPU
// on which a kernel runs.
#pragma once

#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "run/cuda/device.h"

namespace harp::cuda {

/// The bytes do not fit the driver or the GPU: another compiler, or compiling again, may help.
class ImageError : public Error {
 public:
  using Error::Error;
  explicit ImageError(const Error& error) : Error(error) {}
};

class Module {
 public:
  /// Loads an image and finds its kernels in order. The driver loads lazily, so every kernel's function is looked up on `device`: an image
  /// that the GPU cannot run is then known. Throws ImageError, Error{kDevice, kOutOfMemory}.
  Module(const CudaDevice& device, std::span<const std::byte> image, std::span<const std::string> kernels);
  /// Waits for the work of all devices that have the module's functions: kernels on their streams may be the module's.
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// Returns the functions of all kernels on a device. The caller must hold a CudaDevice::Current of it.
  std::vector<FunctionHandle> functions(const CudaDevice& device) const;

 private:
  void unload() const noexcept;

  const CudaDevice& device_;
  LibraryHandle library_ = nullptr;
  std::vector<KernelHandle> kernels_;
  mutable std::mutex mutex_;                      // guards the list below
  mutable std::vector<const CudaDevice*> users_;  // devices that have the functions
};

}  // namespace harp::cuda
