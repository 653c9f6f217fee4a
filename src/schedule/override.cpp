#include "schedule/override.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "schedule/legal.h"

namespace harp {
namespace {

std::string name_of(const ScheduleOverride& o) { return cat("kernel_", o.kernel, o.variant > 0 ? cat(" variant ", o.variant) : ""); }

/// If the text begins with `word` and a number that is not negative, removes both from the front of the text, stores the number, and
/// returns true. Otherwise returns false.
bool consume(std::string_view& text, std::string_view word, int64_t& number) {
  if (!text.starts_with(word)) return false;
  const char* begin = text.data() + word.size();
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

}  // namespace

std::string print(const ScheduleOverride& o) { return cat(name_of(o), ": ", print(o.schedule)); }

ScheduleOverride parse_override(std::string_view line) {
  line = trimmed(line.substr(0, line.find('#')));
  const size_t colon = line.find(':');
  ScheduleOverride result;
  std::string_view target = line.substr(0, colon);
  const bool is_kernel = colon != line.npos && consume(target, "kernel_", result.kernel) &&
                         (target.empty() || (consume(target, " variant ", result.variant) && result.variant > 0 && target.empty()));
  HARP_CHECK(is_kernel, Code::kParse, "schedule override: expected \"kernel_N: schedule\" or \"kernel_N variant M: schedule\", got \"",
             shortened(line), "\"");
  result.schedule = parse_schedule(line.substr(colon + 1));
  return result;
}

std::vector<ScheduleOverride> parse_overrides(std::string_view text) {
  std::vector<ScheduleOverride> overrides;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && !line.starts_with('#')) overrides.push_back(parse_override(line));
  }
  check_each_once(overrides);
  return overrides;
}

void check_each_once(std::span<const ScheduleOverride> overrides) {
  std::set<std::pair<int64_t, int64_t>> given;  // pairs (kernel, variant) for which an override was already seen
  for (const ScheduleOverride& o : overrides)
    HARP_CHECK(given.emplace(o.kernel, o.variant).second, Code::kParse, "schedule override: ", name_of(o), " is given twice");
  for (const ScheduleOverride& o : overrides)
    HARP_CHECK(o.variant == 0 || !given.contains({o.kernel, 0}), Code::kParse, "schedule override: kernel_", o.kernel,
               " is given for all sizes and for ", name_of(o), " too");
}

void apply_overrides(Program& program, std::span<const ScheduleOverride> overrides, bool plain_text) {
  for (const ScheduleOverride& o : overrides) {
    HARP_CHECK(static_cast<size_t>(o.kernel) < program.kernels.size(), Code::kInvalidArgument,
               "schedule override: unknown kernel \"kernel_", o.kernel, "\"; the number of kernels is ", program.kernels.size());
    KernelPlan& kernel = program.kernels[static_cast<size_t>(o.kernel)];
    if (o.variant == 0) kernel.variants.assign(1, Variant{});  // without a guard
    HARP_CHECK(static_cast<size_t>(o.variant) <= kernel.variants.size(), Code::kInvalidArgument, "schedule override: kernel_", o.kernel,
               " has no variant ", o.variant, "; the number of variants is ", kernel.variants.size());
    const size_t v = static_cast<size_t>(std::max<int64_t>(o.variant, 1)) - 1;
    check_variant(program, kernel, v, o.schedule, name_of(o));
    for (size_t i = 0; i < o.schedule.axes.size() && plain_text; ++i)
      HARP_CHECK(o.schedule.axes[i].simd_width == 1, Code::kInvalidArgument, name_of(o), ": axis ", i,
                 " has simd=", o.schedule.axes[i].simd_width, "; plain text has no vectors, expected simd=1");
    kernel.variants[v].schedule = o.schedule;
  }
}

}  // namespace harp
