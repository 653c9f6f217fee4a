#include "render/host/kernel_main.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "render/c/types.h"
#include "render/host/entry_points.h"
#include "render/text/words.h"

namespace harp::render {
namespace {

/// The text of the statement that leaves kernel_main when the run is cancelled. The text is a placeholder: whether the statement returns a
/// value is known only when the whole body is written.
constexpr std::string_view kLeave = "return kCancelled;";
std::string leave_if_cancelled() { return cat("if (harp_is_set(cancel)) ", kLeave, "\n"); }

/// Returns the comment above the launches of the generations `first` to `last`. A generation is a set of launches that do not depend on
/// each other.
std::string note_of(size_t first, size_t last) {
  return first == last ? cat(" /* generation ", first, " */") : cat(" /* generations ", first, " to ", last, " */");
}

}  // namespace

std::string KernelMain::render() {
  for (size_t g = 0; g < module_.generations.size(); ++g) {
    if (table_.has(module_.generations[g]))
      g = generations_of_table(g);
    else
      generation(g);
  }
  if (may_fail_) body_ += "  return 0;\n";
  if (mentions(body_, "harp_first_fault"))
    body_ = cat("  const char* const faults = ", faults_text(module_, arrays_.sizes()), ";\n", body_);
  body_ = arrays_.temporaries() + body_;
  const std::string leave = may_fail_ ? cat("return ", static_cast<int>(Code::kCancelled), ";") : std::string("return;");
  for (size_t at = body_.find(kLeave); at != body_.npos; at = body_.find(kLeave, at)) body_.replace(at, kLeave.size(), leave);
  return table_.is_used() ? function_with_table(body_) : function_of(body_);
}

/// Writes one call that runs the kernels of generation `first` (a set of kernels that do not depend on each other) by the launch table
/// (launch_table.h), a list of kernels and their arguments. If the generation has only one kernel, the call also runs the generations after
/// it that have one each, in order. Returns the index of the last generation that the call runs.
size_t KernelMain::generations_of_table(size_t first) {
  const std::vector<ir::Generation>& all = module_.generations;
  const auto is_one_launch = [&](size_t g) { return all[g].launches.size() == 1; };
  const size_t first_row = table_.rows();
  size_t g = first;
  do {
    for (const ir::Launch& launch : all[g].launches) {
      const RenderedKernel& callee = kernels_[launch.kernel];
      table_.add(launch, callee.name, callee.has_scratch, callee.polls);
    }
    ++g;
  } while (g < all.size() && table_.has(all[g]) && is_one_launch(g) && is_one_launch(first));
  append(body_, cat("  ", table_.run(first_row, table_.rows(), g == first + 1), note_of(first, g - 1), "\n"));
  return g - 1;
}

void KernelMain::generation(size_t g) {
  const ir::Generation& all = module_.generations[g];
  if (all.blocks > 0) return chain(g);
  for (const std::span<const ir::Launch> part : Sharing::together(all)) launches(g, part);
  // A native function must not receive an index that is out of range. Therefore this code reports index faults before the native calls.
  if (module_.sites > 0 && !all.calls.empty()) {
    may_fail_ = true;
    append(body_, cat("  if (", first_fault_text(module_, arrays_.sizes()), ") return ", static_cast<int>(Code::kRange), ";\n"));
  }
  for (const ir::NativeCall& call : all.calls) native_call(call);
}

/// Writes the call that runs a chain: all its kernels process one block of data, then all of them process the next block.
void KernelMain::chain(size_t g) {
  const ir::Generation& chain = module_.generations[g];
  append(body_, cat("  { /* generation ", g, ": all kernels on the first of ", chain.blocks, " blocks, then all on the next */\n"));
  std::vector<std::string> calls;
  Sym work = 0;
  for (size_t i = 0; i < chain.launches.size(); ++i) {
    const ir::Launch& launch = chain.launches[i];
    const std::string& name = kernels_[launch.kernel].name;
    append(body_, cat("    struct ", name, "_args args", i, " = {", join(arguments_of(launch), ", "), "};\n"));
    const std::string guard = launch_condition(launch, launch.guard);
    calls.push_back(cat("{", guard.empty() ? name : cat(guard, " ? ", name, " : 0"), ", &args", i, "}"));
    work = work + kernel_of(launch).work;
  }
  append(body_, cat("    const struct harp_call calls[] = {", join(calls, ", "), "};\n    struct harp_chain chain = {calls, ", calls.size(),
                    "};\n    harp_for(rt, cancel, ", chain.blocks, ", ", arrays_.sizes()(work).text, ", harp_run_chain, &chain);\n  }\n"));
}

/// Writes the code that runs `launches`, which belong to generation number g and do not depend on each other. They run concurrently if they
/// have enough work for several workers.
void KernelMain::launches(size_t g, std::span<const ir::Launch> launches) {
  const bool are_alternatives =
      launches.size() > 1 && !launches[0].is_alternative && std::ranges::all_of(launches.subspan(1), &ir::Launch::is_alternative);
  if (are_alternatives) return alternatives(g, launches);
  const bool is_shared = sharing_.is_worth_sharing(launches), is_one = launches.size() == 1;
  const bool is_block = std::any_of(launches.begin(), launches.end(), [&](const ir::Launch& l) { return !kernels_[l.kernel].is_called; });
  const std::string_view indent = is_block ? "    " : "  ";
  const std::string note = !is_one || module_.generations.size() > 1 ? note_of(g, g) : std::string();
  if (is_block || !note.empty()) append(body_, cat(is_block ? "  {" : " ", note, "\n"));
  std::vector<Task> tasks;
  for (size_t i = 0; i < launches.size(); ++i) {
    const ir::Kernel& kernel = kernel_of(launches[i]);
    const RenderedKernel& callee = kernels_[launches[i].kernel];
    const std::string arguments = join(arguments_of(launches[i]), ", ");
    if (!callee.is_called) append(body_, cat("    struct ", callee.name, "_args args", i, " = {", arguments, "};\n"));
    const std::string count = arrays_.sizes()(ir::iterations(kernel)).text, work = arrays_.sizes()(kernel.work).text;
    // The call is inside the condition, because the number of iterations may contain a division by a size that is 0 if the condition is
    // false.
    const std::string guard = launch_condition(launches[i], launches[i].guard), only = guard.empty() ? "" : cat("if (", guard, ") ");
    if (!is_shared) {
      if (const std::string poll = poll_before(kernel); !poll.empty()) append(body_, cat(indent, poll));
      append(body_, cat(indent, only, run_alone(launches[i], false, callee.is_called ? arguments : cat("&args", i))));
      continue;
    }
    is_first_ = false;
    if (is_one) {
      append(body_, cat(indent, only, run_alone(launches[i], true, "&args0")));
    } else {
      tasks.push_back({callee.name, guard.empty() ? count : cat(guard, " ? ", count, " : 0"), work, kernel.least,
                       guard.empty() && ir::iterations(kernel).is_constant() && kernel.work.is_constant()});
    }
  }
  if (!tasks.empty()) append(body_, run_together(tasks));
  if (is_block) body_ += "  }\n";
}

/// Writes the code that runs one of `launches`, which are variants of one kernel: the first whose condition holds.
void KernelMain::alternatives(size_t g, std::span<const ir::Launch> launches) {
  const bool is_shared = sharing_.is_worth_sharing(launches);
  if (module_.generations.size() > 1) append(body_, cat(" ", note_of(g, g), "\n"));
  if (!is_shared)
    if (const std::string poll = poll_before(kernel_of(launches[0])); !poll.empty()) append(body_, cat("  ", poll));
  is_first_ = false;
  bool are_same = false;  // whether a variant before did not run only because arrays are the same memory
  for (size_t i = 0; i < launches.size(); ++i) {
    const std::string condition = launch_condition(launches[i], launches[i].own_guard, are_same);
    are_same |= launches[i].only_without_aliasing;  // such a variant has no guard
    append(body_,
           i + 1 == launches.size() && condition.empty() ? "  } else {\n" : cat(i > 0 ? "  } else if (" : "  if (", condition, ") {\n"));
    const RenderedKernel& callee = kernels_[launches[i].kernel];
    const std::string arguments = join(arguments_of(launches[i]), ", ");
    if (!callee.is_called) append(body_, cat("    struct ", callee.name, "_args args = {", arguments, "};\n"));
    append(body_, cat("    ", run_alone(launches[i], is_shared, callee.is_called ? arguments : "&args")));
  }
  body_ += "  }\n";
}

/// Returns the statement that runs a launch that runs concurrently with no other. `arguments`: those of the kernel, or the address of the
/// struct with them.
std::string KernelMain::run_alone(const ir::Launch& launch, bool is_shared, std::string_view arguments) const {
  const ir::Kernel& kernel = kernel_of(launch);
  const RenderedKernel& callee = kernels_[launch.kernel];
  const std::string count = arrays_.sizes()(ir::iterations(kernel)).text, work = arrays_.sizes()(kernel.work).text;
  if (!is_shared) return cat(callee.name, "(", arguments, callee.is_called ? "" : cat(", 0, ", count, ", 0"), ");\n");
  const std::string run =
      kernel.least > 1 ? cat("harp_for_least(rt, cancel, ", count, ", ", kernel.least) : cat("harp_for(rt, cancel, ", count);
  return cat(run, ", ", work, ", ", callee.name, ", ", arguments, ");\n");
}

/// Returns the code that runs kernels concurrently. If all sizes are known at compile time, the array of tasks is copied from a constant
/// table. Statements that store its elements one by one would take longer to compile than all of the kernels.
std::string KernelMain::run_together(std::span<const Task> tasks) {
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

/// Writes the call of a native function. If the function fails, kernel_main returns at once.
void KernelMain::native_call(const ir::NativeCall& call) {
  using Argument = ir::NativeCall::Argument;
  std::vector<std::string> types, values;
  for (const Argument& a : call.arguments) {
    const std::string type(a.kind == Argument::kAddress ? "void" : memory_type(a.dtype));
    types.push_back(a.kind == Argument::kArray ? cat(a.written ? "" : "const ", type, "*") : a.kind == Argument::kAddress ? "void*" : type);
    switch (a.kind) {
      case Argument::kArray: values.push_back(arrays_.address(a.array, {"", a.dtype, a.written})); break;
      case Argument::kSize: values.push_back(cat("(", type, ")", bracket(arrays_.sizes()(a.size), kUnary))); break;
      case Argument::kNumber: values.push_back(c_literal(a.number).text); break;
      case Argument::kAddress: values.push_back(cat("rt->natives[", a.address, "]")); break;
    }
  }
  const std::string called = cat("(*(__extension__(", call.returns_status ? "int32_t" : "void", " (*)(", join(types, ", "),
                                 "))rt->natives[", call.function, "]))(", join(values, ", "), ")");
  const std::string guard =
      proven_positive(call.elements) ? std::string() : cat("if (", arrays_.sizes().is_nonnegative(call.elements - 1).text, ") ");
  may_fail_ = true;
  // The native function must not receive unfinished results of a cancelled run.
  append(body_, cat("  ", leave_if_cancelled(), "  ", guard));
  const size_t number = n_native_calls_++;
  append(body_, !call.returns_status ? cat(called, ";\n")
                                     : cat("{\n    const int32_t status = ", called, ";\n    if (status) return harp_native_failed(rt, ",
                                           number, ", status);\n  }\n"));
}

/// Returns the statement that tests the cancel flag before a directly called kernel. Returns "" if little work has been done since the
/// previous test.
std::string KernelMain::poll_before(const ir::Kernel& kernel) {
  // Before the first kernel no test is needed, because entry_point_ex has just tested the flag.
  const bool is_first = std::exchange(is_first_, false);
  const Sym work = kernel.work;
  const int64_t least = sharing_.least();
  const bool is_known = work.is_constant() && work.constant() >= 0 && work.constant() < least;
  unpolled_ = is_known ? unpolled_ + work.constant() : least;
  if (is_first || unpolled_ < least) return {};
  unpolled_ = 0;
  return leave_if_cancelled();
}

/// Returns the condition of a launch as a C expression; "" means that the launch always happens. `guard`: Launch::guard or own_guard.
/// `are_same`: the launch is reached only if arrays that its condition compares are the same memory.
std::string KernelMain::launch_condition(const ir::Launch& launch, const std::optional<Sym>& guard, bool are_same) const {
  std::vector<std::string> conditions;
  const bool compares = !launch.in_place.empty() && (launch.only_without_aliasing || !are_same);
  if (guard) conditions.push_back(bracket(arrays_.sizes().is_nonnegative(*guard), compares ? kLogicalAnd : kLogicalOr));
  if (compares) {
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

/// Returns the arguments of a launch's kernel as C expressions.
std::vector<std::string> KernelMain::arguments_of(const ir::Launch& launch) {
  const ir::Kernel& kernel = kernel_of(launch);
  const RenderedKernel& callee = kernels_[launch.kernel];
  HARP_ASSERT(launch.arguments.size() == kernel.params.size(), "launch of ", kernel.name, " with ", launch.arguments.size(), " buffers");
  std::vector<std::string> values;
  for (size_t i = 0; i < kernel.params.size(); ++i)
    if (kernel.params[i].space != Space::kScratch && (!callee.is_called || callee.is_used[i]))
      values.push_back(arrays_.address(launch.arguments[i], kernel.params[i]));
  for (const SymAtom* v : callee.shape_variables) values.push_back(arrays_.shape_name(v));
  if (callee.has_scratch)
    values.push_back(module_.workspace.is_constant(0) ? "workspace"
                                                      : cat("workspace + ", bracket(arrays_.sizes()(module_.workspace), kSum)));
  if (callee.polls) values.emplace_back("cancel");
  return values;
}

std::string KernelMain::function_of(const std::string& body) const {
  std::vector<std::string> parameters;
  std::string unused;
  const auto parameter = [&](std::string type, const std::string& name) {
    parameters.push_back(cat(type, name));
    if (!mentions(body, name)) append(unused, cat("  (void)", name, ";\n"));
  };
  for (size_t i = 0; i < module_.inputs.size(); ++i) parameter(cat("const ", memory_type(module_.inputs[i].dtype), "* "), cat("input", i));
  for (const size_t i : arrays_.hidden().constants())
    parameter(cat("const ", memory_type(module_.constants[i].dtype), "* "), cat("constant", i));
  for (size_t i = 0; i < module_.outputs.size(); ++i) parameter(cat(memory_type(module_.outputs[i].dtype), "* "), cat("output", i));
  for (size_t i = 0; i < module_.shape_vars.size(); ++i) parameter("int64_t ", cat("shape", i));
  if (arrays_.uses_workspace()) parameter("char* ", "workspace");
  parameter("const harp_runtime* ", "rt");
  parameter("const volatile int32_t* ", "cancel");
  return cat("static ", may_fail_ ? "int32_t" : "void", " kernel_main(", join(parameters, ", "), ") {\n", unused, body, "}\n");
}

/// Returns the definition of kernel_main for a source with a launch table. The function receives the pointers to inputs and outputs as
/// arrays. It defines a variable for each array that a launch outside of the table uses.
std::string KernelMain::function_with_table(const std::string& body) const {
  std::string named;
  const auto name = [&](std::string_view constness, DType dtype, std::string_view array, size_t i, std::string_view from, size_t at) {
    if (mentions(body, cat(array, i)))
      append(named, cat("  ", constness, memory_type(dtype), "* ", array, i, " = ", from, "[", at, "];\n"));
  };
  for (size_t i = 0; i < module_.inputs.size(); ++i) name("const ", module_.inputs[i].dtype, "input", i, "inputs", i);
  for (const size_t i : arrays_.hidden().constants())
    name("const ", module_.constants[i].dtype, "constant", i, "inputs", *arrays_.hidden().position(i));
  for (size_t i = 0; i < module_.outputs.size(); ++i) name("", module_.outputs[i].dtype, "output", i, "outputs", i);
  const bool has_workspace = arrays_.uses_workspace();
  const std::string bases = table_.arrays(has_workspace);
  return cat("static ", may_fail_ ? "int32_t" : "void", " kernel_main(void** inputs, void** outputs, ",
             has_workspace ? "char* workspace, " : "", "const harp_runtime* rt, const volatile int32_t* cancel) {\n",
             mentions(bases, "cancel") || mentions(body, "cancel") ? "" : "  (void)cancel;\n", bases, named, body, "}\n");
}

}  // namespace harp::render
