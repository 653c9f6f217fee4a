// The tuning database: the fastest known configuration of a program, for each machine and version of harp. It is one text file in the cache
// directory, `tuning-2.txt`, which can be read and copied to another machine of the same kind:
//
//     harp tuning 2
//
//     program 8f3a...                    a digest of the graph, of the options it is compiled with, and of the number of threads
//     name softmax
//     version 0.1.0 law 1
//     machine x86_64-linux-gnu x86-64-v4 AuthenticAMD 25 17 1 AMD EPYC
//     seconds 0.00123 untuned 0.00156
//     kernel_0: ...                      the configuration (configuration.h)
//     end 19bc...                        a digest of the lines above
//
// The number is the version of the format, which includes the keywords of schedules. A file in another format has another name and is not
// read. The file is not trusted: harp uses a paragraph only if its digest is right, if it was written for this version of harp and this
// machine, and if harp's own search could choose its compiler and flags. harp ignores other paragraphs and logs one line about them. It
// also ignores a file that is no database or that other users may write. To add an entry harp reads the file, merges and renames a new file
// into place, all under a lock. So two processes lose none of their entries, and a reader sees the old or the new file. Nothing that was
// ignored is lost: such paragraphs stay in the file, and an ignored file is renamed. If the cache is off, entries live in memory.
// paragraphs stay in the file, and an ignored file is renamed. If the cache is off, entries live in memory.
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
  std::string name;  // the graph's name, for readers of the file
  std::string version, machine;
  double seconds = 0, untuned_seconds = 0;
  Configuration configuration;
};

std::string print(const TuningEntry& entry);
/// The text of a database, parsed: the intact entries in order, and the other paragraphs.
struct TuningText {
  std::vector<TuningEntry> entries;
  std::vector<std::string> damaged;  // paragraphs that are damaged or were written by a newer version, as text
  bool is_readable = false;          // whether the text begins as a database of this format
};
TuningText parse_database(std::string_view text);

/// Thread-safe; one per context.
class TuningDatabase {
 public:
  /// The cache has to outlive it. The machine's name (machine.h) is determined when an entry is first looked up or added.
  TuningDatabase(System system, CompileCache& cache, Log log, std::string version, Machine host)
      : system_(system), cache_(cache), log_(std::move(log)), version_(std::move(version)), host_(host) {}

  /// The fastest known configuration of a program; nullopt if there is none.
  std::optional<Configuration> find(const Digest& program);
  /// Replaces the entry of this machine and version for the program. Returns "", or the reason why the entry is not on the disk; then it
  /// lives in this context only.
  std::string add(const Digest& program, std::string name, Configuration configuration, double seconds, double untuned_seconds);

  static constexpr const char* kFile = "tuning-2.txt";

 private:
  void refresh();
  std::optional<TuningText> read(std::string& why_not);
  bool is_own(const TuningEntry& entry) const { return entry.version == version_ && entry.machine == machine_; }
  void find_machine_name();

  System system_;
  CompileCache& cache_;
  Log log_;
  const std::string version_;
  const Machine host_;
  std::mutex mutex_;  // guards the members below
  std::string machine_;
  std::optional<CompileCache::Stamp> stamp_;  // identifies the version of the file that `entries_` were read from
  std::vector<TuningEntry> entries_, added_;  // entries of this machine and version
};

}  // namespace harp::tune
