// Makes the description of this machine that schedules use: the machine's entry in harp's table of CPUs (base/machine.h), with the numbers
// that `harp info --measure` has measured instead of the table's. The measured numbers are in a text file in the cache directory,
// `machine-1.txt`, which is valid for one machine. harp ignores a file that is damaged, that is for another machine, that has another
// format, or that other users may write; it logs one line about that. Without a usable file the table's numbers are used. This class does
// not measure anything.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "base/log.h"
#include "base/machine.h"
#include "base/process.h"
#include "compile/cache.h"
#include "tune/measurement.h"

namespace harp::tune {

/// The measured properties of this machine, from the file in the cache directory. Thread-safe; there is one object per context. It reads
/// the file once, when the numbers are first needed. Therefore all programs of a context are scheduled for the same numbers, unless the
/// context measures the machine again.
class MeasuredMachine {
 public:
  /// The cache must outlive this object.
  MeasuredMachine(System system, CompileCache& cache, Log log, Machine host)
      : system_(system), cache_(cache), log_(std::move(log)), host_(host) {}

  /// Returns the machine's entry in the table of CPUs, with the known measured numbers in place of the table's.
  Machine machine();
  /// Returns the measured numbers; nullopt if there is no usable file.
  std::optional<Measurement> known();
  /// Stores new numbers, which are used from now on, and replaces the file. Returns "", or the reason why the file could not be written.
  std::string store(Measurement measurement);

  static constexpr const char* kFile = "machine-1.txt";

 private:
  void load();

  System system_;
  CompileCache& cache_;
  Log log_;
  const Machine host_;
  std::mutex mutex_;  // guards the members below
  bool is_loaded_ = false;
  std::optional<Measurement> known_;
};

}  // namespace harp::tune
