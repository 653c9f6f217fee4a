// CompiledProgram is the result of a compilation. It is immutable. All harp_programs of a context that were compiled from equal graphs with
// equal options share it. ProgramCache finds it by a key, without generating source again.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "run/program.h"

namespace harp::capi {

/// Owns the shape text and the sizes that a harp_array_info points to.
struct ArrayText {
  std::string shape;
  std::vector<int64_t> dims;  // sizes of the axes; -1 for a symbolic size
};

struct CompiledProgram {
  CompiledProgram(std::shared_ptr<const Signature> signature, std::unique_ptr<Executable> executable, const HostHooks& hooks,
                  Placement placement);

  LoadedProgram program;
  std::string source;
  harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
  std::vector<ArrayText> inputs, outputs;
  std::string native;  // describes one operation that calls a native function of the host; "" if there is none
};

/// The most recently used programs of a context. The cache does not keep a program with large constants alive: such a program is found only
/// while the host has a reference to it, so that the weights of a released program do not stay in memory. Thread-safe. The context owns the
/// cache, so the cache has no reference to the context.
class ProgramCache {
 public:
  std::shared_ptr<const CompiledProgram> find(const Digest& key);
  void insert(const Digest& key, std::shared_ptr<const CompiledProgram> program);
  void remove(const Digest& key);
  void clear();
  uint64_t hits() const;

 private:
  struct Entry {
    Digest key;
    std::weak_ptr<const CompiledProgram> program;
    std::shared_ptr<const CompiledProgram> kept;  // keeps the program alive; null if its constants are large
  };
  static constexpr size_t kEntries = 256;
  static constexpr uint64_t kMaxConstantBytes = uint64_t{4} << 20;  // a program whose constants have more bytes than this is not kept alive

  mutable std::mutex mutex_;
  std::list<Entry> order_;  // most recently used first
  std::unordered_map<Digest, std::list<Entry>::iterator> index_;
  uint64_t hits_ = 0;
};

}  // namespace harp::capi
