// CompiledProgram is the result of a compilation. It is immutable, and shared by all harp_programs of a context that were compiled from
// equal graphs with equal options. ProgramCache finds it without generating the source again.
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

/// Owns the text and sizes that harp_array_info points to.
struct ArrayText {
  std::string shape;
  std::vector<int64_t> dims;  // -1 for a symbolic size
};

struct CompiledProgram {
  CompiledProgram(std::shared_ptr<const Signature> signature, std::unique_ptr<Executable> executable, const HostHooks& hooks,
                  Placement placement);

  LoadedProgram program;
  std::string source;
  harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
  std::vector<ArrayText> inputs, outputs;
  std::string native;  // describes an operation that calls a function of the host; "" if there is none
};

/// The most recently used programs of a context. A program with large constants is found only as long as the host holds it, so that the
/// cache does not keep the weights of a released program in memory. Thread-safe. The context owns the cache, so the cache holds no
/// reference to the context.
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
    std::shared_ptr<const CompiledProgram> kept;  // keeps the program alive, unless its constants are large
  };
  static constexpr size_t kEntries = 256;
  static constexpr uint64_t kMaxConstantBytes = uint64_t{4} << 20;  // most bytes of constants of a program that is kept alive

  mutable std::mutex mutex_;
  std::list<Entry> order_;  // most recently used first
  std::unordered_map<Digest, std::list<Entry>::iterator> index_;
  uint64_t hits_ = 0;
};

}  // namespace harp::capi
