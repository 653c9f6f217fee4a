#include "render/cuda/render.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/revision.h"
#include "base/table_limit.h"
#include "ops/block_transforms.h"
#include "render/cuda/dialect.h"
#include "render/cuda/routines.h"
#include "render/kernel/body.h"
#include "render/text/filled.h"
#include "render/text/words.h"

namespace harp::render {
namespace {

std::string counted(size_t n, std::string_view what) { return cat(n, " ", what, n == 1 ? "" : "s"); }

/// Returns the comment at the beginning of a unit.
std::string header(const ir::Module& module, const RenderOptions& options) {
  const auto arrays = [](const std::vector<ir::ArrayType>& list) {
    return join(list, ", ", [](const ir::ArrayType& a) {
      return cat(a.name, ": ", name(a.dtype), "[", join(a.shape, ", ", [](Sym s) { return to_string(s); }), "]");
    });
  };
  return cat("/* harp · graph \"", comment_text(module.name), "\" · target ", options.target.name, " · stable, law ", kLawRevision, " · ",
             counted(module.kernels.size(), "kernel"), "\n   ", comment_text(arrays(module.inputs)), module.inputs.empty() ? "" : " ",
             "-> ", comment_text(arrays(module.outputs)),
             "\n   Compile with -fmad=false. The launch plan says with which grids and arguments the kernels are launched. */\n");
}

/// If the kernel executes a phase of a routine, returns the routine; otherwise returns null.
const ir::Routine* routine_of(const ir::Kernel& kernel) {
  for (const ir::Stmt* s : ir::statements_of(kernel.body))
    if (const auto* routine = ir::as<ir::Routine>(s)) return routine;
  return nullptr;
}

/// Returns the arguments of __launch_bounds__: the number of threads of a block, and the number of blocks that a multiprocessor should be
/// able to run at a time. Without the second argument the compiler would use few registers, so that as many threads as possible can run;
/// each thread would then have few loads in flight.
std::string launch_bounds(const ir::Kernel& kernel, int threads) {
  constexpr int kRegisters = 1 << 16;  // number of registers of a multiprocessor
  // Numbers of registers that a thread may use: kOfThread usually; kWithArrays for a thread that keeps part of a row or an array of
  // accumulators, or sorts elements of 8 bytes; kWithLongRow if the part of the row fills more than kLongRow bytes; kOfTransform for
  // Fourier transforms, because a pass by factor 13 in f64 needs that many. For a transform by tiles, registers_of_tile() returns the
  // number instead.
  constexpr int kOfThread = 64, kWithArrays = 128, kWithLongRow = 168, kOfTransform = 256;
  constexpr int64_t kShortRow = 32, kLongRow = 256;  // in bytes
  const auto is_array = [](const ir::Accumulator& a) {
    return (a.is_row && a.spread * static_cast<int64_t>(size_of(a.type.dtype)) > kShortRow) || a.space == Space::kStack ||
           a.space == Space::kShared;
  };
  const bool has_arrays = kernel.row_bytes > kShortRow || std::ranges::any_of(kernel.accumulators, is_array);
  int registers = kernel.row_bytes > kLongRow ? kWithLongRow : has_arrays ? kWithArrays : kOfThread;
  if (const ir::Routine* routine = routine_of(kernel)) {
    const size_t bytes = size_of(kernel.params[static_cast<size_t>(routine->buffer)].dtype);
    const bool has_tiles = routine->phase > 0 && routine->length.is_constant() && block_transform(routine->length.constant(), bytes);
    if (routine->routine != Op::kDft)
      registers = bytes == 8 ? kWithArrays : kOfThread;
    else
      registers = has_tiles ? registers_of_tile(routine->length.constant(), bytes) : kOfTransform;
  }
  return threads == 1 ? "1" : cat(threads, ", ", std::max(1, kRegisters / registers / threads));
}

std::string shape_name(const ir::Module& module, const SymAtom* v) {
  for (size_t i = 0; i < module.shape_vars.size(); ++i)
    if (variable_of(module.shape_vars[i])->name == v->name) return cat("shape", i);
  fail(Code::kInternal, "the shape variable ", v->name, " is not one of the module's");
}

/// Tests whether a parameter must be declared without __restrict__, because another parameter may be the same memory.
///
/// Kernels that reduce rows may overwrite their input too (schedule/in_place.h), but are not marked (ir::Param::in_place), and keep
/// __restrict__: a thread stores an element only after the last load of it, and the value that it stores depends on these loads. So a
/// compiler that assumes different memory changes no result. Without the assumption it could move no load above a store, and each thread
/// would wait for its loads one after the other.
bool may_alias(const ir::Kernel& kernel, size_t i) {
  if (!kernel.params[i].in_place.empty()) return true;
  return std::ranges::any_of(kernel.params, [&](const ir::Param& other) {
    return std::ranges::find(other.in_place, static_cast<int>(i)) != other.in_place.end();
  });
}

/// Returns the meaning of the kernel's parameters for sizes and reciprocals (render/kernel/sizes.h), for its comment.
std::string meaning_of_sizes(const CudaKernel& kernel) {
  std::string text;
  for (size_t i = 0; i < kernel.sizes.size(); ++i) append(text, cat(" · ", size_name(i), " = ", to_string(kernel.sizes[i])));
  for (size_t i = 0; i < kernel.divisors.size(); ++i)
    append(text, cat(" · ", reciprocal_name(i), " = reciprocal(", to_string(kernel.divisors[i]), ")"));
  return text;
}

class Kernels {
 public:
  Kernels(const ir::Module& module, Unit& unit) : module_(module), unit_(unit) {}

  void add(const ir::Kernel& kernel) {
    const Gpu& gpu = *unit_.options.target.gpu();
    const Body body = render_kernel_body(unit_, module_, kernel, [&](const SymAtom* v) { return shape_name(module_, v); });
    CudaKernel result;
    result.has_threads = ir::thread_loop(kernel) != nullptr;
    const int64_t group = ir::group_size(kernel);
    const int64_t groups = group > 0 ? unit_.dialect.groups.of_block(unit_, group, ir::shared_bytes(kernel)) : 0;
    result.block_threads = group > 0 ? static_cast<int>(group * groups) : result.has_threads ? gpu.block_threads : 1;
    result.block_iterations = group > 0 ? static_cast<int>(groups) : result.block_threads;
    result.scratch = mentions(body.text, "scratch") ? ir::scratch_offsets(kernel).back() : 0;
    if (const int64_t shared = ir::shared_bytes(kernel); groups == 1 && shared > unit_.dialect.groups.most_shared) result.shared = shared;
    result.reports_faults = mentions(body.text, "fault");
    if (mentions(body.text, kRoutinePhase)) result.phase = routine_of(kernel)->phase;
    result.shape_variables.assign(body.sizes.shape_variables.begin(), body.sizes.shape_variables.end());
    result.sizes = body.sizes.values, result.divisors = body.sizes.divisors;
    std::ranges::sort(result.shape_variables, {}, &SymAtom::id);
    std::string first;
    const std::string parameters = parameters_of(kernel, body, result, first);
    if (mentions(body.text, "thread")) append(first, cat("  const i64 thread = threadIdx.x", groups > 1 ? cat(" % ", group) : "", ";\n"));
    if (mentions(body.text, "group")) append(first, cat("  const i64 group = threadIdx.x / ", group, ";\n"));
    // all text except the kernel's name; kernels for which this text is equal share one function
    const std::string rest = cat(parameters, "\n", result.block_threads, "{\n", first, body.text, "}\n");
    const auto [known, is_new] = known_.emplace(rest, cat("kernel_", known_.size()));
    result.name = known->second;
    if (is_new)
      append(text_, cat("/* ", comment_text(kernel.comment), comment_text(meaning_of_sizes(result)), " */\n",
                        filled(unit_.dialect.kernel_head,
                               {{"MARK", launch_bounds(kernel, result.block_threads)}, {"NAME", result.name}, {"PARAMETERS", parameters}}),
                        "{\n", first, body.text, "}\n\n"));
    kernels_.push_back(std::move(result));
  }

  const std::string& text() const { return text_; }
  std::vector<CudaKernel> take() { return std::move(kernels_); }

 private:
  /// Returns the declarations of the kernel's parameters. Sets `first` to the statements that come before the kernel's body.
  std::string parameters_of(const ir::Kernel& kernel, const Body& body, CudaKernel& result, std::string& first) const {
    std::vector<std::string> declared;
    const std::vector<std::string> names = ir::parameter_names(kernel);
    for (size_t i = 0; i < names.size(); ++i) {
      const ir::Param& parameter = kernel.params[i];
      HARP_ASSERT(parameter.space == Space::kWorkspace, kernel.name, " passes a block to another kernel, which GPUs do not do");
      result.is_used.push_back(mentions(body.text, names[i]));
      if (!result.is_used[i]) continue;
      declared.push_back(cat(parameter.written ? "" : "const ", unit_.dialect.memory_type(parameter.dtype), "* ",
                             may_alias(kernel, i) ? "" : "__restrict__ ", names[i]));
    }
    std::vector<std::string> shapes;
    for (const SymAtom* v : result.shape_variables) shapes.push_back(cat("i64 ", shape_name(module_, v)));
    shapes.erase(std::unique(shapes.begin(), shapes.end()), shapes.end());
    declared.insert(declared.end(), shapes.begin(), shapes.end());
    for (size_t i = 0; i < result.sizes.size(); ++i) declared.push_back(cat("i64 ", size_name(i)));
    for (size_t i = 0; i < result.divisors.size(); ++i) declared.push_back(cat("u64 ", reciprocal_name(i)));
    if (result.scratch > 0) {
      declared.push_back("char* all_scratch");
      first = cat("  char* const scratch = all_scratch + (blockIdx.x * (u64)blockDim.x + threadIdx.x) * ", result.scratch,
                  "; /* of this thread */\n");
    }
    if (result.reports_faults) declared.push_back("index_record* fault");
    if (result.phase) declared.push_back(cat("i64 ", kRoutinePhase));
    return join(declared, ", ");
  }

  const ir::Module& module_;
  Unit& unit_;
  std::map<std::string, std::string> known_;  // maps the text of a function (without its name) to its name
  std::vector<CudaKernel> kernels_;
  std::string text_;
};

}  // namespace

CudaText render_cuda(const ir::Module& module, const RenderOptions& options) {
  HARP_ASSERT(options.target.gpu() != nullptr, "CUDA code needs a GPU as its target, got ", options.target.name);
  Unit unit{options, kCuda};
  Kernels kernels(module, unit);
  for (const ir::Kernel& kernel : module.kernels) {
    check_time(module.arena->syms());
    kernels.add(kernel);
  }
  const std::string definitions = unit.definitions.ordered(kernels.text()).text;
  return {cat(header(module, options), "\n", kCudaTypes, module.sites > 0 ? kIndexRecordType : "", "\n", definitions,
              definitions.empty() ? "" : "\n", kernels.text()),
          kernels.take()};
}

}  // namespace harp::render
