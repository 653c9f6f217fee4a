// Generates source with a schedule that is not legal for one of the graph's kernels, and returns the error message.
#pragma once

#include "support/capi_support.h"

namespace capi_test {

inline std::string schedule_mistake(const harp_graph* graph, const char* schedule) {
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.target = "x86-64-v4";
  options.schedule = schedule;
  ErrorSlot err;
  const String source(harp_graph_emit(graph, &options, "c", err));
  CHECK(source == nullptr);
  return err.message();
}

}  // namespace capi_test
