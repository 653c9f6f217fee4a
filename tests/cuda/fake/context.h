// Contexts of harp over the fake CUDA libraries.
#pragma once

#include "capi/handles.h"
#include "cuda/fake/fake_cuda.h"
#include "run/cuda/platform.h"
#include "support/capi_support.h"

namespace fake_cuda {

/// A context of harp whose GPUs are the fake driver's, and whose compiler is the fake NVRTC.
inline capi_test::Context make_context(const Driver& driver, std::function<void(harp_context_options&)> change = nullptr) {
  capi_test::Context context = capi_test::make_context(std::move(change));
  context->cuda->set_options({.driver = driver.path(), .nvrtc = {folder() + "libnvrtc.so.13", folder() + "libnvrtc.so.12"}, .nvcc = "/no/nvcc"});
  return context;
}

}  // namespace fake_cuda
