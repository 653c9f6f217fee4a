#include "run/cuda/driver.h"

namespace harp::cuda {

namespace {

constexpr int kOldestVersion = 12000;

/// The type of cuGetProcAddress_v2. harp does not use the last parameter, which receives the reason why a function was not found.
using GetProcAddress = Status (*)(const char* name, void** address, int version, uint64_t flags, int* why);

std::string name_of(const Driver& driver, Status status) {
  const char* name = nullptr;
  if (driver.error_name.address == nullptr || driver.error_name.address(status, &name) != Status::kSuccess || name == nullptr)
    return cat("error ", static_cast<int32_t>(status));
  return cat(name, " (", static_cast<int32_t>(status), ")");
}

Code code_of(Status status) {
  switch (status) {
    case Status::kOutOfMemory: return Code::kOutOfMemory;
    case Status::kInvalidValue:
    case Status::kInvalidHandle: return Code::kInternal;  // The status means that harp itself has passed a wrong argument.
    default: return Code::kDevice;
  }
}

}  // namespace

std::string version_text(int version) { return cat(version / 1000, ".", version % 1000 / 10); }

bool is_image_error(Status status) {
  return status == Status::kInvalidImage || status == Status::kNoBinaryForGpu || status == Status::kInvalidPtx ||
         status == Status::kUnsupportedPtxVersion;
}

std::string_view loss_of_device(Status status) {
  switch (static_cast<int32_t>(status)) {
    case 214:  // a memory error that the hardware cannot correct
    case 220:  // the same of the connection between GPUs
    case 226:  // a fault that the hardware has contained
      return "The GPU's hardware failed: this process cannot use the device any more";
    case 700:  // an invalid address
    case 702:  // a kernel that took too long
    case 710:  // an assertion
    case 714:  // a stack error
    case 715:  // an invalid instruction
    case 716:  // a misaligned address
    case 717:  // an address of another kind of memory
    case 718:  // an invalid program counter
    case 719:  // another fault
    case 721:  // tensor memory that was not freed
      return "A kernel faulted: this process cannot use the device any more";
    case 709: return "The host application destroyed the CUDA context: harp cannot use it any more";
    case 810: return "CUDA's multi-process service ended this process's use of the device";
    default: return {};
  }
}

Driver::Driver(Process& process, const std::string& path) : process_(process), owner_(process.id()) {
  std::string why_not;
  library_ = process.open_library(path.c_str(), why_not);
  HARP_CHECK(library_ != nullptr, Code::kDevice, "there is no CUDA driver: ", why_not);
  try {
    find_functions(path);
    call("", init, 0u);
  } catch (...) {
    process_.close_library(library_);
    throw;
  }
}

Driver::~Driver() {
  if (is_usable_here()) process_.close_library(library_);
}

/// Finds the driver's functions. Checks the driver's version first, because a driver that is too old lacks some of them.
void Driver::find_functions(const std::string& path) {
  const auto find = reinterpret_cast<GetProcAddress>(process_.find_symbol(library_, "cuGetProcAddress_v2"));
  const auto old_version = reinterpret_cast<decltype(driver_version.address)>(process_.find_symbol(library_, driver_version.name));
  HARP_CHECK(old_version != nullptr, Code::kDevice, path, " is not a CUDA driver: it has no function ", driver_version.name);
  call("", Function<int*>{driver_version.name, driver_version.version, old_version}, &version_);
  HARP_CHECK(version_ >= kOldestVersion && find != nullptr, Code::kDevice, "the CUDA driver ", path, " supports CUDA ",
             version_text(version_), ", but harp needs a driver for CUDA ", version_text(kOldestVersion), " or newer");
  const auto look_up = [&]<class... Parameters>(Function<Parameters...>& function) {
    void* address = nullptr;
    const Status status = find(function.name, &address, function.version, 0, nullptr);
    HARP_CHECK(status == Status::kSuccess && address != nullptr, Code::kDevice, "the CUDA driver ", path, " for CUDA ",
               version_text(version_), " has no function ", function.name, " of CUDA ", version_text(function.version));
    function.address = reinterpret_cast<Status (*)(Parameters...)>(address);
  };
#define HARP_CUDA_LOOK_UP(member, ...) look_up(member);
  HARP_CUDA_DRIVER_FUNCTIONS(HARP_CUDA_LOOK_UP)
#undef HARP_CUDA_LOOK_UP
}

Error Driver::error(std::string_view where, const char* function, Status status) const {
  return Error(code_of(status), cat(function, " failed", where.empty() ? "" : " ", where, ": ", name_of(*this, status)));
}

}  // namespace harp::cuda
