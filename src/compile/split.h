// Cutting a large source into parts that two compilers can work on at the same time; linked together they are the whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/source_functions.h"

namespace harp {

/// How many parts are worth their while where so many compilers can run at once.
size_t worthwhile_parts(const std::vector<SourceFunction>& functions, size_t processors);

/// At most so many parts, none without a function, of about equal length. Functions are visible to the other parts, not outside of what is
/// linked; those that are shared are compiled once, too.
std::vector<std::string> split_source(std::string_view source, const std::vector<SourceFunction>& functions, size_t parts);

}  // namespace harp
