// A host application that uses CUDA itself: the first GPU, its primary context, a stream, and the GPU's clock. The driver is opened at run
// time, so that harp_bench runs where there is none.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

namespace bench {

/// The machine lacks what a benchmark needs. Its rows are skipped.
class MissingHardware : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class GpuHost {
 public:
  /// Makes the context current on this thread. Throws MissingHardware if there is no driver or no GPU.
  GpuHost();
  ~GpuHost();
  GpuHost(const GpuHost&) = delete;
  GpuHost& operator=(const GpuHost&) = delete;

  void* context() const { return context_; }  // a CUcontext
  void* stream() const { return stream_; }    // a CUstream
  std::string describe() const;               // the GPU's name and the newest CUDA that the driver supports

  /// The seconds that the GPU takes for what `enqueue` puts on the stream. It includes the time in which the GPU waits for launches.
  double seconds(const std::function<void()>& enqueue) const;
  /// Waits until the work on the stream is done.
  void wait() const;

 private:
  void open();
  void close();
  /// Calls a function of the driver and returns its status; the types of the arguments are those of its parameters.
  template <class... Arguments>
  int status_of(const char* function, Arguments... arguments) const;
  /// Throws std::runtime_error if the function fails.
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
