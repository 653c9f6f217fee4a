// Defines a device: memory that contains arrays. Code on the CPU can address array elements only in host memory, whose device is called
// "cpu". Elements on any other device are copied by the functions of that device. All devices of one backend share one address space: equal
// addresses in the arguments of a run mean the same memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "run/allocator.h"

namespace harp {

/// The device type and number by which DLPack identifies a device (DLDevice). DLPack has no type 0: arrays on a device with this type
/// cannot be exchanged.
struct DlpackPlace {
  int32_t type = 0, id = 0;
  bool operator==(const DlpackPlace&) const = default;
};

/// A device whose memory contains arrays: the CPU with host memory (HostDevice), or a GPU. Thread-safe. Arrays refer to their device, so a
/// device must exist as long as any context that uses it.
class Device {
 public:
  /// Returns the name by which harp_buffer_new identifies the device. The text ends with a zero byte, and is valid as long as the device.
  virtual std::string_view name() const = 0;
  /// Tests whether code on the CPU can read and write array elements at their addresses.
  virtual bool is_host() const = 0;
  /// Returns the functions that allocate and release memory of this device. `host` is the context's allocator of host memory.
  virtual Allocator allocator(const Allocator& host) const = 0;
  /// These functions copy bytes: read() from this device to host memory, write() from host memory to this device, and copy() within this
  /// device, where the two ranges may overlap. `bytes` is not 0. Throw Error{kDevice} if the device fails.
  virtual void read(void* to_host, const void* from, size_t bytes) const = 0;
  virtual void write(void* to, const void* from_host, size_t bytes) const = 0;
  virtual void copy(void* to, const void* from, size_t bytes) const = 0;
  virtual DlpackPlace dlpack() const { return {}; }
  /// Checks an address that the host application gave for an array: it must be in the memory of this device, as far as the device can find
  /// out. Otherwise throws Error{kDevice}, whose message says where the memory is.
  virtual void check_address(const void*) const {}
  /// Makes later work on this device wait for all work that is now on the given stream of the host application. Throws Error{kDevice} if
  /// the device has no streams, and Error{kInvalidArgument} for a stream for which it cannot wait.
  virtual void wait_for_stream(void* stream) const;
  /// Makes later work on the given stream of the host application wait for all work that is now on this device. Throws the same errors as
  /// wait_for_stream(). Before it throws, it waits until the device's work is complete.
  virtual void signal_stream(void* stream) const;
  /// Tests whether the host application captures the stream. A captured stream records its work as a graph and executes nothing. Throws the
  /// errors of wait_for_stream(), but none for a captured stream.
  virtual bool is_capturing(void* stream) const;
  /// Waits until memory that was allocated and written on this device may be used by work that does not wait for harp's work, such as work
  /// on the host application's own streams. Throws Error{kDevice} on failure.
  virtual void settle() const {}

 protected:
  ~Device() = default;
};

/// The device of host memory, called "cpu".
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
