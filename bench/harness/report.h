// Writes the output of a run of harp_bench: a table to which each measurement adds a row at once, and JSON lines for programs.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "bench/harness/goals.h"

namespace bench {

class Report {
 public:
  /// An empty json_path means that no JSON is written. Throws std::runtime_error if the file cannot be written.
  Report(const std::string& json_path, const Goals& goals);

  void begin(const std::string& heading);
  void add(const Row& row);
  /// Reports the reason why this machine cannot measure something. The measurement is neither met nor missed, and has no JSON line.
  void skip(const std::string& name, const std::string& reason);
  /// Writes the last lines of the table. Throws std::runtime_error if the JSON was not written completely.
  void end();

  const std::vector<std::string>& missed() const { return missed_; }

 private:
  const Goals& goals_;
  std::string path_;
  std::ofstream json_;
  std::vector<std::string> missed_;
  size_t rows_ = 0, goals_met_ = 0, skipped_ = 0;
};

}  // namespace bench
