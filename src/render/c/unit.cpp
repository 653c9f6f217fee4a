#include "render/c/unit.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "ops/math_coefficients.h"
#include "render/c/emulation.h"
#include "render/c/types.h"
#include "render/kernel/body.h"

namespace harp::render {
namespace {

/// Appends dtype and lanes to a name: "fma_f32" or "fma_f32x16".
std::string at_lanes(std::string_view name, std::string_view dtype, int lanes) {
  return lanes == 1 ? cat(name, "_", dtype) : cat(name, "_", dtype, "x", lanes);
}

std::string fill(std::string_view pattern, DType dtype, std::string_view a, std::string_view b = "b", std::string_view c = "c") {
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
      case 't': out += value_type(dtype); break;
      case 'u': out += value_type(unsigned_of(bits_of_dtype(dtype))); break;
      case 'w': out += cat(bits_of_dtype(dtype) - 1); break;
    }
  }
  return out;
}

std::string parameter_list(const std::string& type, int count) {
  std::vector<std::string> parameters;
  for (int i = 0; i < count; ++i) parameters.push_back(cat(type, " ", static_cast<char>('a' + i)));
  return join(parameters, ", ");
}

/// Tests whether the machine or the selected dialect lacks a single instruction for the scalar op.
bool is_emulated(Op op, const RenderOptions& options) {
  if (emulation_of(op, DType::kF64).empty()) return false;
  if (options.plain_text) return true;
  return op == Op::kFma ? !options.target.cpu().fma : op != Op::kSqrt && !options.target.cpu().rounds;
}

}  // namespace

std::string Unit::vector(const std::string& name, std::string_view element, int element_bytes, int lanes) {
  HARP_ASSERT(!options_.plain_text, "a vector in plain text");
  if (known_.insert(name).second)
    typedefs_.push_back(cat("typedef ", element, " ", name, " __attribute__((vector_size(", element_bytes * lanes, "), aligned(",
                            element_bytes, "), may_alias));\n"));
  return name;
}

std::string Unit::type(DType dtype, int lanes) {
  if (lanes == 1) return std::string(value_type(dtype));
  if (is_bool(dtype)) return mask(32, lanes);
  return memory_vector(dtype, lanes);
}
std::string Unit::memory_vector(DType dtype, int lanes) {
  return vector(vector_type(dtype, lanes), memory_type(dtype), static_cast<int>(size_of(dtype)), lanes);
}

std::string Unit::alignment(DType dtype, int64_t elements) const {
  // Arrays smaller than a register are aligned too if they hold a vector: gcc 12 at -O1 assumes that an array of 37 bytes is aligned to 16,
  // but does not align it.
  constexpr int64_t kSmallestVector = 16;
  const bool may_hold_vectors = elements * static_cast<int64_t>(size_of(dtype)) >= kSmallestVector;
  return options_.plain_text || !may_hold_vectors ? "" : cat(" __attribute__((aligned(", options_.target.cpu().vector_bytes, ")))");
}

std::string Unit::lane_loop(std::string_view statement, int lanes) const {
  return cat("  for (int lane = 0; lane < ", lanes, "; ++lane) ", statement, "\n");
}

std::string Unit::helper(const Rule& rule, DType dtype, int lanes) {
  const std::string name = at_lanes(harp::name(rule.op), harp::name(dtype), lanes);
  once(name, [&]() -> std::string {
    const bool predicate = rule.form == Form::kPredicate, whole = predicate || rule.form == Form::kVectorHelper,
               emulated = is_emulated(rule.op, options_);
    if (lanes == 1) {
      if (emulated) {
        if (rule.op == Op::kSqrt && dtype == DType::kF32) helper(rule, DType::kF64, 1);
        return std::string(emulation_of(rule.op, dtype));
      }
      return cat("static inline ", predicate ? "_Bool" : value_type(dtype), " ", name, "(",
                 parameter_list(type(dtype, 1), info(rule.op).arity), ") { return ", fill(rule.pattern, dtype, "a"), "; }\n");
    }
    const std::string vector_type = type(dtype, lanes), result = predicate ? mask(bits_of_dtype(dtype), lanes) : vector_type;
    const std::string head = cat("static inline ", result, " ", name, "(", parameter_list(vector_type, info(rule.op).arity), ") ");
    if (whole) return cat(head, "{ return ", fill(rule.pattern, dtype, "a"), "; }\n");
    std::string one;
    if (emulated) {
      const std::string scalar = helper(rule, dtype, 1);
      one = cat(scalar, info(rule.op).arity == 3 ? "(a[lane], b[lane], c[lane])" : "(a[lane])");
    } else {
      one = fill(rule.pattern, dtype, "a[lane]", "b[lane]", "c[lane]");
    }
    const std::string lane_by_lane = cat("  ", result, " r = {0};\n", lane_loop(cat("r[lane] = ", one, ";"), lanes), "  return r;\n");
    const auto form = rule.op == Op::kFma ? fused_multiply_add(dtype, lanes, options_.target.cpu()) : std::nullopt;
    return cat(head, "{\n", with_instructions(form, lane_by_lane), "}\n");
  });
  return name;
}

std::string Unit::splat(DType dtype, int lanes) {
  const std::string name = at_lanes("splat", harp::name(dtype), lanes);
  once(name, [&] {
    const std::string vector_type = type(dtype, lanes);
    std::vector<std::string_view> copies(static_cast<size_t>(lanes), "x");
    return cat("static inline ", vector_type, " ", name, "(", value_type(dtype), " x) { return (", vector_type, "){", join(copies, ", "),
               "}; }\n");
  });
  return name;
}

std::string Unit::held(DType dtype, int lanes) {
  const std::string name = at_lanes("held", harp::name(dtype), lanes);
  once(name, [&] {
    const std::string vector_type = type(dtype, lanes), splat = this->splat(dtype, lanes);
    return cat("/* A constant that stays in a register: gcc would read it from memory wherever it is used. */\n",
               "static inline __attribute__((always_inline)) ", vector_type, " ", name, "(", value_type(dtype), " x) {\n  ", vector_type,
               " c = ", splat, "(x);\n#if !defined(__clang__)\n  __asm__(\"\" : \"+v\"(c));\n#endif\n  return c;\n}\n");
  });
  return name;
}

std::string Unit::select(DType dtype, int lanes) {
  const std::string name = at_lanes("select", harp::name(dtype), lanes);
  once(name, [&] {
    const std::string v = type(dtype, lanes), m = mask(bits_of_dtype(dtype), lanes);
    const std::string from = v == m ? std::string() : cat("(", m, ")"), to = v == m ? std::string() : cat("(", v, ")");
    return cat("static inline ", v, " ", name, "(", m, " m, ", v, " a, ", v, " b) { return ", to, "((m & ", from, "a) | (~m & ", from,
               "b)); }\n");
  });
  return name;
}

std::string Unit::cast(DType from, DType to, int lanes) {
  const std::string name = at_lanes(cat("to_", harp::name(to)), harp::name(from), lanes);
  once(name, [&] {
    // the smallest number that overflows is a power of two, and so is the least value of a signed type: exact in every float type
    const bool with_sign = is_signed_int(to);
    const std::string limit = cat("0x1p", bits_of_dtype(to) - (with_sign ? 1 : 0), from == DType::kF32 ? "f" : "");
    const std::string most = literal(scalar_from_double(to, std::numeric_limits<double>::infinity())).text;
    const std::string least = literal(scalar_from_double(to, -std::numeric_limits<double>::infinity())).text;
    const std::string f = type(from, lanes), i = type(to, lanes);
    const std::string head = cat("/* Truncates, saturates, NaN is 0. */\nstatic inline ", i, " ", name, "(", f, " x) {\n");
    // gcc 12 treats (double)(long)x as trunc(x), which keeps the sign of -0.5; so values that truncate to 0 are not converted
    if (lanes == 1)
      return cat(head, with_sign ? "  if (x != x || (x > -1 && x < 1)) return 0;\n" : "  if (!(x >= 1)) return 0;\n",
                 "  return x >= ", limit, " ? ", most, with_sign ? cat(" : x < -", limit, " ? ", least) : "", " : (", i, ")x;\n}\n");
    const std::string m = mask(bits_of_dtype(to), lanes);
    const auto replace = [&](const std::string& condition, const std::string& value) {
      const std::string wide_enough = size_of(from) == size_of(to) ? condition : cat("__builtin_convertvector(", condition, ", ", m, ")");
      return cat(select(to, lanes), "(", wide_enough, ", ", splat(to, lanes), "(", value, "), r)");
    };
    // lanes that give 0 anyway may be excluded; integers of 8 and 16 bits are converted from 32-bit integers
    const std::string inside = cat(with_sign ? cat("(x >= -", limit, ")") : "(x >= 1)", " & (x < ", limit, ")");
    const std::string converted = size_of(to) < 4 ? cat("__builtin_convertvector(inside, ", type(DType::kI32, lanes), ")") : "inside";
    std::string text = cat(head, "  const ", f, " inside = ", select(from, lanes), "(", inside, ", x, ", splat(from, lanes), "(0.0",
                           from == DType::kF32 ? "f" : "", "));\n  ", with_sign ? "" : "const ", i, " r = __builtin_convertvector(",
                           converted, ", ", i, ");\n");
    if (with_sign) append(text, cat("  r = ", replace(cat("x < -", limit), least), ";\n"));
    return cat(text, "  return ", replace(cat("x >= ", limit), most), ";\n}\n");
  });
  return name;
}

std::string Unit::cast_by_lanes(DType from, DType to, int lanes) {
  const std::string name = at_lanes(cat("lanes_to_", harp::name(to)), harp::name(from), lanes);
  once(name, [&] {
    return cat("static inline ", type(to, lanes), " ", name, "(", type(from, lanes), " x) {\n  ", type(to, lanes), " r = {0};\n",
               lane_loop("r[lane] = x[lane];", lanes), "  return r;\n}\n");
  });
  return name;
}

std::string Unit::bits_of(DType from, DType to, int lanes, bool canonical) {
  const std::string name = at_lanes(cat(canonical ? "canonical_" : "bits_", harp::name(to)), harp::name(from), lanes);
  once(name, [&]() -> std::string {
    const std::string f = type(from, lanes), t = type(to, lanes);
    const std::string nan = from == DType::kF32 ? "0x7fc00000" : "0x7ff8000000000000ll";
    if (lanes == 1)
      return cat("static inline ", t, " ", name, "(", f, " x) {\n  union { ", f, " from; ", t, " to; } u;\n  u.from = x;\n  return ",
                 canonical ? cat("x == x ? u.to : ", nan) : std::string("u.to"), ";\n}\n");
    const std::string plain = cat("(", t, ")x");
    if (!canonical) return cat("static inline ", t, " ", name, "(", f, " x) { return ", plain, "; }\n");
    return cat("static inline ", t, " ", name, "(", f, " x) { return ", select(to, lanes), "(x == x, ", plain, ", ", splat(to, lanes), "(",
               nan, ")); }\n");
  });
  return name;
}

std::string Unit::negation(DType dtype, int lanes) {
  const std::string name = at_lanes("neg", harp::name(dtype), lanes);
  once(name, [&] {
    const DType bits = signed_of(static_cast<int>(size_of(dtype)) * 8);
    const std::string t = type(dtype, lanes), sign = dtype == DType::kF32 ? "(int32_t)0x80000000" : "(int64_t)0x8000000000000000";
    const std::string body =
        lanes == 1 ? cat("  union { ", t, " x; ", type(bits, 1), " bits; } u = {x};\n  u.bits ^= ", sign, ";\n  return u.x;\n")
                   : cat("  return (", t, ")((", type(bits, lanes), ")x ^ ", sign, ");\n");
    return cat("/* By its bits: of -(a * b + c) in one step gcc makes -(a * b) - c, which is another zero. */\nstatic inline ", t, " ",
               name, "(", t, " x) {\n", body, "}\n");
  });
  return name;
}

std::string Unit::ramp(DType dtype, int lanes) {
  const std::string name = at_lanes("ramp", harp::name(dtype), lanes);
  once(name, [&] {
    const std::string v = type(dtype, lanes), t = type(dtype, 1);
    return cat("static inline ", v, " ", name, "(", t, " first, ", t, " step) { return (", v, "){", lane_numbers(0, lanes),
               "} * step + first; }\n");
  });
  return name;
}

std::string Unit::in_range(int lanes, bool small_step) {
  const std::string name = cat("in_range", small_step ? "" : "_wide", "_i32x", lanes);
  once(name, [&] {
    const std::string m = mask(32, lanes), head = cat("/* Lanes where first + lane * step >= 0. */\nstatic inline ", m, " ", name);
    if (!small_step)
      return cat(head, "(int64_t first, int64_t step) { return __builtin_convertvector(", ramp(DType::kI64, lanes), "(first, step) >= 0, ",
                 m, "); }\n");
    return cat(head,
               "(int64_t first, int32_t step) {\n  const int32_t near = first < -0x40000000 ? -0x40000000 : first > 0x40000000 ? "
               "0x40000000 : (int32_t)first;\n"
               "  return ",
               ramp(DType::kI32, lanes), "(near, step) >= 0;\n}\n");
  });
  return name;
}

std::string Unit::check(int lanes, bool masked) {
  once("report_fault", [] {
    return "/* The first one counts: of the lowest site, and there of the lowest element. */\n"
           "static __attribute__((noinline, cold)) void report_fault(harp_fault* f, int64_t site, int64_t element, int64_t index, int64_t "
           "size) {\n"
           "  if (f->site >= 0 && (f->site < site || (f->site == site && f->element <= element))) return;\n"
           "  f->site = site;\n  f->element = element;\n  f->index = index;\n  f->size = size;\n}\n";
  });
  const std::string v = type(DType::kI64, lanes), name = cat("check_index", masked ? "_masked" : "", lanes > 1 ? cat("_x", lanes) : "");
  once(name, [&] {
    const std::string head = cat("static inline ", v, " ", name, "(harp_fault* f, int64_t site, int64_t element, ",
                                 lanes > 1 ? "int64_t step, " : "", v, " index, ", v, " least, ", v, " end",
                                 !masked     ? std::string()
                                 : lanes > 1 ? cat(", ", mask(64, lanes), " m")
                                             : std::string(", _Bool m"),
                                 ") {\n");
    if (lanes == 1)
      return cat(head, "  if (__builtin_expect(", masked ? "m && " : "", "(index < least || index >= end), 0)) ",
                 "report_fault(f, site, element, index, end);\n  return index;\n}\n");
    const std::string any = this->any(64, lanes);
    return cat(head, "  const ", mask(64, lanes), " outside = ", masked ? "m & " : "", "((index < least) | (index >= end));\n",
               "  if (__builtin_expect(", any, "(outside), 0))\n  ",
               lane_loop("if (outside[lane]) report_fault(f, site, element + lane * step, index[lane], end[lane]);", lanes),
               "  return index;\n}\n");
  });
  return name;
}

std::string Unit::table_element(const ir::Table& table, int lanes) {
  once(table.name, [&] {
    return cat("static const ", memory_type(table.dtype), " ", table.name, "[", table.values.size(), "] = {\n    ",
               join(table.values, ", ",
                    [&](uint64_t v) {
                      return literal(Scalar{table.dtype, {v, 0}}).text;
                    }),
               "};\n");
  });
  if (lanes == 1) return table.name;
  const std::string name = cat("lookup_", table.name, "_x", lanes);
  once(name, [&] {
    const std::string v = type(table.dtype, lanes),
                      head = cat("static inline ", v, " ", name, "(", type(DType::kI32, lanes), " index) {\n");
    const bool low_bits = table.values.size() == kPermutedTable;
    if (const auto body = low_bits ? permuted_table(table, lanes, options_.target.cpu()) : std::nullopt) return cat(head, *body, "}\n");
    return cat(head, "  ", v, " r = {0};\n", lane_loop(cat("r[lane] = ", table.name, "[index[lane]", low_bits ? " & 15" : "", "];"), lanes),
               "  return r;\n}\n");
  });
  return name;
}

std::string Unit::rare_lanes(const ir::Function& function, int lanes, int mask_bits, const std::string& result,
                             const std::vector<std::string>& arguments) {
  const std::string name = cat(function.name, "_where_x", lanes);
  once(name, [&] {
    const std::string scalar = this->function(function, 1);
    std::string parameters, list;
    for (size_t i = 0; i < arguments.size(); ++i) {
      append(parameters, cat(", ", arguments[i], " x", i));
      append(list, cat(i == 0 ? "" : ", ", "x", i, "[lane]"));
    }
    return cat(
        "static __attribute__((noinline, cold)) ", result, " ", name, "(", mask(mask_bits, lanes), " m, ", result, " r", parameters,
        ") {\n",
        lane_loop(cat(mask_bits == kOneBitALane ? "if (m >> lane & 1) " : "if (m[lane]) ", "r[lane] = ", scalar, "(", list, ");"), lanes),
        "  return r;\n}\n");
  });
  return name;
}

std::string Unit::index_helper(std::string_view what) {
  const std::string name = cat(what, "_i64");
  once(name, [&]() -> std::string {
    const std::string head = cat("static inline int64_t ", name, "(int64_t a, int64_t b) {");
    if (what == "min") return cat(head, " return a < b ? a : b; }\n");
    if (what == "max") return cat(head, " return a > b ? a : b; }\n");
    if (what == "floor_div")
      return cat("/* Rounds down; a // 0 is 0. */\n", head,
                 "\n  if (b == 0) return 0;\n  if (b == -1) return -a;\n  return a / b - (a % b != 0 && (a < 0) != (b < 0));\n}\n");
    HARP_ASSERT(what == "floor_mod", "no helper ", what);
    return cat("/* Has the sign of b; a % 0 is 0. */\n", head,
               "\n  if (b == 0 || b == -1) return 0;\n  const int64_t rest = a % b;\n  return rest != 0 && (rest < 0) != (b < 0) ? rest + "
               "b : rest;\n}\n");
  });
  return name;
}

int Unit::mask_bits_of(const ir::Function& function) {
  if (!is_bool(function.result)) return 0;
  return is_bool(function.parameters[0]) ? 32 : bits_of_dtype(function.parameters[0]);
}

std::string Unit::definitions() const {
  return cat(join(typedefs_, ""), typedefs_.empty() ? "" : "\n", join(definitions_, "\n", [](const Definition& d) { return d.text; }));
}

std::vector<SourceFunction> Unit::shared_functions() const {
  std::vector<SourceFunction> functions;
  size_t at = definitions().size() + 1;
  for (size_t i = definitions_.size(); i-- > 0;) {
    const std::string& text = definitions_[i].text;
    at -= text.size() + 1;
    if (!definitions_[i].shared) continue;
    const size_t definition = text.find("*/\nstatic ") + 3;
    functions.insert(functions.begin(), {at, at + definition, at + text.find('{', definition), at + text.size(), true});
  }
  return functions;
}

}  // namespace harp::render
