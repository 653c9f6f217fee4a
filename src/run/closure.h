// Makes a C function pointer that is bound to an object, at run time and by libffi. A program that is not compiled to machine code (the
// interpreter's) needs it to provide an entry_point.
#pragma once

#include <ffi.h>

namespace harp {

class Closure {
 public:
  /// The type of the function that runs when the closure is called. It receives the addresses of the arguments. If the closure has a
  /// result, it stores the result in `result`, widened to ffi_arg.
  using Body = void (*)(ffi_cif* cif, void* result, void** arguments, void* object);

  /// Makes a function that has `n_pointers` parameters (at most 4), all of them pointers, and the given result type. Throws
  /// Error{kUnsupported} if the system forbids executable memory that is created at run time.
  Closure(int n_pointers, ffi_type* result, Body body, void* object);
  ~Closure();
  Closure(const Closure&) = delete;
  Closure& operator=(const Closure&) = delete;

  /// Returns the address of the function. It is valid during the closure's lifetime.
  void* code() const { return code_; }

 private:
  ffi_cif cif_;
  ffi_type* parameters_[4];
  ffi_closure* closure_ = nullptr;
  void* code_ = nullptr;
};

}  // namespace harp
