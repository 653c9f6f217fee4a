// Makes copies of those arrays of a run that are not on the device on which the run takes place (HARP_RUN_STAGE).
#pragma once

#include <vector>

#include "run/device_array.h"

namespace harp {

/// Provides the arrays of one run on its device. An array that is already on this device is not copied.
class Staging {
 public:
  /// `run` is the device of the run. `host` allocates host memory for copies between two other devices. Both must outlive this object.
  Staging(const Device& run, const Allocator& host) : run_(run), host_(host) {}

  /// Return the address of the array, or of its copy, on the run's device. A copy of an input has the input's content. Throw
  /// Error{kOutOfMemory} or Error{kDevice}.
  void* input(const RunArray& array);
  void* output(const RunArray& array);
  /// Tests whether copy_back() has anything to copy. In that case the run must be complete before copy_back() is called.
  bool copies_back() const { return !outputs_.empty(); }
  /// Copies the outputs from the run's device to the caller's arrays. To be called after the run. Throws Error{kOutOfMemory} or
  /// Error{kDevice}.
  void copy_back() const;

 private:
  struct Copy {
    DeviceArray there;  // the caller's array
    DeviceArray here;   // the copy of the caller's array on the run's device
  };
  const Copy& add(std::vector<Copy>& list, const RunArray& array);
  bool is_here(const RunArray& array) const { return array.device == &run_ || array.bytes == 0; }

  const Device& run_;
  const Allocator& host_;
  std::vector<Copy> inputs_, outputs_;
};

}  // namespace harp
