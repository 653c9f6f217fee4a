// harp_compile_options as C++ values, checked: what a compilation is asked for.
#pragma once

#include <string>
#include <vector>

#include "base/process.h"
#include "capi/handles.h"
#include "graph/specialize.h"
#include "pipeline.h"
#include "tune/configuration.h"

namespace harp::capi {

struct CompileSettings {
  enum class Backend : uint8_t { kInterp, kC } backend = Backend::kC;
  PipelineOptions pipeline;
  std::string compiler;            // empty: the context's
  std::vector<std::string> flags;  // added to harp's own
  std::vector<std::pair<std::string, int64_t>> specialize;
  bool is_configured = false;  // harp_compile_options.schedule says something
  bool uses_tuning = true;
  CancelFlag cancel = nullptr;

  std::vector<FixedSize> fixed_sizes() const;
};

/// Error{kInvalidArgument} for a stage of the list that does not exist; `options` is the struct it stands in.
void check_stages(std::string_view list, std::string_view options);

/// Adds a configuration. Error{kInvalidArgument} for a pass there is not, and for a flag that changes results.
void configure(CompileSettings& settings, const tune::Configuration& configuration);

/// Error{kInvalidArgument} naming the field and what it may be; kUnsupported for what exists, but not here.
CompileSettings read_compile_settings(const harp_context& context, const harp_compile_options* options);

}  // namespace harp::capi
