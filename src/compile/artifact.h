// An artifact: the bytes a compiler made, with a manifest that says from what. One byte layout serves memory and disk: header, manifest,
// payload, and one digest over all of it, so that a damaged file cannot be taken for a whole one whichever bit is wrong.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"

namespace harp {

struct Manifest {
  std::string backend;               // "c"
  std::string signature;             // the program's signature as text, opaque here
  std::string target;                // "x86-64-v3"
  std::string compiler;              // first line of what it says about its version
  std::vector<std::string> command;  // the command line, without the files

  friend bool operator==(const Manifest&, const Manifest&) = default;
};

/// Immutable; shared between the memory cache and every program made of it, so evicting one never unloads anything.
class Artifact {
 public:
  static std::shared_ptr<const Artifact> make(const Digest& key, Manifest manifest, std::span<const std::byte> payload);
  /// Takes the bytes of an entry file. Empty when anything at all is wrong with them or they are not the entry called `key`.
  static std::shared_ptr<const Artifact> parse(const Digest& key, std::vector<std::byte> file);
  /// The same without knowing the key (a listing).
  static std::shared_ptr<const Artifact> parse(std::vector<std::byte> file);

  const Digest& key() const { return key_; }
  /// Of all the bytes: equal digests mean equal artifacts.
  const Digest& digest() const { return digest_; }
  const Manifest& manifest() const { return manifest_; }
  std::span<const std::byte> payload() const { return std::span(file_).subspan(payload_offset_); }
  /// What an entry file holds.
  std::span<const std::byte> file() const { return file_; }

  Artifact(const Artifact&) = delete;
  Artifact& operator=(const Artifact&) = delete;

 private:
  Artifact() = default;
  Digest key_;
  Digest digest_;
  Manifest manifest_;
  std::vector<std::byte> file_;
  size_t payload_offset_ = 0;
};

/// Entry files end in this.
inline constexpr std::string_view kEntrySuffix = ".harp";

}  // namespace harp
