// The CPU that code is generated for: a level with a fixed, portable name, the capabilities of its vector registers, and the compiler flag
// that selects it. The name is never "native", which means a different CPU on every machine that shares a cache.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace harp {

/// Size of a cache line on every target; lines are aligned to it.
inline constexpr int64_t kLineBytes = 64;
/// Size of a small page; hardware prefetchers stop at its end.
inline constexpr int64_t kPageBytes = 4096;

/// One row of the table of CPU levels. Plain data whose strings have static storage, so copies are safe.
struct Target {
  std::string_view name;   // "x86-64-v3"; also what harp_compile_options.target and `harp run --target` take
  std::string_view march;  // value of -march=; empty if the compiler's default is right
  int vector_bytes = 16;   // widest vector register: 16, 32 or 64
  bool fma = false;        // has fused multiply-add; otherwise generated code emulates it exactly
  bool rounds = true;      // has single instructions for floor, ceil, trunc, rint; otherwise emulated too
  // Passes -mprefer-vector-width=512. Both compilers default to 256 bits on v4; without the flag kernels were measured at 0.33-0.54x.
  bool prefer_512 = false;
  bool streams = false;   // has non-temporal stores of whole vectors
  bool one_load = false;  // loads one of its widest vectors a cycle (Zen 4); schedules for others assume two

  friend bool operator==(const Target& a, const Target& b) { return a.name == b.name; }
};

/// All rows of the architecture this library was built for, lowest level first.
std::span<const Target> targets();
/// Rows of another architecture: harp can generate source for them but cannot compile it.
std::span<const Target> foreign_targets();
/// The row called `name`, of this architecture or another.
std::optional<Target> target_from_name(std::string_view name);
/// All names that target_from_name accepts, separated by commas; for messages.
std::string target_names();
/// The highest row that this CPU and its operating system support.
Target host_target();
/// True if this CPU can execute code compiled for `target`.
bool can_run(const Target& target);
/// Architecture, operating system and C library this library was built for: "x86_64-linux-gnu".
std::string_view host_triple();

}  // namespace harp
