#include "render/c/function.h"

#include <algorithm>

#include "base/error.h"
#include "ir/functions.h"
#include "ir/walk.h"
#include "render/kernel/body.h"
#include "render/kernel/scalar_functions.h"

namespace harp::render {
namespace {

/// Returns the size in bytes of the widest type among the values of a function.
size_t widest_element(const ir::Function& function) {
  size_t widest = 1;
  ir::for_each_uop({function.body}, [&](const ir::UOp* u) { widest = std::max(widest, size_of(u->type.dtype)); });
  return widest;
}

/// Tests whether every loop that calls the function should inline it and keep its constants in registers. That is faster if there are 32
/// vector registers, and masks have registers of their own. Without attributes that force it, gcc does not inline a larger function that is
/// called twice, and does not keep the constants in registers. (With them, softmax of rows of 1,024 elements takes 0.86 of the time.)
bool is_lean(const ir::Function& function, int lanes, const Cpu& cpu) {
  constexpr int kManyRegisters = 32;
  constexpr size_t kMaxNodes = 64, kMaxConstants = 18;
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
    if (all.size() > kMaxNodes || constants > kMaxConstants) return false;
  }
  return true;
}

/// Returns the parameter list of a function over vectors, for example "float x, float y".
std::string parameters_of(Unit& unit, const ir::Function& function, int lanes) {
  const std::vector<std::string> names = function_parameters(function.parameters.size());
  std::vector<std::string> parameters;
  for (size_t i = 0; i < names.size(); ++i) {
    HARP_ASSERT(lanes == 1 || !is_bool(function.parameters[i]), "parameter ", i, " of ", function.name,
                " is bool; a function of vectors takes no masks");
    parameters.push_back(cat(value_type(unit, function.parameters[i], lanes), " ", names[i]));
  }
  return join(parameters, ", ");
}

std::string result_type(Unit& unit, const ir::Function& function, int lanes) {
  const int mask_bits = mask_bits_of(function);
  return lanes > 1 && mask_bits > 0 ? mask_type(unit, mask_bits, lanes) : value_type(unit, function.result, lanes);
}

/// Returns the definition of a function over vectors that fit into one register. Also used with one lane, for functions that detect NaN by
/// the invalid flag.
std::string function_text(Unit& unit, const ir::Function& function, int lanes, const std::string& name) {
  const std::string parameters = parameters_of(unit, function, lanes), result = result_type(unit, function, lanes);
  const bool lean = is_lean(function, lanes, unit.options.target.cpu());
  const std::vector<std::string> names = function_parameters(function.parameters.size());
  const std::optional<std::string> flagged = flagged_text(unit, function, lanes);
  const std::string definition = flagged ? *flagged : render_function_body(unit, function, lanes, names, lean).text;
  return cat("static inline ", lean ? "__attribute__((always_inline)) " : "", result, " ", name, "(", parameters, ") {\n",
             with_instructions(unit, instruction_form(function, lanes, unit.options.target.cpu()), definition), "}\n");
}

/// Returns the definition of a function over vectors wider than a register. Compilers split operations on such vectors badly. Therefore the
/// definition calls the function for half as many lanes twice.
std::string split_function_text(Unit& unit, const ir::Function& function, int lanes, const std::string& name) {
  const int half = lanes / 2;  // `half` is at least 2, because a register has room for two of the widest elements.
  const std::string part = function_of(unit, function, half);
  const std::vector<std::string> names = function_parameters(function.parameters.size());
  const std::string parameters = parameters_of(unit, function, lanes);
  std::string text = cat("static inline ", result_type(unit, function, lanes), " ", name, "(", parameters, ") {\n");
  for (const bool high : {false, true}) {
    const std::string numbers = lane_numbers(high ? half : 0, half);
    const std::string halves =
        join(names, ", ", [&](const std::string& n) { return cat("__builtin_shufflevector(", n, ", ", n, ", ", numbers, ")"); });
    append(text, cat("  const ", result_type(unit, function, half), high ? " high = " : " low = ", part, "(", halves, ");\n"));
  }
  return cat(text, "  return __builtin_shufflevector(low, high, ", lane_numbers(0, lanes), ");\n}\n");
}

}  // namespace

namespace {

/// Returns the name of a generated function that computes the position of one element from its index, as ir::build_clamp_index() does. Most
/// indices are in range, which the function tests by one compare and branch. For all other indices it calls a second function that is not
/// inlined, so that the code of the usual path stays small and in one piece. (Code without a branch takes about ten instructions, which is
/// more than the rest of the loop in most gathers and scatters.)
std::string clamp_index_function(Unit& unit, const ir::Function& function) {
  unit.definitions.once(function.name, [&] {
    const DType dtype = function.parameters[0];
    const std::vector<std::string> names = function_parameters(2);
    const std::string type = value_type(unit, dtype, 1), unsigned_type = value_type(unit, unsigned_of(bits_of_dtype(dtype)), 1),
                      any = cat("clamp_any_", function.name.substr(std::string_view("clamp_").size()));
    const std::string head = cat("(", type, " ", names[0], ", ", type, " ", names[1], ") {\n");
    return cat(unit.dialect.rarely_called, type, " ", any, head, render_function_body(unit, function, 1, names, false).text, "}\n",
               unit.dialect.inlined, type, " ", function.name, head, "  return __builtin_expect((", unsigned_type, ")", names[0], " < (",
               unsigned_type, ")", names[1], ", 1) ? ", names[0], " : ", any, "(", names[0], ", ", names[1], ");\n}\n");
  });
  return function.name;
}

}  // namespace

int mask_bits_of(const ir::Function& function) {
  if (!is_bool(function.result)) return 0;
  return is_bool(function.parameters[0]) ? 32 : bits_of_dtype(function.parameters[0]);
}

std::string function_of(Unit& unit, const ir::Function& function, int lanes) {
  if (lanes == 1 && function.name.starts_with(ir::kClampIndex)) return clamp_index_function(unit, function);
  if (lanes == 1 && !is_flagged(unit.options, function)) return scalar_function(unit, function);
  const std::string name = lanes == 1 ? function.name : cat(function.name, "x", lanes);
  unit.definitions.once(name, [&] {
    const bool too_wide = static_cast<int>(widest_element(function)) * lanes > unit.options.target.cpu().vector_bytes;
    return lanes > 1 && too_wide ? split_function_text(unit, function, lanes, name) : function_text(unit, function, lanes, name);
  });
  return name;
}

std::string function_at_many_places(Unit& unit, const ir::Function& function, int lanes) {
  std::string inlined = function_of(unit, function, lanes);
  if (ir::is_small(function)) return inlined;
  std::string name = cat(inlined, "_called");
  unit.definitions.once(name, [&] {
    const std::string names = join(function_parameters(function.parameters.size()), ", ");
    return cat(unit.dialect.called, value_type(unit, function.result, lanes), " ", name, "(", parameters_of(unit, function, lanes),
               ") { return ", inlined, "(", names, "); }\n");
  });
  return name;
}

// Returns the name of a generated function that evaluates a function for two vectors and interleaves the two computations, so that
// operations of one computation execute during the latency of operations of the other. For two separate calls, compilers emit the code of
// one call after that of the other, and the processor's out-of-order window is too short to overlap them. With interleaved operations,
// expm1, cosh, tan and log1p take 0.90 to 0.93 of the time of separate calls.
std::string function_of_two(Unit& unit, const ir::Function& function, int lanes) {
  const bool too_wide = static_cast<int>(widest_element(function)) * lanes > unit.options.target.cpu().vector_bytes;
  if (lanes == 1 || too_wide || is_bool(function.result) || is_small(function) ||
      instruction_form(function, lanes, unit.options.target.cpu()))
    return {};
  std::string name = cat(function.name, "_of_two_x", lanes);
  unit.definitions.once(name, [&] {
    const std::vector<std::string> names = function_parameters(function.parameters.size());
    std::string parameters;
    for (const int vector : {0, 1})
      for (size_t i = 0; i < names.size(); ++i)
        append(parameters, cat(value_type(unit, function.parameters[i], lanes), " ", names[i], vector, ", "));
    const std::string result = cat(value_type(unit, function.result, lanes), "* ");
    const std::string body = render_function_of_two(unit, function, lanes, names, is_lean(function, lanes, unit.options.target.cpu())).text;
    return cat("static inline __attribute__((always_inline)) void ", name, "(", parameters, result, "r0, ", result, "r1) {\n", body, "}\n");
  });
  return name;
}

std::string with_instructions(Unit& unit, const std::optional<InstructionForm>& form, const std::string& definition) {
  if (!form) return definition;
  unit.definitions.once("__has_builtin", [] { return "#ifndef __has_builtin\n#define __has_builtin(name) 0\n#endif\n"; });
  if (!form->clang_feature.empty() || !form->feature.empty())
    unit.definitions.type_once(
        "-Wunused-function",
        "#pragma GCC diagnostic ignored \"-Wunused-function\" /* a scalar definition is unused where an instruction replaces it */\n");
  for (const InstructionForm::Vector& v : form->vectors) memory_vector(unit, v.dtype, v.lanes);
  const bool has_clang_body = !form->clang_body.empty();
  const std::string clang_feature = cat("defined(", form->clang_feature, ")"),
                    required = form->feature.empty() ? std::string() : cat("defined(", form->feature, ") && ");
  const std::string clang_condition = form->clang_feature.empty() ? required : cat(clang_feature, " && ");
  const std::string clang =
      has_clang_body ? cat("#elif defined(__clang__) && ", clang_condition, "__has_builtin(", form->clang_builtin, ")\n", form->clang_body)
                     : std::string();
  return cat("#if ", form->clang_feature.empty() || has_clang_body ? "!defined(__clang__)" : clang_feature, " && ", required,
             join(form->builtins, " && ", [](const std::string& b) { return cat("__has_builtin(", b, ")"); }), "\n", form->body, clang,
             "#else\n", definition, "#endif\n");
}

}  // namespace harp::render
