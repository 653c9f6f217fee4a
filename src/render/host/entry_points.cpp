#include "render/host/entry_points.h"

#include <vector>

#include "base/error.h"
#include "ir/hidden_constants.h"
#include "render/c/kernel_functions.h"
#include "render/text/words.h"

namespace harp::render {

std::string faults_text(const ir::Module& module, const Positions& host) {
  return cat("workspace + ", bracket(host(module.workspace + fault_offset(module)), kSum));
}

std::string first_fault_text(const ir::Module& module, const Positions& host) {
  return cat("harp_first_fault(rt, faults, ", host(module.scratch).text, ")");
}

std::string entry_points(const ir::Module& module, const Positions& host, const EntryPoints& has) {
  std::string body, values;
  std::vector<std::string> arguments;
  if (has.table) arguments = {"inputs", "outputs"};
  const size_t inputs = ir::HiddenConstants(module).inputs();
  for (size_t i = 0; i < inputs && !has.table; ++i) arguments.push_back(cat("inputs[", i, "]"));
  for (size_t i = 0; i < module.outputs.size() && !has.table; ++i) arguments.push_back(cat("outputs[", i, "]"));
  for (size_t i = 0; i < module.shape_vars.size(); ++i) arguments.push_back(cat("(int64_t)shape_vars[", i, "]"));
  if (inputs == 0 && !has.table) body += "  (void)inputs;\n";
  if (module.outputs.empty() && !has.table) body += "  (void)outputs;\n";
  if (module.shape_vars.empty()) body += "  (void)shape_vars;\n";
  if (has.workspace) {
    std::string bytes = host(module.workspace).text;
    std::string scratch = bracket(host(module.scratch_of_run), kUnary);
    for (size_t i = 0; i < module.shape_vars.size(); ++i)
      if (mentions(bytes, cat("shape", i)) || mentions(scratch, cat("shape", i)))
        append(body, cat("  const int64_t shape", i, " = (int64_t)shape_vars[", i, "];\n"));
    if (!module.scratch.is_constant(0)) {
      if (!module.scratch_of_run.is_constant()) {
        append(body, cat("  /* bytes for each worker, which only some variants of the kernels need */\n  const int64_t scratch = ",
                         host(module.scratch_of_run).text, ";\n"));
        scratch = "scratch";
      }
      const std::string all = cat("(rt && rt->width > 1 ? (int64_t)rt->width : 1) * ", scratch);
      bytes = module.workspace.is_constant(0) ? all : cat(bracket(host(module.workspace), kSum), " + ", all);
    }
    append(body, cat("  const size_t bytes = (size_t)(", bytes,
                     ");\n  void* own;\n  char* workspace = harp_allocate(rt, bytes, &own);\n  if (!workspace && bytes) return ",
                     static_cast<int>(Code::kOutOfMemory), "; /* out of memory */\n"));
    arguments.push_back("workspace");
  }
  arguments.push_back("rt");
  arguments.push_back("cancel");
  if (!module.natives.empty())
    body = cat("  if (!rt || !rt->natives) return ", static_cast<int>(Code::kUnsupported),
               "; /* the host must give the native functions */\n", body);
  const int cancelled = static_cast<int>(Code::kCancelled);
  body = cat("  const volatile int32_t* const cancel = harp_flag(rt);\n  if (harp_is_set(cancel)) return ", cancelled,
             "; /* cancelled */\n", body);
  const bool checks = module.sites > 0;
  std::string after;
  if (checks) {
    append(body, cat("  char* const faults = ", faults_text(module, host), ";\n  harp_clear_faults(rt, faults, ", host(module.scratch).text,
                     ");\n"));
    after = has.failing_calls ? cat("  if (", first_fault_text(module, host), ") status = ", static_cast<int>(Code::kRange), ";\n")
                              : cat("  ", has.polls ? "" : "const ", "int32_t status = ", first_fault_text(module, host), ";\n");
  }
  const bool has_status = has.failing_calls || checks;
  if (has.polls)
    append(after, has_status ? cat("  if (harp_is_set(cancel)) status = ", cancelled, ";\n")
                             : cat("  const int32_t status = harp_is_set(cancel) ? ", cancelled, " : 0;\n"));
  return cat(
      "__attribute__((visibility(\"protected\"))) int32_t entry_point_ex(void** inputs, void** outputs, size_t* shape_vars, const "
      "harp_runtime* rt) {\n",
      body, "  const harp_environment found = harp_enter();\n  ",
      !has.failing_calls    ? ""
      : checks || has.polls ? "int32_t status = "
                            : "const int32_t status = ",
      "kernel_main(", join(arguments, ", "), ");\n  harp_leave(found);\n", after, has.workspace ? "  harp_release(rt, own);\n" : "",
      "  return ", has_status || has.polls ? "status" : "0",
      ";\n}\n\n__attribute__((visibility(\"protected\"))) void entry_point(void** inputs, void** outputs, size_t* shape_vars) "
      "{\n"
      "  entry_point_ex(inputs, outputs, shape_vars, 0);\n}\n");
}

}  // namespace harp::render
