#include "render/kernel/scalar_groups.h"

#include "render/kernel/accumulators.h"
#include "render/kernel/operators.h"

namespace harp::render {

std::string combined_text(Unit& unit, Op combine, const ir::Function* function, DType dtype, std::string_view a, std::string_view b) {
  const auto call = [&](const std::string& name) { return cat(name, "(", a, ", ", b, ")"); };
  if (function != nullptr) return call(unit.dialect.function(unit, *function, 1));
  const Rule& rule = rule_for(unit.dialect, combine, dtype);
  if (rule.form != Form::kOperator) return call(unit.dialect.elementwise(unit, rule, dtype, 1));
  return cat(a, " ", operator_of(combine), " ", b);
}

Combined scalar_combination(Unit& unit, Op combine, const ir::Function* function, DType dtype) {
  return [&unit, combine, function, dtype](std::string_view a, std::string_view b) {
    return combined_text(unit, combine, function, dtype, a, b);
  };
}

std::string fold_name(const FoldForm& form) {
  return form.function != nullptr && !form.function->op ? form.function->name : std::string(name(form.combine));
}

std::string scan_name(const ScanForm& form, std::string_view stored) {
  // Whether the scan is over bools, which are represented as the integers 0 and 1. In this case the identities of max and min are 0 and 1
  // instead of the limits of the integer dtype.
  const Op reduction = form.combine == Op::kMin ? Op::kReduceMin : Op::kReduceMax;
  const bool of_bools = (form.combine == Op::kMin || form.combine == Op::kMax) && is_int(form.identity.dtype) &&
                        form.identity != identity_of(reduction, form.identity.dtype);
  return cat("scan_", harp::name(form.combine), "_", form.size, "_", stored, of_bools ? "_of_bools" : "");
}

std::string fold_text(Unit& unit, const FoldForm& form, const std::string& name, const std::string& stored, const std::string& result,
                      const Combined& combined) {
  return cat("/* Combines element i with element i + half, then repeats this on the first half. */\n", unit.dialect.called, result, " ",
             name, "(", stored, "* s) {\n",
             form.size == 1
                 ? std::string()
                 : cat("  for (int half = ", form.size / 2,
                       "; half > 0; half /= 2)\n    for (int i = 0; i < half; ++i) s[i] = ", combined("s[i]", "s[i + half]"), ";\n"),
             "  return s[0];\n}\n");
}

std::string scan_text(Unit& unit, const ScanForm& form, const std::string& name, const Combined& combined) {
  const std::string element = unit.dialect.value_type(unit, form.identity.dtype, 1), identity = unit.dialect.literal(form.identity).text;
  const int quads = form.size / ir::kQuad;
  return cat("/* Replaces the elements of a group by their running values, starting from `carry`. Returns the total of the group. */\n",
             unit.dialect.called, element, " ", name, "(", element, "* s, ", element, " carry) {\n  ", element, " t[", quads,
             "];\n  for (int q = 0; q < ", quads, "; ++q) {\n    ", element, "* x = s + 4 * q;\n    x[3] = ", combined("x[2]", "x[3]"),
             ";\n    x[2] = ", combined("x[1]", "x[2]"), ";\n    x[1] = ", combined("x[0]", "x[1]"),
             ";\n    x[3] = ", combined("x[1]", "x[3]"), ";\n    x[2] = ", combined("x[0]", "x[2]"),
             ";\n    t[q] = x[3];\n  }\n  for (int k = 1; k < ", quads, "; k *= 2)\n    for (int q = ", quads - 1,
             "; q >= k; --q) t[q] = ", combined("t[q - k]", "t[q]"), ";\n  for (int q = 0; q < ", quads, "; ++q) {\n    const ", element,
             " e = ", combined("carry", cat("(q > 0 ? t[q - 1] : ", identity, ")")),
             ";\n    for (int i = 4 * q; i < 4 * q + 4; ++i) s[i] = ", combined("s[i]", "e"), ";\n  }\n  return t[", quads - 1, "];\n}\n");
}

}  // namespace harp::render
