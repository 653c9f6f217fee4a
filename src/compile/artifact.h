// An artifact is the bytes that a compiler produced (the payload) with a manifest of their origin. It has the same layout in memory and on
// disk: the payload, followed by a footer with the manifest and one digest of everything, which detects damage to any bit. The payload
// comes first, so the cache file of a shared object is itself a shared object, which objdump, gdb and dlopen can read.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"

namespace harp {

/// Suffix of the name of a cache file that contains a shared object.
inline constexpr std::string_view kObjectSuffix = ".so";

struct Manifest {
  std::string backend;                // "c"
  std::string signature;              // the signature of the program as text, which the compile service does not interpret
  std::string target;                 // "x86-64-v3"
  std::string compiler;               // first line of the compiler's version
  std::vector<std::string> command;   // the command line without file names
  std::string suffix{kObjectSuffix};  // suffix of the cache file's name, which tells the kind of payload

  friend bool operator==(const Manifest&, const Manifest&) = default;
};

/// The bytes that a compiler produced, and their manifest. Immutable. The memory cache and all programs made from an artifact share it, so
/// evicting it from the cache does not affect the programs.
class Artifact {
 public:
  static std::shared_ptr<const Artifact> make(const Digest& key, Manifest manifest, std::span<const std::byte> payload);
  /// Parses the bytes of a cache file. Returns null if they are damaged or if the file has another key than `key`.
  static std::shared_ptr<const Artifact> parse(const Digest& key, std::vector<std::byte> file);
  /// Parses the bytes of a cache file with any key, for listings. Returns null if they are damaged.
  static std::shared_ptr<const Artifact> parse(std::vector<std::byte> file);

  const Digest& key() const { return key_; }
  /// Returns the digest of the file's contents. Equal digests mean equal artifacts.
  const Digest& digest() const { return digest_; }
  const Manifest& manifest() const { return manifest_; }
  std::span<const std::byte> payload() const { return std::span(file_).first(payload_size_); }
  /// Returns the bytes of the cache file: the payload and the footer.
  std::span<const std::byte> file() const { return file_; }

  Artifact(const Artifact&) = delete;
  Artifact& operator=(const Artifact&) = delete;

 private:
  Artifact() = default;
  Digest key_;
  Digest digest_;
  Manifest manifest_;
  std::vector<std::byte> file_;
  size_t payload_size_ = 0;
};

}  // namespace harp
