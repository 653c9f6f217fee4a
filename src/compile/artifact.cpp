// Reads and writes the file of a cache entry, which has the following layout. All numbers are little-endian. P is the size of the payload
// and M the size of the manifest.
//
//  offset    size  content
//         0     P  payload
//         P     M  manifest: number of texts, then each text with its length
//       P+M    16  key
//    P+M+16     8  P
//    P+M+24     8  M
//    P+M+32    16  digest of all bytes before it
//    P+M+48     8  magic "HARPENT" and the number of the format; the end of the file
#include "compile/artifact.h"

#include <cstring>

#include "base/error.h"

namespace harp {
namespace {

constexpr char kMagic[8] = {'H', 'A', 'R', 'P', 'E', 'N', 'T', 2};
constexpr size_t kTrailerSize = 56;  // size in bytes of the fields after the manifest
constexpr size_t kUndigested = 24;   // bytes at the end that the digest does not cover: the digest itself and the magic
constexpr size_t kFixedTexts = 5;    // number of texts in the manifest before the words of the command line

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

Digest digest_of_piece(std::span<const std::byte> bytes) { return Hasher().add_piece(as_text(bytes)).finish(); }

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
  text(manifest.suffix);
  for (const std::string& word : manifest.command) text(word);
  return out;
}

/// Decodes a manifest whose digest has already matched. All sizes are checked nevertheless, because an attacker can compute a matching
/// digest.
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
  return Manifest{texts[0], texts[1], texts[2], texts[3], std::vector(texts.begin() + kFixedTexts, texts.end()), texts[4]};
}

}  // namespace

std::shared_ptr<const Artifact> Artifact::make(const Digest& key, Manifest manifest, std::span<const std::byte> payload) {
  const std::vector<std::byte> texts = encode(manifest);
  std::vector<std::byte> file;
  file.reserve(payload.size() + texts.size() + kTrailerSize);
  file.insert(file.end(), payload.begin(), payload.end());
  file.insert(file.end(), texts.begin(), texts.end());
  put(file, key);
  put(file, static_cast<uint64_t>(payload.size()));
  put(file, static_cast<uint64_t>(texts.size()));
  const Digest digest = digest_of_piece(file);
  put(file, digest);
  put(file, std::string_view(kMagic, sizeof kMagic));

  const std::shared_ptr<Artifact> artifact(new Artifact);
  artifact->key_ = key;
  artifact->digest_ = digest;
  artifact->manifest_ = std::move(manifest);
  artifact->file_ = std::move(file);
  artifact->payload_size_ = payload.size();
  return artifact;
}

std::shared_ptr<const Artifact> Artifact::parse(std::vector<std::byte> file) {
  if (file.size() < kTrailerSize) return nullptr;
  const size_t trailer = file.size() - kTrailerSize;
  if (std::memcmp(file.data() + trailer + 48, kMagic, sizeof kMagic) != 0) return nullptr;
  const uint64_t payload_size = get(file, trailer + 16);
  const uint64_t manifest_size = get(file, trailer + 24);
  if (payload_size > trailer || manifest_size != trailer - payload_size) return nullptr;
  const Digest digest = get_digest(file, trailer + 32);
  if (digest_of_piece(std::span(file).first(file.size() - kUndigested)) != digest) return nullptr;
  std::optional<Manifest> manifest = decode_manifest(std::span(file).subspan(payload_size, manifest_size));
  if (!manifest) return nullptr;

  const std::shared_ptr<Artifact> artifact(new Artifact);
  artifact->key_ = get_digest(file, trailer);
  artifact->digest_ = digest;
  artifact->manifest_ = std::move(*manifest);
  artifact->payload_size_ = payload_size;
  artifact->file_ = std::move(file);
  return artifact;
}

std::shared_ptr<const Artifact> Artifact::parse(const Digest& key, std::vector<std::byte> file) {
  std::shared_ptr<const Artifact> artifact = parse(std::move(file));
  return artifact && artifact->key() == key ? artifact : nullptr;
}

}  // namespace harp
