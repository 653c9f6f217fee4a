#include "tool/trials_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace harp::tool {

namespace {

template <class... Values>
std::string format(const char* pattern, Values... values) {
  char text[512];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

std::string seconds_text(double seconds) {
  if (seconds >= 1) return format("%.3f s", seconds);
  if (seconds >= 1e-3) return format("%.3f ms", seconds * 1e3);
  return format("%.3f us", seconds * 1e6);
}

/// Joins the lines of a configuration into one line, separated by semicolons.
std::string one_line(const std::string& configuration) {
  std::string line;
  for (const char c : configuration) line += c == '\n' ? std::string("; ") : std::string(1, c);
  while (line.ends_with("; ")) line.resize(line.size() - 2);
  return line.empty() ? "untuned" : line;
}

std::string quoted_for_json(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (static_cast<unsigned char>(c) < ' ')
      out += format("\\u%04x", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + "\"";
}

std::string escaped_for_xml(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<unsigned char>(c) < ' ')
      out += ' ';
    else
      out += c;
  }
  return out;
}

std::vector<size_t> by_time(const TrialReport& report) {
  std::vector<size_t> order;
  for (size_t i = 0; i < report.trials.size(); ++i)
    if (report.trials[i].failure.empty()) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return report.trials[a].median < report.trials[b].median; });
  return order;
}

}  // namespace

std::string table_of(const TrialReport& report, size_t most) {
  std::string out = format("%5s %12s %10s %8s  %s\n", "trial", "median", "spread", "speedup", "configuration");
  const std::vector<size_t> order = by_time(report);
  const double untuned = report.trials[0].median;
  for (size_t rank = 0; rank < order.size(); ++rank) {
    const TrialRow& trial = report.trials[order[rank]];
    if (rank >= most && order[rank] != 0 && order[rank] != report.best) continue;
    out += format("%5zu %12s %10s %8.3f  ", order[rank], seconds_text(trial.median).c_str(), seconds_text(trial.spread).c_str(),
                  untuned / trial.median);
    out += one_line(trial.configuration) + "\n";
  }
  const size_t failed = report.trials.size() - order.size();
  out += format("%zu trials%s%s, of %.4g configurations\n", report.trials.size(), failed > 0 ? format(" (%zu failed)", failed).c_str() : "",
                report.exhausted ? ", all tried" : "", report.space_size);
  if (report.best == 0)
    out += "the untuned configuration is the fastest";
  else
    out += format("the fastest is trial %zu, %.3f times as fast as untuned in alternating runs", report.best, report.speedup);
  return out +
         (report.stored ? "; stored in the tuning database\n" : "; not stored in the tuning database: " + report.why_not_stored + "\n");
}

std::string json_of(const TrialReport& report) {
  std::string out = "{\n  \"graph\": " + quoted_for_json(report.graph) + ",\n";
  out +=
      format("  \"best\": %zu,\n  \"speedup\": %.6g,\n  \"space_size\": %.6g,\n  \"exhausted\": %s,\n  \"stored\": %s,\n  \"trials\": [\n",
             report.best, report.speedup, report.space_size, report.exhausted ? "true" : "false", report.stored ? "true" : "false");
  for (size_t i = 0; i < report.trials.size(); ++i) {
    const TrialRow& t = report.trials[i];
    out += format("    {\"median\": %.9g, \"spread\": %.9g, \"samples\": %lld, \"compile\": %.6g, \"expected\": %.6g, ", t.median, t.spread,
                  static_cast<long long>(t.samples), t.compile, t.expected);
    out += "\"configuration\": " + quoted_for_json(t.configuration) + ", \"failure\": " + quoted_for_json(t.failure) + "}";
    out += i + 1 < report.trials.size() ? ",\n" : "\n";
  }
  return out + "  ]\n}\n";
}

std::string plot_of(const TrialReport& report) {
  constexpr double kWidth = 860, kHeight = 420, kLeft = 90, kRight = 20, kTop = 50, kBottom = 50;
  const std::vector<size_t> order = by_time(report);
  // The time axis is logarithmic and ends at 3 times the time of the untuned program. Slower trials are drawn at its end.
  constexpr double kMaxOfUntuned = 3;
  const double least = report.trials[order.front()].median;
  const double greatest = std::min(report.trials[order.back()].median, kMaxOfUntuned * report.trials[0].median);
  const double low = std::log10(least) - 0.03, high = std::max(std::log10(greatest), low + 0.06) + 0.03;
  const double count = static_cast<double>(std::max<size_t>(report.trials.size() - 1, 1));
  const auto x = [&](size_t trial) { return kLeft + (kWidth - kLeft - kRight) * static_cast<double>(trial) / count; };
  const auto y = [&](double seconds) {
    const double height = (std::log10(std::max(seconds, 1e-12)) - low) / (high - low);
    return kHeight - kBottom - (kHeight - kTop - kBottom) * std::clamp(height, 0.0, 1.0);
  };
  const auto line = [&](double x1, double y1, double x2, double y2, const char* style) {
    return format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2, style);
  };
  const auto text = [&](double at_x, double at_y, const char* anchor, const std::string& words) {
    return format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", at_x, at_y, anchor) + escaped_for_xml(words) + "</text>\n";
  };
  std::string out = format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n",
      kWidth, kHeight, kWidth, kHeight);
  out += format("<rect width=\"%.0f\" height=\"%.0f\" fill=\"white\"/>\n", kWidth, kHeight);
  out += text(kLeft, 20, "start", report.graph.substr(0, 110));
  out += text(kLeft, 38, "start",
              report.best == 0 ? "untuned is the fastest"
                               : format("fastest: trial %zu, %.3f times as fast as untuned", report.best, report.speedup));
  out += line(kLeft, kTop, kLeft, kHeight - kBottom, "stroke=\"black\"") +
         line(kLeft, kHeight - kBottom, kWidth - kRight, kHeight - kBottom, "stroke=\"black\"");
  for (int tick = 0; tick <= 4; ++tick) {
    const double seconds = std::pow(10, low + (high - low) * tick / 4);
    out += line(kLeft - 4, y(seconds), kWidth - kRight, y(seconds), "stroke=\"#ddd\"") +
           text(kLeft - 8, y(seconds) + 4, "end", seconds_text(seconds));
  }
  out += text((kLeft + kWidth - kRight) / 2, kHeight - 14, "middle", format("trial, 0 to %zu", report.trials.size() - 1));
  out += line(kLeft, y(report.trials[0].median), kWidth - kRight, y(report.trials[0].median), "stroke=\"#888\" stroke-dasharray=\"5 4\"");
  std::string best_so_far;
  double best = report.trials[0].median;
  for (size_t i = 0; i < report.trials.size(); ++i) {
    const TrialRow& t = report.trials[i];
    if (!t.failure.empty()) continue;
    best_so_far += format("%.1f,%.1f ", x(i), y(best));
    best = std::min(best, t.median);
    best_so_far += format("%.1f,%.1f ", x(i), y(best));
    out += line(x(i), y(t.median + t.spread / 2), x(i), y(t.median - t.spread / 2), "stroke=\"#9bc\"");
    out += format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"%s\"><title>", x(i), y(t.median), i == report.best ? 5 : 3,
                  i == report.best ? "#c33" : "#247");
    out += escaped_for_xml(seconds_text(t.median) + ": " + one_line(t.configuration)) + "</title></circle>\n";
  }
  out += "<polyline points=\"" + best_so_far + "\" fill=\"none\" stroke=\"#c33\"/>\n";
  return out + "</svg>\n";
}

}  // namespace harp::tool
