// Encodes and decodes base64 (RFC 4648, with padding). The text format uses it for constant arrays.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace harp {

std::string base64_encode(std::span<const std::byte> bytes);
/// Decodes the text. Returns nothing if the text is not what base64_encode() returns for some bytes.
std::optional<std::vector<std::byte>> base64_decode(std::string_view text);

}  // namespace harp
