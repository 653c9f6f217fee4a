// Writes the table and the JSON lines: {"name","value","unit","peer","peer_value","ratio","goal","ok","max_ulp"}. peer is the software
// with which harp is compared; if there is none, peer, peer_value and ratio are null. ok is null if the measurement has no goal.
#include "bench/harness/report.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace bench {
namespace {

/// Formats a number with three significant digits and without an exponent.
std::string number(double value) {
  char text[32];
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

nlohmann::ordered_json or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace

Report::Report(const std::string& json_path, const Goals& goals) : goals_(goals), path_(json_path) {
  if (json_path.empty()) return;
  json_.open(json_path, std::ios::trunc);
  if (!json_) throw std::runtime_error("cannot write " + json_path);
}

void Report::begin(const std::string& heading) {
  std::printf("%s\n\n%-34s %18s   %-24s %10s %7s  %s\n", heading.c_str(), "row", "harp", "peer", "", "ratio", "goal");
}

void Report::add(const Row& row) {
  const Goal& goal = goals_.at(row.name);
  const std::optional<bool> ok = goal.met(row);
  ++rows_;
  if (ok == true) ++goals_met_;
  if (ok == false) missed_.push_back(row.name);

  const char* verdict = !ok ? "" : *ok ? "  ok" : "  MISSED";
  const std::string error = row.max_ulp ? "  (" + number(*row.max_ulp) + " ulp)" : "";
  std::printf("%-34s %10s %-7s   %-24s %10s %7s  %s%s%s\n", row.name.c_str(), number(row.value).c_str(), row.unit.c_str(), row.peer.c_str(),
              row.peer_value ? number(*row.peer_value).c_str() : "", row.ratio ? number(*row.ratio).c_str() : "", goal.text().c_str(),
              verdict, error.c_str());
  std::fflush(stdout);

  if (!json_.is_open()) return;
  nlohmann::ordered_json line;
  line["name"] = row.name;
  line["value"] = row.value;
  line["unit"] = row.unit;
  line["peer"] = row.peer.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(row.peer);
  line["peer_value"] = or_null(row.peer_value);
  line["ratio"] = or_null(row.ratio);
  line["goal"] = goal.text();
  line["ok"] = ok ? nlohmann::ordered_json(*ok) : nlohmann::ordered_json(nullptr);
  line["max_ulp"] = or_null(row.max_ulp);
  json_ << line.dump() << std::endl;  // writes the line at once, so that the results of an interrupted run are kept
}

void Report::skip(const std::string& name, const std::string& reason) {
  ++skipped_;
  std::printf("%-34s not measured: %s\n", name.c_str(), reason.c_str());
  std::fflush(stdout);
}

void Report::end() {
  std::printf("\n%zu rows, %zu goals met, %zu missed", rows_, goals_met_, missed_.size());
  if (skipped_ > 0) std::printf("; %zu rows that this machine cannot measure", skipped_);
  std::printf("\n");
  if (json_.is_open()) {
    json_.close();
    if (!json_) throw std::runtime_error("cannot write " + path_);
  }
}

}  // namespace bench
