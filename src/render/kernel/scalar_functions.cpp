#include "render/kernel/scalar_functions.h"

#include <limits>

#include "base/error.h"
#include "render/kernel/body.h"

namespace harp::render {

const std::string_view kNegationComment =
    "/* Flips the sign bit. gcc would compute -(a * b + c) as -(a * b) - c, which has another sign if the result is 0. */\n";
const std::string_view kCastComment = "/* Truncates and saturates; NaN gives 0. */\n";

std::string name_with_lanes(std::string_view name, DType dtype, int lanes) {
  return lanes == 1 ? cat(name, "_", harp::name(dtype)) : cat(name, "_", harp::name(dtype), "x", lanes);
}

std::string parameter_list(const std::string& type, int count) {
  std::vector<std::string> parameters;
  for (int i = 0; i < count; ++i) parameters.push_back(cat(type, " ", static_cast<char>('a' + i)));
  return join(parameters, ", ");
}

std::string fill_pattern(Unit& unit, std::string_view pattern, DType dtype, std::string_view a, std::string_view b, std::string_view c) {
  const auto type = [&](DType of) { return unit.dialect.value_type(unit, of, 1); };
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '$') {
      out += pattern[i];
      continue;
    }
    switch (pattern[++i]) {
      case 'a': out += a; break;
      case 'b': out += b; break;
      case 'c': out += c; break;
      case 'f': out += dtype == DType::kF32 ? "f" : ""; break;
      case 't': out += type(dtype); break;
      case 'u': out += type(unsigned_of(bits_of_dtype(dtype))); break;
      case 'w': out += cat(bits_of_dtype(dtype) - 1); break;
    }
  }
  return out;
}

DType unsigned_of(int bits) { return bits == 8 ? DType::kU8 : bits == 16 ? DType::kU16 : bits == 32 ? DType::kU32 : DType::kU64; }
DType signed_of(int bits) { return bits == 8 ? DType::kI8 : bits == 16 ? DType::kI16 : bits == 32 ? DType::kI32 : DType::kI64; }

std::string scalar_elementwise_function(Unit& unit, const Rule& rule, DType dtype) {
  const std::string name = name_with_lanes(harp::name(rule.op), dtype, 1);
  unit.definitions.once(name, [&]() -> std::string {
    if (std::string definition = unit.dialect.emulation(unit, rule.op, dtype); !definition.empty()) return definition;
    const DType result = rule.form == Form::kPredicate ? DType::kBool : dtype;
    return cat(unit.dialect.inlined, unit.dialect.value_type(unit, result, 1), " ", name, "(",
               parameter_list(unit.dialect.value_type(unit, dtype, 1), info(rule.op).arity), ") { return ",
               fill_pattern(unit, rule.pattern, dtype, "a"), "; }\n");
  });
  return name;
}

std::string cast_limit(DType from, DType to) {
  // the limit is a power of two, and the least value of a signed type is its negation
  return cat("0x1p", bits_of_dtype(to) - (is_signed_int(to) ? 1 : 0), from == DType::kF32 ? "f" : "");
}

std::string cast_name(DType from, DType to, int lanes) { return name_with_lanes(cat("to_", harp::name(to)), from, lanes); }

std::string scalar_cast_function(Unit& unit, DType from, DType to) {
  const std::string name = cast_name(from, to, 1);
  unit.definitions.once(name, [&] {
    const bool with_sign = is_signed_int(to);
    const std::string limit = cast_limit(from, to), f = unit.dialect.value_type(unit, from, 1), i = unit.dialect.value_type(unit, to, 1);
    const std::string most = unit.dialect.literal(scalar_from_double(to, std::numeric_limits<double>::infinity())).text;
    const std::string least = unit.dialect.literal(scalar_from_double(to, -std::numeric_limits<double>::infinity())).text;
    // gcc 12 treats (double)(long)x as trunc(x), which keeps the sign of -0.5. Therefore values that truncate to 0 are not converted.
    return cat(kCastComment, unit.dialect.inlined, i, " ", name, "(", f, " x) {\n",
               with_sign ? "  if (x != x || (x > -1 && x < 1)) return 0;\n" : "  if (!(x >= 1)) return 0;\n", "  return x >= ", limit,
               " ? ", most, with_sign ? cat(" : x < -", limit, " ? ", least) : "", " : (", i, ")x;\n}\n");
  });
  return name;
}

std::string_view canonical_nan(DType dtype) { return dtype == DType::kF32 ? "0x7fc00000" : "0x7ff8000000000000ll"; }

std::string bits_name(DType from, DType to, int lanes, bool canonical) {
  return name_with_lanes(cat(canonical ? "canonical_" : "bits_", harp::name(to)), from, lanes);
}

std::string scalar_bits_function(Unit& unit, DType from, DType to, bool canonical) {
  const std::string_view builtin = unit.dialect.reinterpretation == nullptr ? std::string_view() : unit.dialect.reinterpretation(from, to);
  if (!builtin.empty() && !canonical) return std::string(builtin);
  const std::string name = bits_name(from, to, 1, canonical);
  unit.definitions.once(name, [&]() -> std::string {
    if (!builtin.empty())
      return cat(unit.dialect.inlined, unit.dialect.value_type(unit, to, 1), " ", name, "(", unit.dialect.value_type(unit, from, 1),
                 " x) { return x == x ? ", builtin, "(x) : ", canonical_nan(from), "; }\n");
    const std::string f = unit.dialect.value_type(unit, from, 1), t = unit.dialect.value_type(unit, to, 1);
    return cat(unit.dialect.inlined, t, " ", name, "(", f, " x) {\n  union { ", f, " from; ", t, " to; } u;\n  u.from = x;\n  return ",
               canonical ? cat("x == x ? u.to : ", canonical_nan(from)) : std::string("u.to"), ";\n}\n");
  });
  return name;
}

std::string_view sign_bit(DType dtype) { return dtype == DType::kF32 ? "(int32_t)0x80000000" : "(int64_t)0x8000000000000000"; }

std::string scalar_negation_function(Unit& unit, DType dtype) {
  const std::string name = name_with_lanes("neg", dtype, 1);
  unit.definitions.once(name, [&] {
    const std::string t = unit.dialect.value_type(unit, dtype, 1), bits = unit.dialect.value_type(unit, signed_of(bits_of_dtype(dtype)), 1);
    if (unit.dialect.reinterpretation != nullptr)
      return cat("/* Flips the sign bit, whatever the compiler could make of the operand. */\n", unit.dialect.inlined, t, " ", name, "(", t,
                 " x) { return ", unit.dialect.reinterpretation(signed_of(bits_of_dtype(dtype)), dtype), "(",
                 unit.dialect.reinterpretation(dtype, signed_of(bits_of_dtype(dtype))), "(x) ^ ",
                 unit.dialect.literal(Scalar{signed_of(bits_of_dtype(dtype)), {uint64_t{1} << (bits_of_dtype(dtype) - 1), 0}}).text,
                 "); }\n");
    return cat(kNegationComment, unit.dialect.inlined, t, " ", name, "(", t, " x) {\n  union { ", t, " x; ", bits,
               " bits; } u = {x};\n  u.bits ^= ", sign_bit(dtype), ";\n  return u.x;\n}\n");
  });
  return name;
}

std::string report_function(Unit& unit) {
  unit.definitions.once("report_fault", [&] {
    const std::string_view index = unit.dialect.index;
    return cat("/* Records an index out of range. The record that stays is that of the lowest site, and there of the lowest element. */\n",
               unit.dialect.rarely_called, "void report_fault(harp_fault* f, ", index, " site, ", index, " element, ", index, " index, ",
               index, " size) {\n",
               "  if (f->site >= 0 && (f->site < site || (f->site == site && f->element <= element))) return;\n"
               "  f->site = site;\n  f->element = element;\n  f->index = index;\n  f->size = size;\n}\n");
  });
  return "report_fault";
}

std::string scalar_check_function(Unit& unit, bool masked) {
  const std::string report = unit.dialect.report(unit), name = cat("check_index", masked ? "_masked" : "");
  unit.definitions.once(name, [&] {
    const std::string_view index = unit.dialect.index;
    return cat(unit.dialect.inlined, index, " ", name, "(", unit.dialect.fault_type, " f, ", index, " site, ", index, " element, ", index,
               " index, ", index, " least, ", index, " end",
               masked ? cat(", ", unit.dialect.value_type(unit, DType::kBool, 1), " m") : std::string(), ") {\n  if (__builtin_expect(",
               masked ? "m && " : "", "(index < least || index >= end), 0)) ", report,
               "(f, site, element, index, end);\n  return index;\n}\n");
  });
  return name;
}

std::string table_values(const Unit& unit, const ir::Table& table) {
  return join(table.values, ", ", [&](uint64_t v) { return unit.dialect.literal(Scalar{table.dtype, {v, 0}}).text; });
}

void define_table(Unit& unit, const ir::Table& table) {
  unit.definitions.once(table.name, [&] {
    return cat(unit.dialect.table, unit.dialect.memory_type(table.dtype), " ", table.name, "[", table.values.size(), "] = {\n    ",
               table_values(unit, table), "};\n");
  });
}

std::string index_function(Unit& unit, std::string_view what) {
  const std::string name = cat(what, "_i64");
  unit.definitions.once(name, [&]() -> std::string {
    const std::string_view index = unit.dialect.index;
    const std::string head = cat(unit.dialect.inlined, index, " ", name, "(", index, " a, ", index, " b) {");
    if (what == "min") return cat(head, " return a < b ? a : b; }\n");
    if (what == "max") return cat(head, " return a > b ? a : b; }\n");
    if (what == "floor_div")
      return cat("/* a / b, rounded down; 0 if b is 0. */\n", head,
                 "\n  if (b == 0) return 0;\n  if (b == -1) return -a;\n  return a / b - (a % b != 0 && (a < 0) != (b < 0));\n}\n");
    HARP_ASSERT(what == "floor_mod", "expected floor_div or floor_mod, got ", what);
    return cat("/* The remainder of a / b, with the sign of b; 0 if b is 0. */\n", head, "\n  if (b == 0 || b == -1) return 0;\n  const ",
               index, " rest = a % b;\n  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;\n}\n");
  });
  return name;
}

std::string scalar_function(Unit& unit, const ir::Function& function) {
  unit.definitions.once(function.name, [&] {
    const auto type = [&](DType dtype) { return unit.dialect.value_type(unit, dtype, 1); };
    const std::vector<std::string> names = function_parameters(function.parameters.size());
    std::vector<std::string> parameters;
    for (size_t i = 0; i < names.size(); ++i) parameters.push_back(cat(type(function.parameters[i]), " ", names[i]));
    return cat(unit.dialect.inlined, type(function.result), " ", function.name, "(", join(parameters, ", "), ") {\n",
               render_function_body(unit, function, 1, names, false).text, "}\n");
  });
  return function.name;
}

std::vector<std::string> function_parameters(size_t count) {
  static constexpr std::string_view kNames[] = {"x", "y", "z", "w", "v", "u"};
  HARP_ASSERT(count <= std::size(kNames), "a math function has at most ", std::size(kNames), " parameters, not ", count);
  return {kNames, kNames + count};
}

}  // namespace harp::render
