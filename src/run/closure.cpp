#include "run/closure.h"

#include "base/error.h"

namespace harp {

Closure::Closure(int n_pointers, ffi_type* result, Body body, void* object)
    : parameters_{&ffi_type_pointer, &ffi_type_pointer, &ffi_type_pointer, &ffi_type_pointer} {
  HARP_ASSERT(n_pointers <= 4, "a closure has at most 4 parameters, not ", n_pointers);
  closure_ = static_cast<ffi_closure*>(ffi_closure_alloc(sizeof(ffi_closure), &code_));
  const bool made = closure_ != nullptr &&
                    ffi_prep_cif(&cif_, FFI_DEFAULT_ABI, static_cast<unsigned>(n_pointers), result, parameters_) == FFI_OK &&
                    ffi_prep_closure_loc(closure_, &cif_, body, object, code_) == FFI_OK;
  if (made) return;
  if (closure_ != nullptr) ffi_closure_free(closure_);
  fail(Code::kUnsupported, "this system forbids making functions at run time, which the entry points of this program need");
}

Closure::~Closure() { ffi_closure_free(closure_); }

}  // namespace harp
