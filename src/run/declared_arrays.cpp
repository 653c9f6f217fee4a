#include "run/declared_arrays.h"

#include <algorithm>

#include "run/device_array.h"
#include "run/program.h"

namespace harp {
namespace {

constexpr size_t kMostOutputs = 8;  // each output is compared with all arrays before it

}  // namespace

std::optional<DeclaredArrays> DeclaredArrays::of(const Signature& signature) {
  if (!signature.variables.empty() || !signature.size_checks.empty() || !signature.count_checks.empty()) return std::nullopt;
  if (signature.inputs.size() > kFewArguments || signature.outputs.size() > kMostOutputs) return std::nullopt;
  std::optional<DeclaredArrays> made(std::in_place);
  made->inputs_ = made->declare(signature.inputs);
  made->outputs_ = made->declare(signature.outputs);
  return made;
}

std::vector<DeclaredArrays::Declared> DeclaredArrays::declare(const std::vector<ArraySignature>& arrays) {
  std::vector<Declared> declared;
  for (const ArraySignature& array : arrays) {
    std::vector<int64_t>& dims = dims_.emplace_back();
    for (const Dim& dim : array.shape) dims.push_back(dim.constant());
    declared.push_back({static_cast<harp_dtype>(array.dtype), static_cast<int32_t>(dims.size()), dims.data(), byte_count(array.dtype, dims),
                        alignment_of(array.dtype) - 1});
  }
  return declared;
}

template <class Array>
bool DeclaredArrays::fits(const Declared& declared, const Array& array) {
  if (array.dtype != declared.dtype || array.rank != declared.rank || (array.dims == nullptr && declared.rank > 0)) return false;
  if ((reinterpret_cast<uintptr_t>(array.data) & declared.unaligned) != 0 || (array.data == nullptr && declared.bytes > 0)) return false;
  for (int32_t axis = 0; axis < declared.rank; ++axis)
    if (array.dims[axis] != declared.dims[axis]) return false;
  return true;
}

bool DeclaredArrays::fit(std::span<const harp_const_array> inputs, std::span<const harp_array> outputs, void** inputs_at,
                         void** outputs_at) const {
  if (inputs.size() != inputs_.size() || outputs.size() != outputs_.size()) return false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!fits(inputs_[i], inputs[i])) return false;
    inputs_at[i] = const_cast<void*>(inputs[i].data);  // generated code never writes to its inputs
  }
  const auto overlap = [](const void* a, const Declared& of_a, const void* b, const Declared& of_b) {
    const auto first = reinterpret_cast<uintptr_t>(a), second = reinterpret_cast<uintptr_t>(b);
    return first < second + of_b.bytes && second < first + of_a.bytes;
  };
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (!fits(outputs_[o], outputs[o])) return false;
    outputs_at[o] = outputs[o].data;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (overlap(outputs[o].data, outputs_[o], inputs[i].data, inputs_[i])) return false;
    for (size_t before = 0; before < o; ++before)
      if (overlap(outputs[o].data, outputs_[o], outputs[before].data, outputs_[before])) return false;
  }
  return true;
}

}  // namespace harp
