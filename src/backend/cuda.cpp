#include <algorithm>
#include <optional>
#include <variant>

#include "backend/rows.h"
#include "base/error.h"
#include "base/text.h"
#include "compile/any_cuda_compiler.h"
#include "compile/cache_key.h"
#include "run/cuda/executable.h"
#include "run/cuda/platform.h"

namespace harp {

namespace {

using cuda::CudaDevice;

Availability available(const Resources& resources) {
  try {
    const std::vector<const CudaDevice*>& devices = resources.cuda.devices();
    std::string facts = cat("cuda driver: ", cuda::version_text(resources.cuda.driver().version()), "\n");
    for (const CudaDevice* device : devices)
      append(facts, cat(device->name(), ": ", device->facts().model, ", sm_", device->facts().capability, ", ", device->facts().processors,
                        " processors\n"));
    return {"", std::move(facts)};
  } catch (const Error& error) {
    return {error.message, cat("cuda: none: ", error.message, "\n")};
  }
}

/// Returns the target (an entry of gpu_machines()) whose code runs on this GPU: among the targets with the GPU's major compute capability,
/// the highest one that is not above the capability of the GPU. If there is no such target, returns the highest target with a lower major
/// capability; the driver compiles its PTX for the GPU.
Machine machine_of(const CudaDevice& device) {
  const std::span<const Machine> rows = gpu_machines();
  const auto above = std::ranges::find_if(rows, [&](const Machine& row) { return row.gpu()->capability > device.facts().capability; });
  return *std::prev(above);  // the list of devices contains no GPUs below the first target
}

/// Returns the machine for which programs are compiled by default. A program must run on each of the GPUs, so the target is that of the GPU
/// with the lowest compute capability. Its number of multiprocessors is the largest number that any of the GPUs has, so that no
/// multiprocessor is idle. Source can be generated even without a GPU; the target is then the first one, whose PTX the driver can compile
/// for every supported GPU.
Machine default_machine(const Resources& resources) {
  const auto capability = [](const CudaDevice* device) { return device->facts().capability; };
  const auto processors = [](const CudaDevice* device) { return device->facts().processors; };
  try {
    const std::vector<const CudaDevice*>& devices = resources.cuda.devices();
    Machine made = machine_of(**std::ranges::min_element(devices, {}, capability));
    std::get<Gpu>(made.hardware).processors = processors(*std::ranges::max_element(devices, {}, processors));
    return made;
  } catch (const Error&) {  // there is no GPU; begin() throws this error when a program is compiled
    return gpu_machines().front();
  }
}

Machine machine(const Resources& resources, const char* name) {
  if (name == nullptr) return default_machine(resources);
  const std::span<const Machine> rows = gpu_machines();
  const auto found = std::ranges::find(rows, std::string_view(name), &Machine::name);
  HARP_CHECK(found != rows.end(), Code::kInvalidArgument, "harp_compile_options: unknown target \"", name,
             "\" of the backend cuda, expected one of ", join(rows, ", ", [](const Machine& row) { return row.name; }));
  return *found;
}

std::vector<const Device*> devices(const Resources& resources) {
  const std::vector<const CudaDevice*>& found = resources.cuda.devices();
  return {found.begin(), found.end()};
}

/// Only checks that there are devices. Finding the compiler takes almost no time, so no work is started in parallel, and the result is
/// null.
std::shared_ptr<const void> begin(const Resources& resources, const BuildOptions&) {
  resources.cuda.devices();
  return nullptr;
}

/// Returns a cache key for the request that does not depend on the compiler. An artifact is stored under this key in addition to the key of
/// the compiler that made it.
Digest key_of_any(const CompileRequest& request, CudaOutput output) {
  const AnyCudaCompiler any(output);
  return cache_key(any, request, any.command(request));
}

/// Returns an artifact that any compiler made earlier from this source; null if there is none, or if it cannot be loaded.
std::shared_ptr<const Artifact> find_compiled(const Resources& resources, const CompileRequest& request, CudaOutput output,
                                              const LoadCheck& loads) {
  if (!request.compiler.empty() || !AnyCudaCompiler(output).self_contained(request.flags)) return nullptr;
  const std::shared_ptr<const Artifact> found = resources.service.cache().lookup(key_of_any(request, output), cuda_suffix(output));
  try {
    if (found != nullptr) loads(*found);
    return found;
  } catch (const cuda::ImageError&) {
    return nullptr;
  }
}

/// Stores a new artifact also under key_of_any(), a key that does not depend on the compiler, so that it can be used when no compiler is
/// installed.
void keep_compiled(const Resources& resources, const CompileRequest& request, CudaOutput output, const Artifact& artifact) {
  if (!request.compiler.empty() || !AnyCudaCompiler(output).self_contained(request.flags)) return;
  resources.service.cache().publish(*Artifact::make(key_of_any(request, output), artifact.manifest(), artifact.payload()));
}

/// Returns the compiler for the request. If there is none, returns null and stores the error in `why`, because find_compiled() may still
/// find an artifact.
std::unique_ptr<const Compiler> compiler_for(const Resources& resources, const CompileRequest& request, CudaOutput output, TimeLimit& limit,
                                             std::optional<Error>& why) {
  try {
    return resources.cuda.compiler(request.compiler, output, limit);
  } catch (const Error& error) {
    if (error.code != Code::kCompiler || limit.is_over()) throw;
    why.emplace(error);
    return nullptr;
  }
}

/// Tests whether machine code for the target would run on all GPUs of `resources`. Machine code runs only on GPUs with the target's major
/// compute capability, whereas PTX also runs on later GPUs.
bool runs_everywhere(const Resources& resources, const Machine& target) {
  const int major = target.gpu()->capability / 10;
  return std::ranges::none_of(resources.cuda.devices(), [&](const CudaDevice* device) { return device->facts().capability / 10 > major; });
}

/// Compiles to PTX if there are several GPUs and machine code would not run on all of them; the driver then compiles the PTX for each GPU.
/// Otherwise compiles to machine code. If the driver does not accept the machine code, because the GPU is newer than the compiler or than
/// every target, compiles to PTX instead.
std::shared_ptr<const Artifact> compile(const Resources& resources, const CompileRequest& request, TimeLimit& limit,
                                        CompileReport& report) {
  const LoadCheck loads = [&](const Artifact& artifact) { resources.cuda.module(artifact, request.exports); };
  const auto compile_to = [&](CudaOutput output) {
    std::optional<Error> no_compiler;
    const std::unique_ptr<const Compiler> compiler = compiler_for(resources, request, output, limit, no_compiler);
    if (compiler == nullptr) {
      std::shared_ptr<const Artifact> found = find_compiled(resources, request, output, loads);
      if (found == nullptr) throw Error(*no_compiler);
      report.origin = CompileReport::Origin::kDisk;
      return found;
    }
    try {
      std::shared_ptr<const Artifact> made = resources.service.compile_with(*compiler, request, loads, limit, &report);
      if (report.origin == CompileReport::Origin::kCompiled) keep_compiled(resources, request, output, *made);
      return made;
    } catch (const cuda::ImageError& error) {
      const CudaDevice& device = cuda::any_usable(resources.cuda.devices());
      throw cuda::ImageError(error.code,
                             cat("code of ", compiler->identity().version_line(), " for ", request.target.name, " cannot be loaded on ",
                                 device.name(), " (", device.facts().model, ", sm_", device.facts().capability, "; driver for CUDA ",
                                 cuda::version_text(device.driver().version()), "): ", error.message));
    }
  };
  if (resources.cuda.devices().size() > 1 && !runs_everywhere(resources, request.target)) return compile_to(CudaOutput::kPtx);
  try {
    return compile_to(CudaOutput::kCubin);
  } catch (const cuda::ImageError& error) {
    resources.log.warning(error.message, "; compiling to PTX instead");
    return compile_to(CudaOutput::kPtx);
  }
}

/// Compiles to PTX with any compiler that is installed. The text is only for reading, so the driver need not accept it.
std::string assemble(const Resources& resources, const CompileRequest& request, TimeLimit& limit) {
  const std::unique_ptr<const Compiler> compiler = resources.cuda.any_compiler(request.compiler, CudaOutput::kPtx, limit);
  const auto artifact = resources.service.compile_with(
      *compiler, request, [](const Artifact&) {}, limit, nullptr);
  const std::span<const std::byte> bytes = artifact->payload();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size() - 1};  // without the zero byte at the end of the PTX
}

std::unique_ptr<Executable> load(const Resources& resources, const Loadable& program) {
  std::vector<std::string> kernels;
  for (const cuda::Kernel& kernel : program.generated.plan->kernels) kernels.push_back(kernel.name);
  return cuda::make_executable({program.generated.plan, resources.cuda.module(*program.artifact, kernels), program.signature,
                                program.generated.sites, resources.cuda.devices()});
}

}  // namespace

const Backend kCudaBackend = {
    .name = "cuda",
    .available = &available,
    .machine = &machine,
    .devices = &devices,
    .code = &kCudaCode,
    .begin = &begin,
    .compile = &compile,
    .assembly = "ptx",
    .assemble = &assemble,
    .load = &load,
};

}  // namespace harp
