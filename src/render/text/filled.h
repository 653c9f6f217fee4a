// Fills templates: C text with placeholders ($NAME) for those parts that depend, for example, on the dtype or the vector width.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace harp::render {

using Filling = std::map<std::string_view, std::string>;

/// Replaces each $NAME by its value. A name consists of capital letters.
std::string filled(std::string_view text, const Filling& values);

}  // namespace harp::render
