// NaN detection on x86 processors for Retry blocks (ir::Retry). If the fast code of such a block raises the invalid flag, exact code is
// executed in addition. The flag shows whether an operand of some maximum was a NaN.
//
// If an operand is NaN, the max instruction returns its second operand, so the NaN may be lost; but the instruction sets the flag. The
// maximum is an asm statement, because for C code a compiler may choose an instruction that does not set the flag. The asm statements,
// including those that read the flag, are volatile: compilers keep volatile statements in order, together with the loads that they contain.
// (In the order that gcc would choose, code for two interleaved rows from the L3 cache runs at 0.84 of the speed.)
#include "base/text.h"
#include "render/c/function.h"

namespace harp::render {

namespace {

constexpr int kXmmBytes = 16;

/// Returns the suffix of an SSE or AVX instruction, for example "ps" for a vector of f32 and "ss" for a single f32.
std::string suffix(DType dtype, int lanes) { return cat(lanes == 1 ? "s" : "p", dtype == DType::kF32 ? "s" : "d"); }

/// Returns a function body that executes `call` for each lane. Used for vectors smaller than a register.
std::string lane_by_lane(const std::string& call, const char* vector, int lanes) {
  return cat("  ", vector, " r;\n  for (int lane = 0; lane < ", lanes, "; ++lane) r[lane] = ", call, ";\n  return r;\n");
}

bool can_detect_invalid(const RenderOptions& options) { return !options.plain_text && options.target.cpu().maximum_flags_nan; }

}  // namespace

bool is_flagged(const RenderOptions& options, const ir::Function& function) {
  const auto is = [&](std::string_view what) { return function.name == cat("watched_", what, "_", name(function.parameters[0])); };
  return can_detect_invalid(options) && (is("greater") || is("result"));
}

bool detects_invalid(Unit& unit) {
  if (!can_detect_invalid(unit.options)) return false;
  unit.definitions.once("harp_clear_invalid", [] {
    return std::string(
        R"(/* harp_clear_invalid clears the flag that invalid operations set; harp_met_invalid tests it. harp_leave restores the caller's flag. */
static inline void harp_clear_invalid(void) {
  uint32_t state;
  __asm__ volatile("stmxcsr %0" : "=m"(state) : : "memory");
  if (state & 1) {
    state -= 1;
    __asm__ volatile("ldmxcsr %0" : : "m"(state) : "memory");
  }
}
static inline int harp_met_invalid(void) {
  uint32_t state;
  __asm__ volatile("stmxcsr %0" : "=m"(state) : : "memory");
  return state & 1;
}
)");
  });
  return true;
}

std::optional<std::string> flagged_text(Unit& unit, const ir::Function& function, int lanes) {
  if (!is_flagged(unit.options, function)) return std::nullopt;
  const DType dtype = function.parameters[0];
  const bool is_greater = function.name.starts_with("watched_greater_");
  const std::string value = value_type(unit, dtype, lanes);
  // With clang the operand must be in a register: if it may be in memory, clang stores the register to memory and loads it again.
  unit.definitions.once("HARP_LOADED", [] {
    return std::string("#if defined(__clang__)\n#define HARP_LOADED(y) \"v\"(y)\n#else\n#define HARP_LOADED(y) \"vm\"(y)\n#endif\n");
  });
  if (lanes > 1 && lanes * static_cast<int>(size_of(dtype)) < kXmmBytes)
    return lane_by_lane(cat(function_of(unit, function, 1), is_greater ? "(x[lane], y[lane])" : "(x[lane])"), value.c_str(), lanes);
  const std::string instruction = cat("vmax", suffix(dtype, lanes));
  if (is_greater)
    return cat("  ", value, " r;\n  __asm__ volatile(\"", instruction,
               " %2, %1, %0\" : \"=v\"(r) : \"v\"(x), HARP_LOADED(y)); /* a NaN sets the flag */\n  return r;\n");
  const bool wide = dtype == DType::kF64;
  const std::string integer = wide ? "int64_t" : "int32_t", sign = wide ? "(-0x7fffffffffffffffll - 1)" : "(-0x7fffffff - 1)";
  const std::string note = "  /* -0 becomes NaN, which sets the flag */\n";
  const std::string flag = cat("  __asm__ volatile(\"", instruction, " %0, %0, %0\" : \"+v\"(seen));\n  return x;\n");
  if (lanes > 1) {
    const std::string bits = vector_name(signed_of(wide ? 64 : 32), lanes);
    memory_vector(unit, signed_of(wide ? 64 : 32), lanes);
    return cat(note, "  ", value, " seen = (", value, ")((", bits, ")x | ((", bits, ")x == ", sign, "));\n", flag);
  }
  return cat(note, "  union { ", value, " number; ", integer, " bits; } both = {x};\n  if (both.bits == ", sign, ") both.bits = -1;\n  ",
             value, " seen = both.number;\n", flag);
}

}  // namespace harp::render
