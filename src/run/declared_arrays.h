// The fast path of harp_program_call for a program whose sizes are all known: if every array is the one that the signature declares, one
// comparison replaces the checks of a run (program.h). It never reports an error: for any other array it says only that it does not fit,
// and the run with all checks then finds out why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harp.h"
#include "run/signature.h"

namespace harp {

class DeclaredArrays {
 public:
  /// Returns nothing if the program has shape variables, sizes that are checked at run time, or too many arrays.
  static std::optional<DeclaredArrays> of(const Signature& signature);

  /// If all arrays have the declared dtypes and sizes and aligned memory, and no output overlaps another array, stores their addresses and
  /// returns true. `inputs_at` and `outputs_at` have room for the addresses of the declared inputs and outputs.
  bool fit(std::span<const harp_const_array> inputs, std::span<const harp_array> outputs, void** inputs_at, void** outputs_at) const;
  size_t inputs() const { return inputs_.size(); }
  size_t outputs() const { return outputs_.size(); }

 private:
  struct Declared {
    harp_dtype dtype;
    int32_t rank;
    const int64_t* dims;
    size_t bytes;
    uintptr_t unaligned;  // bits of an address that are 0 if it is aligned
  };
  template <class Array>
  static bool fits(const Declared& declared, const Array& array);
  std::vector<Declared> declare(const std::vector<ArraySignature>& arrays);

  std::vector<std::vector<int64_t>> dims_;  // sizes of all arrays
  std::vector<Declared> inputs_, outputs_;
};

}  // namespace harp
