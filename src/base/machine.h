// Describes target machines: what harp generates code for. A table lists each machine with a fixed name and its capabilities. The steps of
// a compilation test the capabilities (`cpu.mask_registers`), never the name of the machine, and infer no capability from another. No
// machine is called "native": on several hosts that share a cache, that name would mean a different CPU on each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>

namespace harp {

/// Size of a cache line on every machine; lines are aligned to it.
inline constexpr int64_t kLineBytes = 64;
/// Size of a small page on every machine; hardware prefetchers do not cross a page boundary.
inline constexpr int64_t kPageBytes = 4096;

/// Tests whether a vector of this many bytes fills a cache line. If so, an aligned load of a vector reads exactly one line, and two
/// consecutive vectors of an aligned array never share a line.
constexpr bool is_whole_line(int64_t vector_bytes) { return vector_bytes == kLineBytes; }

/// The instruction set that generated source may use beyond portable C (through compiler builtins or assembly), and that compiler flags may
/// refer to. kPortable: portable C only.
enum class InstructionSet : uint8_t { kPortable, kX86, kArm };

/// Sizes in bytes of the three levels of data caches. The first two levels exist in each core; the cores share the third.
struct Caches {
  int64_t first = int64_t{48} << 10, second = int64_t{1} << 20, third = int64_t{32} << 20;
};

/// The capabilities of a CPU. Code generated with the defaults is correct on every CPU.
struct Cpu {
  // --- Options for the C compiler
  InstructionSet instructions = InstructionSet::kPortable;
  std::string_view march = {};  // value of -march=; empty if the compiler's default is right
  // The name of an instruction set extension that `march` does not include; empty if there is none. Example: "avx512vnni" for the compiler
  // flag -mavx512vnni, which also makes compilers define the macro __AVX512VNNI__.
  std::string_view extension = {};
  // Whether to pass -mprefer-vector-width=512. Without it, compilers use 256-bit vectors even if the CPU has 512-bit registers; kernels
  // compiled with 256-bit vectors ran at 0.33 to 0.54 times the speed of those with 512-bit vectors.
  bool prefer_512 = false;

  // --- Registers
  int vector_bytes = 16;        // widest vector register
  int vector_registers = 16;    // number of registers of vector_bytes bytes
  bool mask_registers = false;  // comparisons return a mask of one bit per lane, which loads, blends and arithmetic accept

  // --- Which vector instructions the CPU has. Where one is missing, generated code computes the same bits with other instructions.
  bool fma = false;                  // has fused multiply-add
  bool rounds = true;                // has floor, ceil, trunc and rint
  bool extremes_of_integers = true;  // has maximum and minimum of vectors of 8-bit, 16-bit and 32-bit integers
  bool logic_of_three = false;       // one instruction computes any given boolean function of three vectors
  bool shuffles_bytes = true;        // one instruction permutes the 16 bytes of a vector arbitrarily
  bool masked_moves =
      false;  // loads and stores those 32-bit and 64-bit lanes of a vector that a vector of integers selects; the stores are slow
  bool multiplies_pairs = false;  // one instruction multiplies 16-bit integers and adds adjacent products, in 32 bits
  // one instruction adds two products of 16-bit integers, or four products of an unsigned and a signed byte, to a 32-bit sum
  bool dot_products = false;
  bool exponent_instructions = false;  // has AVX-512's getexp, getmant, scalef, fixupimm and range, which math functions use
  bool maximum_flags_nan = false;      // the maximum instruction raises the invalid flag for a NaN, and the flag is cheap to read
  bool non_temporal_stores = false;    // has stores of whole vectors that bypass the caches

  // --- Properties of a core that the scheduler assumes. `harp info --measure` measures all of them except shuffles_occupy_adders on the
  // machine it runs on (tune/measurement.h). The values here apply to machines that were not measured.
  bool shuffles_occupy_adders = false;   // shuffles compete for execution units with additions, but not with multiply-adds
  int vector_loads_a_cycle = 2;          // loads of vectors of vector_bytes per cycle
  int vector_multiply_adds_a_cycle = 1;  // multiply-adds of vectors of vector_bytes per cycle
  int vector_additions_a_cycle = 2;      // additions of vectors of vector_bytes per cycle
  int addition_latency = 4;              // latency of a floating-point addition in cycles
  Caches caches = {};
  int64_t stream_bytes = int64_t{15} << 20;  // kernels that store at least this many bytes use non-temporal stores (schedule/cpu/tuning.h)
};

/// Returns a tuple of references to those members of `cpu` that can be measured, always in the same order.
template <class AnyCpu>
auto measured_numbers(AnyCpu& cpu) {
  return std::tie(cpu.caches.first, cpu.caches.second, cpu.caches.third, cpu.stream_bytes, cpu.vector_loads_a_cycle,
                  cpu.vector_multiply_adds_a_cycle, cpu.vector_additions_a_cycle, cpu.addition_latency);
}

/// Tests whether any choice of elements of two vectors can be moved into one vector of the same size by a few instructions. Every machine
/// has such instructions for elements of 4 or 8 bytes. For smaller elements the machine needs a shuffle of bytes (Cpu::shuffles_bytes), and
/// the vectors must have 16 to 32 bytes: in longer vectors, compilers access each element separately.
constexpr bool shuffles_elements(const Cpu& cpu, size_t element_bytes, int lanes) {
  constexpr size_t kWide = 4, kLeast = 16, kMost = 32;
  const size_t bytes = element_bytes * static_cast<size_t>(lanes);
  return element_bytes >= kWide || (cpu.shuffles_bytes && bytes >= kLeast && bytes <= kMost);
}

/// The capabilities of a GPU. Every GPU that harp generates code for has at least the defaults.
struct Gpu {
  int capability = 80;               // compute capability times ten: 80 means 8.0
  int warp_threads = 32;             // number of threads of a warp, which execute together
  int64_t shared_bytes = 100 << 10;  // size of a multiprocessor's shared memory
  // The number of threads per block in kernels whose threads do not cooperate. It is so large that the blocks which fit a multiprocessor at
  // the same time have as many threads as a multiprocessor can run.
  int block_threads = 128;
  bool f64_mma = false;  // true if tensor cores multiply f64 twice as fast as other instructions
  // true if a multiprocessor has room for two thread blocks that each compute a tile of 128 x 64 f64 results with 90 KB of shared memory
  bool large_f64_mma_tiles = false;
  // True for GPUs on which 64 f32 results are too many for one thread of a matrix product, because a multiprocessor runs few threads or
  // because the compiler would spill registers.
  bool small_tiles = false;
  // The number of multiprocessors; schedules try to keep all of them busy. GPUs described by the same entry of the table may have different
  // numbers. Results do not depend on the number. Code for the GPUs of this computer is generated for the largest number that one of them
  // has (backend/cuda.cpp). Code for an entry that the caller chose by name is always generated for the number of an H100 or H200, whatever
  // the entry, so that the same source is generated on every computer.
  int processors = 132;
};

/// One entry of the table of target machines. Its strings have static storage, so copies are safe. Code that handles only one kind of
/// machine takes a Cpu or a Gpu instead of a Machine.
struct Machine {
  std::string_view name;  // such as "x86-64-v3"; harp_compile_options.target and `harp run --target` accept this name
  std::variant<Cpu, Gpu> hardware;

  /// The capabilities of the CPU. The machine must be a CPU.
  const Cpu& cpu() const { return std::get<Cpu>(hardware); }
  /// The capabilities of the CPU, or Cpu{} if the machine is a GPU. It is for steps that handle both kinds of machine.
  const Cpu& cpu_or_default() const;
  /// The capabilities of the GPU, or null if the machine is a CPU.
  const Gpu* gpu() const { return std::get_if<Gpu>(&hardware); }

  friend bool operator==(const Machine& a, const Machine& b) { return a.name == b.name; }
};

/// The target machines of the CPU architecture that this library was built for, least capable first.
std::span<const Machine> machines();
/// Target machines of another CPU architecture: harp can generate source for them but cannot compile it.
std::span<const Machine> foreign_machines();
/// The target CPU called `name`, of this architecture or another; nothing if there is none.
std::optional<Machine> machine_from_name(std::string_view name);
/// All names that machine_from_name() accepts, separated by commas, for messages.
std::string machine_names();
/// The target GPUs, lowest compute capability first: "sm_80" … Machine code for a target runs on GPUs with the same major capability and
/// the same or a higher minor one.
std::span<const Machine> gpu_machines();
/// The most capable target machine whose code this CPU and its operating system can execute.
Machine host_machine();
/// True if this CPU can execute code that was compiled for `machine`.
bool can_run(const Machine& machine);
/// Architecture, operating system and C library this library was built for: "x86_64-linux-gnu".
std::string_view host_triple();

}  // namespace harp
