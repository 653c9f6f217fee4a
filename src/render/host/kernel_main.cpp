// Assembles a unit: header comment, prelude, definitions, kernels (kernel_functions.cpp), kernel_main, and the two entry points
// (entry_points.cpp).
#include "render/c/render.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/revision.h"
#include "base/table_limit.h"
#include "render/c/compiler_bugs.h"
#include "render/c/kernel_functions.h"
#include "render/c/types.h"
#include "render/host/entry_points.h"
#include "render/host/launch_table.h"
#include "render/host/prelude.h"
#include "render/text/words.h"

namespace harp::render {
namespace {

/// The largest number of kernels that one call runs concurrently. Their argument structs are on the stack at the same time.
constexpr size_t kMostTogether = 16;

std::string counted(size_t n, std::string_view what) { return cat(n, " ", what, n == 1 ? "" : "s"); }

class UnitRenderer {
 public:
  UnitRenderer(const ir::Module& module, const RenderOptions& options)
      : module_(module),
        options_(options),
        unit_(options),
        host_(host_positions()),
        kernels_(module, options_, unit_, host_, [this](const SymAtom* v) { return shape_name(v); }),
        table_(module, share()) {
    for (size_t i = 0; i < module.shape_vars.size(); ++i) shape_names_[variable_of(module.shape_vars[i])->name] = cat("shape", i);
    is_shared_.assign(module.kernels.size(), false);
    for (const ir::Generation& generation : module.generations)
      for (const std::span<const ir::Launch> launches : together(generation))
        if (generation.blocks > 0 || table_.has(generation) || is_worth_sharing(launches))
          for (const ir::Launch& launch : launches) is_shared_[static_cast<size_t>(launch.kernel)] = true;
  }

  std::string render(std::vector<SourceFunction>* separate) {
    for (size_t k = 0; k < module_.kernels.size(); ++k) {
      check_time(module_.arena->syms());
      kernels_.add(module_.kernels[k], is_shared_[k]);
    }
    const std::string main = kernel_main(),
                      entry = entry_points(
                          module_, host_,
                          {table_.is_used(), uses_workspace(), calls_may_fail_,
                           mentions(main, "harp_is_set") || mentions(main, "harp_for") || mentions(main, "harp_for_least") ||
                               mentions(main, "harp_run_together") || table_.rows() > 0 || mentions(kernels_.text(), "cancel")});
    std::string constants;
    for (size_t i = 0; i < module_.constants.size(); ++i)
      if (mentions(main, cat("constant", i))) append(constants, cat(constant_array(i), "\n"));
    const std::string definitions = unit_.definitions();
    const bool has_table = table_.rows() > 0, has_for = has_table || mentions(main, "harp_for"),
               has_for_least = mentions(main, "harp_for_least");
    const bool has_tasks = mentions(main, "harp_run_together");
    const std::string first = cat(header(), gcc_text(), kRuntimeText, "\n", options_.plain_text ? std::string() : vector_note());
    const std::string for_all = cat(first, definitions, definitions.empty() ? "" : "\n", constants, kEnvironmentText, "\n", unit_.loading(),
                                    mentions(kernels_.text(), "harp_reads_backwards") ? kBackwardsText : "",
                                    mentions(kernels_.text(), kWrapsMark) ? kWrapsText : "");
    // separate parts would each have their own copy of tables that are filled at load time
    if (separate != nullptr && unit_.loading().empty()) {
      separate->clear();
      const auto add = [&](const std::vector<SourceFunction>& functions, size_t begin) {
        for (SourceFunction f : functions) {
          for (size_t* offset : {&f.begin, &f.definition, &f.body, &f.end}) *offset += begin;
          separate->push_back(f);
        }
      };
      add(unit_.shared_functions(), first.size());
      add(kernels_.functions(), for_all.size());
    }
    return cat(for_all, kernels_.text(), has_for || has_for_least || has_tasks ? cat(workers_text(), kPiecesText) : std::string(),
               has_for ? cat(kForText, "\n") : std::string(), mentions(main, "harp_run_chain") ? cat(kChainText, "\n") : std::string(),
               has_for_least ? cat(kForLeastText, "\n") : std::string(), has_tasks ? cat(kTogetherText, "\n") : std::string(),
               mentions(main, "harp_native_failed") ? native_failed_text() : std::string(),
               mentions(entry, "harp_allocate") ? cat(kWorkspaceText, "\n") : std::string(),
               module_.sites > 0 ? cat(kFaultText, "\n") : std::string(), has_table ? cat(table_.definitions(), "\n") : std::string(), main,
               "\n", entry);
  }

 private:
  Positions host_positions() {
    return {unit_, host_names_, [this](const SymAtom* v) { return shape_name(v); }};
  }
  std::string shape_name(const SymAtom* v) const {
    const auto found = shape_names_.find(v->name);
    HARP_ASSERT(found != shape_names_.end(), "the shape variable ", v->name, " is not one of the module's");
    return found->second;
  }

  std::string header() const {
    const auto arrays = [](const std::vector<ir::ArrayType>& list) {
      return join(list, ", ", [](const ir::ArrayType& a) {
        return cat(a.name, ": ", name(a.dtype), "[", join(a.shape, ", ", [](Sym s) { return to_string(s); }), "]");
      });
    };
    size_t launches = 0;
    for (const ir::Generation& generation : module_.generations) launches += generation.launches.size();
    return cat("/* harp · graph \"", comment_text(module_.name), "\" · target ",
               options_.plain_text ? "any, plain text" : options_.target.name, " · stable, law ", kLawRevision, " · ",
               counted(launches, "kernel"), ", ", counted(module_.generations.size(), "generation"), "\n   ",
               comment_text(arrays(module_.inputs)), module_.inputs.empty() ? "" : " ", "-> ", comment_text(arrays(module_.outputs)),
               natives_text(), " */\n");
  }

  std::string natives_text() const {
    std::string text;
    for (const ir::Generation& generation : module_.generations)
      for (const ir::NativeCall& call : generation.calls)
        append(text, cat("\n   natives[", call.function, "] is ", comment_text(call.name)));
    return text;
  }

  /// The natives array holds, after the function addresses, the address of the failure record: which call failed and its status.
  std::string native_failed_text() const {
    return cat(
        "static int32_t harp_native_failed(const harp_runtime* rt, int32_t call, int32_t status) {\n  int32_t* failure = rt->natives[",
        module_.natives.size(), "];\n  failure[0] = call;\n  failure[1] = status;\n  return ", static_cast<int>(Code::kNative), ";\n}\n\n");
  }

  std::string workers_text() const {
    return cat(
        "static int harp_has_workers(const harp_runtime* rt) { return rt && rt->parallel_for && rt->width > 1; }\n"
        "static const int64_t harp_share = ",
        share(), "; /* work that is worth another worker, in half nanoseconds */\n");
  }

  static std::string vector_note() {
    return "/* Vectors are passed between functions of this file only, so that no ABI is involved. */\n"
           "#pragma GCC diagnostic ignored \"-Wpsabi\"\n\n";
  }

  // --- concurrent launches -----------------------------------------------------------------------------------------------

  static std::vector<std::span<const ir::Launch>> together(const ir::Generation& generation) {
    std::vector<std::span<const ir::Launch>> parts;
    for (std::span<const ir::Launch> left = generation.launches; !left.empty(); left = left.subspan(parts.back().size()))
      parts.push_back(left.first(std::min(kMostTogether, left.size())));
    return parts;
  }

  int64_t share() const { return std::max<int64_t>(1, 2 * options_.share_ns); }
  const ir::Kernel& kernel_of(const ir::Launch& launch) const { return module_.kernels[static_cast<size_t>(launch.kernel)]; }

  /// Tests whether a second worker could have work, as far as is known at compile time. If not, the unit omits the code that distributes
  /// work, which takes gcc longer to compile than a small kernel.
  bool is_worth_sharing(std::span<const ir::Launch> launches) const {
    if (launches.size() == 1 && ir::iterations(kernel_of(launches[0])).is_constant(1)) return false;
    int64_t left = share();
    for (const ir::Launch& launch : launches) {
      const Sym work = kernel_of(launch).work, count = ir::iterations(kernel_of(launch));
      if (!count.is_constant() || count.constant() < 1 || !work.is_constant() || work.constant() > left) return true;
      left -= std::max<int64_t>(0, work.constant());
    }
    return false;
  }

  // --- the host half: kernel_main ----------------------------------------------------------------------------------------

  std::string constant_array(size_t i) const {
    const ir::ConstantArray& array = module_.constants[i];
    const size_t size = size_of(array.dtype), count = array.data->size() / size;
    const std::string name = cat("constant", i);
    if (count == 0) return cat("static const ", memory_type(array.dtype), "* const ", name, " = 0;\n");
    std::string text = cat("static const ", memory_type(array.dtype), " ", name, "[", count, "] = {");
    for (size_t e = 0; e < count; ++e) {
      Scalar value{array.dtype, {0, 0}};
      std::memcpy(value.bits, array.data->data() + e * size, size);
      if (is_bool(array.dtype)) value.bits[0] = value.bits[0] != 0;
      append(text, cat(e == 0 ? "" : e % 16 == 0 ? ",\n    " : ", ", literal(value).text));
    }
    return cat(text, "};\n");
  }

  /// Returns the address of a buffer in kernel_main, with the element type of the kernel's parameter.
  std::string argument(const ir::HostBuffer& buffer, const ir::Param& param) {
    using Kind = ir::HostBuffer::Kind;
    const Sym elements = floor_div(buffer.offset, static_cast<int64_t>(size_of(param.dtype)));
    const std::string type = cat(param.written ? "" : "const ", memory_type(param.dtype), "*");
    if (buffer.kind == Kind::kWorkspace) {
      const auto [tmp, is_new] = tmps_.emplace(std::pair{to_string(buffer.offset), param.dtype}, cat("tmp", tmps_.size()));
      if (is_new)
        append(tmp_text_, cat("  ", memory_type(param.dtype), "* const ", tmp->second, " = (", memory_type(param.dtype), "*)(workspace + ",
                              bracket(host_(buffer.offset), kSum), ");\n"));
      return tmp->second;
    }
    const std::string_view base = buffer.kind == Kind::kInput ? "input" : buffer.kind == Kind::kOutput ? "output" : "constant";
    return elements.is_constant(0) ? cat(base, buffer.index) : cat(base, buffer.index, " + ", bracket(host_(elements), kSum));
  }

  const RenderedKernel& rendered(const ir::Launch& launch) const { return kernels_[launch.kernel]; }

  /// Returns the arguments of the kernel in a launch.
  std::vector<std::string> arguments_of(const ir::Launch& launch) {
    const ir::Kernel& kernel = kernel_of(launch);
    const RenderedKernel& callee = rendered(launch);
    HARP_ASSERT(launch.arguments.size() == kernel.params.size(), "launch of ", kernel.name, " with ", launch.arguments.size(), " buffers");
    std::vector<std::string> values;
    for (size_t i = 0; i < kernel.params.size(); ++i)
      if (!kernel.params[i].block && (!callee.is_called || callee.is_used[i]))
        values.push_back(argument(launch.arguments[i], kernel.params[i]));
    for (const SymAtom* v : callee.shape_variables) values.push_back(shape_name(v));
    if (callee.has_scratch)
      values.push_back(module_.workspace.is_constant(0) ? "workspace" : cat("workspace + ", bracket(host_(module_.workspace), kSum)));
    if (callee.polls) values.emplace_back("cancel");
    return values;
  }

  /// A step of kernel_main that calls a native function. kernel_main returns at once if the function fails.
  std::string native_call(const ir::NativeCall& call, size_t number) {
    using Argument = ir::NativeCall::Argument;
    std::vector<std::string> types, values;
    for (const Argument& a : call.arguments) {
      const std::string type(a.kind == Argument::kAddress ? "void" : memory_type(a.dtype));
      types.push_back(a.kind == Argument::kArray     ? cat(a.written ? "" : "const ", type, "*")
                      : a.kind == Argument::kAddress ? "void*"
                                                     : type);
      switch (a.kind) {
        case Argument::kArray: values.push_back(argument(a.array, {"", a.dtype, a.written})); break;
        case Argument::kSize: values.push_back(cat("(", type, ")", bracket(host_(a.size), kUnary))); break;
        case Argument::kNumber: values.push_back(literal(a.number).text); break;
        case Argument::kAddress: values.push_back(cat("rt->natives[", a.address, "]")); break;
      }
    }
    const std::string called = cat("(*(__extension__(", call.returns_status ? "int32_t" : "void", " (*)(", join(types, ", "),
                                   "))rt->natives[", call.function, "]))(", join(values, ", "), ")");
    const std::string guard =
        proven_positive(call.elements) ? std::string() : cat("if (", host_.is_nonnegative(call.elements - 1).text, ") ");
    calls_may_fail_ = true;
    const std::string polls = cat("  ", leave_if_cancelled());  // a native function must not receive unfinished results
    if (!call.returns_status) return cat(polls, "  ", guard, called, ";\n");
    return cat(polls, "  ", guard, "{\n    const int32_t status = ", called, ";\n    if (status) return harp_native_failed(rt, ", number,
               ", status);\n  }\n");
  }

  /// A statement that leaves kernel_main. Its return value is substituted after the whole body is known.
  static constexpr std::string_view kLeave = "return kCancelled;";
  static std::string leave_if_cancelled() { return cat("if (harp_is_set(cancel)) ", kLeave, "\n"); }
  /// Returns a cancellation test to put before a directly called kernel, or nothing if all work since the previous test is short.
  std::string poll_before(const ir::Kernel& kernel) {
    const bool is_first = std::exchange(is_first_, false);  // entry_point_ex has tested already
    const Sym work = kernel.work;
    const bool is_known = work.is_constant() && work.constant() >= 0 && work.constant() <= share();
    unpolled_ = is_known ? unpolled_ + work.constant() : share() + 1;
    if (is_first || unpolled_ <= share()) return {};
    unpolled_ = 0;
    return leave_if_cancelled();
  }

  /// Returns the condition of a launch; empty: it always happens.
  std::string launch_condition(const ir::Launch& launch) {
    std::vector<std::string> conditions;
    if (launch.guard) conditions.push_back(host_.is_nonnegative(*launch.guard).text);
    if (!launch.in_place.empty()) {
      const auto array = [](const ir::HostBuffer& buffer) {
        return cat("(const void*)", buffer.kind == ir::HostBuffer::Kind::kInput ? "input" : "output", buffer.index);
      };
      const std::string same = join(launch.in_place, launch.only_without_aliasing ? " && " : " || ", [&](const auto& pair) {
        return cat(array(pair.first), launch.only_without_aliasing ? " != " : " == ", array(pair.second));
      });
      conditions.push_back(launch.in_place.size() > 1 && !conditions.empty() ? cat("(", same, ")") : same);
    }
    return join(conditions, " && ");
  }

  struct Task {
    std::string kernel, count, work;
    int64_t least = 1;
    bool is_known = false;  // all its sizes are known at compile time
  };

  /// Runs kernels concurrently. If all sizes are known, the tasks are a constant table that is copied: the compiler takes longer over
  /// storing the elements one by one than over all of the kernels.
  static std::string run_together(std::span<const Task> tasks) {
    const bool are_known = std::all_of(tasks.begin(), tasks.end(), [](const Task& task) { return task.is_known; });
    std::string rows, set;
    for (size_t i = 0; i < tasks.size(); ++i) {
      const Task& task = tasks[i];
      append(rows, cat("      {", task.kernel, ", ", are_known ? "0" : cat("&args", i), ", ", task.count, ", ", task.least, ", ", task.work,
                       ", 0, 0},\n"));
      if (are_known) append(set, cat("    tasks[", i, "].arg = &args", i, ";\n"));
    }
    const std::string run = cat("    harp_run_together(rt, cancel, ", tasks.size(), ", tasks);\n");
    if (!are_known) return cat("    struct harp_task tasks[] = {\n", rows, "    };\n", run);
    return cat("    static const struct harp_task known[] = {\n", rows, "    };\n    struct harp_task tasks[", tasks.size(),
               "];\n    __builtin_memcpy(tasks, known, sizeof tasks);\n", set, run);
  }

  /// Runs the kernels of a chain, for each block one after the other.
  std::string run_in_turn(const ir::Generation& chain) {
    std::string text;
    std::vector<std::string> calls;
    Sym work = 0;
    for (size_t i = 0; i < chain.launches.size(); ++i) {
      const ir::Launch& launch = chain.launches[i];
      const std::string& name = rendered(launch).name;
      append(text, cat("    struct ", name, "_args args", i, " = {", join(arguments_of(launch), ", "), "};\n"));
      const std::string guard = launch_condition(launch);
      calls.push_back(cat("{", guard.empty() ? name : cat(guard, " ? ", name, " : 0"), ", &args", i, "}"));
      work = work + kernel_of(launch).work;
    }
    return cat(text, "    const struct harp_call calls[] = {", join(calls, ", "), "};\n    struct harp_chain chain = {calls, ",
               calls.size(), "};\n    harp_for(rt, cancel, ", chain.blocks, ", ", host_(work).text, ", harp_run_chain, &chain);\n");
  }

  std::string kernel_main() {
    std::string body;
    size_t n_calls = 0;
    for (size_t g = 0; g < module_.generations.size(); ++g) {
      if (table_.has(module_.generations[g])) {
        const auto is_one_launch = [&] { return module_.generations[g].launches.size() == 1; };
        const size_t first = g, first_row = table_.rows();
        do {
          for (const ir::Launch& launch : module_.generations[g].launches)
            table_.add(launch, rendered(launch).name, rendered(launch).has_scratch, rendered(launch).polls);
          ++g;
        } while (g < module_.generations.size() && table_.has(module_.generations[g]) && is_one_launch() &&
                 module_.generations[first].launches.size() == 1);
        --g;
        append(body, cat("  ", table_.run(first_row, table_.rows(), g == first), " /* ",
                         g == first ? cat("generation ", g) : cat("generations ", first, " to ", g), " */\n"));
        continue;
      }
      if (const int64_t blocks = module_.generations[g].blocks; blocks > 0) {
        append(body, cat("  { /* generation ", g, ", in turn for each of ", blocks, " blocks */\n", run_in_turn(module_.generations[g]),
                         "  }\n"));
        continue;
      }
      for (const std::span<const ir::Launch> launches : together(module_.generations[g])) {
        const bool is_shared = is_worth_sharing(launches), is_one = launches.size() == 1;
        const bool is_block = std::any_of(launches.begin(), launches.end(), [&](const ir::Launch& l) { return !rendered(l).is_called; });
        const std::string_view indent = is_block ? "    " : "  ";
        const std::string note = !is_one || module_.generations.size() > 1 ? cat(" /* generation ", g, " */") : std::string();
        if (is_block || !note.empty()) append(body, cat(is_block ? "  {" : " ", note, "\n"));
        std::vector<Task> tasks;
        for (size_t i = 0; i < launches.size(); ++i) {
          const ir::Launch& launch = launches[i];
          const ir::Kernel& kernel = kernel_of(launch);
          const RenderedKernel& callee = rendered(launch);
          const std::string arguments = join(arguments_of(launch), ", ");
          if (!callee.is_called) append(body, cat("    struct ", callee.name, "_args args", i, " = {", arguments, "};\n"));
          const std::string count = host_(ir::iterations(kernel)).text, work = host_(kernel.work).text;
          // the count may divide by a size that is 0 where the guard is false
          const std::string guard = launch_condition(launch), only = guard.empty() ? "" : cat("if (", guard, ") ");
          if (!is_shared) {
            if (const std::string poll = poll_before(kernel); !poll.empty()) append(body, cat(indent, poll));
            append(body,
                   cat(indent, only, callee.name, "(", callee.is_called ? arguments : cat("&args", i, ", 0, ", count, ", 0"), ");\n"));
          } else if (is_first_ = false; is_one)
            append(body, cat(indent, only,
                             kernel.least > 1 ? cat("harp_for_least(rt, cancel, ", count, ", ", kernel.least)
                                              : cat("harp_for(rt, cancel, ", count),
                             ", ", work, ", ", callee.name, ", &args0);\n"));
          else
            tasks.push_back({callee.name, guard.empty() ? count : cat(guard, " ? ", count, " : 0"), work, kernel.least,
                             guard.empty() && ir::iterations(kernel).is_constant() && kernel.work.is_constant()});
        }
        if (!tasks.empty()) append(body, run_together(tasks));
        if (is_block) body += "  }\n";
      }
      // check sites are tested first, so that a native function never receives an index that failed its check
      if (module_.sites > 0 && !module_.generations[g].calls.empty()) {
        calls_may_fail_ = true;
        append(body, cat("  if (", first_fault_text(module_, host_), ") return ", static_cast<int>(Code::kRange), ";\n"));
      }
      for (const ir::NativeCall& call : module_.generations[g].calls) {
        append(body, native_call(call, n_calls));
        ++n_calls;
      }
    }
    if (calls_may_fail_) body += "  return 0;\n";
    if (mentions(body, "harp_first_fault")) body = cat("  const char* const faults = ", faults_text(module_, host_), ";\n", body);
    body = tmp_text_ + body;
    const std::string leave = calls_may_fail_ ? cat("return ", static_cast<int>(Code::kCancelled), ";") : std::string("return;");
    for (size_t at = body.find(kLeave); at != body.npos; at = body.find(kLeave, at)) body.replace(at, kLeave.size(), leave);
    if (table_.is_used()) return kernel_main_with_table(body);
    std::vector<std::string> parameters;
    std::string unused;
    const auto parameter = [&](std::string type, const std::string& name) {
      parameters.push_back(cat(type, name));
      if (!mentions(body, name)) append(unused, cat("  (void)", name, ";\n"));
    };
    for (size_t i = 0; i < module_.inputs.size(); ++i)
      parameter(cat("const ", memory_type(module_.inputs[i].dtype), "* "), cat("input", i));
    for (size_t i = 0; i < module_.outputs.size(); ++i) parameter(cat(memory_type(module_.outputs[i].dtype), "* "), cat("output", i));
    for (size_t i = 0; i < module_.shape_vars.size(); ++i) parameter("int64_t ", cat("shape", i));
    if (uses_workspace()) parameter("char* ", "workspace");
    parameter("const harp_runtime* ", "rt");
    parameter("const volatile int32_t* ", "cancel");
    return cat("static ", calls_may_fail_ ? "int32_t" : "void", " kernel_main(", join(parameters, ", "), ") {\n", unused, body, "}\n");
  }

  /// kernel_main receives the arrays of pointers and names the arrays that launches outside the table use.
  std::string kernel_main_with_table(const std::string& body) const {
    std::string named;
    const auto name = [&](std::string_view constness, DType dtype, std::string_view kind, size_t i) {
      if (mentions(body, cat(kind, i)))
        append(named, cat("  ", constness, memory_type(dtype), "* ", kind, i, " = ", kind, "s[", i, "];\n"));
    };
    for (size_t i = 0; i < module_.inputs.size(); ++i) name("const ", module_.inputs[i].dtype, "input", i);
    for (size_t i = 0; i < module_.outputs.size(); ++i) name("", module_.outputs[i].dtype, "output", i);
    return cat("static ", calls_may_fail_ ? "int32_t" : "void", " kernel_main(void** inputs, void** outputs, ",
               uses_workspace() ? "char* workspace, " : "", "const harp_runtime* rt, const volatile int32_t* cancel) {\n",
               mentions(table_.arrays(uses_workspace()), "cancel") || mentions(body, "cancel") ? "" : "  (void)cancel;\n",
               table_.arrays(uses_workspace()), named, body, "}\n");
  }

  bool uses_workspace() const { return !module_.workspace.is_constant(0) || !module_.scratch.is_constant(0) || !tmp_text_.empty(); }

  const ir::Module& module_;
  const RenderOptions& options_;
  Unit unit_;
  Names host_names_;
  Positions host_;
  std::map<std::string_view, std::string> shape_names_;  // by name, because a narrowed variable is the same argument
  std::vector<bool> is_shared_;                          // indexed like module.kernels: several workers may run a launch of the kernel
  KernelFunctions kernels_;
  LaunchTable table_;
  std::string tmp_text_;
  bool calls_may_fail_ = false;  // kernel_main then returns a status
  bool is_first_ = true;         // no kernel has been called yet
  int64_t unpolled_ = 0;         // work of the kernels that kernel_main calls after the latest cancellation test
  std::map<std::pair<std::string, DType>, std::string> tmps_;
};

}  // namespace

bool writes_vectors(const RenderOptions& options) { return !options.plain_text && options.target.cpu().fma && options.target.cpu().rounds; }

std::string render_c(const ir::Module& module, const RenderOptions& options, std::vector<SourceFunction>* separate) {
  return UnitRenderer(module, options).render(separate);
}

}  // namespace harp::render
