// Contains the table of target machines, and the detection of this CPU's entry. __builtin_cpu_supports checks CPUID and XGETBV, so an entry
// is never chosen if the operating system does not save the registers that it needs.
#include "base/machine.h"

#include <algorithm>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace harp {
namespace {

constexpr Cpu kX86V1{.instructions = InstructionSet::kX86,
                     .march = "x86-64",
                     .rounds = false,
                     .extremes_of_integers = false,
                     .shuffles_bytes = false,
                     .multiplies_pairs = true,
                     .non_temporal_stores = true};

constexpr Cpu x86_v2() {
  Cpu cpu = kX86V1;
  cpu.march = "x86-64-v2";
  cpu.rounds = cpu.extremes_of_integers = cpu.shuffles_bytes = true;
  return cpu;
}

constexpr Cpu x86_v3() {
  Cpu cpu = x86_v2();
  cpu.march = "x86-64-v3";
  cpu.vector_bytes = 32;
  cpu.fma = cpu.vector_masks_load = true;
  return cpu;
}

constexpr Cpu x86_v4() {
  Cpu cpu = x86_v3();
  cpu.march = "x86-64-v4";
  cpu.prefer_512 = true;
  cpu.vector_bytes = 64;
  cpu.vector_registers = 32;
  cpu.mask_registers = cpu.logic_of_three = cpu.exponent_instructions = cpu.maximum_flags_nan = true;
  cpu.vector_multiply_adds_a_cycle = 2;
  return cpu;
}

/// Returns the description of AMD's Zen 4. Its vector units are 256 bits wide, so a 512-bit instruction takes two passes. It loads one
/// 512-bit vector per cycle.
constexpr Cpu x86_v4_one_load() {
  Cpu cpu = x86_v4();
  cpu.vector_loads_a_cycle = cpu.vector_multiply_adds_a_cycle = 1;
  cpu.shuffles_occupy_adders = true;
  cpu.caches.first = int64_t{32} << 10;
  return cpu;
}

// No level of x86-64 includes instructions for dot products. They exist in two encodings (VEX and EVEX), and a CPU may have either, both or
// none. Each entry of the table of machines uses at most one of the encodings.
constexpr std::string_view kVexDotProducts = "avxvnni", kEvexDotProducts = "avx512vnni";

constexpr Cpu with_dot_products(Cpu cpu, std::string_view extension) {
  cpu.extension = extension;
  cpu.dot_products = true;
  return cpu;
}

constexpr Machine kX86[] = {{"x86-64", kX86V1},
                            {"x86-64-v2", x86_v2()},
                            {"x86-64-v3", x86_v3()},
                            {"x86-64-v3-vnni", with_dot_products(x86_v3(), kVexDotProducts)},
                            {"x86-64-v4", x86_v4()},
                            {"x86-64-v4-vnni", with_dot_products(x86_v4(), kEvexDotProducts)},
                            {"x86-64-v4-one-load", x86_v4_one_load()},
                            {"x86-64-v4-one-load-vnni", with_dot_products(x86_v4_one_load(), kEvexDotProducts)}};
constexpr Machine kArm[] = {
    {"aarch64", Cpu{.instructions = InstructionSet::kArm, .march = "armv8-a", .vector_registers = 32, .fma = true}}};

constexpr Machine kGpus[] = {{"sm_80", Gpu{.shared_bytes = 164 << 10, .f64_mma = true}},
                             {"sm_86", Gpu{.capability = 86, .small_tiles = true}},
                             {"sm_89", Gpu{.capability = 89, .small_tiles = true}},
                             {"sm_90", Gpu{.capability = 90, .shared_bytes = 228 << 10, .f64_mma = true, .large_f64_mma_tiles = true}},
                             {"sm_100", Gpu{.capability = 100, .shared_bytes = 228 << 10, .f64_mma = true, .large_f64_mma_tiles = true}},
                             {"sm_120", Gpu{.capability = 120, .small_tiles = true}}};

#if defined(__x86_64__)
constexpr std::span<const Machine> kMachines = kX86, kForeign = kArm;

/// Features that the levels x86-64-v2 and v3 require, but that __builtin_cpu_supports cannot query in every compiler. A hypervisor may hide
/// any of them from its guest, so each CPUID bit is checked.
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

/// Tests whether this CPU has the instruction set extension (Cpu::extension). Does not check whether the operating system saves the vector
/// registers that the extension uses: the check of the x86-64 level already covers them.
bool has_extension(std::string_view extension) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  if (extension == kEvexDotProducts) return (c >> 11 & 1u) != 0;
  const unsigned last_subleaf = a;
  if (extension != kVexDotProducts || last_subleaf < 1 || __get_cpuid_count(7, 1, &a, &b, &c, &d) == 0) return false;
  return (a >> 4 & 1u) != 0;
}

/// True for CPUs of AMD's family 19h with AVX-512; these are Zen 4.
bool is_zen4() {
  unsigned most = 0, family = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0, &most, &b, &c, &d) == 0 || b != signature_AMD_ebx || c != signature_AMD_ecx || d != signature_AMD_edx) return false;
  if (__get_cpuid(1, &family, &b, &c, &d) == 0) return false;
  return (family >> 8 & 0xf) + (family >> 20 & 0xff) == 0x19 && __builtin_cpu_supports("avx512f");
}

/// Returns the name of the entry of kMachines that describes this CPU.
std::string_view host_row() {
  __builtin_cpu_init();
  const ExtraFeatures extra = extra_features();
  const bool v2 = extra.v2 && __builtin_cpu_supports("sse3") && __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1") &&
                  __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const bool v3 = v2 && extra.v3 && __builtin_cpu_supports("avx") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                  __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (v4) {
    const bool has_dot_products = has_extension(kEvexDotProducts);
    if (is_zen4()) return has_dot_products ? "x86-64-v4-one-load-vnni" : "x86-64-v4-one-load";
    return has_dot_products ? "x86-64-v4-vnni" : "x86-64-v4";
  }
  if (v3) return has_extension(kVexDotProducts) ? "x86-64-v3-vnni" : "x86-64-v3";
  return v2 ? "x86-64-v2" : "x86-64";
}

Machine detect_host() { return *std::ranges::find(kMachines, host_row(), &Machine::name); }
#elif defined(__aarch64__)
constexpr std::span<const Machine> kMachines = kArm, kForeign = kX86;
bool has_extension(std::string_view) { return false; }
Machine detect_host() { return kMachines[0]; }
#else
// The entry for other architectures: the generated code runs correctly on any CPU but is tuned for none.
constexpr Machine kGeneric[] = {{"generic", Cpu{.rounds = false}}};
constexpr std::span<const Machine> kMachines = kGeneric, kForeign = kX86;
bool has_extension(std::string_view) { return false; }
Machine detect_host() { return kMachines[0]; }
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

const Cpu& Machine::cpu_or_default() const {
  static constexpr Cpu kDefault{};
  const Cpu* cpu = std::get_if<Cpu>(&hardware);
  return cpu != nullptr ? *cpu : kDefault;
}

std::span<const Machine> machines() { return kMachines; }
std::span<const Machine> foreign_machines() { return kForeign; }

std::optional<Machine> machine_from_name(std::string_view name) {
  for (const std::span<const Machine> table : {kMachines, kForeign})
    for (const Machine& machine : table)
      if (machine.name == name) return machine;
  return std::nullopt;
}

std::string machine_names() {
  std::string names;
  for (const std::span<const Machine> table : {kMachines, kForeign})
    for (const Machine& machine : table) names += (names.empty() ? "" : ", ") + std::string(machine.name);
  return names;
}

std::span<const Machine> gpu_machines() { return kGpus; }

Machine host_machine() {
  static const Machine host = detect_host();  // The CPU is detected only once, because CPUID takes 50 microseconds in a virtual machine.
  return host;
}

bool can_run(const Machine& machine) {
  const bool is_native = std::ranges::any_of(kMachines, [&](const Machine& row) { return row == machine; });
  if (!is_native) return false;
  const Machine host = host_machine();
  const Cpu &has = host.cpu(), &needs = machine.cpu();
  return needs.vector_bytes <= has.vector_bytes && needs.fma <= has.fma && needs.rounds <= has.rounds &&
         (needs.extension.empty() || needs.extension == has.extension || has_extension(needs.extension));
}

std::string_view host_triple() { return HARP_ARCHITECTURE "-" HARP_SYSTEM; }

}  // namespace harp
