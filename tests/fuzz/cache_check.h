// Checks the compile cache: requests that differ in anything that affects the artifact must get different artifacts, and a later service
// must find on disk exactly what was compiled. For this check, rendered programs are compiled one by one, with a scratch cache.
#pragma once

#include <string>
#include <string_view>

#include "base/process.h"
#include "fuzz/variant.h"

namespace harp::fuzz {

/// Describes the first fault; "" if there is none. `one` and `other` are different sources.
std::string check_cache(System system, const CompilerChoice& choice, std::string_view one, std::string_view other);

}  // namespace harp::fuzz
