#include "render/c/instructions.h"

#include <algorithm>

#include "base/text.h"
#include "ir/functions.h"
#include "render/c/types.h"

namespace harp::render {
namespace {

/// The max and min instructions of x86. They return the greater (lesser) operand, or the second one if neither is greater (for equal zeros
/// and NaN). So exchanging the operands changes the result only for zeros and NaN. gcc does not recognise this operation in a loop over
/// lanes of `x > y ? x : y`, and uses two instructions for it.
struct ExtremeOfTwo {
  DType dtype;
  int vector_bytes;
  std::string_view max, min;
  // Additional arguments of the builtin: the values of disabled lanes, the mask, and the rounding mode of the environment.
  std::string_view more;
};
constexpr ExtremeOfTwo kExtremes[] = {
    {DType::kF32, 16, "__builtin_ia32_maxps", "__builtin_ia32_minps", ""},
    {DType::kF32, 32, "__builtin_ia32_maxps256", "__builtin_ia32_minps256", ""},
    {DType::kF32, 64, "__builtin_ia32_maxps512_mask", "__builtin_ia32_minps512_mask", ", x, 0xffff, 4"},
    {DType::kF64, 16, "__builtin_ia32_maxpd", "__builtin_ia32_minpd", ""},
    {DType::kF64, 32, "__builtin_ia32_maxpd256", "__builtin_ia32_minpd256", ""},
    {DType::kF64, 64, "__builtin_ia32_maxpd512_mask", "__builtin_ia32_minpd512_mask", ", x, 0xff, 4"},
    {DType::kI32, 16, "__builtin_ia32_pmaxsd128", "__builtin_ia32_pminsd128", ""},
    {DType::kI32, 32, "__builtin_ia32_pmaxsd256", "__builtin_ia32_pminsd256", ""},
    {DType::kI32, 64, "__builtin_ia32_pmaxsd512_mask", "__builtin_ia32_pminsd512_mask", ", x, 0xffff"},
};

/// The max and min instructions of x86 for integers of 8 and 16 bits and for u32. (ExtremeOfTwo has those for i32.) gcc finds them in a
/// loop over lanes, but not in a comparison and a selection of whole vectors, for which it uses two or three instructions. `letters` is a
/// part of the builtin's name; the builtin's operands are vectors of `element`.
struct ExtremeOfIntegers {
  DType dtype;
  std::string_view letters, element;
};
constexpr ExtremeOfIntegers kIntegerExtremes[] = {{DType::kI8, "sb", "char"},
                                                  {DType::kU8, "ub", "char"},
                                                  {DType::kI16, "sw", "short"},
                                                  {DType::kU16, "uw", "short"},
                                                  {DType::kU32, "ud", "int"}};
constexpr int kMaskedBytes = 64;  // the builtins for vectors of this size have two more arguments: the values of disabled lanes, and a mask

/// The AVX-512 instruction (AVX512VL for the smaller vectors) that computes any boolean function of three bits, given by a truth table with
/// 8 entries. Without the builtin, gcc uses two instructions for the majority of three bits.
struct LogicOfThree {
  int vector_bytes;
  std::string_view builtin, lanes;  // `lanes` is the mask that enables all 32-bit lanes
};
constexpr LogicOfThree kLogics[] = {
    {16, "__builtin_ia32_pternlogd128_mask", "0xff"},
    {32, "__builtin_ia32_pternlogd256_mask", "0xff"},
    {64, "__builtin_ia32_pternlogd512_mask", "0xffff"},
};
constexpr std::string_view kMajority = "0xe8";

/// Number of vector registers that the constraint "x" of an asm statement can name. The constraint "v" can name all of them.
constexpr int kRegistersOfX = 16;

/// Returns the table row with the max and min instructions for this type; null if the CPU lacks them.
const ExtremeOfTwo* extreme_instruction(DType dtype, int lanes, const Cpu& cpu) {
  if (cpu.instructions != InstructionSet::kX86 || (is_int(dtype) && !cpu.extremes_of_integers)) return nullptr;
  for (const ExtremeOfTwo& row : kExtremes)
    if (row.dtype == dtype && row.vector_bytes == lanes * static_cast<int>(size_of(dtype)) && row.vector_bytes <= cpu.vector_bytes)
      return &row;
  return nullptr;
}

/// Returns the instruction for a max or min of those integer types that have no row in kExtremes; nullopt if the CPU lacks it.
std::optional<InstructionForm> integer_extreme(Op op, DType dtype, int lanes, const Cpu& cpu) {
  const int bytes = lanes * static_cast<int>(size_of(dtype));
  constexpr int kVectors[] = {16, 32, kMaskedBytes};
  if (cpu.instructions != InstructionSet::kX86 || !cpu.extremes_of_integers || bytes > cpu.vector_bytes ||
      std::ranges::find(kVectors, bytes) == std::end(kVectors))
    return std::nullopt;
  for (const ExtremeOfIntegers& row : kIntegerExtremes) {
    if (row.dtype != dtype) continue;
    const bool is_masked = bytes == kMaskedBytes;
    const std::string builtin = cat("__builtin_ia32_p", op == Op::kMax ? "max" : "min", row.letters, 8 * bytes, is_masked ? "_mask" : "");
    return InstructionForm{
        {builtin},
        "",
        cat("  typedef ", row.element, " integers __attribute__((vector_size(", bytes, ")));\n  return (", vector_name(dtype, lanes), ")",
            builtin, "((integers)x, (integers)y", is_masked ? ", (integers)x, -1" : "", ");\n"),
        {}};
  }
  return std::nullopt;
}

std::optional<InstructionForm> extreme(Op op, DType dtype, int lanes, const Cpu& cpu) {
  const ExtremeOfTwo* row = extreme_instruction(dtype, lanes, cpu);
  if (row == nullptr) return integer_extreme(op, dtype, lanes, cpu);
  const std::string_view instruction = op == Op::kMax ? row->max : row->min;
  if (is_int(dtype)) return InstructionForm{{std::string(instruction)}, "", cat("  return ", instruction, "(x, y", row->more, ");\n"), {}};
  const int bytes = lanes * static_cast<int>(size_of(dtype));
  const bool wide = dtype == DType::kF64;
  const DType integer = signed_of(wide ? 64 : 32);
  const std::string bits = vector_name(integer, lanes), result = vector_name(dtype, lanes);
  InstructionForm form{{std::string(instruction)}, "", {}, {{integer, lanes}}};
  form.body = cat("  /* the instruction gives the ", op == Op::kMax ? "greater" : "lesser",
                  " operand, or the second one: a and b differ only for zeros and NaN */\n");
  // The two instructions that follow both use y. Without this statement gcc would load y from memory twice.
  append(form.body, cat("  __asm__(\"\" : \"+", cpu.vector_registers > kRegistersOfX ? "v" : "x", "\"(y)); /* loaded once */\n"));
  append(form.body, cat("  const ", bits, " a = (", bits, ")", instruction, "(x, y", row->more, "), b = (", bits, ")", instruction, "(y, x",
                        row->more, ");\n"));
  const std::string_view magnitude = wide ? "0x7fffffffffffffffll" : "0x7fffffff";
  if (op == Op::kMin) {
    append(form.body, cat("  return (", result, ")(a | b);\n"));
  } else if (!cpu.logic_of_three) {
    append(form.body, cat("  return (", result, ")((a & b) | ((a | b) & ", magnitude, "));\n"));
  } else {
    for (const LogicOfThree& logic : kLogics) {
      if (logic.vector_bytes != bytes) continue;
      const std::string words = vector_name(DType::kI32, bytes / 4);
      const std::string cast = wide ? cat("(", words, ")") : std::string();
      form.builtins.emplace_back(logic.builtin);
      form.vectors.push_back({DType::kI32, bytes / 4});
      // b is the first operand of the instruction, because the result replaces the first operand. (a is computed before b, and gcc keeps it
      // in a register other than that of x. With a as the first operand, gcc would need an additional move.)
      append(form.body, cat("  return (", result, ")", logic.builtin, "(", cast, "b, ", cast, "a, ", cast, "((", bits, "){0} + ", magnitude,
                            "), ", kMajority, ", ", logic.lanes, ");\n"));
    }
  }
  return form;
}

/// The fused multiply-add instructions. Without the builtin gcc finds the same instruction in a loop over lanes, but then sums of products
/// take ten times as long to compile.
struct FusedMultiplyAdd {
  DType dtype;
  int vector_bytes;
  std::string_view builtin, more;
};
constexpr FusedMultiplyAdd kFusedMultiplyAdds[] = {
    {DType::kF32, 16, "__builtin_ia32_vfmaddps", ""},
    {DType::kF32, 32, "__builtin_ia32_vfmaddps256", ""},
    {DType::kF32, 64, "__builtin_ia32_vfmaddps512_mask", ", -1, 4"},
    {DType::kF64, 16, "__builtin_ia32_vfmaddpd", ""},
    {DType::kF64, 32, "__builtin_ia32_vfmaddpd256", ""},
    {DType::kF64, 64, "__builtin_ia32_vfmaddpd512_mask", ", -1, 4"},
};

/// The instruction that multiplies 16-bit integers and adds each two adjacent products as 32-bit integers (ir::kSumOfPairs).
struct PairProducts {
  int vector_bytes;
  std::string_view clang_feature, builtin, more, clang_builtin;
};
constexpr PairProducts kPairProducts[] = {
    {16, "__SSE2__", "__builtin_ia32_pmaddwd128", "", "__builtin_ia32_pmaddwd128"},
    {32, "__AVX2__", "__builtin_ia32_pmaddwd256", "", "__builtin_ia32_pmaddwd256"},
    {64, "__AVX512BW__", "__builtin_ia32_pmaddwd512_mask", ", x, -1", "__builtin_ia32_pmaddwd512"},
};

std::optional<InstructionForm> pair_products(int lanes, const Cpu& cpu) {
  if (!cpu.multiplies_pairs) return std::nullopt;
  const std::string halves = vector_name(DType::kI16, 2 * lanes), result = vector_name(DType::kI32, lanes);
  for (const PairProducts& row : kPairProducts) {
    if (row.vector_bytes != lanes * static_cast<int>(sizeof(int32_t)) || row.vector_bytes > cpu.vector_bytes) continue;
    const auto body = [&](std::string_view builtin, std::string_view more) {
      return cat("  return (", result, ")", builtin, "((", halves, ")x, (", halves, ")y", more, ");\n");
    };
    return InstructionForm{.builtins = {std::string(row.builtin)},
                           .clang_feature = row.clang_feature,
                           .body = body(row.builtin, row.more),
                           .vectors = {{DType::kI16, 2 * lanes}},
                           .clang_builtin = std::string(row.clang_builtin),
                           .clang_body = body(row.clang_builtin, "")};
  }
  return std::nullopt;
}

/// An instruction that adds products to sums (Cpu::dot_products), and the name of the IR function that it implements. The builtins for
/// these instructions are named after the number of lanes (gcc) or of bits (clang) of a vector.
struct DotProduct {
  std::string_view function, instruction;
};
constexpr DotProduct kDotProducts[] = {{ir::kAddPairs, "vpdpwssd"}, {ir::kAddQuads, "vpdpbusd"}};

/// Returns the macro that compilers define if the flag -m enables this set of instructions.
std::string macro_of(std::string_view extension) {
  std::string macro(extension);
  for (char& c : macro)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');  // not std::toupper(), which depends on the locale
  return cat("__", macro, "__");
}

std::optional<InstructionForm> dot_product(const ir::Function& function, int lanes, const Cpu& cpu) {
  const int bytes = lanes * static_cast<int>(sizeof(int32_t));
  if (!cpu.dot_products || bytes < 16 || bytes > cpu.vector_bytes) return std::nullopt;
  for (const DotProduct& row : kDotProducts) {
    if (row.function != function.name) continue;
    const std::string builtin = cat("__builtin_ia32_", row.instruction, "_v", lanes, "si"),
                      clang_builtin = cat("__builtin_ia32_", row.instruction, 8 * bytes);
    return InstructionForm{.builtins = {builtin},
                           .clang_feature = {},
                           .body = cat("  return ", builtin, "(x, y, z);\n"),
                           .vectors = {},
                           .clang_builtin = clang_builtin,
                           .clang_body = cat("  return ", clang_builtin, "(x, y, z);\n"),
                           .feature = macro_of(cpu.extension)};
  }
  return std::nullopt;
}

/// Instructions of F16C and AVX-512 that convert between f16 and f32; rounding to nearest is encoded in the instruction. clang 14 must not
/// recognise the conversion from f16 to f32: it would move the conversion behind a select of two halves, execute that select lane by lane,
/// and turn -0 into 0. To hide the conversion from clang, the result of the F16C form passes through an asm statement. The AVX-512 form
/// suppresses exceptions (its last argument), and clang does not recognise that form.
struct HalfConversion {
  int lanes;
  std::string_view feature;
  std::string_view widen, more_of_widen, narrow, more_of_narrow;  // `more_of_…`: additional arguments of the builtin, for its masked form
};
constexpr HalfConversion kHalfConversions[] = {
    {4, "__F16C__", "__builtin_ia32_vcvtph2ps", "", "__builtin_ia32_vcvtps2ph", ""},
    {8, "__F16C__", "__builtin_ia32_vcvtph2ps256", "", "__builtin_ia32_vcvtps2ph256", ""},
    {16, "__AVX512F__", "__builtin_ia32_vcvtph2ps512_mask", ", (f32x16){0}, 0xffff, 8", "__builtin_ia32_vcvtps2ph512_mask",
     ", (i16x16){0}, 0xffff"},
};

std::optional<InstructionForm> half_conversion(DType operand, DType result, int lanes, const Cpu& cpu) {
  const bool widens = operand == DType::kF16 && result == DType::kF32, narrows = operand == DType::kF32 && result == DType::kF16;
  for (const HalfConversion& row : kHalfConversions) {
    if ((!widens && !narrows) || row.lanes != lanes || 4 * lanes > cpu.vector_bytes) continue;
    // Of f16s in vectors of 8 bytes, the instructions take and give the low half of 16 bytes.
    constexpr int kLeastHalves = 8;
    const bool is_half_filled = lanes < kLeastHalves;
    const int halves = std::max(lanes, kLeastHalves);
    const std::string bits = vector_name(DType::kI16, halves);
    InstructionForm form{{std::string(widens ? row.widen : row.narrow)}, row.feature, {}, {{DType::kI16, halves}, {DType::kF32, lanes}}};
    if (is_half_filled) form.vectors.push_back({DType::kI64, 2});
    const std::string operand_bits =
        is_half_filled ? cat("(", bits, ")(", vector_name(DType::kI64, 2), "){(int64_t)x}") : cat("(", bits, ")x");
    const std::string wide = cat(row.widen, "(", operand_bits, row.more_of_widen, ")"), type = vector_name(result, lanes);
    if (narrows && is_half_filled)
      form.body = cat("  const ", bits, " low = (", bits, ")", row.narrow, "(x, 0);\n  return (", type,
                      ")__builtin_shufflevector(low, low, 0, 1, 2, 3);\n");
    else if (narrows)
      form.body = cat("  return (", type, ")", row.narrow, "(x, 0", row.more_of_narrow, ");\n");
    else if (row.more_of_widen.empty())
      form.body = cat("  ", type, " wide = ", wide,
                      ";\n  __asm__(\"\" : \"+x\"(wide)); /* keeps clang 14 from splitting the vector */\n  return wide;\n");
    else
      form.body = cat("  return ", wide, ";\n");
    return form;
  }
  return std::nullopt;
}

/// AVX-512 instructions for exponents and signs, in math functions and in running extremes. Placeholders in the texts: $format is ps or pd.
/// $p is $format followed by the number of bits of a register. $v is the vector type, and $i the type of integers of the same width. $m is
/// the mask that enables all lanes; for 512-bit registers it includes the argument that selects the rounding mode of the environment.
struct ExponentInstruction {
  std::string_view function, builtin, body;
};
constexpr ExponentInstruction kExponentInstructions[] = {
    {"scale", "__builtin_ia32_scalef$p_mask", "  return __builtin_ia32_scalef$p_mask(x, y - $rounder, x, $m);\n"},
    {"log_at_limits", "__builtin_ia32_fixupimm$p_mask",
     "  typedef $word table __attribute__((vector_size($bytes)));\n"
     "  /* the result for each class of x: NaN: x; 0: -inf; 1: y; -inf: NaN; inf: inf; negative: NaN; positive: y */\n"
     "  return __builtin_ia32_fixupimm$p_mask(y, x, (table){0} + 0x03530422, 0, $m);\n"},
    {"exponent", "__builtin_ia32_getexp$p_mask",
     "  const $v mantissa = __builtin_ia32_getmant$p_mask(x, 0, x, $m); /* in [1, 2) */\n"
     "  return __builtin_ia32_getexp$p_mask(x, x, $m) + ($v)((mantissa >= $root) & ($i)(($v){0} + 1));\n"},
    {"mantissa_near_one", "__builtin_ia32_getmant$p_mask", "  return __builtin_ia32_getmant$p_mask(x, 3, x, $m); /* in [3/4, 3/2) */\n"},
    {"minus_exponent_near_one", "__builtin_ia32_getexp$p_mask",
     "  const $v mantissa = __builtin_ia32_getmant$p_mask(x, 3, x, $m); /* in [3/4, 3/2) */\n"
     "  return __builtin_ia32_getexp$p_mask(mantissa, x, $m) - __builtin_ia32_getexp$p_mask(x, x, $m);\n"},
    {"scaled_against", "__builtin_ia32_scalef$p_mask",
     "  const $v mantissa = __builtin_ia32_getmant$p_mask(y, 3, y, $m); /* in [3/4, 3/2) */\n"
     "  const $v exponent = __builtin_ia32_getexp$p_mask(mantissa, y, $m) - __builtin_ia32_getexp$p_mask(y, y, $m);\n"
     "  return __builtin_ia32_scalef$p_mask(x, exponent, x, $m);\n"},
    {"floor_exponent", "__builtin_ia32_getexp$p_mask", "  return __builtin_ia32_getexp$p_mask(x, x, $m);\n"},
    {"significand", "__builtin_ia32_getmant$p_mask", "  return __builtin_ia32_getmant$p_mask(x, 4, x, $m); /* of |x|, in [1, 2) */\n"},
    {"root_at_limits", "__builtin_ia32_fixupimm$p_mask",
     "  typedef $word table __attribute__((vector_size($bytes)));\n"
     "  /* x if it is NaN, 0 or infinite, else y */\n"
     "  return __builtin_ia32_fixupimm$p_mask(y, x, (table){0} + 0x00110122, 0, $m);\n"},
    {"copy_sign", "__builtin_ia32_pternlog$letter$bits_mask",
     "  typedef $word bits __attribute__((vector_size($bytes)));\n"
     "  /* the sign bit of y and all other bits of x */\n"
     "  return ($v)__builtin_ia32_pternlog$letter$bits_mask((bits)x, (bits)y, (bits){0} + $sign, 0xd8, $lanes);\n"},
    {"or_sign", "__builtin_ia32_pternlog$letter$bits_mask",
     "  typedef $word bits __attribute__((vector_size($bytes)));\n"
     "  return ($v)__builtin_ia32_pternlog$letter$bits_mask((bits)x, (bits)y, (bits){0} + $sign, 0xf8, $lanes); /* x | y & sign */\n"},
    {"keep_tiny", "__builtin_ia32_ptestnm$letter$bits",
     "  typedef $word bits __attribute__((vector_size($bytes)));\n"
     "  return __builtin_ia32_blendm$format_$bits_mask(y, x, __builtin_ia32_ptestnm$letter$bits((bits)x, (bits){0} + $large_exponents, "
     "$lanes));\n"},
    {"greater_number", "__builtin_ia32_range$p_mask", "  return __builtin_ia32_range$p_mask(x, y, 5, x, $m); /* the greater, +0 > -0 */\n"},
    {"lesser_number", "__builtin_ia32_range$p_mask", "  return __builtin_ia32_range$p_mask(x, y, 4, x, $m); /* the lesser, -0 < +0 */\n"},
    {"found_nan", "__builtin_ia32_blendm$format_$bits_mask",
     "  return __builtin_ia32_blendm$format_$bits_mask(x, ($v){0} + $nan, __builtin_ia32_cmp$p_mask(y, z, 3, $m)); /* unordered */\n"},
    {"in_register", "__builtin_ia32_range$p_mask",
     "  __asm__(\"\" : \"+v\"(x)); /* without this, gcc loads it again at each use */\n  return x;\n"},
    {"mantissa", "__builtin_ia32_getmant$p_mask",
     "  const $v mantissa = __builtin_ia32_getmant$p_mask(x, 0, x, $m); /* in [1, 2) */\n"
     "  return ($v)(($i)mantissa - ((mantissa >= $root) & $exponent_bit));\n"},
};

std::optional<InstructionForm> exponent_instruction(const ir::Function& function, int lanes, const Cpu& cpu) {
  constexpr int kBytesWithMode = 64;  // size in bytes of those vectors whose instructions have an argument for the rounding mode
  const DType dtype = function.parameters[0];
  const bool wide = dtype == DType::kF64;
  const int bytes = lanes * static_cast<int>(size_of(dtype));
  if (!cpu.exponent_instructions || (bytes != 16 && bytes != 32 && bytes != 64)) return std::nullopt;
  const DType integer = signed_of(wide ? 64 : 32);
  const std::pair<std::string_view, std::string> words[] = {
      {"$p", cat(wide ? "pd" : "ps", bytes * 8)},
      {"$v", vector_name(dtype, lanes)},
      {"$m", cat(lanes > 8 ? "0xffff" : "0xff", bytes == kBytesWithMode ? ", 4" : "")},
      {"$lanes", lanes > 8 ? "0xffff" : "0xff"},
      {"$letter", wide ? "q" : "d"},
      {"$bits", cat(bytes * 8)},
      {"$sign", wide ? "(-0x7fffffffffffffffll - 1)" : "(-0x7fffffff - 1)"},
      {"$word", wide ? "long long" : "int"},
      {"$bytes", cat(bytes)},
      {"$rounder", wide ? "6755399441055744.0" : "12582912.0f"},
      {"$root", wide ? "1.4142135623730951" : "1.4142135f"},
      {"$exponent_bit", wide ? "0x10000000000000" : "0x800000"},
      {"$format", wide ? "pd" : "ps"},
      {"$large_exponents", wide ? "0x7000000000000000" : "0x70000000"},
      {"$nan", wide ? "__builtin_nan(\"\")" : "__builtin_nanf(\"\")"},
      {"$i", vector_name(integer, lanes)},
  };
  for (const ExponentInstruction& row : kExponentInstructions) {
    if (function.name != cat(row.function, "_", name(dtype))) continue;
    std::string builtin(row.builtin), body(row.body);
    for (std::string* text : {&builtin, &body})
      for (const auto& [word, meaning] : words)
        for (size_t at = 0; (at = text->find(word, at)) != std::string::npos; at += meaning.size()) text->replace(at, word.size(), meaning);
    return InstructionForm{{builtin}, "__AVX512VL__", body, {{dtype, lanes}, {integer, lanes}}};
  }
  return std::nullopt;
}

/// The masked permutation of AVX-512. It moves lanes of one vector, and takes the disabled lanes unchanged from another vector. For a
/// shuffle of two vectors gcc would choose an instruction with three operands, which delays stores on Zen 5.
struct MovedLanes {
  DType dtype;
  std::string_view builtin, number;
};
constexpr int kMovedBytes = 64;  // size in bytes of the vectors that the instruction permutes
constexpr MovedLanes kMovedLanes[] = {
    {DType::kF32, "__builtin_ia32_permvarsf512_mask", "int"},
    {DType::kI32, "__builtin_ia32_permvarsi512_mask", "int"},
    {DType::kF64, "__builtin_ia32_permvardf512_mask", "long long"},
};

/// Instructions that convert each element of the low part of a 16-byte vector to an integer of two to eight times its size. In the names
/// of their builtins there is a letter for each size. The builtins have C's types, which differ from those of the same size in generated
/// code.
struct Widening {
  size_t from, to;  // size in bytes of an element of the operand and of the result
  std::string_view letters, narrow, wide;
};
constexpr Widening kWidenings[] = {{1, 2, "bw", "char", "short"}, {2, 4, "wd", "short", "int"},      {4, 8, "dq", "int", "long long"},
                                   {1, 4, "bd", "char", "int"},   {1, 8, "bq", "char", "long long"}, {2, 8, "wq", "short", "long long"}};
struct WideningVector {
  int bytes;  // size of the result in bytes
  std::string_view feature, suffix, more;
};
constexpr WideningVector kWideningVectors[] = {
    {16, "__SSE4_1__", "", ""}, {32, "__AVX2__", "", ""}, {64, "__AVX512F__", "_mask", ", (wide){0}, -1"}};
// kSourceBytes: size in bytes of the builtins' operand; kLeastSourceBytes: smallest size of the part of it that they convert
constexpr int kSourceBytes = 16, kLeastSourceBytes = 4;

}  // namespace

std::optional<InstructionForm> widening_instruction(DType from, DType to, int lanes, const Cpu& cpu) {
  const int bytes = lanes * static_cast<int>(size_of(to)), source_bytes = lanes * static_cast<int>(size_of(from));
  if (cpu.instructions != InstructionSet::kX86 || bytes > cpu.vector_bytes || source_bytes < kLeastSourceBytes) return std::nullopt;
  if (to == DType::kF64) {
    if (bytes != 2 * kSourceBytes || source_bytes != kSourceBytes) return std::nullopt;
    const std::string builtin = cat("__builtin_ia32_cvt", from == DType::kF32 ? "ps" : "dq", "2pd256");
    return InstructionForm{
        .builtins = {builtin}, .clang_feature = {}, .body = cat("  return ", builtin, "(x);\n"), .vectors = {}, .feature = "__AVX__"};
  }
  if (source_bytes > kSourceBytes) return std::nullopt;
  for (const Widening& sizes : kWidenings)
    for (const WideningVector& vector : kWideningVectors) {
      if (sizes.from != size_of(from) || sizes.to != size_of(to) || vector.bytes != bytes) continue;
      const std::string builtin = cat("__builtin_ia32_pmov", is_signed_int(from) ? "s" : "z", "x", sizes.letters, 8 * bytes, vector.suffix);
      std::string body = cat("  typedef ", sizes.narrow, " narrow __attribute__((vector_size(", kSourceBytes, ")));\n"),
                  source = "(narrow)x";
      if (source_bytes < kSourceBytes) {
        const std::string_view word = source_bytes == kLeastSourceBytes ? "int" : "long long";
        append(body, cat("  typedef ", word, " words __attribute__((vector_size(", kSourceBytes, ")));\n"));
        source = cat("(narrow)(words){(", word, ")x}");
      }
      if (!vector.more.empty()) append(body, cat("  typedef ", sizes.wide, " wide __attribute__((vector_size(", bytes, ")));\n"));
      append(body, cat("  return (", vector_name(to, lanes), ")", builtin, "(", source, vector.more, ");\n"));
      return InstructionForm{
          .builtins = {builtin}, .clang_feature = {}, .body = body, .vectors = {}, .feature = std::string(vector.feature)};
    }
  return std::nullopt;
}

std::optional<std::string> extreme_of_two(bool greater, DType dtype, int lanes, const Cpu& cpu) {
  const ExtremeOfTwo* row = extreme_instruction(dtype, lanes, cpu);
  return row != nullptr ? std::optional(cat(greater ? row->max : row->min, "(x, y", row->more, ")")) : std::nullopt;
}

std::optional<InstructionForm> fused_multiply_add(DType dtype, int lanes, const Cpu& cpu) {
  const int bytes = lanes * static_cast<int>(size_of(dtype));
  if (cpu.instructions != InstructionSet::kX86 || !cpu.fma || bytes > cpu.vector_bytes) return std::nullopt;
  for (const FusedMultiplyAdd& row : kFusedMultiplyAdds)
    if (row.dtype == dtype && row.vector_bytes == bytes)
      return InstructionForm{{std::string(row.builtin)}, "", cat("  return ", row.builtin, "(a, b, c", row.more, ");\n"), {}};
  return std::nullopt;
}

namespace {

/// Returns the immediate operand of the instruction that permutes lanes only within each 128-bit quarter of a vector, which is cheaper than
/// a general permutation. Returns nullopt if that instruction cannot do the permutation. It can if each lane stays in its quarter, and all
/// quarters do the same and disable the same lanes. The operand has two bits for each of the four lanes of a quarter.
std::optional<int> within_quarters(const std::vector<int>& from) {
  int code = 0;
  for (int i = 0; i < static_cast<int>(from.size()); ++i) {
    const int lane = from[static_cast<size_t>(i)], first = from[static_cast<size_t>(i % 4)];
    if (lane >= 0 ? lane / 4 != i / 4 || lane % 4 != first : first >= 0) return std::nullopt;
    if (i < 4) code |= std::max(lane, 0) << (2 * i);
  }
  return code;
}

}  // namespace

std::optional<InstructionForm> moved_lanes_instruction(DType dtype, const std::vector<int>& from, const Cpu& cpu) {
  const int lanes = static_cast<int>(from.size()), bytes = lanes * static_cast<int>(size_of(dtype));
  if (cpu.instructions != InstructionSet::kX86 || bytes != kMovedBytes || bytes > cpu.vector_bytes) return std::nullopt;
  for (const MovedLanes& row : kMovedLanes) {
    if (row.dtype != dtype) continue;
    int mask = 0;
    std::vector<int> numbers;
    for (int i = 0; i < lanes; ++i) {
      const int lane = from[static_cast<size_t>(i)];
      mask |= (lane >= 0) << i;
      numbers.push_back(std::max(lane, 0));
    }
    // All four vector units of Zen 5 can execute the permutation within quarters, with a latency of two cycles. The general permutation
    // takes five cycles.
    constexpr std::string_view kWithin = "__builtin_ia32_vpermilps512_mask";
    if (const auto code = dtype == DType::kF32 ? within_quarters(from) : std::nullopt)
      return InstructionForm{{std::string(kWithin)}, "", cat("  return ", kWithin, "(x, ", *code, ", none, ", mask, ");\n"), {}};
    const std::string body = cat("  typedef ", row.number, " numbers __attribute__((vector_size(64)));\n  return ", row.builtin,
                                 "(x, (numbers){", join(numbers, ", "), "}, none, ", mask, ");\n");
    return InstructionForm{{std::string(row.builtin)}, "", body, {}};
  }
  return std::nullopt;
}

std::optional<std::string> permuted_table(const ir::Table& table, int lanes, const Cpu& cpu) {
  const int bytes = lanes * static_cast<int>(size_of(table.dtype));
  if (cpu.instructions != InstructionSet::kX86 || table.dtype != DType::kF32 || bytes > cpu.vector_bytes) return std::nullopt;
  if (lanes == 16)
    return cat("  const f32x16 all = *(const f32x16*)", table.name,
               ";\n#if defined(__clang__)\n  return __builtin_ia32_permvarsf512(all, index);\n#else\n"
               "  return __builtin_shuffle(all, index);\n#endif\n");
  if (lanes == 8)
    return cat("  const f32x8 low = __builtin_ia32_permvarsf256(*(const f32x8*)", table.name,
               ", index);\n  const f32x8 high = __builtin_ia32_permvarsf256(*(const f32x8*)(", table.name,
               " + 8), index);\n  return __builtin_ia32_blendvps256(low, high, (f32x8)(index << 28));\n");
  return std::nullopt;
}

std::optional<InstructionForm> instruction_form(const ir::Function& function, int lanes, const Cpu& cpu) {
  if (cpu.instructions != InstructionSet::kX86 || lanes == 1) return std::nullopt;
  const DType operand = function.parameters[0];
  if (function.name == ir::kSumOfPairs) return pair_products(lanes, cpu);
  if (const auto form = dot_product(function, lanes, cpu)) return form;
  if (!function.op) return exponent_instruction(function, lanes, cpu);
  if (*function.op == Op::kCast) return half_conversion(operand, function.result, lanes, cpu);
  return *function.op == Op::kMax || *function.op == Op::kMin ? extreme(*function.op, operand, lanes, cpu) : std::nullopt;
}

}  // namespace harp::render
