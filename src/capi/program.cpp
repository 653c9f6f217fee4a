// Programs: running them, and questions to them.
#include "capi/handles.h"
#include "capi/structs.h"

using namespace harp;
using namespace harp::capi;

namespace {

/// Makes the outputs a caller left to harp, and keeps them until the run has succeeded.
class NewOutputs final : public OutputMaker {
 public:
  NewOutputs(harp_context& context, size_t n, Spare& book) : context_(context), made_(n, book) {}
  ~NewOutputs() {
    for (harp_buffer* buffer : made_) capi::release(buffer);
  }

  HostArray& make(size_t output, DType dtype, std::span<const int64_t> dims) override {
    made_[output] = new harp_buffer(&context_, HostArray::allocate(context_.hooks.allocator, dtype, dims));
    return made_[output]->array;
  }
  void hand_over(harp_buffer** outputs) {
    for (size_t i = 0; i < made_.size(); ++i)
      if (made_[i] != nullptr) outputs[i] = std::exchange(made_[i], nullptr);
  }

 private:
  harp_context& context_;
  StackArray<harp_buffer*, kFewArguments> made_;
};

}  // namespace

harp_status harp_program_run(harp_program* program, size_t n_inputs, harp_buffer* const* inputs, size_t n_outputs, harp_buffer** outputs,
                             const harp_run_options* options, harp_error** err) {
  return guard_status(err, [&] {
    required(program, "harp_program_run", "program");
    HARP_CHECK(n_inputs == 0 || inputs != nullptr, Code::kInvalidArgument, "harp_program_run: inputs is NULL");
    HARP_CHECK(n_outputs == 0 || outputs != nullptr, Code::kInvalidArgument, "harp_program_run: outputs is NULL");
    const harp_run_options given = read_options(options, HARP_RUN_OPTIONS_INIT, "harp_run_options", offsetof(harp_run_options, cancel));
    HARP_CHECK(given.n_shape_vars == 0 || (given.shape_var_names != nullptr && given.shape_var_values != nullptr), Code::kInvalidArgument,
               "harp_run_options: shape_var_names or shape_var_values is NULL");
    HARP_CHECK(reinterpret_cast<uintptr_t>(given.workspace) % kBufferAlignment == 0, Code::kInvalidArgument,
               "harp_run_options: workspace has to be aligned to ", kBufferAlignment, " bytes");

    const LoadedProgram& loaded = program->compiled->program;
    RunMemory memory = loaded.divide(given.workspace, given.workspace != nullptr ? given.workspace_size : 0);
    StackArray<NamedSize, kFewArguments> sizes(given.n_shape_vars, memory.book);
    for (size_t i = 0; i < sizes.size(); ++i) {
      HARP_CHECK(given.shape_var_names[i] != nullptr, Code::kInvalidArgument, "harp_run_options: shape_var_names[", i, "] is NULL");
      sizes[i] = {given.shape_var_names[i], given.shape_var_values[i]};
    }
    StackArray<const HostArray*, kFewArguments> sources(n_inputs, memory.book);
    for (size_t i = 0; i < n_inputs; ++i) {
      HARP_CHECK(inputs[i] != nullptr, Code::kInvalidArgument, "harp_program_run: input ", i, " is NULL");
      sources[i] = &inputs[i]->array;
    }
    StackArray<HostArray*, kFewArguments> targets(n_outputs, memory.book);
    for (size_t i = 0; i < n_outputs; ++i) targets[i] = outputs[i] != nullptr ? &outputs[i]->array : nullptr;

    NewOutputs made(*program->context, n_outputs, memory.book);
    loaded.run({sources.span(), targets.span(), sizes.span(), given.cancel}, memory, made);
    made.hand_over(outputs);
  });
}

// Questions

namespace {

const LoadedProgram& loaded(const harp_program* program, const char* function) {
  return required(program, function, "program").compiled->program;
}

/// The caller's values of all shape variables, checked as in a run.
std::span<const int64_t> checked_values(const LoadedProgram& program, const int64_t* shape_vars, const char* function) {
  const size_t n = program.signature().variables.size();
  HARP_CHECK(n == 0 || shape_vars != nullptr, Code::kInvalidArgument, function, ": shape_vars is NULL, but the program has ", n,
             " shape variables: ", program.signature().text());
  const std::span<const int64_t> values(shape_vars, n);
  program.binding().check_values(values);
  return values;
}

void fill(const std::vector<ArraySignature>& arrays, const std::vector<ArrayText>& texts, size_t index, harp_array_info* to,
          const char* function) {
  HARP_CHECK(index < arrays.size(), Code::kInvalidArgument, function, ": index ", index, ", but there are ", arrays.size());
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
    fill(made.signature().inputs, program->compiled->inputs, index, info, "harp_program_input");
  });
}

harp_status harp_program_output(const harp_program* program, size_t index, harp_array_info* info, harp_error** err) {
  return guard_status(err, [&] {
    const LoadedProgram& made = loaded(program, "harp_program_output");
    fill(made.signature().outputs, program->compiled->outputs, index, info, "harp_program_output");
  });
}

harp_status harp_program_shape_var(const harp_program* program, size_t index, harp_shape_var_info* info, harp_error** err) {
  return guard_status(err, [&] {
    const std::vector<ShapeVariable>& variables = loaded(program, "harp_program_shape_var").signature().variables;
    HARP_CHECK(index < variables.size(), Code::kInvalidArgument, "harp_program_shape_var: index ", index, ", but there are ",
               variables.size());
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

harp_status harp_program_output_dims(const harp_program* program, size_t index, const int64_t* shape_vars, int64_t* dims,
                                     harp_error** err) {
  return guard_status(err, [&] {
    const LoadedProgram& made = loaded(program, "harp_program_output_dims");
    const std::vector<ArraySignature>& arrays = made.signature().outputs;
    HARP_CHECK(index < arrays.size(), Code::kInvalidArgument, "harp_program_output_dims: index ", index, ", but there are ", arrays.size());
    const size_t rank = arrays[index].shape.size();
    HARP_CHECK(rank == 0 || dims != nullptr, Code::kInvalidArgument, "harp_program_output_dims: dims is NULL");
    made.binding().output_dims(index, checked_values(made, shape_vars, "harp_program_output_dims"), {dims, rank});
  });
}

harp_status harp_program_workspace_size(const harp_program* program, const int64_t* shape_vars, size_t width, size_t* size,
                                        harp_error** err) {
  return guard_status(err, [&] {
    const LoadedProgram& made = loaded(program, "harp_program_workspace_size");
    required(size, "harp_program_workspace_size", "size");
    *size = made.workspace_bytes(checked_values(made, shape_vars, "harp_program_workspace_size"), width);
  });
}

harp_string* harp_program_source(const harp_program* program, harp_error** err) {
  return guard(err, [&] { return new harp_string{required(program, "harp_program_source", "program").compiled->source}; });
}

harp_status harp_program_stats(const harp_program* program, harp_program_stats_info* stats, harp_error** err) {
  return guard_status(err, [&] { write_info(stats, required(program, "harp_program_stats", "program").stats, "harp_program_stats"); });
}

namespace {

/// A program's functions are handed on, and native ones are the business of one process.
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
