// UTF-8 in text from outside, which may be any bytes. harp's messages are UTF-8, so invalid bytes are escaped when such text becomes part
// of a message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace harp {

/// The length in bytes of the character that `text` begins with; 0 if `text` is empty or does not begin with valid UTF-8. Overlong forms,
/// surrogates and values above U+10FFFF are not valid.
size_t utf8_length(std::string_view text);

/// The longest prefix of `text` that has at most `bytes` bytes and does not cut a character.
std::string_view utf8_prefix(std::string_view text, size_t bytes);

/// `text` with each byte that belongs to no valid character written as \xNN.
std::string escape_invalid_utf8(std::string_view text);

/// Appends the byte as \xNN.
void append_hex_escape(std::string& out, char byte);

}  // namespace harp
