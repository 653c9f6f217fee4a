#include "run/closure_executable.h"

#include <cstddef>
#include <new>

#include "base/error.h"

namespace harp {

harp_entry_point ClosureExecutable::entry() const {
  const std::lock_guard guard(mutex_);
  if (!entry_) entry_.emplace(3, &ffi_type_void, &call_entry, const_cast<ClosureExecutable*>(this));
  return reinterpret_cast<harp_entry_point>(entry_->code());
}

harp_entry_point_ex ClosureExecutable::entry_ex() const {
  const std::lock_guard guard(mutex_);
  if (!entry_ex_) entry_ex_.emplace(4, &ffi_type_sint32, &call_entry_ex, const_cast<ClosureExecutable*>(this));
  return reinterpret_cast<harp_entry_point_ex>(entry_ex_->code());
}

/// Runs the program and returns the status of the run. Catches all exceptions, because foreign code calls this function.
int32_t ClosureExecutable::call(void** arguments, const harp_runtime* runtime) const noexcept {
  try {
    harp_runtime known{};  // If the caller's struct is from an older version of harp and lacks fields, these keep their defaults.
    if (runtime != nullptr && runtime->struct_size > offsetof(harp_runtime, cancel)) known.cancel = runtime->cancel;
    enter(*static_cast<void***>(arguments[0]), *static_cast<void***>(arguments[1]), *static_cast<size_t**>(arguments[2]), known);
    return HARP_OK;
  } catch (const IndexError& error) {
    report(runtime, error.fault);
    return HARP_ERROR_RANGE;
  } catch (const Error& error) {
    return static_cast<int32_t>(error.code);
  } catch (const std::bad_alloc&) {
    return HARP_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    return HARP_ERROR_INTERNAL;
  }
}

/// Stores the index fault in the caller's harp_fault, if the caller passed one and its struct is large enough.
void ClosureExecutable::report(const harp_runtime* runtime, const IndexFault& found) {
  if (runtime == nullptr || runtime->struct_size <= offsetof(harp_runtime, fault) || runtime->fault == nullptr) return;
  harp_fault& fault = *runtime->fault;
  if (fault.struct_size < sizeof fault) return;
  fault.site = found.site, fault.element = found.element, fault.index = found.index, fault.size = found.size;
}

void ClosureExecutable::call_entry(ffi_cif*, void*, void** arguments, void* object) {
  static_cast<ClosureExecutable*>(object)->call(arguments, nullptr);
}

void ClosureExecutable::call_entry_ex(ffi_cif*, void* result, void** arguments, void* object) {
  const harp_runtime* runtime = *static_cast<const harp_runtime**>(arguments[3]);
  const int32_t status = static_cast<ClosureExecutable*>(object)->call(arguments, runtime);
  *static_cast<ffi_arg*>(result) = static_cast<ffi_arg>(static_cast<ffi_sarg>(status));
}

}  // namespace harp
