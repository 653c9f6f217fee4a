#include "run/cuda/on_device.h"

#include <algorithm>

namespace harp::cuda {

namespace {

constexpr int64_t kDefaultSharedBytes = int64_t{48} << 10;  // bytes of dynamic shared memory that a kernel may use by default

}  // namespace

OnDevice::OnDevice(const CudaDevice& device, const Plan& plan, const Module& module)
    : device_(device), functions_(module.functions(device)) {
  try {
    for (const auto& constant : plan.constants) {
      constants_.push_back(constant->empty() ? 0 : device.allocate(constant->size()));
      if (!constant->empty())
        device.call(device.driver().copy_to_device, constants_.back(), static_cast<const void*>(constant->data()), constant->size(),
                    device.stream());
    }
  } catch (...) {
    release();
    throw;
  }
  shared_.resize(functions_.size(), kDefaultSharedBytes);
}

OnDevice::~OnDevice() {
  device_.release_with([this] { release(); });
}

void OnDevice::release() const noexcept {
  for (const DeviceAddress constant : constants_)
    if (constant != 0) device_.free(constant);
}

int64_t OnDevice::prepare(size_t kernel, int threads, int64_t bytes) {
  const std::lock_guard guard(mutex_);
  const auto known = blocks_.find({kernel, bytes});
  if (known != blocks_.end()) return known->second;
  if (bytes > shared_[kernel]) {
    device_.call(device_.driver().function_set_attribute, functions_[kernel], FunctionAttribute::kMaxDynamicSharedBytes,
                 static_cast<int>(bytes));
    shared_[kernel] = bytes;
  }
  int blocks = 0;
  device_.call(device_.driver().occupancy, &blocks, functions_[kernel], threads, static_cast<size_t>(bytes));
  return blocks_[{kernel, bytes}] = std::max(blocks, 1);
}

}  // namespace harp::cuda
