#include "compile/c_flags.h"

#include <algorithm>
#include <charconv>

#include "base/gcc_bugs.h"
#include "base/text.h"

namespace harp {
namespace {

// Flags for gcc instead of -O3, for a source that is already vectorised. On such a source gcc would spend a quarter of its time in passes
// of -O3 that find nothing to do. The flags were chosen by measuring some hundred kernels; with them, kernels are as fast as with -O3.
//
// -ftree-vectorize: without it, loops over the lanes of a vector are 5 to 10 times slower. -fpeel-loops: for short loops over the lanes of
// an accumulator. -fgcse: for vector constants. -fexpensive-optimizations and -fschedule-insns2: for stencils (examples/reaction reaches
// 0.89 of the speed of a hand-written loop without them, 1.00 with them). -fcaller-saves: keeps sums in registers across the call that
// reports a failed check, which makes products with the rows of a sparse matrix twice as fast. --param=max-completely-peeled-insns=80:
// keeps gcc from completely unrolling the up to fifteen iterations of a scalar remainder, which would take another quarter of its time for
// no gain.
//
// clang does not get these flags, because it inlines nothing at -O1.
constexpr const char* kGccFlagsForVectors[] = {"-O1",
                                               "-ftree-vectorize",
                                               "-fpeel-loops",
                                               "-fgcse",
                                               "-fexpensive-optimizations",
                                               "-fschedule-insns2",
                                               "-fcaller-saves",
                                               "-fno-tree-bit-ccp",
                                               "--param=max-completely-peeled-insns=80"};

// Contraction (-ffp-contract) would change result bits. Math functions that set errno would need libm. The remaining flags keep the file
// small and free of external symbols; for example, hardened defaults such as the stack protector would call libc and libssp. The
// optimisation level depends on the request, see varying_flags().
constexpr const char* kFlags[] = {
    // Lets the assembler run in parallel with the compiler and without a temporary file, which saves 5 % of a small kernel's compile time.
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
// The last two flags reduce the number of memory mappings of a loaded library from four to two. That matters because a process may have
// only some 65,000 mappings (vm.max_map_count).
constexpr const char* kLinkFlags[] = {"-shared",       "-nostdlib", "-Wl,--build-id=none", "-Wl,--hash-style=gnu", "-Wl,-z,noseparate-code",
                                      "-Wl,-z,norelro"};

}  // namespace

std::optional<int> gcc_version(std::string_view version) {
  if (!version.starts_with("gcc ") && version.find("Free Software Foundation") == version.npos) return std::nullopt;
  // The first line of `version` has one of two formats: "gcc 12.2.0 (Debian 12.2.0-14)" comes from the driver's answer to -###, "cc (Debian
  // 12.2.0-14) 12.2.0" from --version.
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
  // At -O1 without this flag, gcc 12 fails with an internal error on comparisons of constant vectors on x86-64.
  if (request.optimisation == 1 && gcc) words.emplace_back("-ftree-vectorize");
  const Cpu& cpu = request.target.cpu();
  if (!cpu.march.empty()) words.push_back(cat("-march=", cpu.march));
  if (!cpu.extension.empty()) words.push_back(cat("-m", cpu.extension));
  if (cpu.prefer_512) words.emplace_back("-mprefer-vector-width=512");
  // Without this flag, gcc 12 assumes that functions called through a pointer have no side effects, and removes the calls of kernels.
  if (gcc) words.emplace_back("-fno-ipa-pure-const");
  // The first two flags disable registers that no kernel uses; building tables for them takes gcc 2 % of a small kernel's compile time. The
  // third flag avoids a bug of gcc 12 and 13 with AVX-512: in a leaf function they place an array 8 bytes below the end of the stack, but
  // access it as if it were aligned to 16 bytes.
  if (gcc && cpu.instructions == InstructionSet::kX86) words.insert(words.end(), {"-mno-80387", "-mno-mmx", "-mno-red-zone"});
  if (gcc.value_or(0) > 0 && *gcc < kGccBugsMended) {
    for (const std::string_view name : kGccBugSwitches) words.push_back(cat("-f", name));
    // The macro makes the source skip its own pragma, which sets the same switches as these flags (base/gcc_bugs.h). The macro is not
    // defined if the caller passes flags: those come last and could undo the switches, so the pragma must stay active.
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
