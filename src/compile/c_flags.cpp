#include "compile/c_flags.h"

#include <algorithm>
#include <charconv>

#include "base/gcc_bugs.h"
#include "base/text.h"

namespace harp {
namespace {

// Instead of -O3 for a source with its own vectors, of which gcc spends a quarter of its time on passes that find nothing to do. What they
// leave behind was measured over some hundred kernels: loops over the lanes of a vector need the first (else 5 to 10 times slower), short
// loops over the lanes of an accumulator the second, constants that are vectors the third, stencils (examples/reaction: 0.89 of the loop by
// hand without, 1.00 with) the next two. The last keeps sums in registers although a call of a failed check may follow, which is saved
// around then: products with the rows of a sparse matrix are twice as fast. With all of them a kernel is as fast as with -O3. clang at -O1
// inlines nothing, so it is left alone. The limit keeps gcc from writing out the up to fifteen rounds of a scalar rest (a quarter of the
// time again, for nothing).
constexpr const char* kGccFlagsForVectors[] = {"-O1",
                                               "-ftree-vectorize",
                                               "-fpeel-loops",
                                               "-fgcse",
                                               "-fexpensive-optimizations",
                                               "-fschedule-insns2",
                                               "-fcaller-saves",
                                               "-fno-tree-bit-ccp",
                                               "--param=max-completely-peeled-insns=80"};

// Why each one stands here: docs of the CPU backend (compile latency, trap list). In short: contraction and errno change bits or pull
// in libm; the rest keeps the file small and free of symbols from elsewhere (a hardened default such as the stack protector would call
// into libc and libssp). Scalar loops are not vectorised without -O3.
constexpr const char* kFlags[] = {
    "-pipe",  // 5 % of a small kernel's cold time: the assembler starts beside the compiler, and no temporary file is written
    "-std=gnu11",
    "-ffp-contract=off",
    "-fwrapv",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-asynchronous-unwind-tables",
    "-fno-stack-protector",
    "-fPIC",
};
// The second line: code and constants are one mapping and the dynamic section is the other, instead of four in all, of which a process has
// some 65,000 (vm.max_map_count).
constexpr const char* kLinkFlags[] = {"-shared",       "-nostdlib", "-Wl,--build-id=none", "-Wl,--hash-style=gnu", "-Wl,-z,noseparate-code",
                                      "-Wl,-z,norelro"};

}  // namespace

std::optional<int> gcc_version(std::string_view version) {
  if (!version.starts_with("gcc ") && version.find("Free Software Foundation") == version.npos) return std::nullopt;
  // "gcc 12.2.0 (Debian 12.2.0-14)" of an answer, "cc (Debian 12.2.0-14) 12.2.0" of --version
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
  // without it gcc 12 ends in an internal error over comparisons of constant vectors on x86-64
  if (request.optimisation == 1 && gcc) words.emplace_back("-ftree-vectorize");
  if (!request.target.march.empty()) words.push_back(cat("-march=", request.target.march));
  if (request.target.prefer_512) words.emplace_back("-mprefer-vector-width=512");
  // gcc 12 takes what is called through a pointer for a function without effects, and leaves the call of a kernel out
  if (gcc) words.emplace_back("-fno-ipa-pure-const");
  // The first two: registers no kernel uses, of which gcc makes tables, 2 % of a small one's time. The third: gcc 12 and 13 for AVX-512
  // place an array of a function that calls nothing at 8 bytes below the stack's end, and store to it as if it were aligned to 16.
  if (gcc && request.target.name.starts_with("x86-64")) words.insert(words.end(), {"-mno-80387", "-mno-mmx", "-mno-red-zone"});
  if (gcc.value_or(0) > 0 && *gcc < kGccBugsMended) {
    for (const std::string_view name : kGccBugSwitches) words.push_back(cat("-f", name));
    if (request.flags.empty()) words.push_back(cat("-D", kGccBugMacro));  // others come after these and could undo them: the text asks then
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
