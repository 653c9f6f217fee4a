// A C function pointer bound to an object, made at run time by libffi. A program without machine code of its own (the interpreter's) uses
// it to provide an entry_point.
#pragma once

#include <ffi.h>

namespace harp {

class Closure {
 public:
  /// Called with the addresses of the arguments. Stores its result, if any, in `result`, widened to ffi_arg.
  using Body = void (*)(ffi_cif* cif, void* result, void** arguments, void* object);

  /// Makes a function of `n_pointers` pointers (at most 4) with the given result type. Error{kUnsupported} if the system forbids executable
  /// memory that is created at run time.
  Closure(int n_pointers, ffi_type* result, Body body, void* object);
  ~Closure();
  Closure(const Closure&) = delete;
  Closure& operator=(const Closure&) = delete;

  /// The function's address; valid during the closure's lifetime.
  void* code() const { return code_; }

 private:
  ffi_cif cif_;
  ffi_type* parameters_[4];
  ffi_closure* closure_ = nullptr;
  void* code_ = nullptr;
};

}  // namespace harp
