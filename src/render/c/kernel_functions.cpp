#include "render/c/kernel_functions.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "render/c/types.h"
#include "render/kernel/blocks.h"
#include "render/kernel/body.h"
#include "render/text/filled.h"
#include "render/text/words.h"

namespace harp::render {
namespace {

constexpr std::string_view kFenceNote = " /* non-temporal stores must be visible before the kernel counts as done */\n";

}  // namespace

Sym fault_offset(const ir::Module& module) { return module.scratch - ir::kFaultBytes; }

RenderedKernel KernelFunctions::convention_of(const ir::Kernel& kernel, const Body& body, bool is_shared) const {
  RenderedKernel result;
  result.is_called = !is_shared;
  result.polls = mentions(body.text, "cancel");
  result.has_scratch = mentions(body.text, "fault") || ir::scratch_offsets(kernel).back() > 0;
  // A variable that is narrowed in the kernel (ir/nonempty.cpp) is another one with the same name.
  std::map<std::string_view, const SymAtom*> variables;
  const auto insert = [&](const SymAtom* v) { variables.emplace(v->name, v); };
  std::ranges::for_each(body.sizes.shape_variables, insert);
  const std::vector<std::string> names = ir::parameter_names(kernel);
  for (size_t i = 0; i < names.size(); ++i) {
    result.is_used.push_back(mentions(body.text, names[i]));
    if (!result.is_used[i] || kernel.params[i].space != Space::kScratch) continue;
    result.has_scratch = true;
    std::ranges::for_each(variables_of(kernel.params[i].offset), insert);
  }
  if (result.has_scratch) std::ranges::for_each(variables_of(module_.scratch), insert);
  for (const auto& [name, v] : variables) result.shape_variables.push_back(v);
  std::ranges::sort(result.shape_variables, {}, &SymAtom::id);
  return result;
}

KernelFunctions::Fields KernelFunctions::fields_of(const ir::Kernel& kernel, const RenderedKernel& convention) const {
  Fields fields;
  const std::vector<std::string> names = ir::parameter_names(kernel);
  for (size_t i = 0; i < names.size(); ++i) {
    const ir::Param& parameter = kernel.params[i];
    const std::string type = cat(parameter.written ? "" : "const ", memory_type(parameter.dtype), "*"), declared = cat(type, " ", names[i]);
    if (parameter.space == Space::kScratch) {
      if (!convention.is_used[i]) continue;
      const Sym offset = parameter.offset + module_.blocks;
      append(fields.blocks,
             cat("  ", declared, " = (", type, ")",
                 offset.is_constant(0) ? std::string("scratch") : cat("(scratch + ", bracket(host_(offset), kSum), ")"), ";\n"));
      continue;
    }
    if (!convention.is_called || convention.is_used[i]) fields.declarations.push_back(declared);
    if (convention.is_used[i]) append(fields.unpacked, cat("  ", declared, " = a->", names[i], ";\n"));
  }
  for (const SymAtom* v : convention.shape_variables) {
    fields.declarations.push_back(cat("int64_t ", shape_name_(v)));
    append(fields.unpacked, cat("  const int64_t ", shape_name_(v), " = a->", shape_name_(v), ";\n"));
  }
  if (convention.has_scratch) {
    fields.declarations.emplace_back("char* scratch");
    append(fields.unpacked, cat("  char* scratch = a->scratch + worker * ", bracket(host_(module_.scratch), kUnary), ";\n"));
  }
  if (convention.polls) {
    fields.declarations.emplace_back("const volatile int32_t* cancel");
    append(fields.unpacked, "  const volatile int32_t* const cancel = a->cancel;\n");
  }
  return fields;
}

void KernelFunctions::add(const ir::Kernel& kernel, bool is_shared) {
  const Dialect& dialect = unit_.dialect;
  const Body body = render_kernel_body(unit_, module_, kernel, shape_name_);
  RenderedKernel rendered = convention_of(kernel, body, is_shared);
  const Fields fields = fields_of(kernel, rendered);
  const bool threads = ir::thread_loop(kernel) != nullptr;
  std::string parameters = "void* arg, size_t begin0, size_t end0, size_t worker", definition, first;
  if (rendered.is_called) {
    parameters = fields.declarations.empty() ? "void" : join(fields.declarations, ", ");
    if (threads) first = cat("  const size_t begin0 = 0, end0 = ", ir::iterations(kernel).constant(), ";\n");
  } else {
    definition =
        cat("struct $_args {", join(fields.declarations, "", [](const std::string& field) { return cat(" ", field, ";"); }), " };\n\n");
    first = cat("  const struct $_args* a = arg;\n", fields.unpacked,
                threads ? "  (void)worker;\n" : "  (void)begin0, (void)end0, (void)worker;\n");
  }
  append(first, fields.blocks);
  if (mentions(body.text, "fault"))
    append(first, cat("  harp_fault* const fault = (harp_fault*)(scratch + ", bracket(host_(fault_offset(module_)), kSum), ");\n"));
  const std::string last = needs_store_fence(unit_, kernel) ? cat("  ", dialect.store_fence, kFenceNote) : std::string();
  // text of the function without its name; kernels for which this text is equal share one function
  const std::string shared = cat("{\n", first, body.text, last, "}\n\n");
  const auto [known, is_new] = known_.emplace(cat(parameters, definition, shared), cat("kernel_", known_.size()));
  rendered.name = known->second;
  rendered_.push_back(rendered);
  if (!is_new) return;
  const auto named = [&](std::string text) {
    if (!rendered.is_called) text.replace(text.find('$'), 1, rendered.name);
    return text;
  };
  SourceFunction function = {text_.size(), 0, 0, 0};
  append(text_, cat(rendered.is_called ? std::string() : named(definition), "/* ", comment_text(kernel.comment), " */\n"));
  function.definition = text_.size();
  append(text_, filled(dialect.kernel_head,
                       {{"MARK", std::string(dialect.kernel_mark(kernel))}, {"NAME", rendered.name}, {"PARAMETERS", parameters}}));
  function.body = text_.size();
  append(text_, named(shared));
  function.end = text_.size();
  functions_.push_back(function);
}

}  // namespace harp::render
