// The tuning database: which configuration is the fastest for a program, found on a machine by a version of harp. It is one text file in
// the cache directory, `tuning-1.txt`, which can be copied to another machine of the same kind and looked at:
//
//     harp tuning 1
//
//     program 8f3a...                    a digest of the graph, of the options it is compiled with, and of the number of threads
//     name softmax
//     version 0.1.0 law 1
//     machine x86_64-linux-gnu x86-64-v4 AuthenticAMD 25 17 1 AMD EPYC
//     seconds 0.00123 untuned 0.00156
//     kernel_0: ...                      the configuration (configuration.h)
//     end 19bc...                        a digest of the lines above
//
// Nothing in it is believed: a paragraph counts only if its digest does, and only for its version and machine, and no compiler or flag in
// it is used that harp would not try by itself (a file may be anybody's); what is no such paragraph is
// passed over, and one line of the log says so. So is a file that is not this user's alone to write, or no database at all. Adding to it is
// read, merge, and one rename under a lock, so that two processes lose nothing of each other's and a reader sees all of it or the one
// before; nor is anything lost that was passed over: such paragraphs stay in the file, and such a file gets another name. A cache that is
// off keeps what was added in memory.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "compile/cache.h"
#include "tune/configuration.h"

namespace harp::tune {

struct TuningEntry {
  Digest program;
  std::string name;  // the graph's, for people
  std::string version, machine;
  double seconds = 0, untuned_seconds = 0;
  Configuration configuration;
};

std::string print(const TuningEntry& entry);
/// All that is whole in a database's text, in order; and what is not.
struct TuningText {
  std::vector<TuningEntry> entries;
  std::vector<std::string> damaged;  // paragraphs, or of a version that says more than this one knows: as they are
  bool is_readable = false;          // it begins as a database of this format
};
TuningText parse_database(std::string_view text);

/// Thread-safe; one per context.
class TuningDatabase {
 public:
  /// The cache outlives it. The machine is asked for its name (machine.h) when an entry is first looked for or added.
  TuningDatabase(System system, CompileCache& cache, Log log, std::string version, Target host)
      : system_(system), cache_(cache), log_(std::move(log)), version_(std::move(version)), host_(host) {}

  /// The configuration to use for a program; empty: none is known.
  std::optional<Configuration> find(const Digest& program);
  /// Replaces what this machine and version had for the program. "", or why it is not on the disk, and this context alone knows it.
  std::string add(const Digest& program, std::string name, Configuration configuration, double seconds, double untuned_seconds);

  static constexpr const char* kFile = "tuning-1.txt";

 private:
  void refresh();
  std::optional<TuningText> read(std::string& why_not);
  bool is_own(const TuningEntry& entry) const { return entry.version == version_ && entry.machine == machine_; }
  void know_machine();

  System system_;
  CompileCache& cache_;
  Log log_;
  const std::string version_;
  const Target host_;
  std::mutex mutex_;  // guards what follows
  std::string machine_;
  std::optional<CompileCache::Stamp> stamp_;  // of the file that `entries_` are from
  std::vector<TuningEntry> entries_, added_;  // of this machine and version
};

}  // namespace harp::tune
