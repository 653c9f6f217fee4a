#include "tune/configuration.h"

#include <charconv>

#include "base/error.h"
#include "base/text.h"

namespace harp::tune {
namespace {

constexpr int64_t kLongestShare = 1'000'000'000;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

int64_t parse_share(std::string_view digits) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  HARP_CHECK(error == std::errc() && end == digits.data() + digits.size() && value >= 0 && value <= kLongestShare, Code::kParse,
             "configuration: \"share: ", shortened(digits), "\": expected nanoseconds from 0 to ", kLongestShare);
  return value;
}

void parse_line(std::string_view line, Configuration& into) {
  const size_t colon = line.find(':');
  const std::string_view key = line.substr(0, colon), value = colon == line.npos ? std::string_view() : trimmed(line.substr(colon + 1));
  if (key.starts_with("kernel_")) {
    into.schedules.push_back(parse_override(line));
    return;
  }
  const bool known = key == "compiler" || key == "flag" || key == "without" || key == "share";
  HARP_CHECK(known && colon != line.npos, Code::kParse, "configuration: \"", shortened(line),
             "\" is not a line of a configuration, expected one of: kernel_N: schedule, compiler: command, flag: text, without: pass, "
             "share: nanoseconds");
  HARP_CHECK(!value.empty(), Code::kParse, "configuration: expected a value after \"", key, ":\"");
  const bool is_given = (key == "compiler" && !into.compiler.empty()) || (key == "share" && into.share_ns);
  HARP_CHECK(!is_given, Code::kParse, "configuration: \"", key, ":\" is given twice, the second time as \"", shortened(line), "\"");
  if (key == "compiler")
    into.compiler = value;
  else if (key == "flag")
    into.flags.emplace_back(value);
  else if (key == "without")
    into.disabled_passes.emplace_back(value);
  else
    into.share_ns = parse_share(value);
}

}  // namespace

std::string print(const Configuration& c) {
  std::string out;
  if (!c.compiler.empty()) append(out, cat("compiler: ", c.compiler, "\n"));
  for (const std::string& flag : c.flags) append(out, cat("flag: ", flag, "\n"));
  for (const std::string& pass : c.disabled_passes) append(out, cat("without: ", pass, "\n"));
  if (c.share_ns) append(out, cat("share: ", *c.share_ns, "\n"));
  for (const ScheduleOverride& schedule : c.schedules) append(out, cat(print(schedule), "\n"));
  return out;
}

Configuration parse_configuration(std::string_view text) {
  Configuration result;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && !line.starts_with('#')) parse_line(line, result);
  }
  check_each_once(result.schedules);
  return result;
}

void apply(const Configuration& configuration, PipelineOptions& options) {
  for (const std::string& pass : configuration.disabled_passes) options.disabled_rules.push_back(pass);
  if (configuration.share_ns) options.share_ns = *configuration.share_ns;
  for (const ScheduleOverride& schedule : configuration.schedules) append(options.schedule_override, cat(print(schedule), "\n"));
}

}  // namespace harp::tune
