// Defines the base class of executables that have no compiled entry point: their entry points are closures (closure.h), which call
// execute().
#pragma once

#include <mutex>
#include <optional>

#include "run/closure.h"
#include "run/executable.h"

namespace harp {

class ClosureExecutable : public Executable {
 public:
  harp_entry_point entry() const final;
  harp_entry_point_ex entry_ex() const final;

 protected:
  /// Runs the program for a call of an entry point: calls execute(), whose errors it passes on. A subclass overrides this function if the
  /// arrays of an entry point need preparation, such as a copy to a GPU.
  virtual void enter(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime& runtime) const {
    execute(inputs, outputs, shape_vars, runtime);
  }

 private:
  int32_t call(void** arguments, const harp_runtime* runtime) const noexcept;
  static void report(const harp_runtime* runtime, const IndexFault& found);
  static void call_entry(ffi_cif*, void*, void** arguments, void* object);
  static void call_entry_ex(ffi_cif*, void* result, void** arguments, void* object);

  mutable std::mutex mutex_;  // guards the closures, which are made when they are first needed
  mutable std::optional<Closure> entry_, entry_ex_;
};

}  // namespace harp
