// The CPU that code is generated for: a level with a fixed, portable name (never "native", which means something else on every
// machine that shares a cache), what its vector registers hold, and the flag that tells the compiler.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace harp {

/// Bytes of a cache line, which begins at a multiple of them, on every target.
inline constexpr int64_t kLineBytes = 64;
/// Bytes of a small page, at whose end prefetchers stop.
inline constexpr int64_t kPageBytes = 4096;

/// One row of the table of levels. Plain data with static storage behind its text: copy it freely.
struct Target {
  std::string_view name;    // "x86-64-v3"; also what harp_compile_options.target and `harp run --target` take
  std::string_view march;   // value of -march=, empty where the compiler's default is right
  int vector_bytes = 16;    // widest vector register: 16, 32 or 64
  bool fma = false;         // fused multiply-add in hardware; else generated code carries an exact emulation
  bool rounds = true;       // floor, ceil, trunc, rint in one instruction; else as for fma
  bool prefer_512 = false;  // -mprefer-vector-width=512 (both compilers default to 256 on v4; measured 0.33-0.54x without)
  bool streams = false;     // has stores of whole vectors past the caches
  bool one_load = false;    // loads one of its widest vectors a cycle (Zen 4); schedules for others assume two

  friend bool operator==(const Target& a, const Target& b) { return a.name == b.name; }
};

/// Every row of the architecture this library was built for, lowest first.
std::span<const Target> targets();
/// Rows of another architecture: source can be generated for them, but not compiled.
std::span<const Target> foreign_targets();
/// The row called `name`, of this architecture or another one.
std::optional<Target> target_from_name(std::string_view name);
/// All names that target_from_name knows, with commas between: for messages.
std::string target_names();
/// The row that describes this CPU and its operating system best.
Target host_target();
/// Can this CPU execute code that is compiled for `target`?
bool can_run(const Target& target);
/// Architecture, operating system and C library this library was built for: "x86_64-linux-gnu".
std::string_view host_triple();

}  // namespace harp
