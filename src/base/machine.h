// The machine that code is generated for. Each machine is a row of a table, with a fixed name and a list of capabilities. The steps of a
// compilation read the capabilities (`cpu.mask_registers`). They never test which row it is, and never infer one capability from another.
// No row is called "native": that name would mean a different CPU on every machine that shares a cache.
#pragma once

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
/// Size of a small page on every machine; hardware prefetchers stop at its end.
inline constexpr int64_t kPageBytes = 4096;

/// Tests whether a vector of this many bytes is a whole cache line. Each load of a vector then reads exactly one line, and no two vectors
/// of a packed row share a line.
constexpr bool is_whole_line(int64_t vector_bytes) { return vector_bytes == kLineBytes; }

/// The architecture whose instructions generated source and compiler flags may use (as builtins or in assembly). kPortable: none.
enum class InstructionSet : uint8_t { kPortable, kX86, kArm };

/// Sizes in bytes of the three levels of data caches. Each core has its own first and second level; the cores share the third.
struct Caches {
  int64_t first = int64_t{48} << 10, second = int64_t{1} << 20, third = int64_t{32} << 20;
};

/// The capabilities of a CPU. The defaults are correct on every CPU.
struct Cpu {
  // --- For the C compiler
  InstructionSet instructions = InstructionSet::kPortable;
  std::string_view march = {};  // value of -march=; empty if the compiler's default is right
  // Name of a set of instructions that `march` lacks, which the flag -m enables: "avx512vnni". Compilers define a macro for it,
  // __AVX512VNNI__. Empty: none.
  std::string_view extension = {};
  // Whether to pass -mprefer-vector-width=512. Compilers default to 256 bits even where registers have 512; kernels then ran at 0.33 to
  // 0.54 of the speed.
  bool prefer_512 = false;

  // --- Registers
  int vector_bytes = 16;        // widest vector register
  int vector_registers = 16;    // registers of that width
  bool mask_registers = false;  // comparisons return a mask of one bit per lane, which loads, blends and arithmetic accept

  // --- Instructions. Where one is missing, generated text computes the same bits in another way.
  bool fma = false;                    // fused multiply-add
  bool rounds = true;                  // floor, ceil, trunc, rint
  bool extremes_of_i32 = true;         // maximum and minimum of 32-bit integers
  bool logic_of_three = false;         // any boolean function of three vectors
  bool multiplies_pairs = false;       // multiplies 16-bit integers and adds adjacent products, in 32 bits
  bool dot_products = false;           // adds the products of two 16-bit integers, or of four bytes (unsigned by signed), to a 32-bit sum
  bool exponent_instructions = false;  // AVX-512's getexp, getmant, scalef, fixupimm and range, for math functions
  bool maximum_flags_nan = false;      // the maximum instruction raises the invalid flag for a NaN, and the flag is cheap to read
  bool non_temporal_stores = false;    // stores of whole vectors that bypass the caches

  // --- Cores: numbers that schedules assume. `harp info --measure` measures all but the first on the machine at hand (tune/measurement.h).
  // The values here are used for machines that were not measured.
  bool shuffles_occupy_adders = false;   // shuffles compete with additions for the same units, but not with multiply-adds
  int vector_loads_a_cycle = 2;          // of the widest vectors
  int vector_multiply_adds_a_cycle = 1;  // of the widest vectors
  int vector_additions_a_cycle = 2;      // of the widest vectors
  int addition_latency = 4;              // cycles from the operands of an addition of floats to its result
  Caches caches = {};
  int64_t stream_bytes = int64_t{15} << 20;  // kernels that store at least this many bytes use non-temporal stores (tuning.h)
};

/// The numbers of a CPU that can be measured, always in the same order: references to members of `cpu`.
template <class AnyCpu>
auto measured_numbers(AnyCpu& cpu) {
  return std::tie(cpu.caches.first, cpu.caches.second, cpu.caches.third, cpu.stream_bytes, cpu.vector_loads_a_cycle,
                  cpu.vector_multiply_adds_a_cycle, cpu.vector_additions_a_cycle, cpu.addition_latency);
}

/// The capabilities of a GPU. The defaults are those of every GPU that harp generates code for.
struct Gpu {
  int capability = 80;               // compute capability, times ten
  int warp_threads = 32;             // threads that execute together
  int block_threads = 128;           // threads of a block in kernels whose threads do not cooperate: enough warps to fill a multiprocessor
  bool f64_mma = false;              // tensor cores multiply f64 twice as fast as other instructions
  bool large_f64_mma_tiles = false;  // two blocks of 128 x 64 results of f64, each with 90 KB of shared memory, fit a multiprocessor
  // Whether 64 results of f32 are too many for a thread of a product: where a multiprocessor has few threads, and where the compiler spills
  // registers.
  bool small_tiles = false;
  // Multiprocessors, which schedules try to keep busy. It differs between GPUs of one row, and results do not depend on it. Code for the
  // GPUs at hand is made with their number (backend/cuda.cpp). Code for a row that was asked for by name is the same on every machine: it
  // is made with the number of an H100 or H200, whatever the row, because source that was generated once should stay as it is.
  int processors = 132;
};

/// One row of the table of machines. Its strings have static storage, so copies are safe. Code for one kind of machine takes Cpu or Gpu
/// instead of Machine.
struct Machine {
  std::string_view name;  // "x86-64-v3"; also what harp_compile_options.target and `harp run --target` take
  std::variant<Cpu, Gpu> hardware;

  /// The capabilities of a CPU. The row must be that of a CPU.
  const Cpu& cpu() const { return std::get<Cpu>(hardware); }
  /// The capabilities of a CPU, or Cpu{} if the row is that of a GPU. For steps that handle both kinds of machine.
  const Cpu& cpu_or_default() const;
  /// The capabilities of a GPU, or null if the row is that of a CPU.
  const Gpu* gpu() const { return std::get_if<Gpu>(&hardware); }

  friend bool operator==(const Machine& a, const Machine& b) { return a.name == b.name; }
};

/// All rows of the architecture this library was built for, lowest level first.
std::span<const Machine> machines();
/// Rows of another architecture: harp can generate source for them but cannot compile it.
std::span<const Machine> foreign_machines();
/// The row called `name`, of this architecture or another.
std::optional<Machine> machine_from_name(std::string_view name);
/// All names that machine_from_name accepts, separated by commas; for messages.
std::string machine_names();
/// The rows of GPUs, lowest capability first: "sm_80" … Code for a row runs on the GPUs of the same major capability and the same or a
/// higher minor one.
std::span<const Machine> gpu_machines();
/// The highest row that this CPU and its operating system support.
Machine host_machine();
/// True if this CPU can execute code compiled for `machine`.
bool can_run(const Machine& machine);
/// Architecture, operating system and C library this library was built for: "x86_64-linux-gnu".
std::string_view host_triple();

}  // namespace harp
