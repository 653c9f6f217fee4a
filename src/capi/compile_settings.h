// Checks the fields of harp_compile_options, which are the settings of a compilation, and converts them to C++ types.
#pragma once

#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/process.h"
#include "capi/handles.h"
#include "graph/specialize.h"
#include "tune/configuration.h"

namespace harp::capi {

struct CompileSettings : BuildOptions {
  const Backend* backend = nullptr;  // one of the context's backends
  std::vector<std::pair<std::string, int64_t>> specialize;
  bool is_configured = false;  // true if harp_compile_options.schedule states a configuration that differs from the default
  bool uses_tuning = true;
  bool specializes_repeated = false;  // HARP_SPECIALIZE_AUTO
  CancelFlag cancel = nullptr;

  std::vector<FixedSize> fixed_sizes() const;
};

/// Throws Error{kInvalidArgument} if `list` (stage names separated by commas) names a stage that no backend has. The message names
/// `options`, the struct that contains the list.
void check_stages(const BackendTable& backends, std::string_view list, std::string_view options);

/// Applies a configuration to the settings. Throws Error{kInvalidArgument} for an unknown optimiser pass or a compiler flag that changes
/// results.
void configure(CompileSettings& settings, const tune::Configuration& configuration);

/// Checks and converts the host's options. Throws Error{kInvalidArgument} with the field and its possible values, or Error{kUnsupported}
/// for a value that this build does not support.
CompileSettings read_compile_settings(harp_context& context, const harp_compile_options* options);

}  // namespace harp::capi
