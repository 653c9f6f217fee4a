#include "compile/c_flags.h"

#include <algorithm>
#include <charconv>

#include "base/gcc_bugs.h"
#include "base/text.h"

namespace harp {
namespace {

// Replaces -O3 for a source that is already vectorised, where gcc spends a quarter of its time on passes that find nothing. The flags that
// -O1 lacks were chosen by measuring some hundred kernels. -ftree-vectorize: without it, loops over the lanes of a vector are 5 to 10 times
// slower. -fpeel-loops: for short loops over the lanes of an accumulator. -fgcse: for vector constants. The next two: for stencils (without
// them, examples/reaction reaches 0.89 of the speed of a hand-written loop, with them 1.00). -fcaller-saves keeps sums in registers across
// the call for a failed check, which makes products with the rows of a sparse matrix twice as fast. With all of them, kernels are as fast
// as with -O3. The last parameter stops gcc from unrolling the up to fifteen iterations of a scalar remainder, which takes another quarter
// of the time for no gain. clang inlines nothing at -O1, so it does not get these flags.
constexpr const char* kGccFlagsForVectors[] = {"-O1",
                                               "-ftree-vectorize",
                                               "-fpeel-loops",
                                               "-fgcse",
                                               "-fexpensive-optimizations",
                                               "-fschedule-insns2",
                                               "-fcaller-saves",
                                               "-fno-tree-bit-ccp",
                                               "--param=max-completely-peeled-insns=80"};

// Reasons for the flags: contraction and errno would change bits or require libm. The other flags keep the file small and free of external
// symbols (hardened defaults such as the stack protector would call libc and libssp). Without -O3 scalar loops are not vectorised.
constexpr const char* kFlags[] = {
    // Saves 5 % of a small kernel's compile time: the assembler runs in parallel with the compiler, without a temporary file.
    "-pipe",
    "-std=gnu11",
    "-ffp-contract=off",
    "-fwrapv",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-asynchronous-unwind-tables",
    "-fno-stack-protector",
    "-fPIC",
};
// The last two flags reduce the mappings of a library from four to two: code with constants, and the dynamic section. A process may have
// some 65,000 mappings (vm.max_map_count).
constexpr const char* kLinkFlags[] = {"-shared",       "-nostdlib", "-Wl,--build-id=none", "-Wl,--hash-style=gnu", "-Wl,-z,noseparate-code",
                                      "-Wl,-z,norelro"};

}  // namespace

std::optional<int> gcc_version(std::string_view version) {
  if (!version.starts_with("gcc ") && version.find("Free Software Foundation") == version.npos) return std::nullopt;
  // Formats: "gcc 12.2.0 (Debian 12.2.0-14)" from the driver's answer, "cc (Debian 12.2.0-14) 12.2.0" from --version.
  const std::string_view line = version.substr(0, version.find('\n'));
  size_t at = line.find(' ');
  if (line.substr(std::min(at, line.size())).starts_with(" (")) at = line.find(") ") + 1;
  const std::string_view number = at >= line.size() ? std::string_view() : line.substr(at + 1);
  int first = 0;
  std::from_chars(number.data(), number.data() + number.size(), first);
  return first;
}

std::vector<std::string> varying_flags(const CompileRequest& request, std::optional<int> gcc) {
  std::vector<std::string> words;
  if (request.optimisation == 3 && request.vectors_written && gcc)
    words.insert(words.end(), std::begin(kGccFlagsForVectors), std::end(kGccFlagsForVectors));
  else
    words.push_back(cat("-O", request.optimisation));
  // Without this flag, gcc 12 has an internal error for comparisons of constant vectors on x86-64.
  if (request.optimisation == 1 && gcc) words.emplace_back("-ftree-vectorize");
  const Cpu& cpu = request.target.cpu();
  if (!cpu.march.empty()) words.push_back(cat("-march=", cpu.march));
  if (!cpu.extension.empty()) words.push_back(cat("-m", cpu.extension));
  if (cpu.prefer_512) words.emplace_back("-mprefer-vector-width=512");
  // gcc 12 assumes that functions called through a pointer have no side effects, and removes the call of a kernel.
  if (gcc) words.emplace_back("-fno-ipa-pure-const");
  // The first two flags disable registers that no kernel uses; gcc builds tables for them, 2 % of a small kernel's compile time. The third
  // avoids a bug of gcc 12 and 13 for AVX-512: in a leaf function they place an array 8 bytes below the stack's end but store to it as if
  // it were aligned to 16.
  if (gcc && cpu.instructions == InstructionSet::kX86) words.insert(words.end(), {"-mno-80387", "-mno-mmx", "-mno-red-zone"});
  if (gcc.value_or(0) > 0 && *gcc < kGccBugsMended) {
    for (const std::string_view name : kGccBugSwitches) words.push_back(cat("-f", name));
    // The caller's flags come after these and could undo them; in that case the pragma in the source stays active.
    if (request.flags.empty()) words.push_back(cat("-D", kGccBugMacro));
  }
  return words;
}

std::span<const char* const> compile_flags() { return kFlags; }
std::span<const char* const> link_flags() { return kLinkFlags; }

bool is_self_contained(std::string_view flag) {
  if (flag.find('/') != flag.npos || flag.find('@') != flag.npos || flag.find("native") != flag.npos) return false;
  if (flag.starts_with("-fplugin") || flag.starts_with("-fprofile") || flag.starts_with("-fbranch-prob") ||
      flag.starts_with("-fauto-profile") || flag.starts_with("-Wl,") || flag.starts_with("-Wa,") || flag.starts_with("-Wp,"))
    return false;
  if (flag == "-D" || flag == "-U" || flag == "-pipe" || flag == "-w") return true;
  for (const char* prefix : {"-O", "-D", "-U", "-W", "-f", "-m", "-g", "-std=", "-pedantic"})
    if (flag.starts_with(prefix)) return true;
  return false;
}

}  // namespace harp
