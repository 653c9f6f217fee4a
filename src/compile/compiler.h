// The interface of a compiler: it has an identity and turns source text into the bytes of an artifact, inside a private directory. Backend
// `c` (c_compiler.h) runs cc; backend `cuda` has NVRTC (nvrtc.h) or nvcc (nvcc.h).
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
  std::vector<SourceFunction> functions;  // functions of the source that may be compiled separately; not in the key
  std::string signature;                  // stored in the manifest
  Machine target = host_machine();
  int optimisation = 3;                   // -O
  bool vectors_written = false;           // the source is vectorised already, so the vectorisation passes of -O3 are unnecessary
  std::vector<std::string> flags;         // appended to harp's flags
  std::string compiler;                   // command that replaces the context's compiler; empty: the context's
  std::vector<std::string> exports = {};  // names that a loaded artifact must contain, if its loader cannot list the names; not in the key
};

/// All properties of a compiler that may change its output.
struct CompilerIdentity {
  std::string program;  // the executable file
  std::string version;  // the output of --version
  Digest digest;        // digest of the command, its files (real path, size, time), the version and the environment
  // False if the digest does not cover some part of the command; results then stay in memory.
  bool persistent = true;

  /// The first line of the version: "gcc (Debian 12.2.0-14) 12.2.0".
  std::string_view version_line() const { return std::string_view(version).substr(0, version.find('\n')); }
};

class Compiler {
 public:
  virtual ~Compiler() = default;
  /// The backend's name: "c".
  virtual std::string_view name() const = 0;
  /// Returns the suffix of a file that holds one of its artifacts, such as ".so".
  virtual std::string_view suffix() const = 0;
  virtual const CompilerIdentity& identity() const = 0;
  /// The command line without files: argv[0] and all flags.
  virtual std::vector<std::string> command(const CompileRequest& request) const = 0;
  /// True if `flags` refer to nothing outside the request, so the key covers the whole input.
  virtual bool self_contained(const std::vector<std::string>& flags) const = 0;
  /// Compiles; each process uses one of `slots`. A shared object exports `key` as kUnitKey. Errors: kCompiler (the message names the
  /// command, and compiler_output holds the compiler's messages), kIo, kCancelled.
  virtual std::vector<std::byte> compile(const CompileRequest& request, const Digest& key, WorkDirectory& work, CompilerSlots& slots,
                                         TimeLimit& limit) const = 0;
  /// Flags with which a compiler that crashed on a source may accept it; empty: there are none.
  virtual std::vector<std::string> flags_without_optimisation() const { return {}; }
};

/// Symbol that a compiled unit exports: a string with the key's hexadecimal digits. The loader compares it with the expected key. It is not
/// part of the source text from which the key is computed.
inline constexpr const char* kUnitKey = "unit_key";

}  // namespace harp
