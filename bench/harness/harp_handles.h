// Wraps harp.h for C++ with exceptions: handles that release their objects, and failures that throw an exception with harp's message.
#pragma once

#include <harp.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

template <auto Function>
struct Release {
  template <class T>
  void operator()(T* handle) const {
    Function(handle);
  }
};

using Context = std::unique_ptr<harp_context, Release<harp_context_release>>;
using Graph = std::unique_ptr<harp_graph, Release<harp_graph_release>>;
using Program = std::unique_ptr<harp_program, Release<harp_program_release>>;
using Buffer = std::unique_ptr<harp_buffer, Release<harp_buffer_release>>;
using String = std::unique_ptr<harp_string, Release<harp_string_release>>;

/// The last argument of a call that may fail: `Handle x(harp_x_new(..., err)); err.check("making x");`
class Err {
 public:
  Err() = default;
  ~Err() { harp_error_release(error_); }
  Err(const Err&) = delete;
  Err& operator=(const Err&) = delete;

  operator harp_error**() { return &error_; }  // NOLINT: implicit, because it is passed as the argument
  void check(const char* doing) const {
    if (error_ == nullptr) return;
    throw std::runtime_error(std::string(doing) + ": " + harp_error_message(error_) + "\n" + harp_error_compiler_output(error_));
  }

 private:
  harp_error* error_ = nullptr;
};

/// Dtype and number of elements of an input or output of a program without symbolic sizes.
struct ProgramArray {
  harp_dtype dtype;
  size_t count;  // number of elements
};

/// Returns the dtypes and the numbers of elements of the first n inputs or outputs of a program; `describe` is harp_program_input or
/// harp_program_output.
inline std::vector<ProgramArray> arrays_of(const harp_program* program, size_t n,
                                           harp_status (*describe)(const harp_program*, size_t, harp_array_info*, harp_error**)) {
  std::vector<ProgramArray> arrays;
  for (size_t i = 0; i < n; ++i) {
    harp_array_info info = HARP_ARRAY_INFO_INIT;
    Err err;
    describe(program, i, &info, err);
    err.check("describing an array");
    arrays.push_back({info.dtype, 1});
    for (int32_t axis = 0; axis < info.rank; ++axis) arrays.back().count *= static_cast<size_t>(info.dims[axis]);
  }
  return arrays;
}

}  // namespace bench
