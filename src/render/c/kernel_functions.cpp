#include "render/c/kernel_functions.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "render/c/compiler_bugs.h"
#include "render/c/types.h"
#include "render/host/entry_points.h"
#include "render/host/prelude.h"
#include "render/kernel/body.h"
#include "render/text/words.h"

namespace harp::render {

void KernelFunctions::add(const ir::Kernel& kernel, bool is_shared) {
  const Body body = render_kernel_body(unit_, module_, kernel, shape_name_);
  RenderedKernel rendered;
  const std::vector<std::string> names = ir::parameter_names(kernel);
  const bool checks = mentions(body.text, "fault");
  rendered.has_scratch = checks || ir::scratch_offsets(kernel).back() > 0;
  std::set<const SymAtom*> variables = body.shape_variables;
  for (size_t i = 0; i < names.size(); ++i) {
    rendered.is_used.push_back(mentions(body.text, names[i]));
    if (!rendered.is_used[i] || !kernel.params[i].block) continue;
    rendered.has_scratch = true;
    for (const SymAtom* v : variables_of(*kernel.params[i].block)) variables.insert(v);
  }
  if (rendered.has_scratch)
    for (const SymAtom* v : variables_of(module_.scratch)) variables.insert(v);
  rendered.shape_variables.assign(variables.begin(), variables.end());
  std::sort(rendered.shape_variables.begin(), rendered.shape_variables.end(),
            [](const SymAtom* a, const SymAtom* b) { return a->id < b->id; });

  rendered.is_called = !is_shared;
  std::vector<std::string> fields;
  std::string unpacked, blocks;
  for (size_t i = 0; i < names.size(); ++i) {
    const ir::Param& parameter = kernel.params[i];
    const std::string type = cat(parameter.written ? "" : "const ", memory_type(parameter.dtype), "*"), declared = cat(type, " ", names[i]);
    if (parameter.block) {
      if (!rendered.is_used[i]) continue;
      const Sym offset = *parameter.block + module_.blocks;
      append(blocks, cat("  ", declared, " = (", type, ")",
                         offset.is_constant(0) ? std::string("scratch") : cat("(scratch + ", bracket(host_(offset), kSum), ")"), ";\n"));
      continue;
    }
    if (!rendered.is_called || rendered.is_used[i]) fields.push_back(declared);
    if (rendered.is_used[i]) append(unpacked, cat("  ", declared, " = a->", names[i], ";\n"));
  }
  for (const SymAtom* v : rendered.shape_variables) {
    fields.push_back(cat("int64_t ", shape_name_(v)));
    append(unpacked, cat("  const int64_t ", shape_name_(v), " = a->", shape_name_(v), ";\n"));
  }
  if (rendered.has_scratch) {
    fields.emplace_back("char* scratch");
    append(unpacked, cat("  char* scratch = a->scratch + worker * ", bracket(host_(module_.scratch), kUnary), ";\n"));
  }
  rendered.polls = mentions(body.text, "cancel");
  if (rendered.polls) {
    fields.emplace_back("const volatile int32_t* cancel");
    append(unpacked, "  const volatile int32_t* const cancel = a->cancel;\n");
  }
  const bool threads = ir::thread_loop(kernel) != nullptr;
  std::string parameters = "void* arg, size_t begin0, size_t end0, size_t worker", definition;
  if (rendered.is_called) {
    parameters = fields.empty() ? "void" : join(fields, ", ");
    unpacked = threads ? cat("  const size_t begin0 = 0, end0 = ", ir::iterations(kernel).constant(), ";\n") : std::string();
  } else {
    definition = cat("struct $_args {", join(fields, "", [](const std::string& field) { return cat(" ", field, ";"); }), " };\n\n");
    unpacked =
        cat("  const struct $_args* a = arg;\n", unpacked, threads ? "  (void)worker;\n" : "  (void)begin0, (void)end0, (void)worker;\n");
  }
  unpacked += blocks;
  if (checks)
    append(unpacked, cat("  harp_fault* const fault = (harp_fault*)(scratch + ", bracket(host_(fault_offset(module_)), kSum), ");\n"));
  const bool streams = ir::streams(kernel) && options_.target.cpu().non_temporal_stores && !options_.plain_text;
  // everything except the kernel's number: kernels that agree in this text share one function
  const std::string shared = cat("{\n", unpacked, body.text, streams ? kStreamedText : "", "}\n\n");
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
  append(text_, cat("static ", reads_backwards(kernel) ? kBackwardsMark : "", "__attribute__((noinline)) void ", rendered.name, "(",
                    parameters, ") "));
  function.body = text_.size();
  append(text_, named(shared));
  function.end = text_.size();
  functions_.push_back(function);
}

}  // namespace harp::render
