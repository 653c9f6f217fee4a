// A table of the flags of gcc and clang that a host application may not pass. A flag matches an entry by its exact text or by a prefix.
#include "compile/arithmetic_flags.h"

#include <algorithm>
#include <iterator>

namespace harp {
namespace {

struct Row {
  std::string_view flag;  // if it ends with '*', any flag that begins with the text before the '*' matches
  std::string_view fault;
};

constexpr std::string_view kFast = "enables unsafe floating-point optimisations";
constexpr std::string_view kFlush = "flushes subnormal numbers to zero";
constexpr std::string_view kHidden = "adds flags or code that harp cannot check";
constexpr std::string_view kOverflow = "makes integer overflow undefined or a trap";
constexpr std::string_view kPrecision = "changes the precision of intermediate results";
constexpr std::string_view kSpecial = "assumes that no value is NaN or infinite";

constexpr Row kRows[] = {
    {"-ffast-math", kFast},
    {"-Ofast", kFast},
    {"--optimize=fast", kFast},
    {"-funsafe-math-optimizations", kFast},
    {"-ffp-model=*", kFast},
    {"-fassociative-math", "reassociates sums and products"},
    {"-freciprocal-math", "multiplies by reciprocals instead of dividing"},
    {"-mrecip", "approximates divisions and square roots"},
    {"-mrecip=*", "approximates divisions and square roots"},
    {"-mlow-precision-recip-sqrt", "approximates divisions and square roots"},
    {"-mlow-precision-sqrt", "approximates divisions and square roots"},
    {"-mlow-precision-div", "approximates divisions and square roots"},
    {"-fapprox-func", "approximates functions"},
    {"-ffinite-math-only", kSpecial},
    {"-fno-honor-nans", kSpecial},
    {"-fno-honor-infinities", kSpecial},
    {"-fno-signed-zeros", "ignores the sign of zero"},
    {"-ffp-contract=*", "contracts products and sums"},
    {"-mdaz-ftz", kFlush},
    {"-fdenormal-fp-math=*", kFlush},
    {"-fdenormal-fp-math-f32=*", kFlush},
    {"-fsingle-precision-constant", kPrecision},
    {"-fexcess-precision=*", kPrecision},
    {"-mfpmath=*", kPrecision},
    {"-ffp-eval-method=*", kPrecision},
    {"-m80387", kPrecision},
    {"-ftrapv", kOverflow},
    {"-fno-wrapv", kOverflow},
    {"-fstrict-overflow", kOverflow},
    // Flags that are passed on to the linker and the assembler are rejected too, because with -flto these programs generate code.
    {"@*", kHidden},
    {"-X*", kHidden},
    {"-Wp,*", kHidden},
    {"-Wa,*", kHidden},
    {"-Wl,*", kHidden},
    {"--for-assembler*", kHidden},
    {"--for-linker*", kHidden},
    {"-mllvm*", kHidden},
    {"-specs*", kHidden},
    {"--specs*", kHidden},
    {"--config*", kHidden},
    {"-wrapper*", kHidden},
    {"--wrapper*", kHidden},
    {"-include*", kHidden},
    {"-imacros*", kHidden},
    {"-fplugin*", kHidden},
    {"-fpass-plugin*", kHidden},
};

/// Flags that match a prefix in the table above but are allowed: harp itself passes them, or they do not change results.
constexpr std::string_view kHarmless[] = {"-ffp-contract=off",           "-ffp-model=strict", "-fdenormal-fp-math=ieee",
                                          "-fdenormal-fp-math-f32=ieee", "-mrecip=none",      "-fexcess-precision=standard",
                                          "-ffp-eval-method=source",     "-mfpmath=sse"};

/// gcc also accepts long options and their abbreviations, such as --fast-math for -ffast-math and --optimize for -O. Therefore flags with
/// two dashes are rejected, except those that begin with one of these texts.
constexpr std::string_view kWithTwoDashes[] = {"--param", "--std=", "--sysroot", "--target=", "--gcc-toolchain="};

}  // namespace

std::string_view arithmetic_fault(std::string_view flag) {
  if (std::find(std::begin(kHarmless), std::end(kHarmless), flag) != std::end(kHarmless)) return {};
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), [flag](const Row& r) {
    return r.flag.ends_with('*') ? flag.starts_with(r.flag.substr(0, r.flag.size() - 1)) : flag == r.flag;
  });
  if (row != std::end(kRows)) return row->fault;
  const bool known = !flag.starts_with("--") || std::any_of(std::begin(kWithTwoDashes), std::end(kWithTwoDashes),
                                                            [flag](std::string_view prefix) { return flag.starts_with(prefix); });
  return known ? std::string_view() : "may abbreviate any flag; write it with one dash";
}

}  // namespace harp
