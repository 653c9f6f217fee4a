#include "render/c/vector_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "ops/math_coefficients.h"
#include "render/c/emulation.h"
#include "render/c/function.h"
#include "render/c/instructions.h"
#include "render/c/masks.h"

namespace harp::render {
namespace {

/// Tests whether a scalar operation must be emulated. That is the case if the machine has no instruction for it, or if the source is plain
/// C99 (RenderOptions::plain_text), which cannot use that instruction.
bool is_emulated(Op op, const RenderOptions& options) {
  if (emulation_of(op, DType::kF64).empty()) return false;
  if (options.plain_text) return true;
  return op == Op::kFma ? !options.target.cpu().fma : op != Op::kSqrt && !options.target.cpu().rounds;
}

/// Tests whether every number of the integer dtype `to` is exact in the float dtype `from`, and the CPU has one instruction that converts
/// such floats to integers (to i32, of which narrower integers are the low bits).
bool converts_clamped(DType from, DType to) { return size_of(to) < 4 || (from == DType::kF64 && to == DType::kI32); }

/// Returns the larger of the vectors x and y (with `greater`) or the smaller one, and y where x is a NaN, as an expression.
std::string extreme(Unit& unit, bool greater, DType dtype, int lanes, const std::string& x, const std::string& y) {
  if (const std::string function = first_if_less_function(unit, greater, dtype, lanes); !function.empty())
    return cat(function, "(", x, ", ", y, ")");
  return cat(select_function(unit, dtype, lanes), "(", x, greater ? " > " : " < ", y, ", ", x, ", ", y, ")");
}

/// Returns the body of cast_function() where converts_clamped(): the numbers are limited to the range of `to` as floats, so that the
/// conversion itself never overflows. Selecting limits among converted integers would take a mask as narrow as these for each limit.
std::string clamped_cast_body(Unit& unit, DType from, DType to, int lanes) {
  const DType wide = DType::kI32;
  const std::string f = value_type(unit, from, lanes), splat = splat_function(unit, from, lanes);
  const auto limit = [&](double value) { return cat(splat, "(", c_literal(scalar_from_double(from, value)).text, ")"); };
  const double least = is_signed_int(to) ? -std::ldexp(1.0, bits_of_dtype(to) - 1) : 0.0;
  const double most = std::ldexp(1.0, bits_of_dtype(to) - (is_signed_int(to) ? 1 : 0)) - 1;
  std::string text;
  // The larger of a NaN and the least number is the least number, which is right if that is 0.
  if (is_signed_int(to)) text = cat("  x = ", select_function(unit, from, lanes), "(x == x, x, ", limit(0), ");\n");
  append(text, cat("  const ", f, " above = ", extreme(unit, true, from, lanes, "x", limit(least)),
                   ", inside = ", extreme(unit, false, from, lanes, "above", limit(most)), ";\n"));
  const std::string converted = cat("__builtin_convertvector(inside, ", value_type(unit, wide, lanes), ")");
  return cat(text, "  return ", to == wide ? converted : converted_vector(unit, converted, wide, to, lanes), ";\n");
}

}  // namespace

std::string emulated_definition(Unit& unit, Op op, DType dtype) {
  if (!is_emulated(op, unit.options)) return {};
  if (op == Op::kSqrt && dtype == DType::kF32) scalar_elementwise_function(unit, *rule_of(op, DType::kF64), DType::kF64);
  return std::string(emulation_of(op, dtype));
}

std::string elementwise_function(Unit& unit, const Rule& rule, DType dtype, int lanes) {
  if (lanes == 1) return scalar_elementwise_function(unit, rule, dtype);
  const std::string name = name_with_lanes(harp::name(rule.op), dtype, lanes);
  unit.definitions.once(name, [&]() -> std::string {
    const bool predicate = rule.form == Form::kPredicate, whole = predicate || rule.form == Form::kVectorHelper;
    const std::string vector_type = value_type(unit, dtype, lanes),
                      result = predicate ? mask_type(unit, bits_of_dtype(dtype), lanes) : vector_type;
    const std::string head = cat("static inline ", result, " ", name, "(", parameter_list(vector_type, info(rule.op).arity), ") ");
    if (whole) return cat(head, "{ return ", fill_pattern(unit, rule.pattern, dtype, "a"), "; }\n");
    std::string one;
    if (is_emulated(rule.op, unit.options)) {
      const std::string scalar = elementwise_function(unit, rule, dtype, 1);
      one = cat(scalar, info(rule.op).arity == 3 ? "(a[lane], b[lane], c[lane])" : "(a[lane])");
    } else {
      one = fill_pattern(unit, rule.pattern, dtype, "a[lane]", "b[lane]", "c[lane]");
    }
    const std::string lane_by_lane = cat("  ", result, " r = {0};\n", loop_over_lanes(cat("r[lane] = ", one, ";"), lanes), "  return r;\n");
    const auto form = rule.op == Op::kFma ? fused_multiply_add(dtype, lanes, unit.options.target.cpu()) : std::nullopt;
    return cat(head, "{\n", with_instructions(unit, form, lane_by_lane), "}\n");
  });
  return name;
}

std::string splat_function(Unit& unit, DType dtype, int lanes) {
  const std::string name = name_with_lanes("splat", dtype, lanes);
  unit.definitions.once(name, [&] {
    const std::string vector_type = value_type(unit, dtype, lanes);
    std::vector<std::string_view> copies(static_cast<size_t>(lanes), "x");
    return cat("static inline ", vector_type, " ", name, "(", value_type(dtype), " x) { return (", vector_type, "){", join(copies, ", "),
               "}; }\n");
  });
  return name;
}

std::string constant_function(Unit& unit, DType dtype, int lanes) {
  const std::string name = name_with_lanes("held", dtype, lanes);
  unit.definitions.once(name, [&] {
    const std::string vector_type = value_type(unit, dtype, lanes), splat = splat_function(unit, dtype, lanes);
    return cat("/* A constant in a register. Without this, gcc loads it from memory at each use. */\n",
               "static inline __attribute__((always_inline)) ", vector_type, " ", name, "(", value_type(dtype), " x) {\n  ", vector_type,
               " c = ", splat, "(x);\n#if !defined(__clang__)\n  __asm__(\"\" : \"+v\"(c));\n#endif\n  return c;\n}\n");
  });
  return name;
}

std::string select_function(Unit& unit, DType dtype, int lanes) {
  const std::string name = name_with_lanes("select", dtype, lanes);
  unit.definitions.once(name, [&] {
    const std::string v = value_type(unit, dtype, lanes), m = mask_type(unit, bits_of_dtype(dtype), lanes);
    const std::string from = v == m ? std::string() : cat("(", m, ")"), to = v == m ? std::string() : cat("(", v, ")");
    return cat("static inline ", v, " ", name, "(", m, " m, ", v, " a, ", v, " b) { return ", to, "((m & ", from, "a) | (~m & ", from,
               "b)); }\n");
  });
  return name;
}

std::string cast_function(Unit& unit, DType from, DType to, int lanes) {
  const std::string name = cast_name(from, to, lanes);
  unit.definitions.once(name, [&] {
    const bool with_sign = is_signed_int(to);
    const std::string limit = cast_limit(from, to);
    const std::string most = c_literal(scalar_from_double(to, std::numeric_limits<double>::infinity())).text;
    const std::string least = c_literal(scalar_from_double(to, -std::numeric_limits<double>::infinity())).text;
    const std::string f = value_type(unit, from, lanes), i = value_type(unit, to, lanes);
    const std::string head = cat(kCastComment, "static inline ", i, " ", name, "(", f, " x) {\n");
    if (converts_clamped(from, to)) return cat(head, clamped_cast_body(unit, from, to, lanes), "}\n");
    const auto replace = [&](const std::string& condition, const std::string& value) {
      const std::string wide_enough = size_of(from) == size_of(to) ? condition
                                                                   : converted_vector(unit, condition, signed_of(bits_of_dtype(from)),
                                                                                      signed_of(bits_of_dtype(to)), lanes);
      return cat(select_function(unit, to, lanes), "(", wide_enough, ", ", splat_function(unit, to, lanes), "(", value, "), r)");
    };
    // Lanes outside of the range of `to` are replaced by 0 before the conversion. The condition may also replace numbers inside the range
    // whose conversion gives 0, because the result is the same.
    const std::string inside = cat(with_sign ? cat("(x >= -", limit, ")") : "(x >= 1)", " & (x < ", limit, ")");
    std::string text = cat(head, "  const ", f, " inside = ", select_function(unit, from, lanes), "(", inside, ", x, ",
                           splat_function(unit, from, lanes), "(0.0", from == DType::kF32 ? "f" : "", "));\n  ", with_sign ? "" : "const ",
                           i, " r = __builtin_convertvector(inside, ", i, ");\n");
    if (with_sign) append(text, cat("  r = ", replace(cat("x < -", limit), least), ";\n"));
    return cat(text, "  return ", replace(cat("x >= ", limit), most), ";\n}\n");
  });
  return name;
}

std::string lanewise_cast_function(Unit& unit, DType from, DType to, int lanes) {
  const std::string name = name_with_lanes(cat("lanes_to_", harp::name(to)), from, lanes);
  unit.definitions.once(name, [&] {
    return cat("static inline ", value_type(unit, to, lanes), " ", name, "(", value_type(unit, from, lanes), " x) {\n  ",
               value_type(unit, to, lanes), " r = {0};\n", loop_over_lanes("r[lane] = x[lane];", lanes), "  return r;\n}\n");
  });
  return name;
}

namespace {

/// Returns the name of a generated function that widens each element of a vector.
std::string widening_function(Unit& unit, DType from, DType to, int lanes) {
  const std::string name = name_with_lanes(cat("widened_to_", harp::name(to)), from, lanes);
  unit.definitions.once(name, [&] {
    const std::string result = value_type(unit, to, lanes),
                      head = cat("static inline ", result, " ", name, "(", value_type(unit, from, lanes), " x) {\n");
    const std::string definition = cat("#if defined(__clang__)\n  return __builtin_convertvector(x, ", result, ");\n#else\n  ", result,
                                       " r = {0};\n", loop_over_lanes("r[lane] = x[lane];", lanes), "  return r;\n#endif\n");
    return cat(head, with_instructions(unit, widening_instruction(from, to, lanes, unit.options.target.cpu()), definition), "}\n");
  });
  return name;
}

/// Tests whether the conversion should use widening_function(). The result is false for two lanes and for vectors of several registers,
/// because for these gcc compiles that function to slow scalar code.
bool is_widened(const Unit& unit, DType from, DType to, int lanes) {
  constexpr size_t kFactor = 4;
  constexpr int kMinLanes = 4;
  const Cpu& cpu = unit.options.target.cpu();
  if (size_of(to) <= size_of(from) || lanes < kMinLanes || lanes * static_cast<int>(size_of(to)) > cpu.vector_bytes) return false;
  if (is_float(to)) return to == DType::kF64 && (from == DType::kF32 || from == DType::kI32) && widening_instruction(from, to, lanes, cpu);
  return is_int(from) && (size_of(to) >= kFactor * size_of(from) || widening_instruction(from, to, lanes, cpu));
}

/// Returns the name of a generated function that keeps the low bits of each element of a vector.
std::string narrowing_function(Unit& unit, DType from, DType to, int lanes) {
  const std::string name = name_with_lanes(cat("narrowed_to_", harp::name(to)), from, lanes);
  unit.definitions.once(name, [&] {
    const int ratio = static_cast<int>(size_of(from) / size_of(to));
    const std::string parts = cat("(", memory_vector(unit, to, lanes * ratio), ")x");
    return cat("/* The low bits of each lane. */\nstatic inline ", value_type(unit, to, lanes), " ", name, "(",
               value_type(unit, from, lanes), " x) { return __builtin_shufflevector(", parts, ", ", parts, ", ",
               lane_numbers(0, lanes, ratio), "); }\n");
  });
  return name;
}

/// Tests whether the conversion should use narrowing_function(), which shuffles bytes (64-bit lanes to 32-bit ones: words).
bool is_narrowed(const Unit& unit, DType from, DType to, int lanes) {
  const Cpu& cpu = unit.options.target.cpu();
  const int bytes = lanes * static_cast<int>(size_of(from));
  return is_int(from) && is_int(to) && size_of(to) < size_of(from) && cpu.instructions == InstructionSet::kX86 && cpu.shuffles_bytes &&
         (bytes == 16 || bytes == 32) && bytes <= cpu.vector_bytes;
}

}  // namespace

std::string converted_vector(Unit& unit, const std::string& text, DType from, DType to, int lanes) {
  const std::string function = is_widened(unit, from, to, lanes)    ? widening_function(unit, from, to, lanes)
                               : is_narrowed(unit, from, to, lanes) ? narrowing_function(unit, from, to, lanes)
                                                                    : std::string();
  return function.empty() ? cat("__builtin_convertvector(", text, ", ", value_type(unit, to, lanes), ")") : cat(function, "(", text, ")");
}

std::string bits_function(Unit& unit, DType from, DType to, int lanes, bool canonical) {
  const std::string name = bits_name(from, to, lanes, canonical);
  unit.definitions.once(name, [&]() -> std::string {
    const std::string f = value_type(unit, from, lanes), t = value_type(unit, to, lanes);
    const std::string plain = cat("(", t, ")x");
    if (!canonical) return cat("static inline ", t, " ", name, "(", f, " x) { return ", plain, "; }\n");
    return cat("static inline ", t, " ", name, "(", f, " x) { return ", select_function(unit, to, lanes), "(x == x, ", plain, ", ",
               splat_function(unit, to, lanes), "(", canonical_nan(from), ")); }\n");
  });
  return name;
}

std::string negation_function(Unit& unit, DType dtype, int lanes) {
  const std::string name = name_with_lanes("neg", dtype, lanes);
  unit.definitions.once(name, [&] {
    const std::string t = value_type(unit, dtype, lanes);
    return cat(kNegationComment, "static inline ", t, " ", name, "(", t, " x) {\n  return (", t, ")((",
               value_type(unit, signed_of(bits_of_dtype(dtype)), lanes), ")x ^ ", sign_bit(dtype), ");\n}\n");
  });
  return name;
}

std::string ramp_function(Unit& unit, DType dtype, int lanes) {
  const std::string name = name_with_lanes("ramp", dtype, lanes);
  unit.definitions.once(name, [&] {
    const std::string v = value_type(unit, dtype, lanes), t = value_type(unit, dtype, 1);
    return cat("static inline ", v, " ", name, "(", t, " first, ", t, " step) { return (", v, "){", lane_numbers(0, lanes),
               "} * step + first; }\n");
  });
  return name;
}

std::string in_range_function(Unit& unit, int lanes, bool small_step) {
  const std::string name = cat("in_range", small_step ? "" : "_wide", "_i32x", lanes);
  unit.definitions.once(name, [&] {
    const std::string m = mask_type(unit, 32, lanes),
                      head = cat("/* Lanes where first + lane * step >= 0. */\nstatic inline ", m, " ", name);
    if (!small_step)
      return cat(head, "(int64_t first, int64_t step) { return __builtin_convertvector(", ramp_function(unit, DType::kI64, lanes),
                 "(first, step) >= 0, ", m, "); }\n");
    return cat(head,
               "(int64_t first, int32_t step) {\n  const int32_t near = first < -0x40000000 ? -0x40000000 : first > 0x40000000 ? "
               "0x40000000 : (int32_t)first;\n"
               "  return ",
               ramp_function(unit, DType::kI32, lanes), "(near, step) >= 0;\n}\n");
  });
  return name;
}

std::string check_function(Unit& unit, int lanes, bool masked) {
  const std::string report = report_function(unit);
  const std::string v = value_type(unit, DType::kI64, lanes), name = cat("check_index", masked ? "_masked" : "", "_x", lanes);
  unit.definitions.once(name, [&] {
    const std::string m = mask_type(unit, 64, lanes), any = any_function(unit, 64, lanes);
    return cat("static inline ", v, " ", name, "(harp_fault* f, int64_t site, int64_t element, int64_t step, ", v, " index, ", v,
               " least, ", v, " end", masked ? cat(", ", m, " m") : std::string(), ") {\n  const ", m, " outside = ", masked ? "m & " : "",
               "((index < least) | (index >= end));\n  if (__builtin_expect(", any, "(outside), 0))\n  ",
               loop_over_lanes(cat("if (outside[lane]) ", report, "(f, site, element + lane * step, index[lane], end[lane]);"), lanes),
               "  return index;\n}\n");
  });
  return name;
}

std::string lookup_function(Unit& unit, const ir::Table& table, int lanes) {
  define_table(unit, table);
  const std::string name = cat("lookup_", table.name, "_x", lanes);
  unit.definitions.once(name, [&] {
    const std::string v = value_type(unit, table.dtype, lanes),
                      head = cat("static inline ", v, " ", name, "(", value_type(unit, DType::kI32, lanes), " index) {\n");
    const bool low_bits = table.values.size() == kPermutedTable;
    if (const auto body = low_bits ? permuted_table(table, lanes, unit.options.target.cpu()) : std::nullopt) return cat(head, *body, "}\n");
    return cat(head, "  ", v, " r = {0};\n",
               loop_over_lanes(cat("r[lane] = ", table.name, "[index[lane]", low_bits ? " & 15" : "", "];"), lanes), "  return r;\n}\n");
  });
  return name;
}

std::string rare_lanes_function(Unit& unit, const ir::Function& function, int lanes, int mask_bits, const std::string& result,
                                const std::vector<std::string>& arguments) {
  const std::string name = cat(function.name, "_where_x", lanes);
  unit.definitions.once(name, [&] {
    const std::string scalar = function_of(unit, function, 1);
    std::string parameters, list;
    for (size_t i = 0; i < arguments.size(); ++i) {
      append(parameters, cat(", ", arguments[i], " x", i));
      append(list, cat(i == 0 ? "" : ", ", "x", i, "[lane]"));
    }
    return cat("static __attribute__((noinline, cold)) ", result, " ", name, "(", mask_type(unit, mask_bits, lanes), " m, ", result, " r",
               parameters, ") {\n",
               loop_over_lanes(
                   cat(mask_bits == kOneBitALane ? "if (m >> lane & 1) " : "if (m[lane]) ", "r[lane] = ", scalar, "(", list, ");"), lanes),
               "  return r;\n}\n");
  });
  return name;
}

}  // namespace harp::render
