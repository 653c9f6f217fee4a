// CUDA as a context of harp sees it: the driver and its devices, the compilers, and loaded modules. Each part is opened when it is first
// asked for, so a machine without CUDA pays nothing.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "compile/artifact.h"
#include "compile/nvcc.h"
#include "compile/nvrtc.h"
#include "run/cuda/device.h"
#include "run/cuda/module.h"

namespace harp::cuda {

/// Where the parts of CUDA are.
struct PlatformOptions {
  std::string driver = "libcuda.so.1";
  std::vector<std::string> nvrtc;  // files to try; empty: the names of its versions
  std::string nvcc;                // a command; empty: nvcc on PATH
};

/// Thread-safe. Devices live as long as the platform. Failures are not remembered: the next call tries again.
class Platform {
 public:
  explicit Platform(System system, const DeviceOptions& device = {}) : system_(system), device_(device) {}

  /// Replaces the options; before the first use.
  void set_options(PlatformOptions options) { options_ = std::move(options); }

  /// The devices that harp can use, in the driver's order; at least one. With a context of the host it is the device of that context alone.
  /// Error{kDevice} says why there is none.
  const std::vector<const CudaDevice*>& devices();
  /// The driver of devices().
  const Driver& driver();

  /// A compiler whose code this driver loads: NVRTC, the newest whose major version is at most the driver's, else nvcc. `command` is an
  /// nvcc to use instead, or empty. Error{kCompiler} lists what was tried.
  std::unique_ptr<const Compiler> compiler(const std::string& command, CudaOutput output, TimeLimit& limit);

  /// The newest compiler that is there, whose code a driver may be too old for. It needs no driver. Errors as compiler().
  std::unique_ptr<const Compiler> any_compiler(const std::string& command, CudaOutput output, TimeLimit& limit);

  /// Loads the kernels of an artifact, once: programs of equal artifacts share a module, and the most recently used ones stay loaded.
  /// Whether they fit is checked on any_usable() of the devices. Throws the errors of Module.
  std::shared_ptr<const Module> module(const Artifact& artifact, std::span<const std::string> kernels);

 private:
  void open();
  std::vector<DeviceIndex> candidates(const Driver& driver) const;
  std::unique_ptr<const Compiler> find_compiler(const std::string& command, CudaOutput output, int newest, TimeLimit& limit);
  std::shared_ptr<const NvrtcLibrary> nvrtc(int newest, std::vector<std::string>& tried);
  std::shared_ptr<const NvccProgram> nvcc(const std::string& command, int newest, std::vector<std::string>& tried, TimeLimit& limit);

  System system_;
  const DeviceOptions device_;  // of every device
  PlatformOptions options_;
  std::mutex mutex_;  // guards the opening of devices
  std::unique_ptr<Driver> driver_;
  std::vector<std::unique_ptr<CudaDevice>> owned_;
  std::vector<const CudaDevice*> devices_;

  std::mutex compilers_mutex_;
  std::shared_ptr<const NvrtcLibrary> nvrtc_;
  std::map<std::string, std::shared_ptr<const NvccProgram>> nvcc_;  // by command

  std::mutex modules_mutex_;
  std::unordered_map<Digest, std::weak_ptr<const Module>> loaded_;
  std::list<std::shared_ptr<const Module>> kept_;  // most recently used first
};

}  // namespace harp::cuda
