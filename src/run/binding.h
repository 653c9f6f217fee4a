// From the arrays of one run to the values of the shape variables, and the checks on sizes that come before anything is written.
// A variable's value comes from the first input axis that is it, else from the first that is c*n + d, else by name; every other axis is
// computed and compared.
// Prepared once per program: bind() on well-formed arguments allocates nothing.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "run/signature.h"

namespace harp {

/// Dtype and sizes of an array somebody passes to a run.
struct ArrayType {
  DType dtype;
  std::span<const int64_t> dims;
};

struct NamedSize {
  std::string_view name;
  int64_t value;
};

class Binding {
 public:
  explicit Binding(std::shared_ptr<const Signature> signature);

  /// Values of all shape variables, in Signature::variables' order. Error{kInvalidArgument} for a number of arrays or a name the
  /// program does not have, kDType and kShape for an array that does not fit or two that disagree, kRange for a value outside its
  /// bounds and a size that is negative, kOverflow for an array too large for 63 bits.
  void bind(std::span<const ArrayType> inputs, std::span<const NamedSize> named, std::span<int64_t> values) const;
  /// The same for a caller who gives the variables' values and no arrays.
  void check_values(std::span<const int64_t> values) const { check(values, Source::kCaller); }

  /// Sizes of an output; `dims` has its rank.
  void output_dims(size_t output, std::span<const int64_t> values, std::span<int64_t> dims) const;
  /// Error{kDType, kShape} unless `given` is what the program writes.
  void check_output(size_t output, ArrayType given, std::span<const int64_t> values) const;

  const Signature& signature() const { return *signature_; }

 private:
  void bind_bare_axes(std::span<const ArrayType> inputs, std::span<int64_t> values) const;
  void bind_derived_axes(std::span<const ArrayType> inputs, std::span<int64_t> values) const;
  void bind_names(std::span<const NamedSize> named, std::span<int64_t> values) const;
  void check_input_sizes(std::span<const ArrayType> inputs, std::span<const int64_t> values) const;

  enum class Source : uint8_t { kInputs, kCaller };  // where values come from, for messages
  void check(std::span<const int64_t> values, Source source) const;

  /// The sizes of arrays, one array's behind the other's: a run goes through those of a thousand as they lie in memory.
  class Sizes {
   public:
    Sizes(const std::vector<ArraySignature>& arrays, std::span<const Sym> variables);
    std::span<const SizeCode> operator[](size_t array) const {
      return std::span(codes_).subspan(begins_[array], begins_[array + 1] - begins_[array]);
    }

   private:
    std::vector<SizeCode> codes_;
    std::vector<size_t> begins_ = {0};
  };

  std::shared_ptr<const Signature> signature_;
  Sizes input_axes_, output_axes_;
};

/// "f32[3, 64]"
std::string to_string(ArrayType type);

}  // namespace harp
