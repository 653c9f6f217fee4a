// What a run says: a table for people as rows come in, and JSON lines for programs.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "bench/goals.h"

namespace bench {

class Report {
 public:
  /// json_path empty: no JSON. Throws std::runtime_error when the file cannot be written.
  Report(const std::string& json_path, const Goals& goals);

  void begin(const std::string& heading);
  void add(const Row& row);
  /// The last lines of the table. Throws std::runtime_error when the JSON did not reach its file.
  void end();

  const std::vector<std::string>& missed() const { return missed_; }

 private:
  const Goals& goals_;
  std::string path_;
  std::ofstream json_;
  std::vector<std::string> missed_;
  size_t rows_ = 0, goals_met_ = 0;
};

}  // namespace bench
