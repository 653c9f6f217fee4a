// The C functions that run programs and query their properties.
#include <algorithm>

#include "capi/handles.h"
#include "capi/specialize.h"
#include "capi/structs.h"

using namespace harp;
using namespace harp::capi;

namespace {

/// Allocates a buffer for each output for which the caller passed NULL. Owns these buffers until the run has succeeded.
class NewOutputs final : public OutputMaker {
 public:
  NewOutputs(harp_context& context, size_t n, Spare& book) : context_(context), made_(n, book) {}
  ~NewOutputs() {
    for (harp_buffer* buffer : made_) capi::release(buffer);
  }

  RunArray make(size_t output, DType dtype, std::span<const int64_t> dims, const Device& device) override {
    made_[output] = new harp_buffer(&context_, DeviceArray::allocate(device, context_.hooks.allocator, dtype, dims));
    return made_[output]->array.view();
  }
  void hand_over(harp_buffer** outputs) {
    for (size_t i = 0; i < made_.size(); ++i)
      if (made_[i] != nullptr) outputs[i] = std::exchange(made_[i], nullptr);
  }

 private:
  harp_context& context_;
  StackArray<harp_buffer*, kFewArguments> made_;
};

harp_run_options checked(const harp_run_options* options) {
  const harp_run_options given = read_options(options, HARP_RUN_OPTIONS_INIT, "harp_run_options", offsetof(harp_run_options, cancel));
  HARP_CHECK(given.n_shape_vars == 0 || (given.shape_var_names != nullptr && given.shape_var_values != nullptr), Code::kInvalidArgument,
             "harp_run_options: shape_var_names or shape_var_values is NULL");
  HARP_CHECK(reinterpret_cast<uintptr_t>(given.workspace) % kBufferAlignment == 0, Code::kInvalidArgument,
             "harp_run_options: workspace must be aligned to ", kBufferAlignment, " bytes");
  HARP_CHECK((given.flags & ~HARP_RUN_STAGE) == 0, Code::kInvalidArgument, "harp_run_options: flags is ", given.flags,
             ", expected 0 or HARP_RUN_STAGE");
  HARP_CHECK(given.reserved == 0, Code::kInvalidArgument, "harp_run_options: reserved is ", given.reserved, ", expected 0");
  return given;
}

/// Tests whether the options are valid and contain at most a workspace and a cancel flag.
bool are_few_options(const harp_run_options* options) {
  if (options == nullptr) return true;
  if (options->n_shape_vars != 0 || reinterpret_cast<uintptr_t>(options->workspace) % kBufferAlignment != 0) return false;
  // hosts compiled with the first or with this version of the struct; other sizes need the checks of read_options()
  if (options->struct_size == offsetof(harp_run_options, stream)) return true;
  return options->struct_size == sizeof(harp_run_options) && options->stream == nullptr && options->flags == 0 && options->reserved == 0;
}

std::span<std::byte> workspace_of(const harp_run_options* options) {
  if (options == nullptr || options->workspace == nullptr) return {};
  return {static_cast<std::byte*>(options->workspace), options->workspace_size};
}

/// The checked harp_run_options of one run, and the memory that the run needs.
struct RunSettings {
  RunSettings(const LoadedProgram& program, const harp_run_options* options)
      : given(checked(options)),
        memory(program.divide(given.workspace, given.workspace != nullptr ? given.workspace_size : 0)),
        sizes(given.n_shape_vars, memory.book) {
    for (size_t i = 0; i < sizes.size(); ++i) {
      HARP_CHECK(given.shape_var_names[i] != nullptr, Code::kInvalidArgument, "harp_run_options: shape_var_names[", i, "] is NULL");
      sizes[i] = {given.shape_var_names[i], given.shape_var_values[i]};
    }
  }

  RunArguments arguments(std::span<const RunArray> inputs, std::span<RunArray> outputs, std::span<const NamedSize> shape_vars) const {
    return {inputs, outputs, shape_vars, given.cancel, given.stream, (given.flags & HARP_RUN_STAGE) != 0};
  }

  const harp_run_options given;
  RunMemory memory;
  StackArray<NamedSize, kFewArguments> sizes;
};

/// What a run executes: the general program, or a program specialised for the sizes of this run's inputs.
struct SelectedCode {
  const LoadedProgram& program;
  // the caller's values of shape variables; empty for a specialised program, which has no shape variables
  std::span<const NamedSize> sizes;
};

/// Tests whether an output overlaps an input, as an output does that is computed in place.
bool overlaps_input(std::span<const RunArray> inputs, std::span<const RunArray> outputs) {
  return std::ranges::any_of(outputs, [&](const RunArray& output) {
    return !output.is_missing && std::ranges::any_of(inputs, [&](const RunArray& input) { return may_overlap(output, input); });
  });
}

SelectedCode code_for(const harp_program& program, std::span<const RunArray> inputs, std::span<const RunArray> outputs,
                      RunSettings& settings) {
  const LoadedProgram& general = program.compiled->program;
  const SelectedCode all{general, settings.sizes.span()};
  if (program.specializer == nullptr) return all;
  StackArray<ArrayType, kFewArguments> types(inputs.size(), settings.memory.book);
  for (size_t i = 0; i < inputs.size(); ++i) types[i] = inputs[i].type;
  StackArray<int64_t, kFewArguments> values(general.signature().variables.size(), settings.memory.book);
  general.binding().bind(types.span(), all.sizes, values.span());
  const Specializer::Special* const special = program.specializer->find(values.span());
  const bool fits = special != nullptr && (settings.memory.workspace == nullptr || special->workspace <= settings.memory.workspace_bytes) &&
                    (special->in_place_like_general || !overlaps_input(inputs, outputs));
  return fits ? SelectedCode{special->compiled->program, {}} : all;
}

void check_lists(const char* function, const harp_program* program, bool has_inputs, bool has_outputs) {
  required(program, function, "program");
  HARP_CHECK(has_inputs, Code::kInvalidArgument, function, ": inputs is NULL");
  HARP_CHECK(has_outputs, Code::kInvalidArgument, function, ": outputs is NULL");
}

/// Converts an array description of the caller, after the same checks as in harp_buffer_wrap. `what` ("input" or "output") and `index`
/// identify the array in messages.
template <class Array>
RunArray array_argument(const char* what, size_t index, const Array& array) {
  const auto refused = [&](Code code, const auto&... parts) { fail(code, "harp_program_call: ", what, " ", index, ": ", parts...); };
  if (array.dtype <= 0 || array.dtype >= kDTypeCount || !kDTypes[array.dtype].in_graph)
    refused(Code::kDType, array.dtype, " is not a dtype");
  if (array.rank < 0 || array.rank > kMaxRank) refused(Code::kShape, "the rank is ", array.rank, ", expected 0..", kMaxRank);
  if (array.dims == nullptr && array.rank > 0) refused(Code::kInvalidArgument, "dims is NULL");
  RunArray result;
  result.type = {static_cast<DType>(array.dtype), {array.dims, static_cast<size_t>(array.rank)}};
  result.data = const_cast<void*>(static_cast<const void*>(array.data));
  try {
    result.bytes = byte_count(result.type.dtype, result.type.dims);
    check_memory(result.type.dtype, result.bytes, array.data);
  } catch (Error& error) {
    error.message = cat("harp_program_call: ", what, " ", index, ": ", error.message);
    throw;
  }
  return result;
}

}  // namespace

harp_status harp_program_run(harp_program* program, size_t n_inputs, harp_buffer* const* inputs, size_t n_outputs, harp_buffer** outputs,
                             const harp_run_options* options, harp_error** err) {
  return guard_status(err, [&] {
    check_lists("harp_program_run", program, n_inputs == 0 || inputs != nullptr, n_outputs == 0 || outputs != nullptr);
    const LoadedProgram& loaded = program->compiled->program;
    RunSettings settings(loaded, options);
    StackArray<RunArray, kFewArguments> sources(n_inputs, settings.memory.book), targets(n_outputs, settings.memory.book);
    for (size_t i = 0; i < n_inputs; ++i) {
      HARP_CHECK(inputs[i] != nullptr, Code::kInvalidArgument, "harp_program_run: input ", i, " is NULL");
      sources[i] = inputs[i]->array.view();
    }
    for (size_t i = 0; i < n_outputs; ++i) {
      if (outputs[i] != nullptr)
        targets[i] = outputs[i]->array.view();
      else
        targets[i].is_missing = true;
    }
    NewOutputs made(*program->context, n_outputs, settings.memory.book);
    const SelectedCode code = code_for(*program, sources.span(), targets.span(), settings);
    code.program.run(settings.arguments(sources.span(), targets.span(), code.sizes), settings.memory, &made);
    made.hand_over(outputs);
  });
}

harp_status harp_program_call(harp_program* program, size_t n_inputs, const harp_const_array* inputs, size_t n_outputs,
                              const harp_array* outputs, const harp_run_options* options, harp_error** err) {
  return guard_status(err, [&] {
    check_lists("harp_program_call", program, n_inputs == 0 || inputs != nullptr, n_outputs == 0 || outputs != nullptr);
    const LoadedProgram& loaded = program->compiled->program;
    if (program->specializer == nullptr && are_few_options(options) &&
        loaded.run_as_declared({inputs, n_inputs}, {outputs, n_outputs}, workspace_of(options),
                               options != nullptr ? options->cancel : nullptr))
      return;
    RunSettings settings(loaded, options);
    StackArray<RunArray, kFewArguments> sources(n_inputs, settings.memory.book), targets(n_outputs, settings.memory.book);
    for (size_t i = 0; i < n_inputs; ++i) sources[i] = array_argument("input", i, inputs[i]);
    for (size_t i = 0; i < n_outputs; ++i) targets[i] = array_argument("output", i, outputs[i]);
    const SelectedCode code = code_for(*program, sources.span(), targets.span(), settings);
    code.program.run(settings.arguments(sources.span(), targets.span(), code.sizes), settings.memory, nullptr);
  });
}

// Queries

namespace {

const LoadedProgram& loaded(const harp_program* program, const char* function) {
  return required(program, function, "program").compiled->program;
}

/// Returns the caller's values of all shape variables, after the checks that a run would make.
std::span<const int64_t> checked_values(const LoadedProgram& program, size_t n, const int64_t* shape_vars, const char* function) {
  HARP_CHECK(n == program.signature().variables.size(), Code::kInvalidArgument, function, ": n_shape_vars is ", n, ", but the program has ",
             program.signature().variables.size(), " shape variables: ", program.signature().text());
  HARP_CHECK(n == 0 || shape_vars != nullptr, Code::kInvalidArgument, function, ": shape_vars is NULL, but the program has ", n,
             " shape variables: ", program.signature().text());
  const std::span<const int64_t> values(shape_vars, n);
  program.binding().check_values(values);
  return values;
}

void fill(const std::vector<ArraySignature>& arrays, const std::vector<ArrayText>& texts, size_t index, harp_array_info* to,
          const char* function, const char* what) {
  HARP_CHECK(index < arrays.size(), Code::kInvalidArgument, function, ": index ", index, ", but there are ", arrays.size(), " ", what);
  harp_array_info info = HARP_ARRAY_INFO_INIT;
  info.name = arrays[index].name.c_str();
  info.shape = texts[index].shape.c_str();
  info.dtype = static_cast<harp_dtype>(arrays[index].dtype);
  info.rank = static_cast<int32_t>(texts[index].dims.size());
  info.dims = texts[index].dims.data();
  info.n_in_place = arrays[index].in_place.size();
  info.in_place = arrays[index].in_place.data();
  write_info(to, info, function, offsetof(harp_array_info, n_in_place));
}

}  // namespace

harp_string* harp_program_signature(const harp_program* program, harp_error** err) {
  return guard(err, [&] { return new harp_string{loaded(program, "harp_program_signature").signature().text()}; });
}

size_t harp_program_input_count(const harp_program* program) { return program != nullptr ? program->compiled->inputs.size() : 0; }
size_t harp_program_output_count(const harp_program* program) { return program != nullptr ? program->compiled->outputs.size() : 0; }
size_t harp_program_shape_var_count(const harp_program* program) {
  return program != nullptr ? program->compiled->program.signature().variables.size() : 0;
}

harp_status harp_program_input(const harp_program* program, size_t index, harp_array_info* info, harp_error** err) {
  return guard_status(err, [&] {
    const LoadedProgram& made = loaded(program, "harp_program_input");
    fill(made.signature().inputs, program->compiled->inputs, index, info, "harp_program_input", "inputs");
  });
}

harp_status harp_program_output(const harp_program* program, size_t index, harp_array_info* info, harp_error** err) {
  return guard_status(err, [&] {
    const LoadedProgram& made = loaded(program, "harp_program_output");
    fill(made.signature().outputs, program->compiled->outputs, index, info, "harp_program_output", "outputs");
  });
}

harp_status harp_program_shape_var(const harp_program* program, size_t index, harp_shape_var_info* info, harp_error** err) {
  return guard_status(err, [&] {
    const std::vector<ShapeVariable>& variables = loaded(program, "harp_program_shape_var").signature().variables;
    HARP_CHECK(index < variables.size(), Code::kInvalidArgument, "harp_program_shape_var: index ", index, ", but there are ",
               variables.size(), " shape variables");
    const ShapeVariable& variable = variables[index];
    harp_shape_var_info filled = HARP_SHAPE_VAR_INFO_INIT;
    filled.name = variable.name.c_str();
    filled.min = variable.min;
    filled.max = variable.max;
    filled.input = variable.input;
    filled.axis = variable.axis;
    filled.factor = variable.factor;
    filled.offset = variable.offset;
    write_info(info, filled, "harp_program_shape_var", offsetof(harp_shape_var_info, factor));
  });
}

harp_status harp_program_output_dims(const harp_program* program, size_t index, size_t n_shape_vars, const int64_t* shape_vars,
                                     int32_t rank, int64_t* dims, harp_error** err) {
  return guard_status(err, [&] {
    constexpr const char* function = "harp_program_output_dims";
    const LoadedProgram& made = loaded(program, function);
    const std::vector<ArraySignature>& arrays = made.signature().outputs;
    HARP_CHECK(index < arrays.size(), Code::kInvalidArgument, function, ": index ", index, ", but there are ", arrays.size(), " outputs");
    const size_t axes = arrays[index].shape.size();
    HARP_CHECK(std::cmp_equal(rank, axes), Code::kShape, function, ": rank is ", rank, ", but output ", index, " has ", axes,
               " axes: ", made.signature().text());
    HARP_CHECK(axes == 0 || dims != nullptr, Code::kInvalidArgument, function, ": dims is NULL");
    made.binding().output_dims(index, checked_values(made, n_shape_vars, shape_vars, function), {dims, axes});
  });
}

harp_status harp_program_workspace_size(const harp_program* program, size_t n_shape_vars, const int64_t* shape_vars, size_t width,
                                        size_t* size, harp_error** err) {
  return guard_status(err, [&] {
    constexpr const char* function = "harp_program_workspace_size";
    const LoadedProgram& made = loaded(program, function);
    required(size, function, "size");
    const std::span<const int64_t> values = checked_values(made, n_shape_vars, shape_vars, function);
    size_t bytes = made.workspace_bytes(values, width);
    if (program->specializer != nullptr)
      if (const Specializer::Special* special = program->specializer->known(values))
        bytes =
            std::max(bytes, made.book_bytes() + static_cast<size_t>(special->compiled->program.executable().workspace_bytes({}, width)));
    *size = bytes;
  });
}

harp_string* harp_program_source(const harp_program* program, harp_error** err) {
  return guard(err, [&] { return new harp_string{required(program, "harp_program_source", "program").compiled->source}; });
}

harp_status harp_program_stats(const harp_program* program, harp_program_stats_info* stats, harp_error** err) {
  return guard_status(err, [&] {
    harp_program_stats_info info = required(program, "harp_program_stats", "program").stats;
    if (program->specializer != nullptr) info.specializations = program->specializer->programs();
    write_info(stats, info, "harp_program_stats", offsetof(harp_program_stats_info, constant_bytes));
  });
}

namespace {

/// Returns the executable, whose entry points the host may call directly. Throws Error{kUnsupported} for a program with native operations:
/// these call functions of the host, and only harp's own run functions pass the addresses of such functions to the generated code.
const Executable& embeddable(const harp_program* program, const char* function) {
  const LoadedProgram& made = loaded(program, function);
  HARP_CHECK(program->compiled->native.empty(), Code::kUnsupported, function, ": the program calls ", program->compiled->native,
             ", a function of this process; only harp_program_run runs such programs");
  return made.executable();
}

}  // namespace

harp_entry_point harp_program_entry(harp_program* program, harp_error** err) {
  return guard(err, [&] { return embeddable(program, "harp_program_entry").entry(); });
}

harp_entry_point_ex harp_program_entry_ex(harp_program* program, harp_error** err) {
  return guard(err, [&] { return embeddable(program, "harp_program_entry_ex").entry_ex(); });
}
