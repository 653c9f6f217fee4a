// What compiling a graph says under a schedule that is not legal for one of its kernels.
#pragma once

#include "capi_support.h"

namespace capi_test {

inline std::string schedule_mistake(const harp_graph* graph, const char* schedule) {
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.schedule = schedule;
  ErrorSlot err;
  const Program program(harp_compile(graph, &options, err));
  CHECK(program == nullptr);
  return err.message();
}

}  // namespace capi_test
