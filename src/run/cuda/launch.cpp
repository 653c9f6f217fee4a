#include "run/cuda/launch.h"

#include <algorithm>

#include "base/error.h"

namespace harp::cuda {

namespace {

constexpr int64_t kMaxBlocksYZ = 65535;  // maximum number of blocks along y and along z, on every device

}  // namespace

std::vector<void*> KernelLaunch::parameters() {
  std::vector<void*> addresses;
  for (uint64_t& argument : arguments) addresses.push_back(&argument);
  return addresses;
}

void KernelLaunch::put_on(StreamHandle stream, const CudaDevice& device) {
  device.call(device.driver().launch, function, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared, stream,
              parameters().data(), static_cast<void**>(nullptr));
}

PlanSizes::PlanSizes(const Plan& plan, OnDevice& on_device, const size_t* shape_vars)
    : plan_(plan),
      on_device_(on_device),
      values_(plan.values(std::vector<int64_t>(shape_vars, shape_vars + plan.shape_variables.size()), on_device.device().facts().processors,
                          1)) {}

DeviceAddress PlanSizes::address(const Location& at, const RunArrays& arrays) const {
  const auto offset = static_cast<DeviceAddress>(evaluate(at.offset));
  const auto index = static_cast<size_t>(at.index);
  switch (at.base) {
    case Location::Base::kInput: return address_of(arrays.inputs[index]) + offset;
    case Location::Base::kOutput: return address_of(arrays.outputs[index]) + offset;
    case Location::Base::kConstant: return on_device_.constant(index) + offset;
    case Location::Base::kArena: return arrays.arena + offset;
  }
  return 0;
}

std::optional<KernelLaunch> PlanSizes::launch(const Launch& launch, const RunArrays& arrays) {
  if (evaluate(launch.guard) < 0) return std::nullopt;
  const auto number = static_cast<size_t>(launch.kernel);
  const Kernel& kernel = plan_.kernels[number];
  const DeviceFacts& facts = device().facts();
  const int64_t shared = evaluate(launch.shared);
  HARP_CHECK(shared <= facts.shared_bytes, Code::kUnsupported, "the kernel ", kernel.name, " needs ", shared,
             " bytes of shared memory, but a block on ", device().name(), " has ", facts.shared_bytes);
  values_.back() = on_device_.prepare(number, kernel.block[0] * kernel.block[1] * kernel.block[2], shared);
  int64_t grid[3];
  for (size_t i = 0; i < 3; ++i) grid[i] = evaluate(launch.grid[i]);
  if (std::any_of(grid, grid + 3, [](int64_t extent) { return extent < 1; })) return std::nullopt;
  HARP_CHECK(grid[0] <= facts.grid_x && grid[1] <= kMaxBlocksYZ && grid[2] <= kMaxBlocksYZ, Code::kUnsupported, "the kernel ", kernel.name,
             " needs a grid of [", join(grid, ", "), "] blocks, but ", device().name(), " has at most [", facts.grid_x, ", ", kMaxBlocksYZ,
             ", ", kMaxBlocksYZ, "]");
  KernelLaunch made;
  made.function = on_device_.function(number);
  for (size_t i = 0; i < 3; ++i) made.grid[i] = static_cast<unsigned>(grid[i]), made.block[i] = kernel.block[i];
  made.shared = static_cast<unsigned>(shared);
  for (const Argument& argument : launch.arguments) {
    const auto* at = std::get_if<Location>(&argument);
    made.arguments.push_back(at != nullptr ? address(*at, arrays) : bits_of(argument, values_));
  }
  return made;
}

}  // namespace harp::cuda
