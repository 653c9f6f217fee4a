// The layout of an entry file. All numbers are little-endian:
//    0  8  magic "HARPENT" and the format's number
//    8 16  key
//   24  8  size of the manifest
//   32  8  size of the payload
//   40 16  digest of everything else, in order: bytes 0-39, manifest, payload
//   56     manifest: number of texts, then each text with its length; the payload fills the rest of the file
#include "compile/artifact.h"

#include <cstring>

#include "base/error.h"

namespace harp {
namespace {

constexpr char kMagic[8] = {'H', 'A', 'R', 'P', 'E', 'N', 'T', 1};
constexpr size_t kHeaderSize = 56;
constexpr size_t kDigestOffset = 40;
constexpr size_t kFixedTexts = 4;  // texts of the manifest before the command line

void put(std::vector<std::byte>& out, uint64_t value) {
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<std::byte>(value >> (8 * i)));
}

void put(std::vector<std::byte>& out, const Digest& digest) {
  put(out, digest.high);
  put(out, digest.low);
}

void put(std::vector<std::byte>& out, std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

uint64_t get(std::span<const std::byte> bytes, size_t offset) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value |= std::to_integer<uint64_t>(bytes[offset + i]) << (8 * i);
  return value;
}

Digest get_digest(std::span<const std::byte> bytes, size_t offset) { return {get(bytes, offset), get(bytes, offset + 8)}; }

std::string_view as_text(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

Digest digest_of_file(std::span<const std::byte> file) {
  return Hasher().add_piece(as_text(file.first(kDigestOffset))).add_piece(as_text(file.subspan(kHeaderSize))).finish();
}

std::vector<std::byte> encode(const Manifest& manifest) {
  std::vector<std::byte> out;
  const auto text = [&out](std::string_view value) {
    put(out, static_cast<uint64_t>(value.size()));
    put(out, value);
  };
  put(out, static_cast<uint64_t>(kFixedTexts + manifest.command.size()));
  text(manifest.backend);
  text(manifest.signature);
  text(manifest.target);
  text(manifest.compiler);
  for (const std::string& word : manifest.command) text(word);
  return out;
}

/// The digest has already matched, but sizes are checked anyway, because an attacker can forge a digest.
std::optional<Manifest> decode_manifest(std::span<const std::byte> bytes) {
  if (bytes.size() < 8) return std::nullopt;
  const uint64_t count = get(bytes, 0);
  if (count < kFixedTexts || count > bytes.size() / 8) return std::nullopt;
  bytes = bytes.subspan(8);
  std::vector<std::string> texts;
  for (uint64_t i = 0; i < count; ++i) {
    if (bytes.size() < 8) return std::nullopt;
    const uint64_t size = get(bytes, 0);
    bytes = bytes.subspan(8);
    if (size > bytes.size()) return std::nullopt;
    texts.emplace_back(as_text(bytes.first(size)));
    bytes = bytes.subspan(size);
  }
  if (!bytes.empty()) return std::nullopt;
  return Manifest{texts[0], texts[1], texts[2], texts[3], std::vector(texts.begin() + kFixedTexts, texts.end())};
}

}  // namespace

std::shared_ptr<const Artifact> Artifact::make(const Digest& key, Manifest manifest, std::span<const std::byte> payload) {
  const std::vector<std::byte> texts = encode(manifest);
  std::vector<std::byte> file;
  file.reserve(kHeaderSize + texts.size() + payload.size());
  put(file, std::string_view(kMagic, sizeof kMagic));
  put(file, key);
  put(file, static_cast<uint64_t>(texts.size()));
  put(file, static_cast<uint64_t>(payload.size()));
  put(file, Digest{});  // room for the digest of the whole file, which is known only at the end
  file.insert(file.end(), texts.begin(), texts.end());
  file.insert(file.end(), payload.begin(), payload.end());
  const Digest digest = digest_of_file(file);
  std::vector<std::byte> digest_bytes;
  put(digest_bytes, digest);
  std::memcpy(file.data() + kDigestOffset, digest_bytes.data(), digest_bytes.size());

  const std::shared_ptr<Artifact> artifact(new Artifact);
  artifact->key_ = key;
  artifact->digest_ = digest;
  artifact->manifest_ = std::move(manifest);
  artifact->file_ = std::move(file);
  artifact->payload_offset_ = kHeaderSize + texts.size();
  return artifact;
}

std::shared_ptr<const Artifact> Artifact::parse(std::vector<std::byte> file) {
  if (file.size() < kHeaderSize || std::memcmp(file.data(), kMagic, sizeof kMagic) != 0) return nullptr;
  const uint64_t manifest_size = get(file, 24);
  const uint64_t payload_size = get(file, 32);
  const uint64_t rest = file.size() - kHeaderSize;
  if (manifest_size > rest || payload_size != rest - manifest_size) return nullptr;
  const Digest digest = get_digest(file, kDigestOffset);
  if (digest_of_file(file) != digest) return nullptr;
  std::optional<Manifest> manifest = decode_manifest(std::span(file).subspan(kHeaderSize, manifest_size));
  if (!manifest) return nullptr;

  const std::shared_ptr<Artifact> artifact(new Artifact);
  artifact->key_ = get_digest(file, 8);
  artifact->digest_ = digest;
  artifact->manifest_ = std::move(*manifest);
  artifact->payload_offset_ = kHeaderSize + manifest_size;
  artifact->file_ = std::move(file);
  return artifact;
}

std::shared_ptr<const Artifact> Artifact::parse(const Digest& key, std::vector<std::byte> file) {
  std::shared_ptr<const Artifact> artifact = parse(std::move(file));
  return artifact && artifact->key() == key ? artifact : nullptr;
}

}  // namespace harp
