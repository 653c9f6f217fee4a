#include "backend/rows.h"
#include "base/error.h"
#include "base/text.h"
#include "run/cuda/platform.h"

namespace harp {

namespace {

Availability available(const Resources& resources) {
  try {
    const std::vector<const cuda::CudaDevice*>& devices = resources.cuda.devices();
    std::string facts = cat("cuda driver: ", cuda::version_text(resources.cuda.driver().version()), "\n");
    for (const cuda::CudaDevice* device : devices)
      append(facts, cat(device->name(), ": ", device->facts().model, ", sm_", device->facts().capability, ", ",
                        device->facts().processors, " processors\n"));
    return {"", std::move(facts)};
  } catch (const Error& error) {
    return {error.message, cat("cuda: none: ", error.message, "\n")};
  }
}

std::vector<const Device*> devices(const Resources& resources) {
  const std::vector<const cuda::CudaDevice*>& found = resources.cuda.devices();
  return {found.begin(), found.end()};
}

std::unique_ptr<Executable> load(const Resources&, const Loadable&) {
  fail(Code::kUnsupported, "this version of harp has arrays on GPUs, but does not compile graphs for the backend cuda");
}

}  // namespace

const Backend kCudaBackend = {
    .name = "cuda",
    .available = &available,
    .machine = &cpu_machine,
    .devices = &devices,
    .load = &load,
};

}  // namespace harp
