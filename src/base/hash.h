// Computes digests of contents: 128-bit XXH3 of bytes. They name cache entries and compiled artifacts and detect damaged files. They
// protect against accidents, not against an attacker: against attackers, the cache checks the owner and mode of its directory
// (compile/cache_directory.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace harp {

struct Digest {
  uint64_t high = 0;
  uint64_t low = 0;

  friend bool operator==(const Digest&, const Digest&) = default;
  /// Returns the digest as 32 lower-case hexadecimal digits.
  std::string hex() const;
};

Digest digest_of(std::span<const std::byte> bytes);
inline Digest digest_of(std::string_view text) { return digest_of(std::as_bytes(std::span(text))); }

/// Computes the digest of a sequence of fields. Each field is hashed with its length, so ("ab", "c") and ("a", "bc") differ.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  Hasher& add(std::string_view text);
  template <class T>
  requires(std::is_integral_v<T> || std::is_enum_v<T>) Hasher& add(T value) { return add_word(static_cast<uint64_t>(value)); }
  /// Adds bytes without their length. The caller uses it for a field that it adds in several pieces. After the last piece, the caller adds
  /// the total number of bytes with add().
  Hasher& add_piece(std::string_view piece);
  Digest finish() const;

 private:
  Hasher& add_word(uint64_t value);
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace harp

template <>
struct std::hash<harp::Digest> {
  size_t operator()(const harp::Digest& digest) const noexcept { return static_cast<size_t>(digest.low); }
};
