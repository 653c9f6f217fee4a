// Contains a host application that uses CUDA itself: it has the first GPU, the GPU's primary context, a stream, and the GPU's clock. The
// CUDA driver is loaded at run time, so that harp_bench also runs on a machine without it.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

namespace bench {

/// Thrown if the machine lacks hardware that a benchmark needs. The benchmark is then skipped.
class MissingHardware : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class GpuHost {
 public:
  /// Opens the driver and makes the primary context of the first GPU current on this thread. Throws MissingHardware if there is no driver
  /// or no GPU.
  GpuHost();
  ~GpuHost();
  GpuHost(const GpuHost&) = delete;
  GpuHost& operator=(const GpuHost&) = delete;

  void* context() const { return context_; }  // a CUcontext
  void* stream() const { return stream_; }    // a CUstream
  std::string describe() const;               // the GPU's name, and the newest version of CUDA that the driver supports

  /// Returns the seconds that the GPU takes for the work that `enqueue` puts on the stream. They include the time in which the GPU waits
  /// for launches.
  double seconds(const std::function<void()>& enqueue) const;
  /// Waits until the work on the stream is done.
  void wait() const;

 private:
  void open();
  void close();
  /// Calls a function of the driver and returns its status. The arguments must have exactly the types of the function's parameters.
  template <class... Arguments>
  int status_of(const char* function, Arguments... arguments) const;
  /// Calls a function of the driver like status_of(). Throws std::runtime_error if the function fails.
  template <class... Arguments>
  void call(const char* function, Arguments... arguments) const;

  void* library_ = nullptr;
  int device_ = 0;
  void* context_ = nullptr;
  void* stream_ = nullptr;
  void* begin_ = nullptr;  // CUevents
  void* end_ = nullptr;
};

}  // namespace bench
