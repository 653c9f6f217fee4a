// Text of routines: C as it will stand in the unit, with names after a $ for what depends on the dtype or the width of vectors.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace harp::render {

using Filling = std::map<std::string_view, std::string>;

/// The text with a value for each name after a $; a name is made of capital letters.
std::string filled(std::string_view text, const Filling& values);

}  // namespace harp::render
