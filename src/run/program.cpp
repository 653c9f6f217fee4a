#include "run/program.h"

#include <algorithm>

#include "base/error.h"
#include "interp/sizes.h"
#include "run/memory_pool.h"
#include "run/staging.h"

namespace harp {

namespace {

constexpr size_t kFewOutputs = 8;
constexpr std::string_view kHint = "; with the run option HARP_RUN_STAGE such arrays are copied";

/// Returns the memory that generated code takes for its workspace, if the run did not pass it one: on the stack of the run if it is small,
/// otherwise from the context's pool if there is one. Generated code takes one block in a run. Returns null if there is no memory.
void* allocate_for_kernel(void* self, size_t size) {
  auto& run = *static_cast<HostOfRun*>(self);
  const Allocator& allocator = run.hooks.allocator;
  if (allocator.pool != nullptr && size <= run.small.size()) return run.small.data();
  if (allocator.pool == nullptr || run.kept.data() != nullptr) return allocator.allocate(allocator.user, size, kBufferAlignment);
  try {
    run.kept = Memory(allocator, size);
  } catch (const Error&) {
    return nullptr;
  }
  return run.kept.data();
}

void release_for_kernel(void* self, void* memory) {
  auto& run = *static_cast<HostOfRun*>(self);
  const Allocator& allocator = run.hooks.allocator;
  const bool is_of_run = memory == run.kept.data() || memory == run.small.data();
  if (memory != nullptr && !is_of_run) allocator.release(allocator.user, memory);
}

void run_parallel(void* self, size_t n, size_t grain, harp_range_body body, void* arg) {
  const HostHooks& hooks = static_cast<HostOfRun*>(self)->hooks;
  hooks.parallel_for(hooks.parallel_for_user, n, grain, body, arg);
}

}  // namespace

LoadedProgram::LoadedProgram(std::shared_ptr<const Signature> signature, std::unique_ptr<Executable> executable, const HostHooks& hooks,
                             Placement placement)
    : binding_(std::move(signature)), executable_(std::move(executable)), hooks_(hooks), placement_(std::move(placement)) {
  const size_t inputs = this->signature().inputs.size(), outputs = this->signature().outputs.size();
  const size_t arrays = inputs + outputs, variables = this->signature().variables.size(), hidden = executable_->hidden_inputs().size();
  // The bytes of all data that a run stores per array and per variable, with alignment. This includes the data of harp_program_run, which
  // may compute the shape variables a second time.
  const size_t bytes = arrays * (sizeof(RunArray) + 2 * sizeof(ArrayType) + sizeof(Extent) + 2 * sizeof(void*)) + hidden * sizeof(void*) +
                       variables * (sizeof(NamedSize) + 2 * sizeof(int64_t) + sizeof(size_t)) + 16 * alignof(std::max_align_t);
  const bool are_few = std::max({inputs, outputs, variables}) <= kFewArguments && arrays + hidden <= 2 * kFewArguments;
  book_bytes_ = are_few ? 0 : (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
  if (are_few && placement_.devices.front() == &kHostDevice) declared_ = DeclaredArrays::of(binding_.shared_signature());
}

size_t LoadedProgram::workspace_bytes(std::span<const int64_t> shape_values, size_t width) const {
  size_t bytes = 0;
  const bool fits = !__builtin_add_overflow(executable_->workspace_bytes(shape_values, width), book_bytes_, &bytes) && bytes <= INT64_MAX;
  HARP_CHECK(fits, Code::kOverflow, "the workspace of ", width, " workers has more bytes than 64 bits can count");
  return bytes;
}

RunMemory LoadedProgram::divide(void* workspace, size_t bytes) const {
  if (workspace == nullptr || bytes < book_bytes_) return {workspace, bytes, {}};
  return {static_cast<std::byte*>(workspace) + book_bytes_, bytes - book_bytes_, {workspace, book_bytes_}};
}

void LoadedProgram::run(const RunArguments& arguments, RunMemory& memory, OutputMaker* maker) const {
  const Signature& signature = this->signature();
  const std::span<const RunArray> inputs = arguments.inputs;
  const std::span<RunArray> outputs = arguments.outputs;
  StackArray<ArrayType, kFewArguments> types(inputs.size(), memory.book);
  for (size_t i = 0; i < inputs.size(); ++i) types[i] = inputs[i].type;
  StackArray<int64_t, kFewArguments> values(signature.variables.size(), memory.book);
  binding_.bind(types.span(), arguments.shape_vars, values.span());

  const Device& device = device_of(arguments);
  for (size_t i = 0; i < inputs.size() && !arguments.stages; ++i) check_device("input", signature.inputs[i].name, inputs[i], device);

  HARP_CHECK(outputs.size() == signature.outputs.size(), Code::kInvalidArgument, "the program has ", signature.outputs.size(),
             " outputs, but got ", outputs.size(), ": ", signature.text());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].is_missing) continue;
    binding_.check_output(i, outputs[i].type, values.span());
    if (!arguments.stages) check_device("output", signature.outputs[i].name, outputs[i], device);
    HARP_CHECK(!outputs[i].read_only, Code::kInvalidArgument, "output \"", signature.outputs[i].name, "\" is read-only");
  }
  const bool is_captured = arguments.stream != nullptr && device.is_capturing(arguments.stream);
  if (is_captured) check_captured(arguments);
  HARP_CHECK(arguments.cancel == nullptr || __atomic_load_n(arguments.cancel, __ATOMIC_RELAXED) == 0, Code::kCancelled,
             interp::kRunCancelled);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].is_missing) continue;
    const ArraySignature& array = signature.outputs[i];
    int64_t dims[kMaxRank];
    const std::span<int64_t> sizes(dims, array.shape.size());
    binding_.output_dims(i, values.span(), sizes);
    outputs[i] = maker->make(i, array.dtype, sizes, device);
  }
  check_aliases(inputs, outputs, memory.book);

  if (arguments.stream != nullptr && !is_captured) device.wait_for_stream(arguments.stream);
  const std::span<void* const> hidden = executable_->hidden_inputs();
  const size_t first_output = inputs.size() + hidden.size();
  StackArray<void*, 2 * kFewArguments> addresses(first_output + outputs.size(), memory.book);
  Staging staging(device, hooks_.allocator);
  for (size_t i = 0; i < inputs.size(); ++i) addresses[i] = staging.input(inputs[i]);
  std::copy(hidden.begin(), hidden.end(), addresses.begin() + inputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) addresses[first_output + i] = staging.output(outputs[i]);
  alignas(kBufferAlignment) std::byte small[MemoryPool::kSmallest];
  HostOfRun host{hooks_, small};
  const std::span<std::byte> workspace = workspace_of_run(values.span(), memory, host);
  StackArray<size_t, kFewArguments> shape_vars(values.size(), memory.book);
  for (size_t i = 0; i < values.size(); ++i) shape_vars[i] = static_cast<size_t>(values[i]);
  const harp_runtime runtime = runtime_of(host, workspace, arguments.cancel);
  if (arguments.stream != nullptr && !staging.copies_back()) {
    executable_->enqueue(addresses.data(), addresses.data() + first_output, shape_vars.data(), runtime,
                         is_captured ? arguments.stream : nullptr);
    if (!is_captured) device.signal_stream(arguments.stream);
    return;
  }
  executable_->execute(addresses.data(), addresses.data() + first_output, shape_vars.data(), runtime);
  staging.copy_back();
}

bool LoadedProgram::run_as_declared(std::span<const harp_const_array> inputs, std::span<const harp_array> outputs,
                                    std::span<std::byte> workspace, const volatile int32_t* cancel) const {
  if (!declared_) return false;
  const std::span<void* const> hidden = executable_->hidden_inputs();
  void* addresses[2 * kFewArguments];
  void** const outputs_at = addresses + declared_->inputs() + hidden.size();
  DeclaredArrays::Sizes sizes;
  if (!declared_->fit(inputs, outputs, addresses, outputs_at, sizes)) return false;
  HARP_CHECK(cancel == nullptr || __atomic_load_n(cancel, __ATOMIC_RELAXED) == 0, Code::kCancelled, interp::kRunCancelled);
  std::copy(hidden.begin(), hidden.end(), outputs_at - hidden.size());
  alignas(kBufferAlignment) std::byte small[MemoryPool::kSmallest];
  HostOfRun host{hooks_, small};
  workspace = workspace_of_run({sizes.values, declared_->variables()}, divide(workspace.data(), workspace.size()), host);
  executable_->execute(addresses, outputs_at, sizes.variables, runtime_of(host, workspace, cancel));
  return true;
}

harp_runtime LoadedProgram::runtime_of(HostOfRun& host, std::span<std::byte> workspace, const volatile int32_t* cancel) const {
  harp_runtime runtime{};
  runtime.struct_size = sizeof runtime;
  runtime.self = &host;
  runtime.width = hooks_.width;
  runtime.parallel_for = hooks_.parallel_for != nullptr ? &run_parallel : nullptr;
  runtime.alloc = &allocate_for_kernel;
  runtime.free = &release_for_kernel;
  runtime.workspace = workspace.data();
  runtime.workspace_size = workspace.size();
  runtime.cancel = cancel;
  return runtime;
}

/// Returns the workspace of a run: the caller's, if the caller passed one. Otherwise it is `host.small`, which is on the stack of the run,
/// or, if that is not large enough, memory from the context's pool, which `host.kept` then owns. If the context has no pool, or if it
/// depends on the sizes whether a workspace is needed at all, returns an empty span, and generated code allocates its workspace.
///
/// The stack is safe because only executables whose runs are complete when execute() or enqueue() returns need a workspace in host memory.
/// The stack is used because allocating and releasing a small block takes 0.1 to 0.4 us, as long as a run of many a small program.
std::span<std::byte> LoadedProgram::workspace_of_run(std::span<const int64_t> shape_values, const RunMemory& memory,
                                                     HostOfRun& host) const {
  if (memory.workspace != nullptr) return {static_cast<std::byte*>(memory.workspace), memory.workspace_bytes};
  if (hooks_.allocator.pool == nullptr || executable_->may_need_no_workspace()) return {};
  const auto bytes = static_cast<size_t>(executable_->workspace_bytes(shape_values, hooks_.width));
  if (bytes == 0) return {};
  if (bytes < host.small.size()) return host.small;
  host.kept = Memory(hooks_.allocator, bytes);
  return {static_cast<std::byte*>(host.kept.data()), bytes};
}

bool LoadedProgram::is_mine(const Device& device) const {
  return std::find(placement_.devices.begin(), placement_.devices.end(), &device) != placement_.devices.end();
}

/// Returns the device on which a run takes place. Without staging (RunArguments::stages) this is the device of the first array that the
/// caller passes. With staging it is the device of the first passed array that is on a device of this program. If there is no such array,
/// it is device().
const Device& LoadedProgram::device_of(const RunArguments& arguments) const {
  const auto decides = [&](const RunArray& array) { return !array.is_missing && (!arguments.stages || is_mine(*array.device)); };
  for (const RunArray& input : arguments.inputs)
    if (decides(input)) return *input.device;
  for (const RunArray& output : arguments.outputs)
    if (decides(output)) return *output.device;
  return device();
}

void LoadedProgram::check_device(const char* what, const std::string& name, const RunArray& array, const Device& run) const {
  if (array.device == &run && &run == placement_.devices.front()) return;
  HARP_CHECK(is_mine(*array.device), Code::kDevice, what, " \"", name, "\" is on the device ", array.device->name(),
             ", which programs of the backend ", placement_.backend,
             " cannot use; expected one of: ", join(placement_.devices, ", ", [](const Device* device) { return device->name(); }), kHint);
  HARP_CHECK(array.device == &run, Code::kDevice, what, " \"", name, "\" is on the device ", array.device->name(),
             ", and the arrays before it on ", run.name(), "; all arrays of a run must be on one device", kHint);
}

/// Checks the arguments of a captured run. Such a run is executed later, whenever the host application launches its graph. Therefore it can
/// neither allocate outputs nor copy arrays between devices.
void LoadedProgram::check_captured(const RunArguments& arguments) const {
  HARP_CHECK(!arguments.stages, Code::kUnsupported, "a run cannot be captured as a CUDA graph with the option HARP_RUN_STAGE");
  for (size_t i = 0; i < arguments.outputs.size(); ++i)
    HARP_CHECK(!arguments.outputs[i].is_missing, Code::kUnsupported,
               "a run cannot be captured as a CUDA graph without the array of output \"", signature().outputs[i].name,
               "\": harp allocates nothing during a capture");
}

void LoadedProgram::check_aliases(std::span<const RunArray> inputs, std::span<const RunArray> outputs, Spare& book) const {
  const auto extent = [](const RunArray& given, size_t array) {
    const auto begin = reinterpret_cast<uintptr_t>(given.data);
    return Extent{begin, begin + given.bytes, array};
  };
  // Comparing all pairs is faster than sorting. An empty array inside another one only causes the exact comparison below, which skips empty
  // arrays.
  if (outputs.size() <= kFewOutputs) {
    bool any = false;
    for (size_t o = 0; o < outputs.size(); ++o) {
      for (const RunArray& input : inputs) any |= may_overlap(outputs[o], input);
      for (size_t before = 0; before < o; ++before) any |= may_overlap(outputs[o], outputs[before]);
    }
    if (!any) return;
  }
  // Visits the arrays in the order of their addresses. If an array overlaps any output that was visited before it, it also overlaps the one
  // of these outputs that ends at the highest address, so one comparison is enough. An output is compared in the same way with the inputs
  // visited before it. (Inputs may overlap each other.)
  StackArray<Extent, 2 * kFewArguments> extents(inputs.size() + outputs.size(), book);
  size_t n = 0;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].bytes > 0) extents[n++] = extent(inputs[i], i);
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].bytes > 0) extents[n++] = extent(outputs[i], inputs.size() + i);
  std::sort(extents.begin(), extents.begin() + n, [](const Extent& a, const Extent& b) { return a.begin < b.begin; });

  // of the arrays visited so far, the input and the output that end at the highest address
  const Extent *input = nullptr, *output = nullptr;
  for (size_t i = 0; i < n; ++i) {
    const Extent& current = extents[i];
    const bool is_output = current.array >= inputs.size();
    const bool overlaps =
        (output != nullptr && output->end > current.begin) || (is_output && input != nullptr && input->end > current.begin);
    if (overlaps) return check_overlaps({extents.begin(), n}, inputs.size());
    const Extent*& furthest = is_output ? output : input;
    if (furthest == nullptr || current.end > furthest->end) furthest = &current;
  }
}

void LoadedProgram::check_overlaps(std::span<const Extent> extents, size_t n_inputs) const {
  const auto describe = [&](size_t array) {
    return array < n_inputs ? cat("input \"", signature().inputs[array].name, "\"")
                            : cat("output \"", signature().outputs[array - n_inputs].name, "\"");
  };
  for (const Extent& written : extents) {
    if (written.array < n_inputs) continue;
    for (const Extent& other : extents) {
      if (other.array >= written.array || other.begin >= written.end || written.begin >= other.end) continue;
      const std::vector<size_t>& places = signature().outputs[written.array - n_inputs].in_place;
      // in_place contains only indices of inputs, so an overlap of two outputs is never allowed.
      const bool in_place = std::binary_search(places.begin(), places.end(), other.array);
      if (in_place && written.begin == other.begin && written.end == other.end) continue;
      fail(Code::kAlias, describe(written.array), " overlaps ", describe(other.array), " by ",
           std::min(written.end, other.end) - std::max(written.begin, other.begin), " bytes",
           in_place                 ? "; to compute in place, pass the same array for both"
           : other.array < n_inputs ? cat("; the program cannot compute it in place: ", signature().text())
                                    : std::string());
    }
  }
}

}  // namespace harp
