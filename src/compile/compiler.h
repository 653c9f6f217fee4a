// Defines the interface of a compiler. A compiler has an identity, and turns source text into the bytes of an artifact, inside a private
// directory. Backend `c` runs a C compiler (c_compiler.h); backend `cuda` uses NVRTC (nvrtc.h) or nvcc (nvcc.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/machine.h"
#include "base/process.h"
#include "base/source_functions.h"
#include "base/time_limit.h"
#include "compile/compiler_slots.h"
#include "compile/work_directory.h"

namespace harp {

struct CompileRequest {
  std::string source;
  // Functions of the source that may be compiled in separate translation units; not part of the cache key.
  std::vector<SourceFunction> functions;
  std::string signature;  // the program's signature, which is stored in the manifest
  Machine target = host_machine();
  int optimisation = 3;            // -O
  bool vectors_written = false;    // true if the source is vectorised already, so that the vectorisation passes of -O3 are unnecessary
  std::vector<std::string> flags;  // flags of the caller, passed after harp's own flags
  std::string compiler;            // command to use instead of the context's compiler; empty: the context's compiler
  // Symbols that the compiled artifact must contain, for loaders that cannot list the symbols of an artifact. Not part of the cache key.
  std::vector<std::string> exports = {};
};

/// All properties of a compiler that may change its output.
struct CompilerIdentity {
  std::string program;  // the executable file
  std::string version;  // the text by which the compiler identifies its version, such as the output of --version
  // Digest of everything that may change the compiler's output. For a C compiler: the command, its files (real path, size, modification
  // time), the version and LD_LIBRARY_PATH.
  Digest digest;
  // False if the digest does not cover some part of the command; artifacts of the compiler are then not cached.
  bool persistent = true;

  /// The first line of the version, such as "gcc 12.2.0 (Debian 12.2.0-14)".
  std::string_view version_line() const { return std::string_view(version).substr(0, version.find('\n')); }
};

class Compiler {
 public:
  virtual ~Compiler() = default;
  /// Returns the name of the backend that uses the compiler, such as "c".
  virtual std::string_view name() const = 0;
  /// Returns the suffix of the files that contain the compiler's artifacts, such as ".so".
  virtual std::string_view suffix() const = 0;
  virtual const CompilerIdentity& identity() const = 0;
  /// Returns the command line without names of files: argv[0] and all flags.
  virtual std::vector<std::string> command(const CompileRequest& request) const = 0;
  /// True if the effect of the flags depends on nothing but their text, so that the cache key covers everything that determines the
  /// artifact.
  virtual bool self_contained(const std::vector<std::string>& flags) const = 0;
  /// Compiles the source. Each process or call that compiles takes one of `slots`. A compiled shared object exports `key` as kUnitKey.
  /// Throws Error with the code kCompiler (the message names the command, and compiler_output contains the compiler's messages), kIo or
  /// kCancelled.
  virtual std::vector<std::byte> compile(const CompileRequest& request, const Digest& key, WorkDirectory& work, CompilerSlots& slots,
                                         TimeLimit& limit) const = 0;
  /// Returns additional flags with which the compiler may accept a source on which it crashed; empty: none are known.
  virtual std::vector<std::string> flags_without_optimisation() const { return {}; }
};

/// Name of a string that each compiled shared object exports: the key in hexadecimal digits. The loader compares it with the expected key.
/// The definition is appended to the source after the key was computed.
inline constexpr const char* kUnitKey = "unit_key";

}  // namespace harp
