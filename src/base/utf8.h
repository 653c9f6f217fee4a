// UTF-8 in text that comes from outside harp and may contain any bytes. harp's messages are valid UTF-8, so invalid bytes are escaped when
// such a text becomes part of a message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace harp {

/// Returns the length in bytes of the character that `text` begins with; 0 if `text` is empty or does not begin with valid UTF-8. Overlong
/// forms, surrogates and values above U+10FFFF are not valid.
size_t utf8_length(std::string_view text);

/// Returns the longest prefix of `text` that has at most `bytes` bytes and does not end within a character.
std::string_view utf8_prefix(std::string_view text, size_t bytes);

/// Returns `text` with each byte that is not part of a valid character replaced by \xNN.
std::string escape_invalid_utf8(std::string_view text);

/// Appends the byte as \xNN, where NN are two hexadecimal digits.
void append_hex_escape(std::string& out, char byte);

}  // namespace harp
