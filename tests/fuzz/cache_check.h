// Checks the compile cache. Requests that differ in anything that affects the artifact must get different artifacts. A second service that
// is created afterwards must find every artifact on disk, unchanged. The requests use sources that are compiled one by one, with a
// temporary cache directory.
#pragma once

#include <string>
#include <string_view>

#include "base/process.h"
#include "fuzz/variant.h"

namespace harp::fuzz {

/// Checks the cache and returns a description of the first error; "" if there is none. `one` and `other` are two different source texts.
std::string check_cache(System system, const CompilerChoice& choice, std::string_view one, std::string_view other);

}  // namespace harp::fuzz
