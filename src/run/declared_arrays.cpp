#include "run/declared_arrays.h"

#include <algorithm>

#include "base/error.h"
#include "run/device_array.h"
#include "run/program.h"

namespace harp {
namespace {

constexpr size_t kMostOutputs = 8;  // each output is compared with all arrays before it

}  // namespace

std::optional<DeclaredArrays> DeclaredArrays::of(std::shared_ptr<const Signature> signature) {
  if (signature->inputs.size() > kFewArguments || signature->outputs.size() > kMostOutputs) return std::nullopt;
  if (std::ranges::any_of(signature->variables, [](const ShapeVariable& variable) { return variable.input < 0; })) return std::nullopt;
  std::optional<DeclaredArrays> made(std::in_place);
  made->signature_ = std::move(signature);
  const Signature& of = *made->signature_;
  made->is_known_ = of.variables.empty() && of.size_checks.empty() && of.count_checks.empty();
  made->inputs_ = made->declare(made->signature_->inputs);
  made->outputs_ = made->declare(made->signature_->outputs);
  if (made->variables() + made->codes_.size() > kMostSizes) return std::nullopt;
  return made;
}

std::vector<DeclaredArrays::Declared> DeclaredArrays::declare(const std::vector<ArraySignature>& arrays) {
  std::vector<Declared> declared;
  for (const ArraySignature& array : arrays) {
    std::vector<Axis>& axes = axes_.emplace_back();
    std::vector<int64_t> dims;
    for (const Dim& dim : array.shape) {
      axes.push_back(dim.is_constant() ? Axis{dim.constant(), -1} : Axis{0, size_of_axis(dim)});
      dims.push_back(axes.back().constant);
    }
    declared.push_back({static_cast<harp_dtype>(array.dtype), static_cast<int32_t>(axes.size()), axes.data(),
                        static_cast<int64_t>(harp::size_of(array.dtype)), is_known_ ? byte_count(array.dtype, dims) : 0,
                        alignment_of(array.dtype) - 1});
  }
  return declared;
}

/// Returns the index in Sizes::values of a size that is not constant.
int DeclaredArrays::size_of_axis(Dim dim) {
  const SizeCode code(dim, signature_->variable_syms);
  if (code.variable() >= 0) return code.variable();
  const size_t at = static_cast<size_t>(std::find(expressions_.begin(), expressions_.end(), dim) - expressions_.begin());
  if (at == expressions_.size()) {
    expressions_.push_back(dim);
    codes_.push_back(code);
  }
  return static_cast<int>(variables() + at);
}

/// Computes all sizes. Returns false if a shape variable is out of its bounds, or if a condition on the sizes does not hold. compare()
/// counts the bytes of the arrays that are passed.
bool DeclaredArrays::bind(std::span<const harp_const_array> inputs, Sizes& sizes) const {
  for (size_t i = 0; i < variables(); ++i) {
    const ShapeVariable& variable = signature_->variables[i];
    const harp_const_array& input = inputs[static_cast<size_t>(variable.input)];
    if (variable.axis >= input.rank || input.dims == nullptr) return false;
    int64_t value = input.dims[variable.axis];
    if (value < 0) return false;
    if (!variable.is_bare()) {
      if (__builtin_sub_overflow(value, variable.offset, &value) || value % variable.factor != 0) return false;
      value /= variable.factor;
    }
    if (value < variable.min || value > variable.max) return false;
    sizes.values[i] = value;
    sizes.variables[i] = static_cast<size_t>(value);
  }
  const std::span<const int64_t> values(sizes.values, variables());
  try {
    for (size_t i = 0; i < codes_.size(); ++i) sizes.values[variables() + i] = codes_[i].evaluate(values);
    return std::ranges::all_of(signature_->size_checks, [&](const SizeCheck& check) { return check.holds(values); }) &&
           std::ranges::all_of(signature_->count_checks, [&](const CountCheck& check) { return check.is_passed || check.holds(values); });
  } catch (const Error&) {
    return false;  // a size that does not fit 64 bits
  }
}

/// Tests one array. Stores its number of bytes in `bytes`.
template <bool kKnown, class Array>
bool DeclaredArrays::fits(const Declared& declared, const Array& array, const Sizes& sizes, size_t& bytes) {
  if (array.dtype != declared.dtype || array.rank != declared.rank || (array.dims == nullptr && declared.rank > 0)) return false;
  int64_t count = declared.element;
  for (int32_t axis = 0; axis < declared.rank; ++axis) {
    const Axis& expected = declared.axes[axis];
    const int64_t size = array.dims[axis];
    if (size != (kKnown || expected.size < 0 ? expected.constant : sizes.values[expected.size])) return false;
    if (!kKnown && (size < 0 || __builtin_mul_overflow(count, size, &count))) return false;
  }
  bytes = kKnown ? declared.bytes : static_cast<size_t>(count);
  return (reinterpret_cast<uintptr_t>(array.data) & declared.unaligned) == 0 && (array.data != nullptr || bytes == 0);
}

bool DeclaredArrays::fit(std::span<const harp_const_array> inputs, std::span<const harp_array> outputs, void** inputs_at, void** outputs_at,
                         Sizes& sizes) const {
  if (inputs.size() != inputs_.size() || outputs.size() != outputs_.size()) return false;
  if (is_known_) return compare<true>(inputs, outputs, inputs_at, outputs_at, sizes);
  return bind(inputs, sizes) && compare<false>(inputs, outputs, inputs_at, outputs_at, sizes);
}

template <bool kKnown>
bool DeclaredArrays::compare(std::span<const harp_const_array> inputs, std::span<const harp_array> outputs, void** inputs_at,
                             void** outputs_at, const Sizes& sizes) const {
  size_t input_bytes[kFewArguments], output_bytes[kMostOutputs];
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!fits<kKnown>(inputs_[i], inputs[i], sizes, input_bytes[i])) return false;
    inputs_at[i] = const_cast<void*>(inputs[i].data);  // generated code never writes to its inputs
  }
  const auto overlap = [](const void* a, size_t bytes_of_a, const void* b, size_t bytes_of_b) {
    const auto first = reinterpret_cast<uintptr_t>(a), second = reinterpret_cast<uintptr_t>(b);
    return first < second + bytes_of_b && second < first + bytes_of_a;
  };
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (!fits<kKnown>(outputs_[o], outputs[o], sizes, output_bytes[o])) return false;
    outputs_at[o] = outputs[o].data;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (overlap(outputs[o].data, output_bytes[o], inputs[i].data, input_bytes[i])) return false;
    for (size_t before = 0; before < o; ++before)
      if (overlap(outputs[o].data, output_bytes[o], outputs[before].data, output_bytes[before])) return false;
  }
  return true;
}

}  // namespace harp
