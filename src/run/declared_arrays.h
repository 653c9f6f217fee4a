// The fast path of harp_program_call: if every array is the one that the signature declares, one pass over the arrays replaces the checks
// of a run (program.h). It computes the shape variables from the axes that determine them, and each size that depends on them once. It
// never reports an error: for any other array it says only that it does not fit, and the run with all checks then finds out why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "harp.h"
#include "run/signature.h"

namespace harp {

class DeclaredArrays {
 public:
  DeclaredArrays() = default;
  DeclaredArrays(DeclaredArrays&&) = default;
  DeclaredArrays& operator=(DeclaredArrays&&) = default;
  DeclaredArrays(const DeclaredArrays&) = delete;  // Declared::axes of a copy would point into the original
  static constexpr size_t kMostSizes = 32;

  /// The sizes of one call.
  struct Sizes {
    int64_t values[kMostSizes];  // of the shape variables, and then of the expressions that are sizes of axes
    size_t variables[kMostSizes];
  };

  /// Returns nothing if the caller must give a shape variable by name, or if there are too many arrays or sizes.
  static std::optional<DeclaredArrays> of(std::shared_ptr<const Signature> signature);

  /// If all arrays have the declared dtypes and sizes and aligned memory, and no output overlaps another array, stores their addresses and
  /// the values of the shape variables, and returns true. `inputs_at` and `outputs_at` have room for the addresses of the declared inputs
  /// and outputs.
  bool fit(std::span<const harp_const_array> inputs, std::span<const harp_array> outputs, void** inputs_at, void** outputs_at,
           Sizes& sizes) const;
  size_t inputs() const { return inputs_.size(); }
  size_t outputs() const { return outputs_.size(); }
  size_t variables() const { return signature_->variables.size(); }

 private:
  struct Axis {
    int64_t constant;
    int size;  // index in Sizes::values, or -1 if the size is `constant`
  };
  struct Declared {
    harp_dtype dtype;
    int32_t rank;
    const Axis* axes;
    int64_t element;      // bytes of one element
    size_t bytes;         // of the array, if the program has no shape variables
    uintptr_t unaligned;  // bits of an address that are 0 if it is aligned
  };
  std::vector<Declared> declare(const std::vector<ArraySignature>& arrays);
  int size_of_axis(Dim dim);
  bool bind(std::span<const harp_const_array> inputs, Sizes& sizes) const;
  // Arrays of a program without shape variables are compared with constants only.
  template <bool kKnown>
  bool compare(std::span<const harp_const_array> inputs, std::span<const harp_array> outputs, void** inputs_at, void** outputs_at,
               const Sizes& sizes) const;
  template <bool kKnown, class Array>
  static bool fits(const Declared& declared, const Array& array, const Sizes& sizes, size_t& bytes);

  std::shared_ptr<const Signature> signature_;
  bool is_known_ = false;                // the program has neither shape variables nor sizes that each run checks
  std::vector<std::vector<Axis>> axes_;  // of all arrays
  std::vector<Declared> inputs_, outputs_;
  std::vector<Dim> expressions_;  // sizes that are neither constant nor a single shape variable
  std::vector<SizeCode> codes_;   // parallel to `expressions_`
};

}  // namespace harp
