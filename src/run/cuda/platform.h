// Opens the parts of CUDA that a context of harp uses: the driver, its devices, the compilers, and loaded modules. Each part is opened when
// it is first needed, so a machine without CUDA has no cost.
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

/// Where to find the parts of CUDA.
struct PlatformOptions {
  std::string driver = "libcuda.so.1";
  std::vector<std::string> nvrtc;  // paths of libraries to try; empty: the file names of all versions
  std::string nvcc;                // the command that runs nvcc; empty: the nvcc on PATH
};

/// The driver, the devices, the compilers and the loaded modules that a context uses. Thread-safe. The devices exist as long as this
/// object. If something could not be opened, the next call that needs it tries again.
class Platform {
 public:
  explicit Platform(System system, const DeviceOptions& device = {}) : system_(system), device_(device) {}

  /// Replaces the options. To be called before any other function.
  void set_options(PlatformOptions options) { options_ = std::move(options); }

  /// Returns the devices that harp can use, in the driver's order; at least one. If the host application gives a context, this is only the
  /// device of that context. If harp can use no device, throws Error{kDevice}, whose message says why.
  const std::vector<const CudaDevice*>& devices();
  /// Returns the driver to which devices() belong.
  const Driver& driver();

  /// Returns a compiler whose code this driver can load. It is the newest NVRTC whose major version is not newer than the driver's, or else
  /// nvcc. If `command` is not empty, it is the nvcc to use. Throws Error{kCompiler}, whose message lists what was tried.
  std::unique_ptr<const Compiler> compiler(const std::string& command, CudaOutput output, TimeLimit& limit);

  /// Returns the newest compiler on this machine. It needs no driver, and a driver may be too old for its code. Throws the same errors as
  /// compiler().
  std::unique_ptr<const Compiler> any_compiler(const std::string& command, CudaOutput output, TimeLimit& limit);

  /// Loads the kernels of an artifact, or returns the module that is already loaded: programs with equal artifacts share a module. The most
  /// recently used modules stay loaded. Loading checks whether a GPU can run the module, on the device any_usable(). Throws the errors of
  /// Module.
  std::shared_ptr<const Module> module(const Artifact& artifact, std::span<const std::string> kernels);

 private:
  void open();
  std::vector<DeviceIndex> candidates(const Driver& driver) const;
  std::unique_ptr<const Compiler> find_compiler(const std::string& command, CudaOutput output, int newest, TimeLimit& limit);
  std::shared_ptr<const NvrtcLibrary> nvrtc(int newest, std::vector<std::string>& tried);
  std::shared_ptr<const NvccProgram> nvcc(const std::string& command, int newest, std::vector<std::string>& tried, TimeLimit& limit);

  System system_;
  const DeviceOptions device_;  // the options with which every device is opened
  PlatformOptions options_;
  std::mutex mutex_;  // guards open()
  std::unique_ptr<Driver> driver_;
  std::vector<std::unique_ptr<CudaDevice>> owned_;
  std::vector<const CudaDevice*> devices_;

  std::mutex compilers_mutex_;
  std::shared_ptr<const NvrtcLibrary> nvrtc_;
  std::map<std::string, std::shared_ptr<const NvccProgram>> nvcc_;  // the key is the command of nvcc

  std::mutex modules_mutex_;
  std::unordered_map<Digest, std::weak_ptr<const Module>> loaded_;
  std::list<std::shared_ptr<const Module>> kept_;  // modules to keep loaded, the most recently used one first
};

}  // namespace harp::cuda
