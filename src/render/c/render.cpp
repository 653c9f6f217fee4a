// Assembles a generated source (a unit): header comment, prelude, definitions, kernels, kernel_main, and the two entry points.
#include "render/c/render.h"

#include <string_view>

#include "base/error.h"
#include "base/hash.h"
#include "base/revision.h"
#include "base/table_limit.h"
#include "ir/hidden_constants.h"
#include "render/c/compiler_bugs.h"
#include "render/c/dialect.h"
#include "render/c/kernel_functions.h"
#include "render/host/arrays.h"
#include "render/host/entry_points.h"
#include "render/host/kernel_main.h"
#include "render/host/launch_table.h"
#include "render/host/prelude.h"
#include "render/host/sharing.h"
#include "render/text/words.h"

namespace harp::render {
namespace {

constexpr std::string_view kVectorNote =
    "/* Vectors are passed only between functions of this file, so the ABI that this warning is about does not matter. */\n"
    "#pragma GCC diagnostic ignored \"-Wpsabi\"\n\n";

std::string counted(size_t n, std::string_view what) { return cat(n, " ", what, n == 1 ? "" : "s"); }

/// Returns the comment at the beginning of a unit.
std::string header(const ir::Module& module, const RenderOptions& options) {
  const auto arrays = [](const std::vector<ir::ArrayType>& list) {
    return join(list, ", ", [](const ir::ArrayType& a) {
      return cat(a.name, ": ", name(a.dtype), "[", join(a.shape, ", ", [](Sym s) { return to_string(s); }), "]");
    });
  };
  size_t launches = 0;
  std::string natives, hidden;
  const ir::HiddenConstants constants(module);
  for (const size_t i : constants.constants()) {
    const ir::ConstantArray& array = module.constants[i];
    if (hidden.empty()) append(hidden, "\n   Large constant arrays of the graph are passed behind its inputs:");
    append(hidden, cat("\n   inputs[", *constants.position(i), "] is ", array.data->size() / size_of(array.dtype), " elements of ",
                       name(array.dtype), ", digest ", digest_of(*array.data).hex()));
  }
  for (const ir::Generation& generation : module.generations) {
    launches += generation.launches.size();
    for (const ir::NativeCall& call : generation.calls)
      append(natives, cat("\n   natives[", call.function, "] is ", comment_text(call.name)));
  }
  return cat("/* harp · graph \"", comment_text(module.name), "\" · target ", options.plain_text ? "any, plain text" : options.target.name,
             " · stable, law ", kLawRevision, " · ", counted(launches, "kernel"), ", ", counted(module.generations.size(), "generation"),
             "\n   ", comment_text(arrays(module.inputs)), module.inputs.empty() ? "" : " ", "-> ", comment_text(arrays(module.outputs)),
             hidden, natives,
             "\n   Kernels of one generation do not depend on each other. The comment of a kernel gives its generation, the extents of its "
             "loops, and "
             "how\n   they are scheduled. */\n");
}

/// Returns for each kernel whether several workers may execute one launch of it.
std::vector<bool> shared_kernels(const ir::Module& module, const Sharing& sharing, const LaunchTable& table) {
  std::vector<bool> are_shared(module.kernels.size(), false);
  for (const ir::Generation& generation : module.generations)
    for (const std::span<const ir::Launch> launches : Sharing::together(generation))
      if (generation.blocks > 0 || table.has(generation) || sharing.is_worth_sharing(launches))
        for (const ir::Launch& launch : launches) are_shared[static_cast<size_t>(launch.kernel)] = true;
  return are_shared;
}

/// Returns the definitions of those runtime functions that kernel_main calls. `main` is the text of kernel_main.
std::string host_functions(const ir::Module& module, const Sharing& sharing, const LaunchTable& table, std::string_view main,
                           std::string_view entry) {
  const bool has_table = table.rows() > 0, has_for = has_table || mentions(main, "harp_for"),
             has_for_least = mentions(main, "harp_for_least"), has_tasks = mentions(main, "harp_run_together");
  std::string text;
  const auto add = [&](bool is_needed, std::string_view part) {
    if (is_needed) append(text, cat(part, "\n"));
  };
  if (has_for || has_for_least || has_tasks) append(text, cat(workers_text(sharing.share()), kPiecesText));
  add(has_for, kForText);
  add(mentions(main, "harp_run_chain"), kChainText);
  add(has_for_least, kForLeastText);
  add(has_tasks, kTogetherText);
  if (mentions(main, "harp_native_failed")) append(text, native_failed_text(module.natives.size()));
  add(mentions(entry, "harp_allocate"), kWorkspaceText);
  add(module.sites > 0, kFaultText);
  if (has_table) add(true, table.definitions());
  return text;
}

/// Tests whether the host code or a kernel polls the cancel flag.
bool polls(std::string_view main, std::string_view kernels, const LaunchTable& table) {
  for (const std::string_view function : {"harp_is_set", "harp_for", "harp_for_least", "harp_run_together"})
    if (mentions(main, function)) return true;
  return table.rows() > 0 || mentions(kernels, "cancel");
}

/// Returns the offsets, in the source, of a definition that is not inlined. `begin` is the offset of `definitions` in the source.
SourceFunction shared_function(const std::string& definitions, const Definitions::Shared& shared, size_t begin) {
  const size_t definition = definitions.find("*/\nstatic ", shared.begin) + 3;
  return {begin + shared.begin, begin + definition, begin + definitions.find('{', definition), begin + shared.end, true};
}

}  // namespace

bool writes_vectors(const RenderOptions& options) { return !options.plain_text && options.target.cpu().fma && options.target.cpu().rounds; }

std::string render_c(const ir::Module& module, const RenderOptions& options, std::vector<SourceFunction>* separate,
                     const Dialect& dialect) {
  Unit unit{options, dialect};
  HostArrays arrays(module, unit);
  const Sharing sharing(module, options);
  LaunchTable table(module, sharing.least());
  KernelFunctions kernels(module, unit, arrays.sizes(), [&](const SymAtom* v) { return arrays.shape_name(v); });
  const std::vector<bool> are_shared = shared_kernels(module, sharing, table);
  for (size_t k = 0; k < module.kernels.size(); ++k) {
    check_time(module.arena->syms());
    kernels.add(module.kernels[k], are_shared[k]);
  }
  KernelMain kernel_main(module, sharing, kernels, arrays, table);
  const std::string main = kernel_main.render();
  const std::string entry = entry_points(
      module, arrays.sizes(), {table.is_used(), arrays.uses_workspace(), kernel_main.may_fail(), polls(main, kernels.text(), table)});

  const std::string first =
      cat(header(module, options), gcc_text(), kRuntimeText, "\n", options.plain_text ? std::string_view() : kVectorNote);
  const std::string at_load = join(unit.at_load, "", [](const auto& table) -> const std::string& { return table.second; });
  const Definitions::Ordered definitions = unit.definitions.ordered(cat(at_load, kernels.text()));
  const std::string for_all =
      cat(first, definitions.text, definitions.text.empty() ? "" : "\n", arrays.constants(main), kEnvironmentText, "\n", at_load,
          mentions(kernels.text(), "harp_reads_backwards") ? kBackwardsText : "", mentions(kernels.text(), kWrapsMark) ? kWrapsText : "");
  // Tables that are filled when the code is loaded must exist only once. Therefore a source with such tables is not compiled in parts.
  if (separate != nullptr && at_load.empty()) {
    separate->clear();
    for (const Definitions::Shared& shared : definitions.shared)
      separate->push_back(shared_function(definitions.text, shared, first.size()));
    for (SourceFunction f : kernels.functions()) {
      for (size_t* offset : {&f.begin, &f.definition, &f.body, &f.end}) *offset += for_all.size();
      separate->push_back(f);
    }
  }
  return cat(for_all, kernels.text(), host_functions(module, sharing, table, main, entry), main, "\n", entry);
}

std::string render_c(const ir::Module& module, const RenderOptions& options, std::vector<SourceFunction>* separate) {
  return render_c(module, options, separate, kC);
}

}  // namespace harp::render
