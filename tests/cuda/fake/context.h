// Makes contexts of harp that use the fake CUDA libraries.
#pragma once

#include "capi/handles.h"
#include "cuda/fake/fake_cuda.h"
#include "run/cuda/platform.h"
#include "support/capi_support.h"

namespace fake_cuda {

/// Makes a new context use the fake driver and the fake NVRTC.
inline void use(harp_context* context) {
  context->cuda->set_options({folder() + "libcuda.so.1", {folder() + "libnvrtc.so.13", folder() + "libnvrtc.so.12"}, "/no/nvcc"});
}

/// Returns a context of harp whose GPUs are the fake driver's, and whose compiler is the fake NVRTC.
inline capi_test::Context make_context(const Driver&, std::function<void(harp_context_options&)> change = nullptr) {
  capi_test::Context context = capi_test::make_context(std::move(change));
  use(context.get());
  return context;
}

}  // namespace fake_cuda
