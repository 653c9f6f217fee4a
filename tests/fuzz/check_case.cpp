#include "fuzz/check_case.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/file_system.h"
#include "base/process.h"
#include "compile/loader.h"
#include "compile/service.h"
#include "fuzz/cache_check.h"
#include "fuzz/device_program.h"
#include "fuzz/guarded_memory.h"
#include "fuzz/input_data.h"
#include "fuzz/merged_unit.h"
#include "fuzz/random.h"
#include "fuzz/size_check.h"
#include "fuzz/variant.h"
#include "graph/text.h"
#include "harp.h"
#include "interp/interpreter.h"
#include "ir/hidden_constants.h"
#include "run/hidden_inputs.h"
#include "run/size_code.h"
#include "run/thread_pool.h"
#include "support/sanitize.h"
#include "support/unoptimised.h"

namespace harp::fuzz {
namespace {

using Bytes = std::vector<std::byte>;

/// Computes sizes of the graph's arrays for given values of its variables.
class Sizes {
 public:
  Sizes(const Graph& graph, const std::vector<int64_t>& values) : variables_(graph.dims().variables()), values_(values) {}
  int64_t count(const Shape& shape) const {
    int64_t count = 1;
    for (const Dim dim : shape) count *= SizeCode(dim, variables_).evaluate(values_);
    return count;
  }

 private:
  std::vector<Sym> variables_;
  const std::vector<int64_t>& values_;
};

/// A parallel_for for tests: a single thread runs uneven pieces of the range in reverse order, each with another worker number.
struct FakeThreads {
  size_t width;

  static void parallel_for(void* self, size_t n, size_t, harp_range_body body, void* argument) {
    const size_t width = static_cast<FakeThreads*>(self)->width;
    std::vector<size_t> cuts = {0};
    for (size_t i = 1; i < width; ++i) cuts.push_back(n * i / width + (i % 2 == 1 && n * i / width < n));
    cuts.push_back(n);
    for (size_t i = width; i-- > 0;)
      if (cuts[i] < cuts[i + 1]) body(argument, cuts[i], cuts[i + 1], i);
  }
};

/// Allocates memory with guard bytes for generated code, and checks these bytes when the memory is freed.
class GuardedHeap {
 public:
  static void* allocate(void*, size_t size) {
    auto array = std::make_unique<GuardedArray>(size, 64);
    void* data = array->data();
    std::memset(data, 0x5a, size);  // a nonzero pattern, so that generated code that expects zeros gives wrong results
    live()[data] = std::move(array);
    return data;
  }
  static void release(void*, void* data) {
    const auto found = live().find(data);
    if (found == live().end()) {
      if (data != nullptr) damage() = "freed memory that was not allocated";
      return;
    }
    if (!found->second->is_intact()) damage() = "wrote beside its workspace";
    live().erase(found);
  }
  /// The memory errors that were found since the last call; "" if there are none.
  static std::string take_damage() {
    if (!live().empty()) damage() = "did not free its workspace";
    live().clear();
    return std::exchange(damage(), {});
  }

 private:
  // The allocation callbacks have no context argument. A check runs in one thread, so these lists are thread-local.
  static std::map<void*, std::unique_ptr<GuardedArray>>& live() {
    thread_local std::map<void*, std::unique_ptr<GuardedArray>> arrays;
    return arrays;
  }
  static std::string& damage() {
    thread_local std::string text;
    return text;
  }
};

std::string print_sizes(const Graph& graph, const std::vector<int64_t>& values) {
  std::string out;
  const std::vector<Sym> variables = graph.dims().variables();
  for (size_t i = 0; i < values.size(); ++i) append(out, cat(i == 0 ? "" : ", ", to_string(variables[i]), " = ", values[i]));
  return out.empty() ? "static sizes" : out;
}

std::string describe(const IndexFault& fault) {
  return cat("site ", fault.site, " element ", fault.element, ": ", fault.index, " of ", fault.size);
}

/// A program to run: the index of its job, its variant, and its generated source.
struct Unit {
  size_t job;
  const BuildVariant* variant;
  std::string source;
  std::vector<int> in_place_of;  // for each output: the index of the input whose memory it uses, or -1
  // if the program checks indices: the expected result of each run; otherwise empty (the results of the job are expected)
  std::vector<Expected> expected;
  /// The values of the hidden inputs (constant arrays that generated code receives as arguments), in the order of the source.
  std::vector<std::shared_ptr<const Bytes>> constants;
};

/// Runs the program and compares its results with `expected`. Output i uses the memory of input in_place_of[i] or, if in_place_of[i] is -1,
/// its own memory. Hidden inputs are constant arrays that are passed to the program as arguments: entry_point gets harp's own copies of
/// them (HiddenInputs), and entry_point_ex gets copies in guarded memory.
Outcome run_and_compare(const Job& job, const Unit& unit, const std::vector<int64_t>& values, const Expected& expected,
                        LoadedLibrary::EntryPoint entry, LoadedLibrary::EntryPointEx entry_ex) {
  const Graph& graph = *job.test.graph;
  const BuildVariant& variant = *unit.variant;
  const std::vector<int>& in_place_of = unit.in_place_of;
  std::vector<GuardedArray> inputs, outputs, constants;
  std::vector<void*> in, out;
  const std::vector<Bytes> originals = input_bytes(job.test, values);
  for (const Bytes& bytes : originals) inputs.emplace_back(bytes);
  for (const Bytes& bytes : expected.outputs) outputs.emplace_back(bytes.size());
  for (const auto& constant : unit.constants) constants.emplace_back(*constant);
  for (GuardedArray& array : inputs) in.push_back(array.data());
  for (GuardedArray& array : constants) in.push_back(array.data());
  // The array that contains output i after the run.
  const auto result = [&](size_t i) -> GuardedArray& {
    return in_place_of[i] < 0 ? outputs[i] : inputs[static_cast<size_t>(in_place_of[i])];
  };
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::fill(outputs[i].data(), outputs[i].data() + outputs[i].size(), std::byte{0xcd});
    out.push_back(result(i).data());
  }
  std::vector<size_t> shape_vars(values.begin(), values.end());
  const auto where = [&] { return cat(" [", to_string(variant), "; ", print_sizes(graph, values), "]"); };
  if (variant.workers == 0) {
    const HiddenInputs bound(unit.constants, inputs.size(), reinterpret_cast<harp_entry_point_ex>(entry_ex));
    (bound.empty() ? entry : bound.entry())(in.data(), out.data(), shape_vars.data());
    for (size_t i = 0; i < unit.constants.size(); ++i)
      if (std::memcmp(bound.addresses()[i], unit.constants[i]->data(), unit.constants[i]->size()) != 0)
        return {Verdict::kWrongBits, cat("wrote to bound constant ", i, where())};
  } else {
    const auto width = static_cast<size_t>(variant.workers);
    FakeThreads threads{width};
    ThreadPool pool(width, Log());
    harp_runtime runtime{};
    runtime.struct_size = sizeof runtime;
    runtime.self = variant.pool ? static_cast<void*>(&pool) : &threads;
    runtime.width = width;
    runtime.parallel_for = variant.workers <= 1 ? nullptr : variant.pool ? &ThreadPool::parallel_for : &FakeThreads::parallel_for;
    runtime.alloc = &GuardedHeap::allocate;
    runtime.free = &GuardedHeap::release;
    harp_fault fault = HARP_FAULT_INIT;
    runtime.fault = &fault;
    const int32_t status = entry_ex(in.data(), out.data(), shape_vars.data(), &runtime);
    const IndexFault found{fault.site, fault.element, fault.index, fault.size};
    if (expected.fault != (status == HARP_ERROR_RANGE ? std::optional(found) : std::nullopt))
      return {Verdict::kRunStatus, cat("entry_point_ex returned ", status, ", ", describe(found), " instead of ",
                                       expected.fault ? describe(*expected.fault) : "success", where())};
    if (status != HARP_OK && status != HARP_ERROR_RANGE) return {Verdict::kRunStatus, cat("entry_point_ex returned ", status, where())};
    if (const std::string damage = GuardedHeap::take_damage(); !damage.empty())
      return {Verdict::kWrongBits, cat("the program ", damage, where())};
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const GraphOutput& output = graph.outputs()[i];
    if (!result(i).is_intact()) return {Verdict::kWrongBits, cat("wrote beside output ", output.name, where())};
    if (expected.fault) continue;
    const std::string found = difference(output.node->dtype, expected.outputs[i], result(i).bytes());
    const std::string where_stored = in_place_of[i] < 0 ? std::string() : cat(" in place of input ", in_place_of[i]);
    if (!found.empty()) return {Verdict::kWrongBits, cat("output ", output.name, where_stored, ", ", found, where())};
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (std::find(in_place_of.begin(), in_place_of.end(), static_cast<int>(i)) != in_place_of.end()) continue;
    if (!inputs[i].is_intact() || !std::equal(originals[i].begin(), originals[i].end(), inputs[i].data()))
      return {Verdict::kWrongBits, cat("wrote to input ", i, where())};
  }
  for (size_t i = 0; i < constants.size(); ++i)
    if (!constants[i].is_intact() || !std::ranges::equal(*unit.constants[i], constants[i].bytes()))
      return {Verdict::kWrongBits, cat("wrote to constant ", i, where())};
  return {};
}

/// Checks that a graph that is printed, parsed and printed again gives the same text.
void check_text(const Graph& graph) {
  const std::string text = print_graph(graph);
  const std::string again = print_graph(*parse_graph(text));
  HARP_CHECK(text == again, Code::kInternal, "printed and parsed again, the graph is another one:\n", text, "\nbecame\n", again);
}

// Minimum number of programs in a batch for which the compile cache is checked. Smaller batches occur when a case is repeated or reduced.
constexpr size_t kCacheBatch = 40;

struct RealSystem {
  RealFileSystem files;
  RealProcess process;
  System system() { return {files, process}; }
};

/// The compile service of all checks of this process. A new service would ask each compiler for its version, which takes half as long as
/// compiling a small program.
CompileService& compile_service() {
  static RealSystem real;
  static CompileService service(
      real.system(),
      [] {
        ServiceOptions options;
        options.cache.enabled = false;
        // stops a compiler that hangs; the limit is high, because a merged unit contains many programs
        options.timeout = std::chrono::seconds(600);
        return options;
      }(),
      Log());
  return service;
}

class Checker {
 public:
  Checker(std::span<const Job> jobs, Progress& progress, bool with_cache)
      : jobs_(jobs), progress_(progress), with_cache_(with_cache), failed_(jobs.size()), expected_(jobs.size()) {}

  void run() {
    for (size_t i = 0; i < jobs_.size(); ++i) prepare(i);
    // The cache is checked once for each compiler. The check itself compiles for several targets and at several levels.
    std::set<std::string> checked;
    for (const auto& [choice, units] : units_) {
      compile_and_run(choice, units);
      if (with_cache_ && units.size() >= kCacheBatch && checked.insert(choice.compiler).second) check_cache_of(choice, units);
    }
  }

 private:
  struct Order {
    bool operator()(const CompilerChoice& a, const CompilerChoice& b) const {
      return std::tie(a.compiler, a.target, a.optimisation, a.vectors_written) <
             std::tie(b.compiler, b.target, b.optimisation, b.vectors_written);
    }
  };

  void fail_job(size_t job, Verdict verdict, std::string message) {
    if (failed_[job]) return;
    failed_[job] = true;
    progress_.fail(job, {verdict, std::move(message)});
  }

  /// Runs `work` unless the job has failed already. If `work` throws, the job fails with this verdict.
  template <class Work>
  bool attempt(size_t job, Verdict verdict, std::string_view stage, Work work) {
    if (failed_[job]) return false;
    progress_.begin(job, stage);
    try {
      work();
      return true;
    } catch (const std::exception& error) {
      fail_job(job, verdict, cat(stage, ": ", error.what()));
      return false;
    }
  }

  /// Checks the text format and the sizes of the graph of job `i`, and computes the job's expected results with the interpreter.
  void check_graph(size_t i) {
    const Job& job = jobs_[i];
    attempt(i, Verdict::kText, "text format", [&] { check_text(*job.test.graph); });
    attempt(i, Verdict::kSizes, "sizes", [&] {
      const std::string mistake = SizeExpressions(job.test.data_seed).first_mistake();
      if (!mistake.empty()) fail_job(i, Verdict::kSizes, mistake);
    });
    for (const std::vector<int64_t>& sizes : job.test.sizes)
      attempt(i, Verdict::kSizes, "binding", [&] {
        if (const std::string mistake = binding_mistake(*job.test.graph, sizes); !mistake.empty()) fail_job(i, Verdict::kSizes, mistake);
      });
    for (const std::vector<int64_t>& sizes : job.test.sizes)
      attempt(i, Verdict::kInterpreter, "interpreter", [&] { expected_[i].push_back(reference(job, *job.test.graph, sizes)); });
  }

  void prepare(size_t i) {
    const Job& job = jobs_[i];
    if (job.expected.empty())
      check_graph(i);
    else
      expected_[i] = job.expected;
    for (const BuildVariant& variant : job.variants)
      attempt(i, Verdict::kPipeline, cat("pipeline [", to_string(variant), "]"), [&] {
        const PipelineOptions options = pipeline_options(*job.test.graph, variant);
        const Generated generated = generate(*job.test.graph, options);
        ir::verify(*generated.module);
        const std::vector<InPlaceArguments> none;
        Unit unit{i,
                  &variant,
                  generated.source,
                  choose_in_place(*job.test.graph, variant.in_place ? generated.in_place : none, job.test.data_seed),
                  {},
                  {}};
        const ir::HiddenConstants hidden(*generated.module);
        for (const size_t constant : hidden.constants()) unit.constants.push_back(generated.module->constants[constant].data);
        // With index checks, the expected result is that of the optimised graph, because the optimiser decides which checks remain.
        const std::shared_ptr<Graph> checked =
            generated.sites.empty() && check_sites(*job.test.graph).empty() ? nullptr : optimised(*job.test.graph, options);
        if (checked != nullptr)
          for (const std::vector<int64_t>& sizes : job.test.sizes) unit.expected.push_back(reference(job, *checked, sizes));
        if (checked != nullptr)
          check_interpreter(i, *checked, unit.in_place_of, unit.expected);
        else
          check_interpreter(i, *job.test.graph, unit.in_place_of, expected_[i]);
        if (variant.device.empty())
          units_[variant.compiler].push_back(std::move(unit));
        else
          run_on_device(unit);
      });
  }

  void run_on_device(const Unit& unit) {
    const Job& job = jobs_[unit.job];
    if (failed_[unit.job]) return;
    progress_.begin(unit.job, cat("run [", to_string(*unit.variant), "]"));
    std::unique_ptr<DevicePrograms>& device = devices_[unit.variant->device];
    if (device == nullptr) device = std::make_unique<DevicePrograms>(unit.variant->device);
    const Outcome result =
        device->check(job.test, *unit.variant, unit.in_place_of, unit.expected.empty() ? expected_[unit.job] : unit.expected);
    if (result.verdict != Verdict::kPass) fail_job(unit.job, result.verdict, result.message);
  }

  /// Checks that the interpreter's results are bit-identical to `usual`, which has an element for each list of sizes, also if the
  /// interpreter stores outputs in the memory of inputs.
  void check_interpreter(size_t i, const Graph& graph, std::span<const int> in_place_of, std::span<const Expected> usual) {
    const Job& job = jobs_[i];
    if (failed_[i] || std::all_of(in_place_of.begin(), in_place_of.end(), [](int input) { return input < 0; })) return;
    for (size_t run = 0; run < job.test.sizes.size(); ++run) {
      const std::vector<int64_t>& sizes = job.test.sizes[run];
      const Expected found = reference(job, graph, sizes, in_place_of);
      if (found.fault != usual[run].fault || (!found.fault && found.outputs != usual[run].outputs))
        return fail_job(i, Verdict::kInterpreter, cat("other bits in place [", print_sizes(*job.test.graph, sizes), "]"));
    }
  }

  static Expected reference(const Job& job, const Graph& graph, const std::vector<int64_t>& sizes, std::span<const int> in_place_of = {}) {
    return interpreted_or_fault(graph, sizes, input_bytes(job.test, sizes), in_place_of);
  }

  /// True if compilers on this machine generate code for the target.
  static bool is_compiled_here(const CompilerChoice& choice) {
    return std::ranges::find(machines(), target_of(choice)) != machines().end();
  }

  /// Sends a few programs of the batch through a compile cache. An error is reported for the job of the first program.
  void check_cache_of(const CompilerChoice& choice, std::span<const Unit> units) {
    const Unit &one = units[0], &other = units[units.size() / 2];
    if (one.source == other.source || !is_compiled_here(choice)) return;
    attempt(one.job, Verdict::kCache, "cache", [&] {
      const std::string problem = check_cache(real_.system(), choice, one.source, other.source);
      if (!problem.empty()) fail_job(one.job, Verdict::kCache, problem);
    });
  }

  std::shared_ptr<const Artifact> compile(const CompilerChoice& choice, const std::string& source) {
    CompileRequest request;
    request.source = source;
    request.compiler = choice.compiler;
    request.optimisation = choice.optimisation;
    request.vectors_written = choice.vectors_written;
    request.flags = sanitizer_flags(choice.compiler);
    if (choice.optimisation == 0) request.flags.emplace_back(testing::kNoInlining);
    request.target = target_of(choice);
    // The destructor drops the compiled units that the service keeps in memory: a merged unit is large and is not compiled again.
    struct DropKept {
      ~DropKept() { compile_service().drop_kept(); }
    } const drop{};
    return compile_service().compile(request);
  }

  /// Compiles the units and runs them. If this CPU cannot run code for the target, it only compiles; if no compiler here generates code for
  /// the target, it does nothing.
  void compile_and_run(const CompilerChoice& choice, std::span<const Unit> units) {
    if (!is_compiled_here(choice)) return;
    MergedUnit merged;
    std::vector<std::pair<std::string, std::string>> entries;
    for (const Unit& unit : units) {
      const std::string ex = merged.add(unit.source, "entry_point_ex");
      entries.emplace_back("entry_point" + ex.substr(std::string_view("entry_point_ex").size()), ex);
    }
    progress_.begin(units[0].job, cat("compiling with ", choice.compiler));
    std::shared_ptr<const Artifact> artifact;
    try {
      artifact = compile(choice, merged.text());
    } catch (const Error& error) {
      if (units.size() == 1) return fail_job(units[0].job, Verdict::kCompiler, cat(error.message, "\n", error.compiler_output));
      // Finds the program that does not compile, by compiling each half separately.
      compile_and_run(choice, units.first(units.size() / 2));
      return compile_and_run(choice, units.subspan(units.size() / 2));
    }
    if (!can_run(target_of(choice))) return;
    const LoadedLibrary library = LoadedLibrary::load(real_.system(), *artifact);
    for (size_t u = 0; u < units.size(); ++u) {
      const Unit& unit = units[u];
      if (failed_[unit.job]) continue;
      const auto entry = reinterpret_cast<LoadedLibrary::EntryPoint>(library.symbol(entries[u].first.c_str()));
      const auto entry_ex = reinterpret_cast<LoadedLibrary::EntryPointEx>(library.symbol(entries[u].second.c_str()));
      if (entry == nullptr || entry_ex == nullptr) {
        fail_job(unit.job, Verdict::kCompiler, cat("the artifact lacks ", entries[u].first));
        continue;
      }
      const Job& job = jobs_[unit.job];
      for (size_t run = 0; run < job.test.sizes.size() && !failed_[unit.job]; ++run) {
        progress_.begin(unit.job, cat("run [", to_string(*unit.variant), "; ", print_sizes(*job.test.graph, job.test.sizes[run]), "]"));
        const Outcome result = run_and_compare(job, unit, job.test.sizes[run],
                                               unit.expected.empty() ? expected_[unit.job][run] : unit.expected[run], entry, entry_ex);
        if (result.verdict != Verdict::kPass) fail_job(unit.job, result.verdict, result.message);
      }
    }
  }

  RealSystem real_;
  std::span<const Job> jobs_;
  Progress& progress_;
  bool with_cache_;
  std::vector<bool> failed_;
  std::vector<std::vector<Expected>> expected_;  // the outer index is the job, the inner one the run
  std::map<CompilerChoice, std::vector<Unit>, Order> units_;
  std::map<std::string, std::unique_ptr<DevicePrograms>> devices_;  // by name
};

}  // namespace

std::string_view name(Verdict verdict) {
  constexpr std::string_view kNames[] = {"pass",     "wrong bits", "interpreter", "text format", "sizes",  "pipeline",
                                         "compiler", "status",     "cache",       "crash",       "timeout"};
  return kNames[static_cast<size_t>(verdict)];
}

std::vector<Bytes> input_bytes(const Case& test, const std::vector<int64_t>& values) {
  if (!test.inputs.empty()) return test.inputs;
  const Sizes sizes(*test.graph, values);
  std::vector<Bytes> inputs;
  // The next input with special values repeats each of them this many times in a row. The number is multiplied by the number of special
  // values after each such input, so that all combinations of special values of several inputs occur.
  int64_t repeats = 1;
  for (const Node* node : test.graph->inputs()) {
    const std::string& name = node->as<InputAttributes>().name;
    const int64_t count = sizes.count(node->shape);
    if (test.special_data && name.rfind("special", 0) == 0) {
      inputs.push_back(make_special_input(node->dtype, count, repeats));
      repeats = std::min<int64_t>(repeats * static_cast<int64_t>(special_values(node->dtype).size()), 1 << 30);
    } else {
      inputs.push_back(make_input(test.data_seed, name, node->dtype, count));
    }
  }
  return inputs;
}

std::vector<int> choose_in_place(const Graph& graph, std::span<const InPlaceArguments> allowed, uint64_t seed) {
  std::vector<InPlaceArguments> pairs(allowed.begin(), allowed.end());
  Random(seed, "places").shuffle(pairs);
  std::vector<int> in_place_of(graph.outputs().size(), -1);
  for (const InPlaceArguments& pair : pairs)
    if (in_place_of[static_cast<size_t>(pair.output)] < 0 &&
        std::find(in_place_of.begin(), in_place_of.end(), pair.input) == in_place_of.end())
      in_place_of[static_cast<size_t>(pair.output)] = pair.input;
  return in_place_of;
}

std::vector<Bytes> interpreted(const Case& test, const std::vector<int64_t>& values, std::span<const int> in_place_of) {
  return interpreted(*test.graph, values, input_bytes(test, values), in_place_of);
}

std::vector<Bytes> interpreted(const Graph& graph, const std::vector<int64_t>& values, std::vector<Bytes> inputs,
                               std::span<const int> in_place_of) {
  const Sizes sizes(graph, values);
  std::vector<Bytes> outputs;
  for (const GraphOutput& output : graph.outputs())
    outputs.emplace_back(static_cast<size_t>(sizes.count(output.node->shape)) * size_of(output.node->dtype), std::byte{0xcd});
  const auto result = [&](size_t i) -> Bytes& {
    return in_place_of.empty() || in_place_of[i] < 0 ? outputs[i] : inputs[static_cast<size_t>(in_place_of[i])];
  };
  std::vector<const void*> in;
  std::vector<void*> out;
  for (const Bytes& bytes : inputs) in.push_back(bytes.data());
  for (size_t i = 0; i < outputs.size(); ++i) out.push_back(result(i).data());
  interpret(graph, in, out, values);
  for (size_t i = 0; i < outputs.size(); ++i)
    if (&result(i) != &outputs[i]) outputs[i] = std::move(result(i));
  return outputs;
}

Expected interpreted_or_fault(const Graph& graph, const std::vector<int64_t>& values, std::vector<Bytes> inputs,
                              std::span<const int> in_place_of) {
  try {
    return {interpreted(graph, values, std::move(inputs), in_place_of), std::nullopt};
  } catch (const IndexError& error) {
    const Sizes sizes(graph, values);
    Expected expected{{}, error.fault};
    for (const GraphOutput& output : graph.outputs())
      expected.outputs.emplace_back(static_cast<size_t>(sizes.count(output.node->shape)) * size_of(output.node->dtype));
    return expected;
  }
}

std::string difference(DType dtype, std::span<const std::byte> expected, std::span<const std::byte> got) {
  if (expected.size() != got.size()) return cat("got ", got.size(), " bytes, expected ", expected.size());
  if (expected.empty() || std::memcmp(expected.data(), got.data(), got.size()) == 0) return "";
  if (is_complex(dtype)) return difference(real_dtype(dtype), expected, got);  // real and imaginary parts are compared as elements
  const size_t size = size_of(dtype), count = got.size() / size;
  size_t different = 0;
  std::string first;
  for (size_t i = 0; i < count; ++i) {
    Scalar a{dtype, {0, 0}}, b{dtype, {0, 0}};
    std::memcpy(a.bits, expected.data() + i * size, size);
    std::memcpy(b.bits, got.data() + i * size, size);
    if (a == b || (is_float(dtype) && std::isnan(to_double(a)) && std::isnan(to_double(b)))) continue;
    if (different++ == 0)
      first = cat("element ", i, ": ", to_string(b), " instead of ", to_string(a), " (bits ", b.bits[0], ", ", a.bits[0], ")");
  }
  return different == 0 ? "" : cat(first, "; ", different, " of ", count, " differ");
}

void check_jobs(std::span<const Job> jobs, Progress& progress, bool with_cache) { Checker(jobs, progress, with_cache).run(); }

}  // namespace harp::fuzz
