// Holds the large constant arrays of a program of the backend "c". The generated code does not contain them, but receives their addresses
// as additional inputs, after the program's own inputs. Who adds these addresses:
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
  /// The start of a constant array may be anywhere in a cache line. Arrays of up to kMaxAligned bytes are copied to memory that starts with
  /// a cache line, until kMaxAlignedTotal bytes have been copied. Larger arrays do not stay in a cache, so they are used without a copy. (A
  /// product of two 256 x 256 matrices takes 1.18 times as long if the vector loads of the second matrix cross cache lines.)
  static constexpr size_t kMaxAligned = size_t{1} << 20, kMaxAlignedTotal = size_t{16} << 20;

  /// `arrays` are in the order in which the generated code receives them. `inputs` is the number of the program's own inputs, and `code` is
  /// the entry point of the generated code, which expects the additional inputs.
  HiddenInputs(std::vector<std::shared_ptr<const std::vector<std::byte>>> arrays, size_t inputs, harp_entry_point_ex code);

  bool empty() const { return addresses_.empty(); }
  std::span<void* const> addresses() const { return addresses_; }
  /// Return the entry points of the program. They are functions that append addresses() to the inputs and call the generated code. They are
  /// valid during this object's lifetime. Thread-safe. Throw Error{kUnsupported} if the system forbids making functions at run time.
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

  std::vector<std::shared_ptr<const std::vector<std::byte>>> arrays_;  // owns the arrays that are used without a copy
  std::vector<Copy> copies_;
  std::vector<void*> addresses_;
  size_t inputs_;
  harp_entry_point_ex code_;
  mutable std::mutex mutex_;  // guards the closures, which are made when they are first needed
  mutable std::optional<Closure> entry_, entry_ex_;
};

}  // namespace harp
