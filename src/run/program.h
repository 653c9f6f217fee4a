// Defines a program that can be run: its signature, the checks of its arguments, and the backend's executable. run() is the hot path of
// harp_program_run. It allocates nothing if the caller passes all outputs and a workspace.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "run/declared_arrays.h"
#include "run/device_array.h"
#include "run/executable.h"
#include "run/stack_array.h"

namespace harp {

/// Functions of the host application that all runs of a context's programs use. Plain data.
struct HostHooks {
  Allocator allocator = Allocator::standard();
  void (*parallel_for)(void* user, size_t n, size_t grain, harp_range_body body, void* arg) = nullptr;
  void* parallel_for_user = nullptr;
  size_t width = 1;
};

/// What the functions of a run's harp_runtime use: the host, memory on the stack of the run that a small workspace may use, and the memory
/// from the context's pool that the run has taken.
struct HostOfRun {
  const HostHooks& hooks;
  std::span<std::byte> small;
  Memory kept = {};
};

/// Creates the outputs that the caller did not pass.
class OutputMaker {
 public:
  /// Returns a new array for output number `output`, on the device of the run. If it throws, the run fails with this exception.
  virtual RunArray make(size_t output, DType dtype, std::span<const int64_t> dims, const Device& device) = 0;

 protected:
  ~OutputMaker() = default;
};

/// Maximum number of inputs, outputs or shape variables for which a run stores its data on the stack.
inline constexpr size_t kFewArguments = 16;

/// The caller's workspace, divided into two parts: the workspace of the kernels, and memory (`book`) for data that the run stores per array
/// and per variable. Each run needs a RunMemory of its own.
struct RunMemory {
  void* workspace = nullptr;
  size_t workspace_bytes = 0;
  Spare book;
};

struct RunArguments {
  std::span<const RunArray> inputs;
  std::span<RunArray> outputs;  // outputs that the caller did not pass (RunArray::is_missing) are created by the OutputMaker
  std::span<const NamedSize> shape_vars;
  const volatile int32_t* cancel = nullptr;  // the host application's cancel flag, or null
  // the host application's stream that orders the run; null: run() waits until the run is complete
  void* stream = nullptr;
  bool stages = false;  // whether the run copies inputs to its device, and outputs back to the caller's arrays (HARP_RUN_STAGE)
};

/// The backend and the devices of a program.
struct Placement {
  std::string_view backend;            // the backend's name for error messages; a string with static storage
  std::vector<const Device*> devices;  // devices whose memory the program can access; at least one
};

class LoadedProgram {
 public:
  LoadedProgram(std::shared_ptr<const Signature> signature, std::unique_ptr<Executable> executable, const HostHooks& hooks,
                Placement placement);

  /// Runs the program. Thread-safe. All arguments are checked before anything is written. All arrays must be on one device unless `stages`
  /// is set. Missing outputs are made on this device; it is device() if the caller gives no array. Throws the errors of Binding, Device and
  /// Executable::execute(); kAlias if arrays overlap; and kDevice for an array on a device that the program cannot access, or on another
  /// device than the arrays before it. `maker` may be null if no output is missing.
  void run(const RunArguments& arguments, RunMemory& memory, OutputMaker* maker) const;

  /// Runs the program if all arrays, which are in host memory, are exactly those that the signature declares, and no output overlaps
  /// another array. Otherwise returns false and has done nothing; run() then checks every argument. `workspace` is null or aligned memory
  /// of the caller, `cancel` null or the flag of RunArguments. Thread-safe. Throws the errors of Executable::execute().
  bool run_as_declared(std::span<const harp_const_array> inputs, std::span<const harp_array> outputs, std::span<std::byte> workspace,
                       const volatile int32_t* cancel) const;

  /// Returns how large the caller's workspace must be so that a run allocates nothing. Throws Error{kOverflow} if the number does not fit
  /// 63 bits.
  size_t workspace_bytes(std::span<const int64_t> shape_values, size_t width) const;
  /// Returns the part of workspace_bytes() for the data that a run stores per array and per variable (RunMemory::book).
  size_t book_bytes() const { return book_bytes_; }
  /// Divides a caller's workspace of `bytes` bytes into the two parts that a run uses (RunMemory). `workspace` is null or has the alignment
  /// of buffers.
  RunMemory divide(void* workspace, size_t bytes) const;

  const Signature& signature() const { return binding_.signature(); }
  const Binding& binding() const { return binding_; }
  const Executable& executable() const { return *executable_; }
  /// Returns the device on which a run without input and output arrays makes its outputs.
  const Device& device() const { return *placement_.devices.front(); }

 private:
  /// The address range of one array of a run. `array` numbers the inputs first, then the outputs.
  struct Extent {
    uintptr_t begin, end;
    size_t array;
  };
  std::span<std::byte> workspace_of_run(std::span<const int64_t> shape_values, const RunMemory& memory, HostOfRun& host) const;
  harp_runtime runtime_of(HostOfRun& host, std::span<std::byte> workspace, const volatile int32_t* cancel) const;
  bool is_mine(const Device& device) const;
  const Device& device_of(const RunArguments& arguments) const;
  void check_device(const char* what, const std::string& name, const RunArray& array, const Device& run) const;
  void check_captured(const RunArguments& arguments) const;
  void check_aliases(std::span<const RunArray> inputs, std::span<const RunArray> outputs, Spare& book) const;
  /// Called after an overlap was found: compares all pairs of arrays and throws kAlias for any overlap that is not allowed. An overlap is
  /// allowed if an output is exactly the same array as an input and the signature says that the program can store the output there.
  void check_overlaps(std::span<const Extent> extents, size_t n_inputs) const;

  Binding binding_;
  // bytes that a run needs for data about its arrays and shape variables (RunMemory::book); 0 if the stack has room for this data
  size_t book_bytes_;
  std::unique_ptr<Executable> executable_;
  HostHooks hooks_;
  Placement placement_;
  std::optional<DeclaredArrays> declared_;  // for run_as_declared(), which always returns false without it
};

}  // namespace harp
