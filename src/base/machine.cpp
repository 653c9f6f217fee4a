// CPU levels and their detection. __builtin_cpu_supports checks CPUID and XGETBV, so a level whose registers the operating system does not
// save is never chosen.
#include "base/machine.h"

#include <algorithm>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace harp {
namespace {

constexpr Target kX86[] = {
    {"x86-64", "x86-64", 16, false, false, false, true},
    {"x86-64-v2", "x86-64-v2", 16, false, true, false, true},
    {"x86-64-v3", "x86-64-v3", 32, true, true, false, true},
    {"x86-64-v4", "x86-64-v4", 64, true, true, true, true},
    {"x86-64-v4-one-load", "x86-64-v4", 64, true, true, true, true, true},
};
constexpr Target kArm[] = {{"aarch64", "armv8-a", 16, true, true, false, false}};

#if defined(__x86_64__)
constexpr std::span<const Target> kTargets = kX86, kForeign = kArm;

/// Features that the levels require but that __builtin_cpu_supports cannot query in every compiler. Hypervisors may mask each of these
/// bits.
struct ExtraFeatures {
  bool v2 = false;  // CMPXCHG16B, LAHF
  bool v3 = false;  // F16C, MOVBE, LZCNT
};

ExtraFeatures extra_features() {
  unsigned a = 0, b = 0, c = 0, d = 0, extended = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return {};
  if (__get_cpuid(0x80000001u, &a, &b, &extended, &d) == 0) return {};
  const auto bit = [](unsigned word, int n) { return (word >> n & 1u) != 0; };
  return {bit(c, 13) && bit(extended, 0), bit(c, 29) && bit(c, 22) && bit(extended, 5)};
}

/// True for CPUs of AMD's family 19h with AVX-512; these are Zen 4.
bool is_zen4() {
  unsigned most = 0, family = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0, &most, &b, &c, &d) == 0 || b != signature_AMD_ebx || c != signature_AMD_ecx || d != signature_AMD_edx) return false;
  if (__get_cpuid(1, &family, &b, &c, &d) == 0) return false;
  return (family >> 8 & 0xf) + (family >> 20 & 0xff) == 0x19 && __builtin_cpu_supports("avx512f");
}

/// Index of this CPU's row in kX86.
size_t host_row() {
  __builtin_cpu_init();
  const ExtraFeatures extra = extra_features();
  const bool v2 = extra.v2 && __builtin_cpu_supports("sse3") && __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1") &&
                  __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const bool v3 = v2 && extra.v3 && __builtin_cpu_supports("avx") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                  __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (v4) return is_zen4() ? 4 : 3;
  return v3 ? 2 : v2 ? 1 : 0;
}

Target detect_host() { return kTargets[host_row()]; }
#elif defined(__aarch64__)
constexpr std::span<const Target> kTargets = kArm, kForeign = kX86;
Target detect_host() { return kTargets[0]; }
#else
constexpr Target kGeneric[] = {{"generic", "", 16, false, false, false, false}};  // correct on any CPU, not tuned
constexpr std::span<const Target> kTargets = kGeneric, kForeign = kX86;
Target detect_host() { return kTargets[0]; }
#endif

#if defined(__x86_64__)
#define HARP_ARCHITECTURE "x86_64"
#elif defined(__aarch64__)
#define HARP_ARCHITECTURE "aarch64"
#elif defined(__riscv)
#define HARP_ARCHITECTURE "riscv64"
#else
#define HARP_ARCHITECTURE "unknown"
#endif
#if defined(__GLIBC__)
#define HARP_SYSTEM "linux-gnu"
#elif defined(__linux__)
#define HARP_SYSTEM "linux"
#else
#define HARP_SYSTEM "unknown"
#endif

}  // namespace

std::span<const Target> targets() { return kTargets; }
std::span<const Target> foreign_targets() { return kForeign; }

std::optional<Target> target_from_name(std::string_view name) {
  for (const std::span<const Target> table : {kTargets, kForeign})
    for (const Target& target : table)
      if (target.name == name) return target;
  return std::nullopt;
}

std::string target_names() {
  std::string names;
  for (const std::span<const Target> table : {kTargets, kForeign})
    for (const Target& target : table) names += (names.empty() ? "" : ", ") + std::string(target.name);
  return names;
}

Target host_target() {
  static const Target host = detect_host();  // CPUID takes 50 microseconds in a virtual machine
  return host;
}

bool can_run(const Target& target) {
  const bool is_native = std::ranges::any_of(kTargets, [&](const Target& row) { return row == target; });
  const Target host = host_target();
  return is_native && target.vector_bytes <= host.vector_bytes && target.fma <= host.fma && target.rounds <= host.rounds;
}

std::string_view host_triple() { return HARP_ARCHITECTURE "-" HARP_SYSTEM; }

}  // namespace harp
