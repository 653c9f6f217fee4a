// The machine at hand as schedules see it: its row of the table of machines, in which the numbers that `harp info --measure` has found
// replace those of the row. The numbers are in a text file beside the tuning database, `machine-1.txt`, which belongs to one machine. A
// file that is damaged, of another machine or of another format, or that other users may write, is ignored with one line of the log. In
// that case, and if there is no file, the row's own numbers are used. Nothing is measured here.
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

/// Thread-safe; one per context. The file is read when its numbers are first needed, once: all programs of a context are scheduled for the
/// same machine, unless the context measures it.
class MeasuredMachine {
 public:
  /// The cache has to outlive it.
  MeasuredMachine(System system, CompileCache& cache, Log log, Machine host)
      : system_(system), cache_(cache), log_(std::move(log)), host_(host) {}

  /// The host's row, with the measured numbers that are known.
  Machine machine();
  /// The numbers that are known; nullopt if there is no usable file.
  std::optional<Measurement> known();
  /// Uses these numbers from now on and replaces the file. Returns "", or the reason why they are not on the disk.
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
