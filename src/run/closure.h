// A C function pointer that carries an object with it, made at run time by libffi: how a program without machine code of its own is
// handed out as an entry_point.
#pragma once

#include <ffi.h>

namespace harp {

class Closure {
 public:
  /// Called with the addresses of the arguments; stores its result, if it has one, in `result` (widened to ffi_arg).
  using Body = void (*)(ffi_cif* cif, void* result, void** arguments, void* object);

  /// A function of `n_pointers` pointers (at most 4) that returns `result`. Error{kUnsupported} where the system forbids executable
  /// memory that is made at run time.
  Closure(int n_pointers, ffi_type* result, Body body, void* object);
  ~Closure();
  Closure(const Closure&) = delete;
  Closure& operator=(const Closure&) = delete;

  /// The function's address; valid as long as the closure.
  void* code() const { return code_; }

 private:
  ffi_cif cif_;
  ffi_type* parameters_[4];
  ffi_closure* closure_ = nullptr;
  void* code_ = nullptr;
};

}  // namespace harp
