// Masks of vectors. In general a mask is a vector of integers, 0 or -1 in each lane, as wide as the compared elements. Under AVX-512 a mask
// is an integer with one bit per lane: the compare instructions produce such masks, and the blend instructions use them. gcc uses these
// instructions only if comparison and select are in one vector expression. It compiles a bitwise select to two logical operations.
#include "render/c/masks.h"

#include "base/error.h"
#include "render/c/instructions.h"
#include "render/c/vector_functions.h"

namespace harp::render {
namespace {

std::string all_lanes(int lanes) { return lanes > 8 ? "0xffff" : "0xff"; }

/// Returns the letter for integers of this many bits in the names of instructions.
char letter(int bits) { return bits == 8 ? 'b' : bits == 16 ? 'w' : bits == 32 ? 'd' : 'q'; }

/// Returns the immediate operand of the compare instructions that stands for this comparison.
int predicate_number(Op op) {
  switch (op) {
    case Op::kEq: return 0;
    case Op::kLt: return 1;
    case Op::kLe: return 2;
    case Op::kNe:
    case Op::kIsNan: return 4;  // unordered: kIsNan compares the value with itself, and only a NaN is unordered with itself
    default: fail(Code::kInternal, "expected a comparison, got ", name(op));
  }
}

constexpr int kSmallestVector = 16;  // size in bytes of the smallest vector register

/// Returns an expression for the sign bits of all lanes of m, a mask of `bits` bits per lane, as an integer. Returns "" if the machine has
/// no instruction for it.
std::string sign_bits(Unit& unit, int bits, int bytes) {
  const Cpu& cpu = unit.options.target.cpu();
  if (cpu.instructions != InstructionSet::kX86 || bytes > cpu.vector_bytes || (bytes != 16 && bytes != 32)) return {};
  if (bits != 32 && bits != 64) return {};
  const std::string type = memory_vector(unit, bits == 32 ? DType::kF32 : DType::kF64, bytes * 8 / bits);
  return cat("__builtin_ia32_movmskp", bits == 32 ? "s" : "d", bytes == 32 ? "256" : "", "((", type, ")m)");
}

}  // namespace

std::string comparison_function(Unit& unit, Op op, DType dtype, int lanes, bool masked) {
  const std::string name = cat(harp::name(op), "_", vector_name(dtype, lanes), masked ? "_where" : "");
  unit.definitions.once(name, [&] {
    const bool one = op == Op::kIsNan;
    const int bits = bits_of_dtype(dtype), register_bits = bits * lanes;
    const std::string v = value_type(unit, dtype, lanes);
    // A cast of the operands to the types that the builtin takes: its integers are signed, and its 64-bit integers are long long in C.
    std::string cast;
    if (is_int(dtype) && bits == 64) cast = cat("(", declare_vector(unit, cat("longx", lanes), "long long", 8, lanes), ")");
    if (dtype == DType::kU32) cast = cat("(", memory_vector(unit, DType::kI32, lanes), ")");
    const std::string instruction = is_float(dtype) ? (bits == 32 ? std::string("cmpps") : std::string("cmppd"))
                                                    : cat(is_signed_int(dtype) ? "cmp" : "ucmp", letter(bits));
    const std::string rounding = is_float(dtype) && register_bits == 512 ? ", 4" : "";
    const std::string m = mask_type(unit, kOneBitALane, lanes);
    const std::string parameters = cat(masked ? cat(m, " m, ") : std::string(), v, " a", one ? std::string() : cat(", ", v, " b"));
    return cat("static inline ", m, " ", name, "(", parameters, ") { return __builtin_ia32_", instruction, register_bits, "_mask(", cast,
               "a, ", cast, one ? "a" : "b", ", ", predicate_number(op), ", ", masked ? "m" : all_lanes(lanes), rounding, "); }\n");
  });
  return name;
}

std::string blend_function(Unit& unit, DType dtype, int lanes) {
  const std::string name = cat("blend_", vector_name(dtype, lanes));
  unit.definitions.once(name, [&] {
    const int bits = bits_of_dtype(dtype), register_bits = bits * lanes;
    const std::string v = value_type(unit, dtype, lanes), f = memory_vector(unit, bits == 32 ? DType::kF32 : DType::kF64, lanes);
    const std::string from = v == f ? std::string() : cat("(", f, ")"), to = v == f ? std::string() : cat("(", v, ")");
    const std::string_view kind = bits == 32 ? "ps" : "pd";
    return cat("/* a where the lane's bit is set, else b. */\nstatic inline ", v, " ", name, "(", mask_type(unit, kOneBitALane, lanes),
               " m, ", v, " a, ", v, " b) {\n#if defined(__clang__)\n  return ", to, "__builtin_ia32_select", kind, "_", register_bits,
               "(m, ", from, "a, ", from, "b);\n#else\n  return ", to, "__builtin_ia32_blendm", kind, "_", register_bits, "_mask(", from,
               "b, ", from, "a, m);\n#endif\n}\n");
  });
  return name;
}

std::string converted_mask(Unit& unit, const std::string& text, int from, int to, int lanes) {
  if (from == to) return text;
  if (from != kOneBitALane && to != kOneBitALane) return converted_vector(unit, text, signed_of(from), signed_of(to), lanes);
  // The instructions that convert masks exist only for vectors that fill a register. Other masks are converted in two steps, by way of a
  // mask with 32 bits per lane (64 if there are two lanes), which always fills a register.
  const int vector_bits = from == kOneBitALane ? to : from, bytes = vector_bits * lanes / 8;
  if (bytes != 16 && bytes != 32 && bytes != 64) {
    const int between = lanes > 2 ? 32 : 64;
    return converted_mask(unit, converted_mask(unit, text, from, between, lanes), between, to, lanes);
  }
  const std::string v = mask_type(unit, vector_bits, lanes), m = mask_type(unit, kOneBitALane, lanes);
  const std::string name = from == kOneBitALane ? cat("mask_", mask_name(to, lanes)) : cat("bits_of_mask_", mask_name(from, lanes));
  unit.definitions.once(name, [&] {
    if (from == kOneBitALane)
      return cat("static inline ", v, " ", name, "(", m, " m) { return (", v, ")__builtin_ia32_cvtmask2", letter(to), bytes * 8,
                 "(m); }\n");
    std::string cast;
    if (from == 64) cast = cat("(", declare_vector(unit, cat("longx", lanes), "long long", 8, lanes), ")");
    if (from == 8) cast = cat("(", declare_vector(unit, cat("charx", lanes), "char", 1, lanes), ")");
    return cat("static inline ", m, " ", name, "(", v, " m) { return __builtin_ia32_cvt", letter(from), "2mask", bytes * 8, "(", cast,
               "m); }\n");
  });
  return cat(name, "(", text, ")");
}

std::string splat_mask_function(Unit& unit, int bits, int lanes) {
  const std::string name = bits == kOneBitALane ? cat("splat_mask_x", lanes) : cat("splat_mask_", mask_name(bits, lanes));
  unit.definitions.once(name, [&] {
    const std::string m = mask_type(unit, bits, lanes), head = cat("static inline ", m, " ", name, "(_Bool x) { return ");
    if (bits == kOneBitALane) return cat(head, "x ? ", all_lanes(lanes), " : 0; }\n");
    return cat(head, splat_function(unit, signed_of(bits), lanes), "(x ? -1 : 0); }\n");
  });
  return name;
}

std::string first_lanes_function(Unit& unit, int lanes) {
  const std::string name = cat("first_lanes_x", lanes);
  unit.definitions.once(name, [&] {
    const std::string m = mask_type(unit, kOneBitALane, lanes);
    return cat("/* A mask of the first n lanes: of no lane if n < 0, of all if n is larger than their number. */\nstatic inline ", m, " ",
               name, "(int64_t n) { return n <= 0 ? 0 : n >= ", lanes, " ? ", all_lanes(lanes), " : (", m, ")((1u << n) - 1); }\n");
  });
  return name;
}

std::string select_mask_function(Unit& unit, int bits, int lanes) {
  if (bits != kOneBitALane) return select_function(unit, signed_of(bits), lanes);
  const std::string name = cat("select_mask_x", lanes);
  unit.definitions.once(name, [&] {
    const std::string m = mask_type(unit, bits, lanes);
    return cat("static inline ", m, " ", name, "(", m, " m, ", m, " a, ", m, " b) { return (m & a) | (~m & b); }\n");
  });
  return name;
}

std::string any_function(Unit& unit, int bits, int lanes) {
  const std::string name = bits == kOneBitALane ? cat("any_x", lanes) : cat("any_", mask_name(bits, lanes));
  unit.definitions.once(name, [&] {
    const std::string head = cat("static inline int ", name, "(", mask_type(unit, bits, lanes), " m) {");
    // clears the bits beyond the last lane, which are undefined
    if (bits == kOneBitALane)
      return cat(head, " return ", lanes < 8 ? cat("(m & ", (1 << lanes) - 1, ")") : std::string("m"), " != 0; }\n");
    const int bytes = bits / 8 * lanes;
    if (const std::string signs = sign_bits(unit, bits, bytes); !signs.empty()) return cat(head, " return ", signs, " != 0; }\n");
    if (bytes < kSmallestVector)
      return cat(head, "\n  ", value_type(signed_of(bits)), " any = 0;\n", loop_over_lanes("any |= m[lane];", lanes),
                 "  return any != 0;\n}\n");
    // The code combines parts of 64 bits instead of single lanes.
    std::string any;
    for (int part = 0; part < bytes / 8; ++part) append(any, cat(part == 0 ? "" : " | ", "parts[", part, "]"));
    const std::string type = memory_vector(unit, DType::kI64, bytes / 8);
    return cat(head, "\n  const ", type, " parts = (", type, ")m;\n  return (", any, ") != 0;\n}\n");
  });
  return name;
}

std::string any_of_array_function(Unit& unit, int64_t count) {
  const std::string name = cat("any_of_", count);
  unit.definitions.once(name, [&] {
    return cat("static inline int ", name, "(const _Bool* s) {\n  for (int i = 0; i < ", count,
               "; ++i) if (s[i]) return 1;\n  return 0;\n}\n");
  });
  return name;
}

std::string first_if_less_function(Unit& unit, bool greater, DType dtype, int lanes) {
  if (unit.options.plain_text || lanes == 1 || !is_float(dtype)) return {};
  const std::optional<std::string> instruction = extreme_of_two(greater, dtype, lanes, unit.options.target.cpu());
  if (!instruction) return {};
  std::string name = cat(greater ? "greater_" : "lesser_", vector_name(dtype, lanes));
  unit.definitions.once(name, [&] {
    const std::string v = value_type(unit, dtype, lanes);
    const char* order = greater ? "y < x" : "x < y";
    const std::string chosen = has_predicates(unit.options, dtype, lanes)
                                   ? cat(blend_function(unit, dtype, lanes), "(", comparison_function(unit, Op::kLt, dtype, lanes),
                                         greater ? "(y, x), x, y)" : "(x, y), x, y)")
                                   : cat(select_function(unit, dtype, lanes), "(", order, ", x, y)");
    return cat("/* x where ", order, ", else y: a single instruction, which gcc does not use by itself. */\nstatic inline ", v, " ", name,
               "(", v, " x, ", v, " y) {\n#if defined(__clang__)\n  return ", chosen, ";\n#else\n  return ", *instruction,
               ";\n#endif\n}\n");
  });
  return name;
}

}  // namespace harp::render
