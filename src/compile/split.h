// Splits a large source into parts that several compilers compile in parallel; the linked parts are equivalent to the source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/source_functions.h"

namespace harp {

/// The number of parts worth making if `processors` compilers can run at the same time.
size_t worthwhile_parts(const std::vector<SourceFunction>& functions, size_t processors);

/// Returns at most `parts` parts of about equal cost, each with at least one function. Functions are visible to the other parts but not
/// outside the linked file. Each function is compiled once, also the shared ones.
std::vector<std::string> split_source(std::string_view source, const std::vector<SourceFunction>& functions, size_t parts);

}  // namespace harp
