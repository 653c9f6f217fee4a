// Copies of a run's arrays on the device where it takes place, for arrays that are on another device (HARP_RUN_STAGE).
#pragma once

#include <vector>

#include "run/device_array.h"

namespace harp {

/// Provides the arrays of one run on its device. An array that is already there is not copied.
class Staging {
 public:
  /// `host` allocates what a copy between two devices needs in the host's memory. Both must outlive this object.
  Staging(const Device& run, const Allocator& host) : run_(run), host_(host) {}

  /// Return addresses on the run's device: of an input, with its content, and of an output. Error{kOutOfMemory, kDevice}.
  void* input(const RunArray& array);
  void* output(const RunArray& array);
  /// True if copy_back() has something to copy, so that the run must be complete before it.
  bool copies_back() const { return !outputs_.empty(); }
  /// After the run: copies outputs to where the caller wants them. Error{kOutOfMemory, kDevice}.
  void copy_back() const;

 private:
  struct Copy {
    DeviceArray there;  // the caller's array
    DeviceArray here;   // its copy on the run's device
  };
  const Copy& add(std::vector<Copy>& list, const RunArray& array);
  bool is_here(const RunArray& array) const { return array.device == &run_ || array.bytes == 0; }

  const Device& run_;
  const Allocator& host_;
  std::vector<Copy> inputs_, outputs_;
};

}  // namespace harp
