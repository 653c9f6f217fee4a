// An artifact: the bytes that a compiler produced, with a manifest of their origin. The same layout is used in memory and on disk: the
// payload, and behind it a footer with the manifest and one digest of everything, so that damage to any bit is detected. Because the
// payload comes first, the cache file of a shared object is itself a shared object, which objdump, gdb and dlopen can read.
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

/// Suffix of the name of an entry file that holds a shared object.
inline constexpr std::string_view kObjectSuffix = ".so";

struct Manifest {
  std::string backend;                // "c"
  std::string signature;              // the program's signature as text; not interpreted here
  std::string target;                 // "x86-64-v3"
  std::string compiler;               // first line of what the compiler prints for --version
  std::vector<std::string> command;   // the command line without file names
  std::string suffix{kObjectSuffix};  // suffix of the entry file's name, which says what the payload is

  friend bool operator==(const Manifest&, const Manifest&) = default;
};

/// Immutable. The memory cache and all programs made from it share it, so evicting an artifact from the cache unloads nothing.
class Artifact {
 public:
  static std::shared_ptr<const Artifact> make(const Digest& key, Manifest manifest, std::span<const std::byte> payload);
  /// Parses the bytes of an entry file. Returns null if anything is wrong with them or if their key is not `key`.
  static std::shared_ptr<const Artifact> parse(const Digest& key, std::vector<std::byte> file);
  /// Does the same for an entry with any key, for listings.
  static std::shared_ptr<const Artifact> parse(std::vector<std::byte> file);

  const Digest& key() const { return key_; }
  /// Digest of all bytes: equal digests mean equal artifacts.
  const Digest& digest() const { return digest_; }
  const Manifest& manifest() const { return manifest_; }
  std::span<const std::byte> payload() const { return std::span(file_).first(payload_size_); }
  /// The contents of the entry file.
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
