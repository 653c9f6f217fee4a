// A function of the IR, usually a math function, as a C function: for one element or a vector, whole or split in halves, and with the
// target's own instruction if there is one.
#include <algorithm>
#include <set>

#include "base/error.h"
#include "render/c/types.h"
#include "render/c/unit.h"
#include "render/kernel/body.h"

namespace harp::render {
namespace {

/// Returns the size of the widest element among the values of a function.
size_t widest_element(const ir::Function& function) {
  std::vector<const ir::UOp*> stack{function.body};
  std::set<const ir::UOp*> seen;
  size_t widest = 1;
  while (!stack.empty()) {
    const ir::UOp* u = stack.back();
    stack.pop_back();
    if (!seen.insert(u).second) continue;
    widest = std::max(widest, size_of(u->type.dtype));
    stack.insert(stack.end(), u->sources.begin(), u->sources.end());
  }
  return widest;
}

/// Tests whether every loop that calls the function should inline it and keep its constants in registers. 32 vector registers are enough
/// for that if masks take none of them. By itself gcc neither inlines a function that is called twice, unless it is small, nor keeps the
/// constants in registers. (softmax of rows of 1,024 elements takes 0.86 of the time.)
bool is_lean(const ir::Function& function, int lanes, const Cpu& cpu) {
  constexpr int kManyRegisters = 32;
  constexpr size_t kMostNodes = 64, kMostConstants = 18;
  const bool has_room = cpu.vector_registers >= kManyRegisters && cpu.mask_registers;
  if (!has_room || lanes * static_cast<int>(size_of(function.result)) != cpu.vector_bytes) return false;
  if (is_small(function)) return false;
  std::vector<const ir::UOp*> all{function.body};
  size_t constants = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    const ir::UOp& u = *all[i];
    if (u.kind == ir::UKind::kRarely || u.kind == ir::UKind::kTable) return false;
    constants += u.kind == ir::UKind::kConst;
    const auto add = [&](const ir::UOp* more) {
      if (std::find(all.begin(), all.end(), more) == all.end()) all.push_back(more);
    };
    for (const ir::UOp* source : u.sources) add(source);
    if (u.kind == ir::UKind::kCall) add(u.function->body);
    if (all.size() > kMostNodes || constants > kMostConstants) return false;
  }
  return true;
}

std::vector<std::string> parameter_names(size_t count) {
  static constexpr std::string_view kNames[] = {"x", "y", "z", "w", "v", "u"};
  HARP_ASSERT(count <= std::size(kNames), "a math function of ", count, " parameters");
  return {kNames, kNames + count};
}

}  // namespace

std::string Unit::function(const ir::Function& function, int lanes) {
  const std::string name = lanes == 1 ? function.name : cat(function.name, "x", lanes);
  once(name, [&] {
    // the compiler would split vectors wider than a register badly, so they are split here
    const bool too_wide = static_cast<int>(widest_element(function)) * lanes > options_.target.cpu().vector_bytes;
    return lanes > 1 && too_wide ? split_function_text(function, lanes, name) : function_text(function, lanes, name);
  });
  return name;
}

std::string Unit::function_at_many_places(const ir::Function& function, int lanes) {
  std::string inlined = this->function(function, lanes);
  if (ir::is_small(function)) return inlined;
  std::string name = cat(inlined, "_called");
  once(name, [&] {
    const std::vector<std::string> names = parameter_names(function.parameters.size());
    std::vector<std::string> parameters;
    for (size_t i = 0; i < names.size(); ++i) parameters.push_back(cat(type(function.parameters[i], lanes), " ", names[i]));
    return cat("static __attribute__((noinline)) ", type(function.result, lanes), " ", name, "(", join(parameters, ", "), ") { return ",
               inlined, "(", join(names, ", "), "); }\n");
  });
  return name;
}

// Interleaves two evaluations, so that the latency of one is hidden by the operations of the other. Compilers emit two calls one after the
// other, and together these exceed the processor's out-of-order window. expm1, cosh, tan and log1p take 0.90 to 0.93 of the time.
std::string Unit::function_of_two(const ir::Function& function, int lanes) {
  const bool too_wide = static_cast<int>(widest_element(function)) * lanes > options_.target.cpu().vector_bytes;
  if (lanes == 1 || too_wide || is_bool(function.result) || is_small(function) || instruction_form(function, lanes, options_.target.cpu()))
    return {};
  std::string name = cat(function.name, "_of_two_x", lanes);
  once(name, [&] {
    const std::vector<std::string> names = parameter_names(function.parameters.size());
    std::string parameters;
    for (const int vector : {0, 1})
      for (size_t i = 0; i < names.size(); ++i) append(parameters, cat(type(function.parameters[i], lanes), " ", names[i], vector, ", "));
    const std::string result = cat(type(function.result, lanes), "* ");
    const std::string body = render_function_of_two(*this, function, lanes, names, is_lean(function, lanes, options_.target.cpu())).text;
    return cat("static inline __attribute__((always_inline)) void ", name, "(", parameters, result, "r0, ", result, "r1) {\n", body, "}\n");
  });
  return name;
}

std::string Unit::function_text(const ir::Function& function, int lanes, const std::string& name) {
  const std::vector<std::string> names = parameter_names(function.parameters.size());
  std::vector<std::string> parameters;
  for (size_t i = 0; i < names.size(); ++i) {
    HARP_ASSERT(lanes == 1 || !is_bool(function.parameters[i]), "a mask as a parameter of ", function.name);
    parameters.push_back(cat(type(function.parameters[i], lanes), " ", names[i]));
  }
  const int mask_bits = mask_bits_of(function);
  const std::string result = lanes > 1 && mask_bits > 0 ? mask(mask_bits, lanes) : type(function.result, lanes);
  const bool is_lean = render::is_lean(function, lanes, options_.target.cpu());
  const std::optional<std::string> flagged = flagged_text(function, lanes);
  const std::string definition = flagged ? *flagged : render_function_body(*this, function, lanes, names, is_lean).text;
  return cat("static inline ", is_lean ? "__attribute__((always_inline)) " : "", result, " ", name, "(", join(parameters, ", "), ") {\n",
             with_instructions(instruction_form(function, lanes, options_.target.cpu()), definition), "}\n");
}

/// Returns the definition, preceded by the target's instruction form, if there is one, under a preprocessor condition.
std::string Unit::with_instructions(const std::optional<InstructionForm>& form, const std::string& definition) {
  if (!form) return definition;
  once("__has_builtin", [] { return "#ifndef __has_builtin\n#define __has_builtin(name) 0\n#endif\n"; });
  if (!form->clang_feature.empty() && known_.insert("-Wunused-function").second)  // the pragma precedes every function
    typedefs_.emplace_back("#pragma GCC diagnostic ignored \"-Wunused-function\" /* of a definition whose instruction is taken */\n");
  for (const InstructionForm::Vector& v : form->vectors) memory_vector(v.dtype, v.lanes);
  return cat("#if ", form->clang_feature.empty() ? "!defined(__clang__)" : cat("defined(", form->clang_feature, ")"), " && ",
             join(form->builtins, " && ", [](const std::string& b) { return cat("__has_builtin(", b, ")"); }), "\n", form->body, "#else\n",
             definition, "#endif\n");
}

std::string Unit::split_function_text(const ir::Function& function, int lanes, const std::string& name) {
  const int half = lanes / 2;  // at least 2: every register holds two of the widest elements
  const std::string part = this->function(function, half);
  const std::vector<std::string> names = parameter_names(function.parameters.size());
  const auto result_type = [&](int n) {
    const int mask_bits = mask_bits_of(function);
    return n > 1 && mask_bits > 0 ? mask(mask_bits, n) : type(function.result, n);
  };
  std::vector<std::string> parameters;
  for (size_t i = 0; i < names.size(); ++i) parameters.push_back(cat(type(function.parameters[i], lanes), " ", names[i]));
  std::string text = cat("static inline ", result_type(lanes), " ", name, "(", join(parameters, ", "), ") {\n");
  for (const bool high : {false, true})
    append(text, cat("  const ", result_type(half), high ? " high = " : " low = ", part, "(",
                     join(names, ", ",
                          [&](const std::string& n) {
                            return cat("__builtin_shufflevector(", n, ", ", n, ", ", lane_numbers(high ? half : 0, half), ")");
                          }),
                     ");\n"));
  return cat(text, "  return __builtin_shufflevector(low, high, ", lane_numbers(0, lanes), ");\n}\n");
}

}  // namespace harp::render
