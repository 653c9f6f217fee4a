// Computes digests. This is the only file that includes xxhash. It includes the functions as inline code (XXH_INLINE_ALL), so harp does not
// depend on the library libxxhash.
#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace harp {
namespace {

Digest from_xxh(XXH128_hash_t hash) { return {hash.high64, hash.low64}; }

}  // namespace

std::string Digest::hex() const {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(32, '0');
  for (int i = 0; i < 16; ++i) {
    text[i] = kDigits[(high >> (60 - 4 * i)) & 15];
    text[16 + i] = kDigits[(low >> (60 - 4 * i)) & 15];
  }
  return text;
}

Digest digest_of(std::span<const std::byte> bytes) { return from_xxh(XXH3_128bits(bytes.data(), bytes.size())); }

struct Hasher::State {
  XXH3_state_t xxh;
};

Hasher::Hasher() : state_(new State) { XXH3_128bits_reset(&state_->xxh); }
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

Hasher& Hasher::add_piece(std::string_view piece) {
  XXH3_128bits_update(&state_->xxh, piece.data(), piece.size());
  return *this;
}

Hasher& Hasher::add_word(uint64_t value) {
  char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
  return add_piece({bytes, sizeof bytes});
}

Hasher& Hasher::add(std::string_view text) { return add_word(text.size()).add_piece(text); }

Digest Hasher::finish() const { return from_xxh(XXH3_128bits_digest(&state_->xxh)); }

}  // namespace harp
