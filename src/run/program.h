// A program that can be run: its signature, the checks of its arguments, and the backend's executable. This is the hot path of
// harp_program_run: if all outputs and a workspace are passed, a run allocates nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "run/device_array.h"
#include "run/executable.h"
#include "run/stack_array.h"

namespace harp {

/// Functions that the host provides for every run of its context's programs. Plain data.
struct HostHooks {
  Allocator allocator = Allocator::standard();
  void (*parallel_for)(void* user, size_t n, size_t grain, harp_range_body body, void* arg) = nullptr;
  void* parallel_for_user = nullptr;
  size_t width = 1;
};

/// Creates the outputs that the caller did not pass.
class OutputMaker {
 public:
  /// Returns a new array on the device of the run; if it throws, the run fails with that exception.
  virtual RunArray make(size_t output, DType dtype, std::span<const int64_t> dims, const Device& device) = 0;

 protected:
  ~OutputMaker() = default;
};

/// Up to this number, the inputs, outputs or shape variables of a run are stored on the stack.
inline constexpr size_t kFewArguments = 16;

/// The caller's workspace, divided into the kernels' workspace and memory for the run's own bookkeeping. Each run has its own.
struct RunMemory {
  void* workspace = nullptr;
  size_t workspace_bytes = 0;
  Spare book;
};

struct RunArguments {
  std::span<const RunArray> inputs;
  std::span<RunArray> outputs;  // `maker` makes those that are missing
  std::span<const NamedSize> shape_vars;
  const volatile int32_t* cancel = nullptr;  // the host's cancellation flag, or null
  void* stream = nullptr;                    // the host's stream, in whose order the run takes place; null: run() waits for its completion
  bool stages = false;  // whether run() copies inputs from other devices to the run's device, and outputs back (HARP_RUN_STAGE)
};

/// Where a program runs.
struct Placement {
  std::string_view backend;            // the backend's name, for messages; static
  std::vector<const Device*> devices;  // devices whose arrays the program reads and writes; at least one
};

class LoadedProgram {
 public:
  LoadedProgram(std::shared_ptr<const Signature> signature, std::unique_ptr<Executable> executable, const HostHooks& hooks,
                Placement placement);

  /// Thread-safe. All argument checks precede any write. All arrays must be on one device unless `stages` is set; missing outputs are made
  /// there, on device() if no array is given. Throws the errors of Binding, Device and Executable::execute(), kAlias, and kDevice for an
  /// array on a device that the program cannot read, or on another one than the arrays before it. `maker` may be null if no output is
  /// missing.
  void run(const RunArguments& arguments, RunMemory& memory, OutputMaker* maker) const;

  /// Size of a caller's workspace that lets a run allocate nothing. Error{kOverflow} if it does not fit.
  size_t workspace_bytes(std::span<const int64_t> shape_values, size_t width) const;
  /// Returns the part of that size that the run uses for its own bookkeeping instead of for kernels.
  size_t book_bytes() const { return book_bytes_; }
  /// Divides a caller's workspace for one run. `workspace` is aligned like buffers, or null.
  RunMemory divide(void* workspace, size_t bytes) const;

  const Signature& signature() const { return binding_.signature(); }
  const Binding& binding() const { return binding_; }
  const Executable& executable() const { return *executable_; }
  /// Returns the device of outputs of a run that has no other arrays.
  const Device& device() const { return *placement_.devices.front(); }

 private:
  /// The address range of an array of a run. Arrays are numbered, inputs first.
  struct Extent {
    uintptr_t begin, end;
    size_t array;
  };
  Memory kept_workspace(std::span<const int64_t> shape_values, const RunMemory& memory) const;
  bool is_mine(const Device& device) const;
  const Device& device_of(const RunArguments& arguments) const;
  void check_device(const char* what, const std::string& name, const RunArray& array, const Device& run) const;
  void check_captured(const RunArguments& arguments) const;
  void check_aliases(std::span<const RunArray> inputs, std::span<const RunArray> outputs, Spare& book) const;
  /// Checks all pairs after an overlap was found: an output may be the same array as an input if the signature allows it.
  void check_overlaps(std::span<const Extent> extents, size_t n_inputs) const;

  Binding binding_;
  size_t book_bytes_;  // 0 if the arguments fit on the stack
  std::unique_ptr<Executable> executable_;
  HostHooks hooks_;
  Placement placement_;
};

}  // namespace harp
