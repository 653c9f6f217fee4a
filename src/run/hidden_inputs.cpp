#include "run/hidden_inputs.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "run/allocator.h"
#include "run/stack_array.h"

namespace harp {

HiddenInputs::HiddenInputs(std::vector<std::shared_ptr<const std::vector<std::byte>>> arrays, size_t inputs, harp_entry_point_ex code)
    : inputs_(inputs), code_(code) {
  size_t left = kMaxAlignedTotal;
  for (std::shared_ptr<const std::vector<std::byte>>& array : arrays) {
    const size_t bytes = array->size();
    const bool is_aligned = reinterpret_cast<uintptr_t>(array->data()) % kBufferAlignment == 0;
    Copy copy;
    if (!is_aligned && bytes <= std::min(kMaxAligned, left))
      copy.reset(static_cast<std::byte*>(
          std::aligned_alloc(kBufferAlignment, (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment)));
    if (copy != nullptr) {
      std::memcpy(copy.get(), array->data(), bytes);
      left -= bytes;
      addresses_.push_back(copy.get());
      copies_.push_back(std::move(copy));
    } else {
      // The const_cast is safe, because generated code never writes to its inputs.
      addresses_.push_back(const_cast<std::byte*>(array->data()));
      arrays_.push_back(std::move(array));
    }
  }
}

harp_entry_point HiddenInputs::entry() const {
  const std::lock_guard guard(mutex_);
  if (!entry_) entry_.emplace(3, &ffi_type_void, &call_entry, const_cast<HiddenInputs*>(this));
  return reinterpret_cast<harp_entry_point>(entry_->code());
}

harp_entry_point_ex HiddenInputs::entry_ex() const {
  const std::lock_guard guard(mutex_);
  if (!entry_ex_) entry_ex_.emplace(4, &ffi_type_sint32, &call_entry_ex, const_cast<HiddenInputs*>(this));
  return reinterpret_cast<harp_entry_point_ex>(entry_ex_->code());
}

/// Calls the generated code with the hidden inputs appended, and returns its status. Foreign code calls this function, so it must not
/// throw: it returns HARP_ERROR_OUT_OF_MEMORY if there is no memory for the list of inputs.
int32_t HiddenInputs::call(void** arguments, const harp_runtime* runtime) const noexcept {
  try {
    void** const inputs = *static_cast<void***>(arguments[0]);
    StackArray<void*, 64> all(inputs_ + addresses_.size());
    std::copy_n(inputs, inputs_, all.begin());
    std::copy(addresses_.begin(), addresses_.end(), all.begin() + inputs_);
    return code_(all.data(), *static_cast<void***>(arguments[1]), *static_cast<size_t**>(arguments[2]), runtime);
  } catch (const std::bad_alloc&) {
    return HARP_ERROR_OUT_OF_MEMORY;
  }
}

void HiddenInputs::call_entry(ffi_cif*, void*, void** arguments, void* object) {
  static_cast<HiddenInputs*>(object)->call(arguments, nullptr);
}

void HiddenInputs::call_entry_ex(ffi_cif*, void* result, void** arguments, void* object) {
  const harp_runtime* runtime = *static_cast<const harp_runtime**>(arguments[3]);
  const int32_t status = static_cast<HiddenInputs*>(object)->call(arguments, runtime);
  *static_cast<ffi_arg*>(result) = static_cast<ffi_arg>(static_cast<ffi_sarg>(status));
}

}  // namespace harp
