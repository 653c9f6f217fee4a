// Implements the tuning database: the fastest known configuration of a program, for each machine and each version of harp. It is one text
// file in the cache directory, `tuning-2.txt`, which people can read and copy to another machine of the same kind:
//
//     harp tuning 2
//
//     program 8f3a...                    a digest of the graph, of its compile options, and of the number of threads
//     name softmax
//     version 0.1.0 law 1
//     machine x86_64-linux-gnu x86-64-v4 AuthenticAMD 25 17 1 AMD EPYC
//     seconds 0.00123 untuned 0.00156
//     kernel_0: ...                      the configuration (configuration.h)
//     end 19bc...                        a digest of the lines above
//
// The 2 in the first line and in the file name is the version of the format, which includes the keywords of schedules. harp does not read
// files of other versions.
//
// The file is not trusted. harp uses an entry (the lines from "program" to "end") only if its digest is right, if it was written for this
// version of harp and this machine, and if harp's own search could choose its compiler and flags. harp ignores other entries and logs one
// line about them. It also ignores a file that does not begin as a tuning database, or that other users may write.
//
// To add an entry, harp locks and reads the file, and replaces it by a new one with the additional entry. So two processes that add entries
// at the same time lose none, and a reader sees either the old or the new file. Ignored entries stay in the file, and an ignored file is
// renamed before a new one is written. If the cache is off, entries are kept in memory.
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
  std::string name;  // name of the graph, for people who read the file
  std::string version, machine;
  double seconds = 0, untuned_seconds = 0;
  Configuration configuration;
};

std::string print(const TuningEntry& entry);
/// The parsed text of a tuning database. `entries` are the intact entries in the order of the file.
struct TuningText {
  std::vector<TuningEntry> entries;
  std::vector<std::string> damaged;  // text of the entries that are damaged or that a newer version of harp wrote
  bool is_readable = false;          // whether the text begins like a tuning database of this format
};
TuningText parse_database(std::string_view text);

/// A context's access to the tuning database, the file that contains the fastest known configurations of programs. Thread-safe.
class TuningDatabase {
 public:
  /// The cache must outlive the database. The machine's name (machine.h) is determined when it is first needed.
  TuningDatabase(System system, CompileCache& cache, Log log, std::string version, Machine host)
      : system_(system), cache_(cache), log_(std::move(log)), version_(std::move(version)), host_(host) {}

  /// Returns the fastest known configuration of a program on this machine; nullopt if the database has none.
  std::optional<Configuration> find(const Digest& program);
  /// Stores the configuration as the program's entry for this machine and this version of harp; it replaces an older entry. Returns "", or
  /// the reason why the entry could not be written to disk. In that case only this context knows the entry.
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
  // Identifies the version of the file from which `entries_` were read; nullopt: there was no file.
  std::optional<CompileCache::Stamp> stamp_;
  // Entries for this machine and this version of harp: those in the file, and those that could not be written to it.
  std::vector<TuningEntry> entries_, added_;
};

}  // namespace harp::tune
