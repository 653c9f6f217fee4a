#include "cuda/run_plan.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "fuzz/guarded_memory.h"

namespace harp::cuda_test {
namespace {

constexpr int64_t kProcessors = 3, kBlocksPerProcessor = 2;
constexpr size_t kAlignment = 256;

class Run {
 public:
  Run(const cuda::Plan& plan, std::span<void* const> inputs, std::span<void* const> outputs, std::span<const int64_t> shape_values)
      : plan_(plan),
        inputs_(inputs),
        outputs_(outputs),
        values_(plan.values(shape_values, kProcessors, kBlocksPerProcessor)),
        arena_(static_cast<size_t>(plan.arena.evaluate(values_)), kAlignment) {
    for (const auto& content : plan.constants) constants_.emplace_back(*content, kAlignment);
    std::memset(arena_.data(), 0x5a, arena_.size());  // makes code fail that relies on zeroed memory
    std::memset(records(), 0xff, sizeof(cuda::IndexRecord) * static_cast<size_t>(plan.sites));
  }

  PlanResult execute(const std::function<const EmulatedKernel&(const std::string&)>& kernel_of, ThreadOrder order) {
    for (const cuda::Step& step : plan_.steps) {
      const auto* launch = std::get_if<cuda::Launch>(&step.what);
      HARP_CHECK(std::get_if<cuda::HostCall>(&step.what) == nullptr, Code::kUnsupported, "a plan that calls a function of the host");
      if (launch == nullptr) continue;
      if (const std::string error = execute(*launch, kernel_of, order); !error.empty()) return {error, std::nullopt};
    }
    if (!arena_.is_intact()) return {"a kernel wrote before the arena", std::nullopt};
    const std::vector<cuda::IndexRecord> found(records(), records() + plan_.sites);
    return {"", cuda::first_fault(found)};
  }

 private:
  std::string execute(const cuda::Launch& launch, const std::function<const EmulatedKernel&(const std::string&)>& kernel_of,
                      ThreadOrder order) {
    if (launch.guard.evaluate(values_) < 0) return {};
    uint32_t grid[3];
    for (size_t i = 0; i < 3; ++i) {
      const int64_t extent = launch.grid[i].evaluate(values_);
      if (extent < 1) return {};
      grid[i] = static_cast<uint32_t>(extent);
    }
    const cuda::Kernel& planned = plan_.kernels[static_cast<size_t>(launch.kernel)];
    const EmulatedKernel& kernel = kernel_of(planned.name);
    if (kernel.n_parameters != launch.arguments.size())
      return cat(planned.name, " has ", kernel.n_parameters, " parameters, and the plan ", launch.arguments.size(), " arguments");
    const uint32_t block[3] = {planned.block[0], planned.block[1], planned.block[2]};
    std::vector<uint64_t> words;
    for (const cuda::Argument& argument : launch.arguments) words.push_back(word_of(argument));
    std::vector<void*> parameters;
    for (uint64_t& word : words) parameters.push_back(&word);
    parameters.push_back(nullptr);
    const char* error = kernel.launch(grid, block, static_cast<size_t>(launch.shared.evaluate(values_)), parameters.data(), order);
    return error == nullptr ? std::string() : error;
  }

  uint64_t word_of(const cuda::Argument& argument) const {
    if (!std::holds_alternative<cuda::Location>(argument)) return cuda::bits_of(argument, values_);
    const auto& at = std::get<cuda::Location>(argument);
    return reinterpret_cast<uint64_t>(base_of(at) + at.offset.evaluate(values_));
  }

  std::byte* base_of(const cuda::Location& at) const {
    const auto index = static_cast<size_t>(at.index);
    switch (at.base) {
      case cuda::Location::Base::kInput: return static_cast<std::byte*>(inputs_[index]);
      case cuda::Location::Base::kOutput: return static_cast<std::byte*>(outputs_[index]);
      case cuda::Location::Base::kConstant: return constants_[index].data();
      case cuda::Location::Base::kArena: return arena_.data();
    }
    return nullptr;
  }

  cuda::IndexRecord* records() const { return reinterpret_cast<cuda::IndexRecord*>(arena_.data() + plan_.records.evaluate(values_)); }

  const cuda::Plan& plan_;
  const std::span<void*const> inputs_, outputs_;
  const std::vector<int64_t> values_;
  fuzz::GuardedArray arena_;
  std::vector<fuzz::GuardedArray> constants_;
};

}  // namespace

PlanResult run_plan(const cuda::Plan& plan, const std::function<const EmulatedKernel&(const std::string& name)>& kernel_of,
                    std::span<void* const> inputs, std::span<void* const> outputs, std::span<const int64_t> shape_values,
                    ThreadOrder order) {
  return Run(plan, inputs, outputs, shape_values).execute(kernel_of, order);
}

}  // namespace harp::cuda_test
