#include "launch/plan_launches.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"

namespace harp {
namespace {

using cuda::Location;

// Limit in bytes for the scratch memory of all threads of one launch. It limits the number of blocks.
constexpr int64_t kMaxScratch = int64_t{64} << 20;
constexpr int64_t kMaxBlocks = INT32_MAX;    // greatest number of blocks of a grid along x
constexpr int64_t kMaxProcessors = 1 << 16;  // greatest value of the variable `processors`, the number of the GPU's multiprocessors
constexpr int64_t kMaxBlocksPerProcessor = 64;

class Planner {
 public:
  Planner(const ir::Module& module, std::span<const render::CudaKernel> kernels)
      : module_(module),
        kernels_(kernels),
        processors_(module.arena->syms().loop("processors", 1, kMaxProcessors + 1)),
        blocks_per_processor_(module.arena->syms().loop("blocks_per_processor", 1, kMaxBlocksPerProcessor + 1)),
        variables_(module.shape_vars) {
    variables_.insert(variables_.end(), {processors_, blocks_per_processor_});
  }

  std::shared_ptr<const cuda::Plan> run() {
    plan_.name = module_.name;
    for (const Sym& v : module_.shape_vars) plan_.shape_variables.push_back(variable_of(v)->name);
    for (const ir::ArrayType& array : module_.inputs) plan_.inputs.push_back(array.name);
    for (const ir::ArrayType& array : module_.outputs) plan_.outputs.push_back(array.name);
    for (const ir::ConstantArray& array : module_.constants) plan_.constants.push_back(array.data);
    plan_.addresses = module_.natives;
    place_memory();
    for (const ir::Generation& generation : module_.generations) add(generation);
    cuda::verify(plan_);
    return std::make_shared<const cuda::Plan>(std::move(plan_));
  }

 private:
  /// Returns the code that computes a size at run time. A kernel may have a variable of its own for a shape variable of the module, with
  /// the same name but narrower bounds. The code reads the module's variable in its place.
  SizeCode code(Sym e) const {
    SymSubstitution same;
    for (const SymAtom* atom : variables_of(e))
      for (const Sym& v : module_.shape_vars)
        if (!atom->is_loop && variable_of(v)->name == atom->name && variable_of(v) != atom) same[atom] = v;
    return {same.empty() ? e : substitute(e, same), variables_};
  }

  const render::CudaKernel& rendered(const ir::Launch& launch) const { return kernels_[static_cast<size_t>(launch.kernel)]; }

  /// Returns the number of blocks of a launch. It is 1 if the kernel does not distribute its iterations over threads. If the kernel has
  /// scratch memory, kMaxScratch limits the number; otherwise the number of blocks that the GPU can run at the same time limits it. A block
  /// computes as many iterations of the thread loop at a time as its threads allow; if the blocks cannot compute all iterations at once,
  /// each of them repeats this.
  Sym blocks(const ir::Launch& launch) const {
    const render::CudaKernel& kernel = rendered(launch);
    if (!kernel.has_threads) return 1;
    const Sym all = ceil_div(ir::iterations(module_.kernels[static_cast<size_t>(launch.kernel)]), kernel.block_iterations);
    if (kernel.scratch > 0) return min(all, std::max<int64_t>(1, kMaxScratch / (kernel.scratch * kernel.block_threads)));
    return min(all, processors_ * blocks_per_processor_);
  }

  /// Returns the size of the scratch memory of all threads of a launch, in bytes. It is 0 or less if the sizes at run time leave the launch
  /// no iterations, so that it is skipped.
  Sym scratch_of(const ir::Launch& launch) const {
    const render::CudaKernel& kernel = rendered(launch);
    return kernel.scratch == 0 ? Sym(0) : blocks(launch) * (kernel.scratch * kernel.block_threads);
  }

  /// Lays out the arena. Launches of one generation may run at the same time, so each has scratch memory of its own. Generations run one
  /// after the other, so all of them use the same memory.
  void place_memory() {
    Sym scratch = 0;
    for (const ir::Generation& generation : module_.generations) {
      Sym here = 0;
      for (const ir::Launch& launch : generation.launches) here += max(scratch_of(launch), 0);
      scratch = max(scratch, here);
    }
    const Sym records = module_.workspace + scratch;
    plan_.sites = module_.sites;
    plan_.records = code(records);
    plan_.arena = code(records + module_.sites * static_cast<int64_t>(sizeof(cuda::IndexRecord)));
  }

  void add(const ir::Generation& generation) {
    HARP_ASSERT(generation.blocks == 0, "a GPU runs no chains of kernels, but a generation has one of ", generation.blocks, " blocks");
    if (generation.launches.empty() && generation.calls.empty()) return;
    if (before_.size() > 1) {
      plan_.steps.push_back({cuda::Join{}, std::move(before_)});
      before_ = {static_cast<int>(plan_.steps.size()) - 1};
    }
    const size_t first = plan_.steps.size();
    Sym scratch = module_.workspace;
    for (const ir::Launch& launch : generation.launches) {
      const std::vector<int> previous = {static_cast<int>(plan_.steps.size()) - 1};
      plan_.steps.push_back({launch_of(launch, scratch), launch.follows ? previous : before_});
      scratch += max(scratch_of(launch), 0);
    }
    for (const ir::NativeCall& call : generation.calls) {
      // Each call of a function of the host waits for the launches of its generation (set of launches that may run concurrently) and for
      // all earlier calls. Thus a run calls only one such function at a time.
      std::vector<int> after = before_;
      if (plan_.steps.size() > first) {
        after.clear();
        for (size_t i = first; i < plan_.steps.size(); ++i) after.push_back(static_cast<int>(i));
      }
      plan_.steps.push_back({call_of(call), std::move(after)});
    }
    before_.clear();
    for (size_t i = first; i < plan_.steps.size(); ++i) before_.push_back(static_cast<int>(i));
  }

  cuda::Launch launch_of(const ir::Launch& launch, Sym scratch) {
    HARP_ASSERT(launch.in_place.empty(), "a launch on a GPU must not depend on which arrays are the same, but that of kernel ",
                launch.kernel, " does");
    const render::CudaKernel& kernel = rendered(launch);
    cuda::Launch step;
    step.kernel = number_of(kernel);
    if (launch.guard) step.guard = code(*launch.guard);
    step.shared = code(kernel.shared);
    step.grid = {code(min(blocks(launch), kMaxBlocks)), code(1), code(1)};
    for (size_t i = 0; i < kernel.is_used.size(); ++i)
      if (kernel.is_used[i]) step.arguments.emplace_back(location(launch.arguments[i]));
    for (const SymAtom* v : shape_variables(kernel)) step.arguments.emplace_back(code(v->alone));
    for (const Sym size : kernel.sizes) step.arguments.emplace_back(code(size));
    for (const Sym divisor : kernel.divisors) step.arguments.emplace_back(cuda::Reciprocal{code(divisor)});
    if (kernel.scratch > 0) step.arguments.emplace_back(Location{Location::Base::kArena, 0, code(scratch)});
    if (kernel.reports_faults) step.arguments.emplace_back(Location{Location::Base::kArena, 0, plan_.records});
    if (kernel.phase) step.arguments.emplace_back(code(*kernel.phase));
    return step;
  }

  /// Returns the kernel's shape variables in the order of its parameters. Variables of the same name are one parameter.
  static std::vector<const SymAtom*> shape_variables(const render::CudaKernel& kernel) {
    std::vector<const SymAtom*> variables;
    for (const SymAtom* v : kernel.shape_variables)
      if (variables.empty() || variables.back()->name != v->name) variables.push_back(v);
    return variables;
  }

  int number_of(const render::CudaKernel& kernel) {
    const auto [known, is_new] = numbers_.emplace(kernel.name, static_cast<int>(plan_.kernels.size()));
    if (is_new) plan_.kernels.push_back({kernel.name, {static_cast<uint16_t>(kernel.block_threads), 1, 1}});
    return known->second;
  }

  Location location(const ir::HostBuffer& buffer) const {
    using Kind = ir::HostBuffer::Kind;
    switch (buffer.kind) {
      case Kind::kInput: return {Location::Base::kInput, buffer.index, code(buffer.offset)};
      case Kind::kOutput: return {Location::Base::kOutput, buffer.index, code(buffer.offset)};
      case Kind::kConstant: return {Location::Base::kConstant, buffer.index, code(buffer.offset)};
      case Kind::kTemporary:
        if (buffer.space == Space::kWorkspace) return {Location::Base::kArena, 0, code(buffer.offset)};
    }
    fail(Code::kInternal, "a temporary of a launch on a GPU is in the workspace, not in the scratch memory of a worker");
  }

  cuda::HostCall call_of(const ir::NativeCall& call) const {
    using From = ir::NativeCall::Argument;
    using To = cuda::HostCall::Argument;
    cuda::HostCall step;
    step.name = call.name;
    step.function = call.function;
    step.returns_status = call.returns_status;
    step.elements = code(call.elements);
    for (const From& argument : call.arguments) {
      To& to = step.arguments.emplace_back();
      to.dtype = argument.dtype;
      switch (argument.kind) {
        case From::kArray:
          to.kind = To::kArray;
          to.array = location(argument.array);
          to.bytes = code(argument.size);
          to.written = argument.written;
          break;
        case From::kSize:
          to.kind = To::kSize;
          to.size = code(argument.size);
          break;
        case From::kNumber:
          to.kind = To::kNumber;
          to.number = argument.number;
          break;
        case From::kAddress:
          to.kind = To::kAddress;
          to.address = argument.address;
          break;
      }
    }
    return step;
  }

  const ir::Module& module_;
  const std::span<const render::CudaKernel> kernels_;
  const Sym processors_, blocks_per_processor_;
  std::vector<Sym> variables_;
  cuda::Plan plan_;
  std::map<std::string, int> numbers_;  // the index of each kernel in Plan::kernels, by its name
  // the steps that must be complete before the next generation (set of launches that may run concurrently) starts
  std::vector<int> before_;
};

}  // namespace

std::shared_ptr<const cuda::Plan> plan_launches(const ir::Module& module, std::span<const render::CudaKernel> kernels) {
  return Planner(module, kernels).run();
}

}  // namespace harp
