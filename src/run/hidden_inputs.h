// Large constant arrays of a program of the backend "c". The generated code receives their addresses after those of the program's inputs.
//
//   harp_program_run:  LoadedProgram ── inputs, Executable::hidden_inputs(), outputs ──► generated code
//   entry points:      host ── inputs ──► closure of HiddenInputs ── inputs, hidden inputs ──► generated code
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "harp.h"
#include "run/closure.h"

namespace harp {

class HiddenInputs {
 public:
  /// The graph's arrays may begin anywhere in a cache line. Arrays of up to kMaxAligned bytes are copied to the beginning of one, until
  /// kMaxAlignedTotal bytes have been copied. Larger ones do not stay in a cache, and are used where they are. (A product of two 256 x 256
  /// matrices takes 1.18 times as long if the vector loads of the second one cross cache lines.)
  static constexpr size_t kMaxAligned = size_t{1} << 20, kMaxAlignedTotal = size_t{16} << 20;

  /// `arrays` are in the order in which the generated code receives them. The program has `inputs` inputs, and `code` is the code's own
  /// entry point.
  HiddenInputs(std::vector<std::shared_ptr<const std::vector<std::byte>>> arrays, size_t inputs, harp_entry_point_ex code);

  bool empty() const { return addresses_.empty(); }
  std::span<void* const> addresses() const { return addresses_; }
  /// The entry points of the program: functions, valid during this object's lifetime, that append addresses() to the inputs and call the
  /// code. Error{kUnsupported} if the system forbids making functions at run time. Thread-safe.
  harp_entry_point entry() const;
  harp_entry_point_ex entry_ex() const;

 private:
  int32_t call(void** arguments, const harp_runtime* runtime) const noexcept;
  static void call_entry(ffi_cif* cif, void* result, void** arguments, void* object);
  static void call_entry_ex(ffi_cif* cif, void* result, void** arguments, void* object);

  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  using Copy = std::unique_ptr<std::byte, Free>;

  std::vector<std::shared_ptr<const std::vector<std::byte>>> arrays_;  // arrays that were not copied
  std::vector<Copy> copies_;
  std::vector<void*> addresses_;
  size_t inputs_;
  harp_entry_point_ex code_;
  mutable std::mutex mutex_;  // guards the closures, which are made on first use
  mutable std::optional<Closure> entry_, entry_ex_;
};

}  // namespace harp
