// Computes the values of the shape variables from the arrays of a run, and checks all sizes before anything is written. A variable's value
// comes from the first input axis whose size is just this variable. If there is none, it comes from the first axis whose size has the form
// c*n + d, else from a value that the caller gives by name. The sizes of all other axes are computed from the variables and compared with
// the given arrays. A Binding is prepared once for each program. If all arguments are valid, bind() allocates nothing.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "run/signature.h"

namespace harp {

/// Dtype and sizes of an array that is passed to a run.
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

  /// Computes the values of all shape variables and stores them in `values`, in the order of Signature::variables. Throws these errors:
  /// kInvalidArgument for a wrong number of arrays or an unknown name; kDType and kShape for an array that does not match, or for two
  /// arrays that disagree; kRange for a value outside of its bounds and for a negative size; kOverflow for an array whose number of bytes
  /// does not fit 63 bits.
  void bind(std::span<const ArrayType> inputs, std::span<const NamedSize> named, std::span<int64_t> values) const;
  /// Checks bounds and sizes like bind(), for a caller that passes the values of the variables instead of arrays.
  void check_values(std::span<const int64_t> values) const { check(values, Source::kCaller); }

  /// Computes the sizes of an output and stores them in `dims`, whose length must be the output's rank.
  void output_dims(size_t output, std::span<const int64_t> values, std::span<int64_t> dims) const;
  /// Throws Error{kDType} or Error{kShape} unless the type `given` is that of the output.
  void check_output(size_t output, ArrayType given, std::span<const int64_t> values) const;

  const Signature& signature() const { return *signature_; }
  const std::shared_ptr<const Signature>& shared_signature() const { return signature_; }

 private:
  void bind_bare_axes(std::span<const ArrayType> inputs, std::span<int64_t> values) const;
  void bind_derived_axes(std::span<const ArrayType> inputs, std::span<int64_t> values) const;
  void bind_names(std::span<const NamedSize> named, std::span<int64_t> values) const;
  void check_input_sizes(std::span<const ArrayType> inputs, std::span<const int64_t> values) const;

  // Where the values come from, for error messages: from the inputs, or directly from the caller.
  enum class Source : uint8_t { kInputs, kCaller };
  void check(std::span<const int64_t> values, Source source) const;

  /// The size expressions of several arrays. They are stored contiguously, so that a run with a thousand arrays reads them in memory order.
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
