// A program that can be run: its signature, the checks on what it is given, and the backend's executable. This is the hot path of
// harp_program_run: with all outputs and a workspace given, a run allocates nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "run/executable.h"
#include "run/host_array.h"
#include "run/stack_array.h"

namespace harp {

/// What the host provides to every run of its context's programs. Plain data.
struct HostHooks {
  Allocator allocator = Allocator::standard();
  void (*parallel_for)(void* user, size_t n, size_t grain, harp_range_body body, void* arg) = nullptr;
  void* parallel_for_user = nullptr;
  size_t width = 1;
};

/// Where outputs come from that the caller did not give.
class OutputMaker {
 public:
  /// A new array; the run fails with what this throws.
  virtual RunArray make(size_t output, DType dtype, std::span<const int64_t> dims) = 0;

 protected:
  ~OutputMaker() = default;
};

/// Inputs, outputs or shape variables that have room on the stack.
inline constexpr size_t kFewArguments = 16;

/// The caller's workspace in two: what the kernels get, and what the run keeps its book in. Each run has its own.
struct RunMemory {
  void* workspace = nullptr;
  size_t workspace_bytes = 0;
  Spare book;
};

struct RunArguments {
  std::span<const RunArray> inputs;
  std::span<RunArray> outputs;  // those that are missing `maker` makes
  std::span<const NamedSize> shape_vars;
  const volatile int32_t* cancel = nullptr;  // the flag by which the host ends the run; null: there is none
};

class LoadedProgram {
 public:
  LoadedProgram(std::shared_ptr<const Signature> signature, std::unique_ptr<Executable> executable, const HostHooks& hooks);

  /// Thread-safe. All checks of arguments come before any write. Errors: those of Binding, kAlias, and of Executable::execute().
  /// `maker` may be null where no output is missing.
  void run(const RunArguments& arguments, RunMemory& memory, OutputMaker* maker) const;

  /// Bytes of a caller's workspace with which a run allocates nothing. Error{kOverflow} if it is no size.
  size_t workspace_bytes(std::span<const int64_t> shape_values, size_t width) const;
  /// A caller's workspace for one run; aligned as buffers are, or null.
  RunMemory divide(void* workspace, size_t bytes) const;

  const Signature& signature() const { return binding_.signature(); }
  const Binding& binding() const { return binding_; }
  const Executable& executable() const { return *executable_; }

 private:
  /// An array of a run in memory. Arrays are numbered inputs first.
  struct Extent {
    uintptr_t begin, end;
    size_t array;
  };
  void check_aliases(std::span<const RunArray> inputs, std::span<const RunArray> outputs, Spare& book) const;
  /// The same pair by pair, for runs in which something overlaps: an output may be the same array as an input the signature names.
  void check_overlaps(std::span<const Extent> extents, size_t n_inputs) const;

  Binding binding_;
  size_t book_bytes_;  // 0 where the arguments have room on the stack
  std::unique_ptr<Executable> executable_;
  HostHooks hooks_;
};

}  // namespace harp
