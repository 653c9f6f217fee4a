// What the fuzzer asks of the compile cache: requests that differ in anything that changes the artifact get artifacts of their own,
// and a later service finds on disk exactly what was compiled. Rendered programs are compiled one by one for this, into a scratch cache.
#pragma once

#include <string>
#include <string_view>

#include "base/process.h"
#include "fuzz/variant.h"

namespace harp::fuzz {

/// "" if all is well. `one` and `other` are different sources.
std::string check_cache(System system, const CompilerChoice& choice, std::string_view one, std::string_view other);

}  // namespace harp::fuzz
