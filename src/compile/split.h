// Splits a large source into parts, which several compiler processes compile in parallel. The linked parts are equivalent to the source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/source_functions.h"

namespace harp {

/// Returns into how many parts it is worthwhile to split the source if `processors` compilers can run at the same time.
size_t worthwhile_parts(const std::vector<SourceFunction>& functions, size_t processors);

/// Returns at most `parts` parts of about equal cost. Each part except the last defines at least one function; the last part also contains
/// the text after the functions. Functions are visible to the other parts, but not outside the linked file. Each function, shared or not,
/// is defined in exactly one part.
std::vector<std::string> split_source(std::string_view source, const std::vector<SourceFunction>& functions, size_t parts);

}  // namespace harp
