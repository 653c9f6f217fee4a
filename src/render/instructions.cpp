#include "render/instructions.h"

#include "base/text.h"
#include "render/types.h"

namespace harp::render {
namespace {

/// x86: two operands, the greater (lesser) or, if neither is, the second. Given both ways round they differ for zeros and NaN only.
/// gcc makes two instructions of `x > y ? x : y` in lanes and does not see that it is this one.
struct ExtremeOfTwo {
  DType dtype;
  int vector_bytes;
  std::string_view max, min;
  std::string_view more;  // further arguments: what lanes left out would be, which lanes are in, the rounding of the environment
};
constexpr ExtremeOfTwo kExtremes[] = {
    {DType::kF32, 16, "__builtin_ia32_maxps", "__builtin_ia32_minps", ""},
    {DType::kF32, 32, "__builtin_ia32_maxps256", "__builtin_ia32_minps256", ""},
    {DType::kF32, 64, "__builtin_ia32_maxps512_mask", "__builtin_ia32_minps512_mask", ", x, 0xffff, 4"},
    {DType::kF64, 16, "__builtin_ia32_maxpd", "__builtin_ia32_minpd", ""},
    {DType::kF64, 32, "__builtin_ia32_maxpd256", "__builtin_ia32_minpd256", ""},
    {DType::kF64, 64, "__builtin_ia32_maxpd512_mask", "__builtin_ia32_minpd512_mask", ", x, 0xff, 4"},
};

/// AVX-512 (with VL): any function of three bits, given as its table of 8; gcc needs two instructions for a majority.
struct LogicOfThree {
  int vector_bytes;
  std::string_view builtin, lanes;  // mask of all 32-bit lanes
};
constexpr LogicOfThree kLogics[] = {
    {16, "__builtin_ia32_pternlogd128_mask", "0xff"},
    {32, "__builtin_ia32_pternlogd256_mask", "0xff"},
    {64, "__builtin_ia32_pternlogd512_mask", "0xffff"},
};
constexpr std::string_view kMajority = "0xe8";

}  // namespace

std::optional<InstructionForm> instruction_form(Op op, DType dtype, int lanes, const Target& target) {
  if (!target.name.starts_with("x86-64") || (op != Op::kMax && op != Op::kMin)) return std::nullopt;
  const int bytes = lanes * static_cast<int>(size_of(dtype));
  for (const ExtremeOfTwo& row : kExtremes) {
    if (row.dtype != dtype || row.vector_bytes != bytes || bytes > target.vector_bytes) continue;
    const bool wide = dtype == DType::kF64;
    const std::string_view extreme = op == Op::kMax ? row.max : row.min;
    const DType integer = signed_of(wide ? 64 : 32);
    const std::string bits = vector_type(integer, lanes), result = vector_type(dtype, lanes);
    InstructionForm form{{std::string(extreme)}, {}, {{integer, lanes}}};
    form.body =
        cat("  /* the ", op == Op::kMax ? "greater" : "lesser", " or, if neither is, the second: differ for zeros and NaN only */\n");
    // as the second operand of both, gcc would load y from memory twice
    append(form.body, cat("  __asm__(\"\" : \"+", target.vector_bytes < 64 ? "x" : "v", "\"(y)); /* loaded once */\n"));
    append(form.body, cat("  const ", bits, " a = (", bits, ")", extreme, "(x, y", row.more, "), b = (", bits, ")", extreme, "(y, x",
                          row.more, ");\n"));
    const std::string_view magnitude = wide ? "0x7fffffffffffffffll" : "0x7fffffff";
    if (op == Op::kMin) {
      append(form.body, cat("  return (", result, ")(a | b);\n"));
    } else if (target.vector_bytes < 64) {
      append(form.body, cat("  return (", result, ")((a & b) | ((a | b) & ", magnitude, "));\n"));
    } else {
      for (const LogicOfThree& logic : kLogics) {
        if (logic.vector_bytes != bytes) continue;
        const std::string words = vector_type(DType::kI32, bytes / 4);
        const std::string cast = wide ? cat("(", words, ")") : std::string();
        form.builtins.emplace_back(logic.builtin);
        form.vectors.push_back({DType::kI32, bytes / 4});
        append(form.body, cat("  return (", result, ")", logic.builtin, "(", cast, "a, ", cast, "b, ", cast, "((", bits, "){0} + ",
                              magnitude, "), ", kMajority, ", ", logic.lanes, ");\n"));
      }
    }
    return form;
  }
  return std::nullopt;
}

}  // namespace harp::render
