// What a compiler is to harp: something with an identity that turns source text into the bytes of an artifact inside a private
// directory. `c` (c_compiler.h) runs cc; others take their place beside it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/process.h"
#include "base/source_functions.h"
#include "base/target.h"
#include "base/time_limit.h"
#include "compile/compiler_slots.h"
#include "compile/work_directory.h"

namespace harp {

struct CompileRequest {
  std::string source;
  std::vector<SourceFunction> functions;  // of the source, those that may be compiled apart; not part of the key
  std::string signature;                  // travels in the manifest
  Target target = host_target();
  int optimisation = 3;            // -O
  bool vectors_written = false;    // the source holds its own vectors: of -O3, the passes that look for some may stay out
  std::vector<std::string> flags;  // added after harp's own
  std::string compiler;            // command that overrides the context's, empty: that one
};

/// Everything about a compiler that may change what it makes.
struct CompilerIdentity {
  std::string program;     // the file that is run
  std::string version;     // all that --version prints
  Digest digest;           // of the command's words, the files behind them (real path, size, time), the version, the environment
  bool persistent = true;  // false: something in the command is beyond what the digest sees; results stay in memory

  /// "gcc (Debian 12.2.0-14) 12.2.0"
  std::string_view version_line() const { return std::string_view(version).substr(0, version.find('\n')); }
};

class Compiler {
 public:
  virtual ~Compiler() = default;
  /// The backend's name: "c".
  virtual std::string_view name() const = 0;
  virtual const CompilerIdentity& identity() const = 0;
  /// The effective command line without files: argv[0] and all flags.
  virtual std::vector<std::string> command(const CompileRequest& request) const = 0;
  /// Whether `flags` name nothing outside the request, so that the key covers all of the input.
  virtual bool self_contained(const std::vector<std::string>& flags) const = 0;
  /// Compiles, each process in one of `slots`; what it makes exports `key` as kUnitKey. Error: kCompiler (names the command;
  /// compiler_output holds what it printed), kIo, kCancelled.
  virtual std::vector<std::byte> compile(const CompileRequest& request, const Digest& key, WorkDirectory& work, CompilerSlots& slots,
                                         TimeLimit& limit) const = 0;
};

/// The text by which a compiled unit says which one it is, a string of the key's hexadecimal digits: what the system's loader gives can be
/// compared with what was asked for. It is not in the source text, which the key is computed from.
inline constexpr const char* kUnitKey = "unit_key";

}  // namespace harp
