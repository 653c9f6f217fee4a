// A device: memory that holds arrays. The host's code can address the elements of an array on the host's device, "cpu"; elements on any
// other device are copied by the device's own functions. All devices of one backend share one address space, so that equal addresses in the
// arguments of a run mean the same memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "run/allocator.h"

namespace harp {

/// A device as DLPack numbers it (DLDevice). Type 0 does not exist in DLPack: arrays on such a device cannot be exchanged.
struct DlpackPlace {
  int32_t type = 0, id = 0;
  bool operator==(const DlpackPlace&) const = default;
};

/// Thread-safe. Arrays refer to their device, so it lives at least as long as every context that knows it.
class Device {
 public:
  /// The name that harp_buffer_new takes; valid as long as the device, and terminated by a zero byte.
  virtual std::string_view name() const = 0;
  /// True if the host's code can read and write the elements through their addresses.
  virtual bool is_host() const = 0;
  /// The functions that allocate and release memory of this device. `host` is the context's allocator for the host's memory.
  virtual Allocator allocator(const Allocator& host) const = 0;
  /// Copy bytes from this device to the host's memory, from the host's memory to this device, and within this device, where the two ranges
  /// may overlap. `bytes` is not 0. Error{kDevice} if the device fails.
  virtual void read(void* to_host, const void* from, size_t bytes) const = 0;
  virtual void write(void* to, const void* from_host, size_t bytes) const = 0;
  virtual void copy(void* to, const void* from, size_t bytes) const = 0;
  virtual DlpackPlace dlpack() const { return {}; }
  /// Checks that an address that the host application gave for an array is in the memory of this device, as far as the device can know.
  /// Error{kDevice} says where it is instead.
  virtual void check_address(const void*) const {}
  /// Makes later work on this device wait for the work that is now on a stream of the host application. Error{kDevice} if the device has no
  /// streams, Error{kInvalidArgument} for a stream that it cannot wait for.
  virtual void wait_for_stream(void* stream) const;
  /// Lets work that is put on a stream of the host application from now on begin after all work that is now on this device. Errors as
  /// wait_for_stream(); after an error the device's work is complete.
  virtual void signal_stream(void* stream) const;
  /// True if the host application captures the stream: the stream records its work as a graph and executes nothing. Throws the errors of
  /// wait_for_stream(), except that a captured stream, for which wait_for_stream() fails, is no error here.
  virtual bool is_capturing(void* stream) const;
  /// Waits until memory that was allocated and written here may be used by work that harp does not order, such as that of the host
  /// application. Error{kDevice}.
  virtual void settle() const {}

 protected:
  ~Device() = default;
};

/// The host's memory, "cpu".
class HostDevice final : public Device {
 public:
  std::string_view name() const override { return "cpu"; }
  bool is_host() const override { return true; }
  Allocator allocator(const Allocator& host) const override { return host; }
  void read(void* to_host, const void* from, size_t bytes) const override;
  void write(void* to, const void* from_host, size_t bytes) const override;
  void copy(void* to, const void* from, size_t bytes) const override;
  DlpackPlace dlpack() const override { return {1, 0}; }  // kDLCPU
};
inline constexpr HostDevice kHostDevice;

}  // namespace harp
